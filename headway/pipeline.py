"""The compiled way from atoms to trees: score all arcs, search, name the arcs, for many sentences at a call.

The rooms below stay apart; this file only strings their kernels together, so that Python is not entered for every
sentence. Sentences are dealt out to threads in turn, and each writes its own rows: the answer does not depend on how
many there are.
"""

import math
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from headway.arrays import write_chain
from headway.decoders.kernels import best_tree_kernel
from headway.encoding import Encoded
from headway.features.arc import ArcPlan, arc_hashes
from headway.features.label import LabelPlan
from headway.kernel import kernel
from headway.scorers.labels import best_labels
from headway.scorers.linear import every_arc, score_arcs
from headway.scorers.rows import Rows, holds_bytes
from headway.scorers.tensor import NO_PACKED_TENSOR, NO_TENSOR, Tensor, add_arc_tensor, project_sentence

IntArray = npt.NDArray[np.int32]


@dataclass(frozen=True)
class ArcModel:
    """What it takes to score arcs: sparse weights, and a tensor, which may be absent."""

    plan: ArcPlan
    rows: Rows
    tensor: Tensor = NO_TENSOR

    def __post_init__(self) -> None:
        if self.tensor is NO_TENSOR and holds_bytes(self.rows):
            object.__setattr__(self, "tensor", NO_PACKED_TENSOR)


@dataclass(frozen=True)
class LabelModel:
    """What it takes to name arcs.

    Parameters
    ----------
    rows : Rows
        With a column for each label.
    possible : (2, labels) bool
        Which labels an arc between two words may have, and which an arc from the root.
    """

    plan: LabelPlan
    rows: Rows
    possible: npt.NDArray[np.bool_]


@dataclass(frozen=True)
class TableOfArcs:
    """Which arcs of some sentences are possible: tables (n + 1, n + 1) [head, modifier], laid end to end.

    Parameters
    ----------
    starts : (sentences + 1,) int64
        Where each sentence's table begins.
    allowed : (entries,) bool
    """

    starts: npt.NDArray[np.int64]
    allowed: npt.NDArray[np.bool_]

    def of(self, sentence: int) -> npt.NDArray[np.bool_]:
        """(n + 1, n + 1) The table of one sentence."""
        own = self.allowed[self.starts[sentence] : self.starts[sentence + 1]]
        size = math.isqrt(len(own))
        return own.reshape(size, size)


NO_GOLD = np.empty(0, dtype=np.int32)
"""As `gold`: no heads are known."""

EVERY_TABLE = TableOfArcs(np.empty(0, dtype=np.int64), np.empty(0, dtype=np.bool_))
"""All arcs of all sentences."""


def table_starts(lengths: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
    """(sentences + 1,) Where each sentence's (n + 1, n + 1) table begins when they are laid end to end."""
    starts = np.zeros(len(lengths) + 1, dtype=np.int64)
    np.cumsum((lengths + 1) ** 2, out=starts[1:])
    return starts


class Threads:
    """A fixed number of threads to deal sentences out to; with one, the caller does the work itself."""

    def __init__(self, number: int = 1) -> None:
        self.number = number
        self._pool = ThreadPoolExecutor(number) if number > 1 else None

    def deal(self, work: Callable[[int, int], None]) -> None:
        """Call ``work(first, stride)`` for every thread and wait for all."""
        if self._pool is None:
            work(0, 1)
        else:
            for _ in self._pool.map(work, range(self.number), [self.number] * self.number):
                pass

    def __enter__(self) -> "Threads":
        return self

    def __exit__(self, *error: object) -> None:
        if self._pool is not None:
            self._pool.shutdown(cancel_futures=True)


def find_heads(
    encoded: Encoded,
    model: ArcModel,
    *,
    projective: bool,
    single_root: bool = True,
    threads: Threads,
    arcs: TableOfArcs | None = None,
) -> IntArray:
    """(rows,) The best tree of every sentence, laid like the rows of `encoded`, -1 for roots.

    Parameters
    ----------
    arcs : TableOfArcs, optional
        The arcs to choose from, all by default. Where they hold no such tree, all arcs are tried.
    """
    arcs = arcs or EVERY_TABLE
    heads = np.empty(len(encoded.atoms), dtype=np.int32)
    everything = np.arange(len(encoded))

    def work(first: int, stride: int) -> None:
        heads_kernel(
            encoded.atoms, encoded.tags, encoded.starts, everything, first, stride, NO_GOLD,
            model.plan, model.rows, model.tensor, arcs.starts, arcs.allowed, projective, single_root, heads,
        )  # fmt: skip

    threads.deal(work)
    return heads


def find_labels(encoded: Encoded, heads: IntArray, model: LabelModel, *, threads: Threads) -> IntArray:
    """(rows,) The best label of every arc, -1 for roots."""
    labels = np.empty(len(encoded.atoms), dtype=np.int32)
    kind = np.float32 if model.rows.values.dtype == np.float32 else np.int32

    def work(first: int, stride: int) -> None:
        totals = np.empty(model.rows.values.shape[1], dtype=kind)
        _labels_kernel(
            encoded.atoms, encoded.starts, first, stride, heads, model.plan, model.rows, model.possible, totals, labels
        )  # fmt: skip

    threads.deal(work)
    return labels


def arc_scores(encoded: Encoded, sentence: int, model: ArcModel) -> npt.NDArray[np.float64]:
    """(n + 1, n + 1) [head, modifier] The scores of all arcs of one sentence."""
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


@kernel
def heads_kernel(
    atoms: IntArray,
    tags: IntArray,
    starts: npt.NDArray[np.int64],
    sentences: npt.NDArray[np.int64],
    first: int,
    stride: int,
    gold: IntArray,
    plan: ArcPlan,
    rows: Rows,
    tensor: Tensor,
    tables: npt.NDArray[np.int64],
    allowed: npt.NDArray[np.bool_],
    projective: bool,
    single_root: bool,
    heads: IntArray,
) -> None:
    """Search every stride-th of some sentences exactly; with gold heads, for the tree of highest score plus cost.

    Parameters
    ----------
    gold : (rows,) int32
        The heads that cost nothing, all others costing one; `NO_GOLD` for no costs.
    """
    for place in range(first, len(sentences), stride):
        sentence = sentences[place]
        begin, end = starts[sentence], starts[sentence + 1]
        size = end - begin
        own = every_arc()
        if len(tables) > 0:
            own = allowed[tables[sentence] : tables[sentence + 1]].reshape(size, size)
        scores = np.empty((size, size), dtype=np.float64)
        hashes = arc_hashes(atoms[begin:end], tags[begin:end], plan)
        projections = project_sentence(atoms[begin:end], tensor)
        score_arcs(hashes, plan, rows, own, scores)
        add_arc_tensor(projections, tensor.shapes, own, scores)
        if len(gold) > 0:
            scores += 1.0
            for modifier in range(1, size):
                scores[gold[begin + modifier], modifier] -= 1.0
        if not best_tree_kernel(scores, projective, single_root, heads[begin:end]):
            score_arcs(hashes, plan, rows, every_arc(), scores)
            add_arc_tensor(projections, tensor.shapes, every_arc(), scores)
            if not best_tree_kernel(scores, projective, single_root, heads[begin:end]):
                write_chain(heads[begin:end])


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
