"""One epoch of training all weights that score trees: arcs, tensor and higher-order parts together.

As in `arcs`, a small batch is decoded in parallel with fixed weights; then the updates are made in order. With MIRA,
the competitor of the gold tree is the best tree under the cost-augmented score, and an update is made only if it
violates the margin. With the perceptron, it is the best tree without costs, and all updates have the same size.
Log-linear training, which needs sums over all trees, is in `expectations`.
"""

from dataclasses import dataclass, replace
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
from headway.support.threads import Threads

METHODS = ("mira", "perceptron", "loglinear")
INFERENCES = ("trees", "relaxed", "fractional", "samples", "samples-neighbours", "samples-gold")
"""The competitor of the gold tree: the best tree (``trees``); the choices of head automata, which need not form a tree
(``relaxed`` and ``fractional``, see `headway.learning.relaxed`); or samples (see `headway.learning.sample_rank`)."""

MIRA, _PERCEPTRON = 0, 1


@dataclass(frozen=True)
class TreeRule:
    """The learning rule for trees.

    Parameters
    ----------
    method : str
        One of `METHODS`.
    largest_step : float
        The maximum step size (C) of MIRA and of log-linear training; the step size of the perceptron.
    decoder : Decoder
        The decoder that finds the most violated tree; each epoch has a different seed.
    inference : str
        One of `INFERENCES`.
    rate : float
        The factor by which the tensor's steps are larger than those of the sparse weights.
    alternating : bool
        Whether each update changes only one of the tensor's factors, in turn, instead of all.
    samples : int
        The number of samples of each chain, if `inference` is one of those with samples.
    """

    decoder: Decoder
    method: str = "mira"
    single_root: bool = True
    largest_step: float = 0.01
    batch: int = 8
    inference: str = "trees"
    rate: float = 5.0
    alternating: bool = False
    samples: int = 3

    @property
    def outer(self) -> int:
        """The number of outermost children that the decoder reads in grandparent parts; see `headway.parts.Scores`."""
        return int(getattr(self.decoder, "outer", 0))


class TreeTables(NamedTuple):
    """The weights in training, and their templates."""

    arc_plan: ArcPlan
    arcs: AveragedTable
    part_plan: PartPlan
    parts: AveragedTable
    structures: GlobalPlan
    tensor: LearnedTensor
    triples: LearnedTensor

    @property
    def learned(self) -> tuple[AveragedTable, ...]:
        """All weight tables."""
        factors = (table for tensor in (self.tensor, self.triples) for table in (tensor.words, tensor.shapes))
        return (self.arcs, self.parts, *factors)


def current_scorer(tables: TreeTables, *, outer: int = 0) -> LinearScorer:
    """Return a scorer with the current weights; it changes as training continues."""
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
    """Visit the sentences of `order` once and update `tables`; return the number of wrong heads.

    The trees found for a gold tree with several roots may have several, too.

    Parameters
    ----------
    seed : int
        The seed of the searches.
    step : int
        The number of sentences visited so far, for averaging.
    arcs : CandidateBatch, optional
        The arcs that trees can have; all arcs by default.
    beside : GivenArcs, optional
        Fixed arc scores that are added to those of the trained weights.
    """
    encoded, arcs = gold.encoded, arcs or ALL_ARCS
    learned = current_scorer(tables, outer=rule.outer)
    scorer = learned if beside is None else Sum(learned, beside)
    search = Search(scorer, rule.decoder, single_root=rule.single_root, ignore=scorer.kinds).with_seed(seed)
    freer = replace(search, single_root=False)
    found = np.empty(len(encoded.atoms), dtype=np.int32)
    costs, wrong = gold.heads if rule.method == METHODS[MIRA] else NO_GOLD, 0
    for first in range(0, len(order), rule.batch):
        batch = order[first : first + rule.batch]
        several = gold.several_roots(batch)
        for way, some in ((search, batch[~several]), (freer, batch[several])):
            if len(some):
                way.write_trees(TreeBatch.of(encoded, some, arcs, gold=costs, heads=found), threads=threads)
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
    """The options of an update.

    Parameters
    ----------
    method : int
        The index of the method in `METHODS`.
    largest : float
        As `largest_step` in `TreeRule`; `rate` and `alternating` are also as there.
    number : int
        The number of sentences visited so far, for averaging.
    others : float
        The squared norm of the difference in features that are not in the tables.
    """

    method: int
    largest: float
    rate: float
    alternating: bool
    number: int
    others: float = 0.0


def make_step(rule: TreeRule, number: int) -> Step:
    """Return the options of an update by this rule at this sentence."""
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
    """Update in favour of gold trees; `known` is the difference of gold and found tree in fixed scores."""
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
    """Update the weights in favour of one tree (n + 1,) and against another; see `move_weights`."""
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
    """Update the weights along gold minus found (or expected) parts; return the step size.

    With MIRA, the step is the smallest that gives the gold tree the required margin; in log-linear training, it would
    make a linearised loss zero. It is at most `Step.largest`.

    Parameters
    ----------
    coefficients : (n + 1, n + 1) float64
        The difference in arcs, [head, modifier].
    difference : SparseVector
        The difference in parts and structures, by their keys.
    loss : float
        The cost of the found tree, minus the gold tree's lead in fixed scores; in log-linear training, the loss.

    Returns
    -------
    float
        The step size: the factor of the difference; 0 if no update is needed.
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
    """(n + 1, n + 1) [head, modifier] Return 1 for missed gold arcs and -1 for wrong arcs."""
    coefficients = np.zeros((len(gold), len(gold)), dtype=np.float64)
    for modifier in range(1, len(gold)):
        coefficients[gold[modifier], modifier] += 1.0
        coefficients[found[modifier], modifier] -= 1.0
    return coefficients


@kernel
def part_difference(
    gold: IntArray, found: IntArray, wanted: npt.NDArray[np.bool_], traits: Traits, outer: int
) -> SparseVector:
    """Return gold minus found parts and structures, by their keys."""
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
