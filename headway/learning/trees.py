"""One epoch of learning everything that scores trees: arcs, tensor and parts of higher order together.

As in `arcs`, a small batch is searched in parallel with the weights fixed, then the updates are made in order. By MIRA,
the found tree is the best that the search sees, costs included, and a step is made only where it violates the margin;
by the perceptron, it is the best without costs, and every step has the same size. Log-linear learning, which needs
sums over all trees, is in `expectations`.
"""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from headway.decoders import Decoder
from headway.features.arc import ArcPlan, arc_hashes
from headway.features.global_features import GlobalPlan, global_hashes, sentence_traits
from headway.features.high_order import PartPlan, part_hashes
from headway.kernel import kernel, unit_kernel
from headway.learning.averaging import AveragedTable, add_scaled
from headway.learning.gold import GoldTrees
from headway.learning.tensor import (
    LearnedTensor,
    add_gradient,
    arc_tensor_parts,
    current_tensor,
    moving_mode,
    sentence_gradient,
    triple_tensor_parts,
)
from headway.parts.candidate_batch import ALL_ARCS, NO_GOLD, CandidateBatch, IntArray, TreeBatch
from headway.parts.kinds import keep_outer, list_parts, most_parts
from headway.parts.links import make_links, set_tree
from headway.parts.structure_lists import list_globals, most_structures
from headway.parts.structures import Traits
from headway.scorers.given import GivenArcs
from headway.scorers.global_features import globals_vector
from headway.scorers.high_order import parts_vector
from headway.scorers.linear import arcs_vector
from headway.scorers.linear_models import ArcModel, PartModel
from headway.scorers.linear_scorer import LinearScorer
from headway.scorers.rows import plain_rows
from headway.scorers.sparse import SparseVector, sparse_add, sparse_dot, sparse_norm, sparse_vector
from headway.scorers.sum import Sum
from headway.search import Search
from headway.threads import Threads

METHODS = ("mira", "perceptron", "loglinear")
INFERENCES = ("trees", "relaxed", "fractional", "samples", "samples-neighbours", "samples-gold")
"""The tree that the search finds; or what head automata take, without being a tree: each for itself, or in agreement
but by fractions (`headway.learning.relaxed`); or the samples of a chain (`headway.learning.sample_rank`)."""

MIRA, _PERCEPTRON = 0, 1


@dataclass(frozen=True)
class TreeRule:
    """The learning rule of trees.

    Parameters
    ----------
    method : str
        One of `METHODS`.
    largest_step : float
        The C of MIRA and of log-linear learning; the size of the perceptron's steps.
    decoder : Decoder
        How the most violated tree is searched; every epoch has random numbers of its own.
    inference : str
        One of `INFERENCES`: what is pushed below the gold tree.
    rate : float
        How many times larger the tensor's steps are than those of the sparse weights.
    alternating : bool
        Whether the tensor's factors take turns, one a step; else all move at once.
    samples : int
        How many samples of a sentence an epoch learns from, where it learns from samples.
    """

    decoder: Decoder
    method: str = "mira"
    single_root: bool = True
    largest_step: float = 0.01
    batch: int = 8
    inference: str = "trees"
    rate: float = 5.0
    alternating: bool = False
    samples: int = 8

    @property
    def outer(self) -> int:
        """Which children the decoder reads in grandparent parts; see `headway.parts.Scores`."""
        return int(getattr(self.decoder, "outer", 0))


class TreeTables(NamedTuple):
    """The weights in the making, and the templates they belong to."""

    arc_plan: ArcPlan
    arcs: AveragedTable
    part_plan: PartPlan
    parts: AveragedTable
    structures: GlobalPlan
    tensor: LearnedTensor
    triples: LearnedTensor

    @property
    def learned(self) -> tuple[AveragedTable, ...]:
        """All tables of weights."""
        factors = (table for tensor in (self.tensor, self.triples) for table in (tensor.words, tensor.shapes))
        return (self.arcs, self.parts, *factors)


def current_scorer(tables: TreeTables, *, outer: int = 0) -> LinearScorer:
    """Return the weights as they stand, as a scorer: it changes with them."""
    arcs = ArcModel(tables.arc_plan, plain_rows(tables.arcs.values), current_tensor(tables.tensor))
    triples = current_tensor(tables.triples)
    parts = PartModel(tables.part_plan, plain_rows(tables.parts.values), tables.structures, triples)
    return LinearScorer(arcs, parts, outer)


