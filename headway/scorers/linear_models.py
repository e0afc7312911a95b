"""The weights of linear models: of arcs, of parts and structures, of labels."""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from headway.features.arc import ArcPlan
from headway.features.global_features import NO_GLOBALS, GlobalPlan
from headway.features.high_order import NO_PARTS, PART_ROW, PartPlan
from headway.features.label import LabelPlan
from headway.scorers.rows import Rows, holds_bytes, pack, plain_rows
from headway.scorers.tensor import NO_PACKED_TENSOR, NO_PACKED_TRIPLES, NO_TENSOR, NO_TRIPLES, Tensor


@dataclass(frozen=True)
class ArcModel:
    """The model of arcs: sparse weights, and a tensor, which may be empty."""

    plan: ArcPlan
    rows: Rows
    tensor: Tensor = NO_TENSOR

    def __post_init__(self) -> None:
        if self.tensor is NO_TENSOR and holds_bytes(self.rows):
            object.__setattr__(self, "tensor", NO_PACKED_TENSOR)


@dataclass(frozen=True)
class LabelModel:
    """The model of labels.

    Parameters
    ----------
    rows : Rows
        The weights, with a column for each label.
    possible : (2, labels) bool
        Whether each label is allowed on an arc between two words, and on an arc from the root.
    """

    plan: LabelPlan
    rows: Rows
    possible: npt.NDArray[np.bool_]


@dataclass(frozen=True)
class PartModel:
    """The model of higher-order parts and of structures of the whole tree, which share one weight table."""

    plan: PartPlan
    rows: Rows
    structures: GlobalPlan = NO_GLOBALS
    triples: Tensor = NO_TRIPLES


_NO_WEIGHTS = np.zeros((64, PART_ROW), dtype=np.float32)
_NO_PARTS = PartModel(NO_PARTS, plain_rows(_NO_WEIGHTS))
_NO_PACKED_PARTS = PartModel(NO_PARTS, pack(_NO_WEIGHTS, most=64), triples=NO_PACKED_TRIPLES)


class TreeModel(NamedTuple):
    """All weights that score trees, for kernels."""

    arc_plan: ArcPlan
    arc_rows: Rows
    tensor: Tensor
    part_plan: PartPlan
    part_rows: Rows
    structures: GlobalPlan
    triples: Tensor


def tree_model(arcs: ArcModel, parts: PartModel | None) -> TreeModel:
    """Combine the models of arcs and of parts."""
    if parts is None:
        parts = _NO_PACKED_PARTS if holds_bytes(arcs.rows) else _NO_PARTS
    return TreeModel(arcs.plan, arcs.rows, arcs.tensor, parts.plan, parts.rows, parts.structures, parts.triples)
