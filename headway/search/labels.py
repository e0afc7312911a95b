"""Label given trees, many sentences per call, and score labels."""

from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from headway.encoding import Encoded
from headway.features.label import LabelPlan, label_hashes, slot_buffer, tree_roles, tree_slots
from headway.kernel import kernel
from headway.parts.candidate_batch import IntArray
from headway.scorers.labels import best_labels, score_labels
from headway.scorers.linear_models import LabelModel
from headway.scorers.rows import Rows, slot_mask
from headway.support.threads import Threads


class NamesArcs(Protocol):
    """A scorer of labels other than a linear model, such as a neural scorer."""

    def label_scores(self, encoded: Encoded, sentence: int, heads: IntArray) -> npt.NDArray[np.float64]:
        """(n + 1, labels) Return the scores of all labels for the arcs of a tree; -inf for impossible labels."""
        ...


@dataclass(frozen=True, eq=False)
class LabelSum:
    """A label scorer that adds the scores of a linear model and of another scorer.

    Parameters
    ----------
    weight : float
        The factor of the other scorer.
    """

    linear: LabelModel
    other: NamesArcs
    weight: float

    def label_scores(self, encoded: Encoded, sentence: int, heads: IntArray) -> npt.NDArray[np.float64]:
        """(n + 1, labels) Return the scores of all labels; see `NamesArcs`."""
        added = self.weight * self.other.label_scores(encoded, sentence, heads)
        return label_scores(encoded, sentence, heads, self.linear) + added


def find_labels(encoded: Encoded, heads: IntArray, model: LabelModel | NamesArcs, *, threads: Threads) -> IntArray:
    """(rows,) Return the best label of every arc, -1 for roots."""
    labels = np.empty(len(encoded.atoms), dtype=np.int32)
    if not isinstance(model, LabelModel):
        for sentence, start in enumerate(encoded.starts[:-1].tolist()):
            rows = slice(start, encoded.starts[sentence + 1])
            labels[rows] = model.label_scores(encoded, sentence, heads[rows]).argmax(axis=1)
            labels[start] = -1
        return labels
    kind = np.float32 if model.rows.values.dtype == np.float32 else np.int32

    def work(first: int, stride: int) -> None:
        totals = np.empty(model.rows.values.shape[1], dtype=kind)
        _labels_kernel(
            encoded.atoms, encoded.starts, first, stride, heads, model.plan, model.rows, model.possible, totals, labels
        )  # fmt: skip

    threads.deal(work, sentences=len(encoded))
    return labels


def label_scores(
    encoded: Encoded, sentence: int, heads: IntArray, model: LabelModel | NamesArcs
) -> npt.NDArray[np.float64]:
    """(n + 1, labels) Return the scores of all labels for the arcs of a tree; -inf for impossible labels."""
    if not isinstance(model, LabelModel):
        return model.label_scores(encoded, sentence, heads)
    rows = slice(encoded.starts[sentence], encoded.starts[sentence + 1])
    scores = np.zeros((rows.stop - rows.start, model.rows.values.shape[1]))
    kind = np.float32 if model.rows.values.dtype == np.float32 else np.int32
    totals = np.empty(scores.shape[1], dtype=kind)
    tree = np.ascontiguousarray(heads, dtype=np.int32)
    _scores_kernel(encoded.atoms[rows], tree, model.plan, model.rows, model.possible, totals, scores)
    return scores


@kernel
def _scores_kernel(
    atoms: IntArray,
    heads: IntArray,
    plan: LabelPlan,
    rows: Rows,
    possible: npt.NDArray[np.bool_],
    totals: npt.NDArray[Any],
    scores: npt.NDArray[np.float64],
) -> None:
    hashes, roles, slots = label_hashes(atoms, plan), tree_roles(heads), slot_buffer(plan)
    for modifier in range(1, len(heads)):
        count = tree_slots(modifier, roles, hashes, plan, slot_mask(rows), slots)
        score_labels(rows, slots, count, totals)
        allowed = possible[int(heads[modifier] == 0)]
        for label in range(len(totals)):
            scores[modifier, label] = totals[label] * rows.scale if allowed[label] else -np.inf


@kernel
def _labels_kernel(
    atoms: IntArray,
    starts: npt.NDArray[np.int64],
    first: int,
    stride: int,
    heads: IntArray,
    plan: LabelPlan,
    rows: Rows,
    possible: npt.NDArray[np.bool_],
    totals: npt.NDArray[Any],
    labels: IntArray,
) -> None:
    for sentence in range(first, len(starts) - 1, stride):
        begin, end = starts[sentence], starts[sentence + 1]
        best_labels(atoms[begin:end], heads[begin:end], plan, rows, possible, totals, labels[begin:end])