def learn_trees(
    gold: GoldTrees,
    order: npt.NDArray[np.int64],
    *,
    tables: TreeTables,
    rule: TreeRule,
    seed: int,
    step: int,
    threads: Threads,
    arcs: CandidateBatch | None = None,
    beside: GivenArcs | None = None,
) -> int:
    """Visit the sentences of `order` once and update `tables`; the number of wrong heads met is returned.

    Parameters
    ----------
    seed : int
        Of the searches.
    step : int
        How many sentences were visited before, for the averages.
    arcs : CandidateBatch, optional
        The arcs that trees are made of, all of them by default.
    beside : GivenArcs, optional
        Scores of arcs that are added to what is learned, and stay as they are.
    """
    encoded, arcs = gold.encoded, arcs or ALL_ARCS
    learned = current_scorer(tables, outer=rule.outer)
    scorer = learned if beside is None else Sum(learned, beside)
    search = Search(scorer, rule.decoder, single_root=rule.single_root, ignore=scorer.kinds).with_seed(seed)
    found = np.empty(len(encoded.atoms), dtype=np.int32)
    costs, wrong = gold.heads if rule.method == METHODS[MIRA] else NO_GOLD, 0
    for first in range(0, len(order), rule.batch):
        batch = order[first : first + rule.batch]
        search.write_trees(TreeBatch(encoded, batch, arcs, costs, found, np.empty((len(batch), 2))), threads=threads)
        known = np.zeros(len(batch))
        if beside is not None and rule.method == METHODS[MIRA]:
            for place, one in enumerate(batch.tolist()):
                rows = slice(encoded.starts[one], encoded.starts[one + 1])
                known[place] = beside.margin(one, gold.heads[rows], found[rows])
        wrong += _update_kernel(
            encoded.atoms, encoded.tags, encoded.starts, batch, gold.heads, found, known, tables, rule.outer,
            make_step(rule, step + first),
        )  # fmt: skip
    return wrong


class Step(NamedTuple):
    """The updates of weights, and their times.

    Parameters
    ----------
    method : int
        `MIRA` or the perceptron; else log-linearly.
    largest : float
        As `largest_step` of `TreeRule`, as are `rate` and `alternating`.
    number : int
        How many sentences were visited before, for the averages.
    others : float
        The squared length of the difference in features that the tables do not hold.
    """

    method: int
    largest: float
    rate: float
    alternating: bool
    number: int
    others: float = 0.0


def make_step(rule: TreeRule, number: int) -> Step:
    """Return the step that a rule makes at a sentence."""
    return Step(
        METHODS.index(rule.method), float(rule.largest_step), float(rule.rate), bool(rule.alternating), number, 0.0
    )


@kernel
def _update_kernel(
    atoms: IntArray,
    tags: IntArray,
    starts: npt.NDArray[np.int64],
    batch: npt.NDArray[np.int64],
    gold: IntArray,
    found: IntArray,
    known: npt.NDArray[np.float64],
    tables: TreeTables,
    outer: int,
    step: Step,
) -> int:
    """Prefer the gold tree of each sentence; `known` is by how much more it scores by what is not learned."""
    wrong = 0
    for place in range(len(batch)):
        begin, end = starts[batch[place]], starts[batch[place] + 1]
        cost = int(np.count_nonzero(gold[begin:end] != found[begin:end]))
        wrong += cost
        if cost > 0:
            update = Step(step.method, step.largest, step.rate, step.alternating, step.number + place, step.others)
            loss = float(cost) - known[place]
            prefer_tree(
                atoms[begin:end], tags[begin:end], gold[begin:end], found[begin:end], loss, tables, outer, update
            )
    return wrong


@unit_kernel
def prefer_tree(
    atoms: IntArray,
    tags: IntArray,
    better: IntArray,
    worse: IntArray,
    cost: float,
    tables: TreeTables,
    outer: int,
    step: Step,
) -> float:
    """Move the weights towards one tree (n + 1,) and away from another; see `move_weights`."""
    traits = sentence_traits(atoms, tags, tables.structures)
    difference = part_difference(better, worse, tables.part_plan.wanted, traits, outer)
    return float(move_weights(atoms, tags, arc_difference(better, worse), difference, cost, tables, step))


