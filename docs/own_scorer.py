"""A custom scorer: nearby words attract each other, and so do siblings that are close together.

Register it under a name and put it into a parser: every decoder, k-best lists, proofs, confidences and constraints
work with it. See docs/architecture.md.
"""

from collections.abc import Collection

import numpy as np

from headway.encoding import Encoded, Encoder
from headway.parts import Candidates, Kind, Scores
from headway.parts.kinds import KINDS, read_key
from headway.parts.part_tables import lay_out_tables, list_table
from headway.parts.scorer import TableScorer
from headway.scorers import register_scorer


class DistanceScorer(TableScorer):
    """Scores arcs by the distance of their words, and siblings by the distance between them."""

    name = "distance"
    kinds = frozenset({Kind.ARC, Kind.SIBLING})

    def __init__(self, closeness: float = 1.0) -> None:
        self.closeness = closeness

    def scores(
        self, encoded: Encoded, sentence: int, candidates: Candidates, kinds: Collection[Kind] | None = None
    ) -> Scores:
        distance = np.abs(candidates.heads - candidates.modifiers)
        arc = -self.closeness * np.log(distance) - 0.01 * candidates.heads
        if kinds is not None and Kind.SIBLING not in kinds:
            return Scores(arc)
        keys = list_table(lay_out_tables(candidates.mask()), KINDS.index(Kind.SIBLING))
        return Scores(arc, sibling=np.array([self._sibling(key, candidates.length) for key in keys.tolist()]))

    def _sibling(self, key: int, length: int) -> float:
        _, _, _, sibling, modifier, _ = read_key(key)
        return 0.0 if length + 1 in (sibling, modifier) else -0.3 * abs(sibling - modifier)

    def tensors(self) -> dict[str, np.ndarray]:
        return {"closeness": np.array([self.closeness])}

    @classmethod
    def from_tensors(cls, encoder: Encoder, tensors: dict[str, np.ndarray]) -> "DistanceScorer":
        return cls(float(tensors["closeness"][0]))


register_scorer("distance", DistanceScorer)
