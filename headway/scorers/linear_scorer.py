"""Linear models as a scorer: sparse features and low-rank tensors of arcs and parts, and features of whole trees."""

from collections.abc import Collection
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from headway.encoding import Encoded
from headway.features.arc import ArcPlan, arc_hashes
from headway.features.high_order import PartPlan
from headway.features.words import kept_slots
from headway.kernel import kernel, unit_kernel
from headway.parts import Candidates, Kind, Scores
from headway.parts.arc_index import index_arcs
from headway.parts.candidate_batch import IntArray
from headway.parts.kinds import GRANDPARENT, KINDS, SIBLING
from headway.parts.part_tables import lay_out_tables, list_table
from headway.scorers.global_features import make_global_scorer
from headway.scorers.high_order import make_part_scorer, part_score
from headway.scorers.linear import every_arc, score_arcs
from headway.scorers.linear_models import ArcModel, PartModel, TreeModel, tree_model
from headway.scorers.rows import Rows, row_tensors
from headway.scorers.tensor import Tensor, add_arc_tensor, project_sentence, tensor_arrays
from headway.scorers.trees import TreeScores


@dataclass(frozen=True)
class LinearScorer:
    """Weights of arcs and, if there are any, of parts and structures.

    Parameters
    ----------
    outer : int
        See `headway.parts.Scores`.
    """

    arcs: ArcModel
    parts: PartModel | None = None
    outer: int = 0
    name = "linear"

    @cached_property
    def trees(self) -> TreeModel:
        """All weights that score trees, for kernels."""
        return tree_model(self.arcs, self.parts)

    @cached_property
    def kinds(self) -> frozenset[Kind]:
        """The kinds of parts that have features; see `Scorer`."""
        if self.parts is None:
            return frozenset({Kind.ARC})
        wanted = {kind for number, kind in enumerate(KINDS) if self.parts.plan.wanted[number]}
        structures = {Kind.GLOBAL} if self.parts.structures.wanted.any() else set()
        return frozenset({Kind.ARC, *wanted, *structures})

    def scores(
        self, encoded: Encoded, sentence: int, candidates: Candidates, kinds: Collection[Kind] | None = None
    ) -> Scores:
        """Return the scores of parts of these kinds; see `Scorer`."""
        rows = slice(encoded.starts[sentence], encoded.starts[sentence + 1])
        atoms, tags, model = encoded.atoms[rows], encoded.tags[rows], self.trees
        mask = candidates.mask()
        dense = np.empty(mask.shape)
        arc_table_kernel(atoms, tags, mask, model, dense)
        chosen = self.kinds if kinds is None else self.kinds & set(kinds)
        tables: dict[str, Any] = {}
        if not chosen.isdisjoint(KINDS):
            layout = lay_out_tables(mask)
            for number, kind in enumerate(KINDS):
                if kind in chosen:
                    keys = list_table(layout, number)
                    tables[str(kind)] = _score_keys(atoms, model.part_plan, model.part_rows, model.triples, keys)
        return Scores(candidates.gather(dense), outer=self.outer, **tables)

    def tree_scorer(self, encoded: Encoded, sentence: int, candidates: Candidates) -> TreeScores:
        """Return a scorer of whole trees; see `Scorer`."""
        rows = slice(encoded.starts[sentence], encoded.starts[sentence + 1])
        return sentence_scores(encoded.atoms[rows], encoded.tags[rows], candidates.mask(), self.trees)

    def tensors(self) -> dict[str, npt.NDArray[Any]]:
        """Return the weights as arrays of a model file."""
        tensors, parts, tensor = row_tensors("arc", self.arcs.rows), self.parts, self.arcs.tensor
        if parts is not None:
            tensors |= row_tensors("part", parts.rows)
            if parts.triples.shapes.shape[1] > 0:
                tensors |= tensor_arrays("triple", parts.triples)
        if tensor.shapes.shape[1] > 0:
            tensors |= {"tensor_kept": kept_slots(tensor.plan), **tensor_arrays("tensor", tensor)}
            if len(tensor.plan.scales):
                tensors |= {"vectors": tensor.plan.vectors, "vector_scales": tensor.plan.scales}
        return tensors


@kernel
def _score_keys(
    atoms: IntArray, plan: PartPlan, rows: Rows, triples: Tensor, keys: npt.NDArray[np.int64]
) -> npt.NDArray[np.float64]:
    """Score the parts with these keys; 0 for keys that are not parts."""
    scorer, scores = make_part_scorer(atoms, plan, rows, triples), np.zeros(len(keys))
    for number in range(len(keys)):
        if keys[number] >= 0:
            scores[number] = part_score(scorer, keys[number])
    return scores


def arc_scores(encoded: Encoded, sentence: int, model: ArcModel) -> npt.NDArray[np.float64]:
    """(n + 1, n + 1) [head, modifier] Return the scores of all arcs of one sentence."""
    begin, end = encoded.starts[sentence], encoded.starts[sentence + 1]
    scores = np.empty((end - begin, end - begin), dtype=np.float64)
    _scores_kernel(encoded.atoms[begin:end], encoded.tags[begin:end], model.plan, model.rows, model.tensor, scores)
    return scores


@kernel
def _scores_kernel(
    atoms: IntArray,
    tags: IntArray,
    plan: ArcPlan,
    rows: Rows,
    tensor: Tensor,
    scores: npt.NDArray[np.float64],
) -> None:
    score_arcs(arc_hashes(atoms, tags, plan), plan, rows, every_arc(), scores)
    add_arc_tensor(project_sentence(atoms, tensor), tensor.shapes, every_arc(), scores)


@unit_kernel
def sentence_scores(atoms: IntArray, tags: IntArray, allowed: npt.NDArray[np.bool_], model: TreeModel) -> TreeScores:
    """Return the scores of the trees of one sentence, over the allowed arcs."""
    size = len(tags)
    dense = np.empty((size, size), dtype=np.float64)
    arc_table_kernel(atoms, tags, allowed, model, dense)
    index = index_arcs(allowed)
    arc = np.empty(len(index.heads), dtype=np.float64)
    for modifier in range(1, size):
        for number in range(index.offsets[modifier], index.offsets[modifier + 1]):
            arc[number] = dense[index.heads[number], modifier]
    wanted = model.part_plan.wanted
    siblings = np.full(index.sizes[0] if wanted[SIBLING] else 0, np.nan)
    grandparents = np.full(index.sizes[1] if wanted[GRANDPARENT] else 0, np.nan)
    scorer = make_part_scorer(atoms, model.part_plan, model.part_rows, model.triples)
    structures = make_global_scorer(atoms, tags, model.structures, model.part_rows)
    return TreeScores(
        index, arc, siblings, grandparents, wanted, scorer, structures, bool(model.structures.wanted.any())
    )


@kernel
def arc_table_kernel(
    atoms: IntArray,
    tags: IntArray,
    allowed: npt.NDArray[np.bool_],
    model: TreeModel,
    dense: npt.NDArray[np.float64],
) -> None:
    """Write the scores of the allowed arcs, [head, modifier]; -inf for all others."""
    score_arcs(arc_hashes(atoms, tags, model.arc_plan), model.arc_plan, model.arc_rows, allowed, dense)
    add_arc_tensor(project_sentence(atoms, model.tensor), model.tensor.shapes, allowed, dense)