@unit_kernel
def move_weights(
    atoms: IntArray,
    tags: IntArray,
    coefficients: npt.NDArray[np.float64],
    difference: SparseVector,
    loss: float,
    tables: TreeTables,
    step: Step,
) -> float:
    """Move the weights along gold minus found, or expected, parts.

    By MIRA so far that gold beats found by its cost, log-linearly so far that the loss would be zero if it were linear;
    but no further than one step may go.

    Parameters
    ----------
    coefficients : (n + 1, n + 1) float64
        Of arcs, [head, modifier].
    difference : SparseVector
        Of parts and structures, by their keys.
    loss : float
        The cost of the found tree, less what features that the tables do not hold score; log-linearly, the loss itself.

    Returns
    -------
    float
        What the difference is multiplied by before it is added: 0 where no step is needed.
    """
    arc_mask = np.uint32(tables.arcs.values.shape[0] - 1)
    arcs = arcs_vector(coefficients, arc_hashes(atoms, tags, tables.arc_plan), tables.arc_plan, arc_mask)
    part_mask, part_weights = np.uint32(tables.parts.values.shape[0] - 1), tables.parts.values.reshape(-1)
    parts = parts_vector(difference, part_hashes(atoms, tables.part_plan), part_mask)
    structures = globals_vector(difference, global_hashes(atoms, tags, tables.structures), part_mask)
    mode = moving_mode(step.alternating, step.number, tables.tensor.words.values.shape[0])
    gradient = sentence_gradient(atoms, tables.tensor, arc_tensor_parts(coefficients), mode)
    mode = moving_mode(step.alternating, step.number, tables.triples.words.values.shape[0])
    triple = sentence_gradient(atoms, tables.triples, triple_tensor_parts(difference, tables.triples), mode)
    norm = step.others + sparse_norm(arcs) + sparse_norm(parts) + sparse_norm(structures)
    norm += step.rate * (gradient.norm + triple.norm)
    if step.method == MIRA:
        loss -= sparse_dot(arcs, tables.arcs.values.reshape(-1)) + gradient.score + triple.score
        loss -= sparse_dot(parts, part_weights) + sparse_dot(structures, part_weights)
    if loss <= 0.0 or norm == 0.0:
        return 0.0
    factor = step.largest if step.method == _PERCEPTRON else min(step.largest, loss / norm)
    add_scaled(tables.arcs, arcs, factor, step.number)
    add_scaled(tables.parts, parts, factor, step.number)
    add_scaled(tables.parts, structures, factor, step.number)
    add_gradient(tables.tensor, gradient, factor * step.rate, step.number)
    add_gradient(tables.triples, triple, factor * step.rate, step.number)
    return factor


@kernel
def arc_difference(gold: IntArray, found: IntArray) -> npt.NDArray[np.float64]:
    """(n + 1, n + 1) [head, modifier] 1 for gold arcs that were not found, -1 for found ones that are not gold."""
    coefficients = np.zeros((len(gold), len(gold)), dtype=np.float64)
    for modifier in range(1, len(gold)):
        coefficients[gold[modifier], modifier] += 1.0
        coefficients[found[modifier], modifier] -= 1.0
    return coefficients


@kernel
def part_difference(
    gold: IntArray, found: IntArray, wanted: npt.NDArray[np.bool_], traits: Traits, outer: int
) -> SparseVector:
    """From keys of parts and structures to gold ones minus found ones."""
    links = make_links(len(gold))
    difference = sparse_vector(0)
    if not wanted.any():
        return difference
    trees = (gold, found)
    most = 0
    for heads in trees:
        set_tree(links, heads)
        most += most_parts(links, wanted) + most_structures(len(gold))
    keys = np.empty(most, dtype=np.int64)
    difference = sparse_vector(most)
    sign = 1.0
    for heads in trees:
        set_tree(links, heads)
        for number in range(keep_outer(links, outer, keys, list_parts(links, wanted, keys))):
            sparse_add(difference, keys[number], sign)
        for number in range(list_globals(links, traits, keys)):
            sparse_add(difference, keys[number], sign)
        sign = -1.0
    return difference
