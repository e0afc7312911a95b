"""The labels of given trees, for many sentences at a call."""

from typing import Any

import numpy as np
import numpy.typing as npt

from headway.encoding import Encoded
from headway.features.label import LabelPlan
from headway.kernel import kernel
from headway.parts.candidate_batch import IntArray
from headway.scorers.labels import best_labels
from headway.scorers.linear_models import LabelModel
from headway.scorers.rows import Rows
from headway.threads import Threads


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
