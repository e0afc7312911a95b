"""Bias a scorer: parts of other parsers' trees get a bonus (Tchernowitz, Yedidsion and Reichart 2016, Section 7).

Parsers score on different scales, so scores are not added. Instead, every part of order j that another tree contains
gets a bonus of γ_j, which works with any decoder. Unlike in the paper, there can be several trees with different
weights, and arcs can be weighted by their confidence.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from headway.encoding import Encoded
from headway.kernel import kernel
from headway.parts import Candidates, Kind, Scores
from headway.parts.kinds import KINDS, list_parts, most_parts
from headway.parts.links import make_links, set_tree
from headway.parts.part_tables import lay_out_tables, list_table
from headway.parts.scorer import Scorer, TableScorer
from headway.parts.scores import wanted_kinds
from headway.parts.table_scores import possible_scores
from headway.parts.tree_scorer import TreeScorer

_SECOND = frozenset({Kind.SIBLING, Kind.GRANDPARENT, Kind.HEAD_BIGRAM, Kind.ARBITRARY_SIBLING})


@dataclass(frozen=True)
class Gamma:
    """The bonus of a part of order one, two and three if another tree contains it."""

    arc: float = 1.0
    second: float = 0.0
    third: float = 0.0

    def of(self, kind: Kind) -> float:
        """Return the bonus of a kind of part."""
        return self.arc if kind is Kind.ARC else self.second if kind in _SECOND else self.third


@dataclass(frozen=True, eq=False)
class Vote:
    """The tree of another parser for one sentence.

    Parameters
    ----------
    heads : (n + 1,) int32
        The head of each word; -1 for the root.
    confidence : (n + 1,) float64, optional
        The weight of the arc to each word; 1 by default.
    """

    heads: npt.NDArray[np.int32]
    confidence: npt.NDArray[np.float64] | None = None


class NoScores(TableScorer):
    """A scorer that gives 0 to all arcs; with a bias, it is the voting of reparsing (Sagae and Lavie 2006)."""

    name = "no-scores"
    kinds = frozenset({Kind.ARC})

    def scores(
        self, encoded: Encoded, sentence: int, candidates: Candidates, kinds: Collection[Kind] | None = None
    ) -> Scores:
        """Return zeros; see `Scorer`."""
        return Scores(np.zeros(len(candidates)))


@dataclass(frozen=True, eq=False)
class Biased:
    """A scorer whose parts get a bonus if other trees contain them.

    Parameters
    ----------
    scorer : Scorer
        The scorer to bias. If it also scores structures of whole trees, only arcs get a bonus with decoders that search
        whole trees; its higher-order parts do not.
    trees : sequence of sequences of Vote
        For each sentence of `encoded`, the trees of the other parsers.
    gammas : sequence of Gamma
        The bonus for each of the other parsers.
    encoded : Encoded
        The sentences of `trees`; others, such as the pieces of a long sentence, are scored without bias.
    """

    scorer: Scorer
    trees: Sequence[Sequence[Vote]]
    gammas: Sequence[Gamma]
    encoded: Encoded
    name = "biased"

    @property
    def kinds(self) -> frozenset[Kind]:
        """The kinds of the scorer; see `Scorer`."""
        return self.scorer.kinds

    @property
    def outer(self) -> int:
        """The value of the scorer; see `Scorer`."""
        return self.scorer.outer

    def scores(
        self, encoded: Encoded, sentence: int, candidates: Candidates, kinds: Collection[Kind] | None = None
    ) -> Scores:
        """Return the scorer's scores plus the bonus for parts of the other trees; see `Scorer`."""
        scores = self.scorer.scores(encoded, sentence, candidates, kinds)
        if encoded is not self.encoded:
            return scores
        tables: dict[str, Any] = {"arc": scores.arc + self._arc_bias(sentence, candidates)}
        biased = [kind for kind in KINDS if scores.table(kind) is not None and any(g.of(kind) for g in self.gammas)]
        if biased:
            layout, wanted = lay_out_tables(candidates.mask()), wanted_kinds(biased)
            keys = [tree_keys(vote.heads, wanted) for vote in self.trees[sentence]]
            for kind in biased:
                table, places = getattr(scores, kind).copy(), list_table(layout, KINDS.index(kind))
                for voted, gamma in zip(keys, self.gammas, strict=True):
                    table[np.isin(places, voted)] += gamma.of(kind)
                tables[str(kind)] = table
        return replace(scores, **tables)

    def tree_scorer(self, encoded: Encoded, sentence: int, candidates: Candidates) -> TreeScorer:
        """Return a scorer of whole trees; see `Scorer`."""
        if Kind.GLOBAL not in self.kinds:
            return possible_scores(candidates, self.scores(encoded, sentence, candidates))
        scorer = self.scorer.tree_scorer(encoded, sentence, candidates)
        if encoded is not self.encoded:
            return scorer
        left = Candidates(scorer.layout.offsets, scorer.layout.heads)
        return scorer._replace(arc=scorer.arc + self._arc_bias(sentence, left))

    def _arc_bias(self, sentence: int, candidates: Candidates) -> npt.NDArray[np.float64]:
        """(arcs,) Return the bonus of each arc."""
        bias = np.zeros(len(candidates))
        for vote, gamma in zip(self.trees[sentence], self.gammas, strict=True):
            chosen = vote.heads[candidates.modifiers] == candidates.heads
            sure = 1.0 if vote.confidence is None else vote.confidence[candidates.modifiers]
            bias += gamma.arc * np.where(chosen, sure, 0.0)
        return bias

    def tensors(self) -> dict[str, Any]:
        """Return the arrays of the scorer without its bias; see `Scorer`."""
        return self.scorer.tensors()


@kernel
def tree_keys(heads: npt.NDArray[np.int32], wanted: npt.NDArray[np.bool_]) -> npt.NDArray[np.int64]:
    """Return the keys of the parts of a tree."""
    links = make_links(len(heads))
    set_tree(links, heads)
    keys = np.empty(most_parts(links, wanted), dtype=np.int64)
    return keys[: list_parts(links, wanted, keys)].copy()
