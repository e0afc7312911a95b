"""Steps of learning trees, with what `high_order.py` changes about them: rates of parts, shrinking steps, costs."""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from headway.features.arc import arc_hashes
from headway.features.global_features import global_hashes, sentence_traits
from headway.features.high_order import part_hashes
from headway.kernel import kernel
from headway.learning.averaging import AveragedTable
from headway.learning.tensor import ALL_MODES, add_gradient, arc_tensor_parts, sentence_gradient
from headway.learning.trees import TreeTables, arc_difference, part_difference
from headway.parts.candidate_batch import IntArray
from headway.parts.kinds import GRANDPARENT, read_key
from headway.scorers.global_features import globals_vector
from headway.scorers.high_order import parts_vector
from headway.scorers.linear import arcs_vector
from headway.scorers.sparse import SparseVector, sparse_add, sparse_dot, sparse_vector


@dataclass(frozen=True)
class Way:
    """A way of learning.

    Parameters
    ----------
    step : float
        The largest step.
    rate : float
        How many times larger the tensor's steps are.
    second, third, trees : float
        How many times larger the steps of parts of order two, of order three and of structures are.
    cost : float
        Of a wrong head, in search and margin.
    restarts, negatives : int
        Of hill climbing in training; searches of a sentence, from each of which is learned.
    late : int
        Epochs before parts and structures join.
    drop : float
        The probability that a kind of part is left out of a batch of sentences.
    power, scale : float
        A weight's steps shrink by (1 + sum of squared changes / scale) ** -power; 1 is AROW, 0.5 like AdaGrad.
    without : str
        A kind of part, or family, that is left out; ``globals`` for all families.
    slots : int
        Of the table of parts, as a power of two.
    start : str
        Of climbs, in training and on the dev set; see `headway.search.SearchRule`.
    """

    step: float = 0.01
    rate: float = 5.0
    second: float = 1.0
    third: float = 1.0
    trees: float = 1.0
    cost: float = 1.0
    restarts: int = 2
    negatives: int = 1
    late: int = 0
    drop: float = 0.0
    power: float = 0.0
    scale: float = 1.0
    without: str = ""
    slots: int = 21
    start: str = "map"


class Knobs(NamedTuple):
    """The options of a way that the kernel reads, and the sums of squared changes, empty if steps do not shrink."""

    step: float
    rate: float
    groups: npt.NDArray[np.float64]
    cost: float
    power: float
    scale: float
    arcs: npt.NDArray[np.float32]
    parts: npt.NDArray[np.float32]


@kernel
def of_order(difference: SparseVector, third: bool) -> SparseVector:
    """The parts of order two, or those of order three and structures."""
    some = sparse_vector(difference.size[0])
    for entry in range(difference.size[0]):
        place = difference.order[entry]
        if (read_key(difference.keys[place])[0] > GRANDPARENT) == third:
            sparse_add(some, difference.keys[place], difference.values[place])
    return some


@kernel
def pace(sums: npt.NDArray[np.float32], key: int, rate: float, knobs: Knobs) -> float:
    if knobs.power == 0.0:
        return rate
    return rate * (1.0 + sums[key] / knobs.scale) ** -knobs.power


@kernel
def norm_of(vector: SparseVector, sums: npt.NDArray[np.float32], rate: float, knobs: Knobs) -> float:
    total = 0.0
    for entry in range(vector.size[0]):
        place = vector.order[entry]
        total += vector.values[place] ** 2 * pace(sums, vector.keys[place], rate, knobs)
    return total


@kernel
def add(
    table: AveragedTable,
    vector: SparseVector,
    sums: npt.NDArray[np.float32],
    rate: float,
    factor: float,
    knobs: Knobs,
    number: int,
) -> None:
    values, changes = table.values.reshape(-1), table.changes.reshape(-1)
    for entry in range(vector.size[0]):
        place = vector.order[entry]
        key = vector.keys[place]
        change = factor * vector.values[place] * pace(sums, key, rate, knobs)
        values[key] += change
        changes[key] += change * number
        if knobs.power > 0.0:
            sums[key] += vector.values[place] ** 2


@kernel
def learn_batch(
    atoms: IntArray,
    tags: IntArray,
    starts: npt.NDArray[np.int64],
    batch: npt.NDArray[np.int64],
    gold: IntArray,
    found: IntArray,
    tables: TreeTables,
    knobs: Knobs,
    first: int,
) -> int:
    """Make the steps of `headway.learning.trees`, changed by the knobs; wrong heads are returned."""
    wrong = 0
    for offset in range(len(batch)):
        begin, end = starts[batch[offset]], starts[batch[offset] + 1]
        better, worse = gold[begin:end], found[begin:end]
        errors = int(np.count_nonzero(better != worse))
        wrong += errors
        if errors == 0:
            continue
        words, names, number = atoms[begin:end], tags[begin:end], first + offset
        traits = sentence_traits(words, names, tables.structures)
        difference = part_difference(better, worse, tables.part_plan.wanted, traits, 0)
        coefficients = arc_difference(better, worse)
        arc_mask, part_mask = np.uint32(tables.arcs.values.shape[0] - 1), np.uint32(tables.parts.values.shape[0] - 1)
        arcs = arcs_vector(coefficients, arc_hashes(words, names, tables.arc_plan), tables.arc_plan, arc_mask)
        hashes = part_hashes(words, tables.part_plan)
        second = parts_vector(of_order(difference, False), hashes, part_mask)
        third = parts_vector(of_order(difference, True), hashes, part_mask)
        trees = globals_vector(difference, global_hashes(words, names, tables.structures), part_mask)
        gradient = sentence_gradient(words, tables.tensor, arc_tensor_parts(coefficients), ALL_MODES)
        arc_weights, part_weights = tables.arcs.values.reshape(-1), tables.parts.values.reshape(-1)
        loss = knobs.cost * errors - sparse_dot(arcs, arc_weights) - gradient.score
        norm = norm_of(arcs, knobs.arcs, 1.0, knobs) + knobs.rate * gradient.norm
        for group, vector in enumerate((second, third, trees)):
            loss -= sparse_dot(vector, part_weights)
            norm += norm_of(vector, knobs.parts, knobs.groups[group], knobs)
        if loss <= 0.0:
            continue
        factor = min(knobs.step, loss / norm)
        add(tables.arcs, arcs, knobs.arcs, 1.0, factor, knobs, number)
        for group, vector in enumerate((second, third, trees)):
            add(tables.parts, vector, knobs.parts, knobs.groups[group], factor, knobs, number)
        add_gradient(tables.tensor, gradient, factor * knobs.rate, number)
    return wrong
