"""The compiled way from atoms to trees for models with parts of higher order: score, then climb.

Like `pipeline`, it only strings the rooms' kernels together. A model without such parts is searched exactly.
"""

import itertools
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from headway.arrays import write_chain
from headway.decoders.climbing import list_options
from headway.decoders.hill_climbing import ROUNDING, STARTS, Climber, Trace, make_trace, search_trees
from headway.decoders.kernels import best_tree_kernel
from headway.decoders.starts import arc_starts
from headway.encoding import Encoded
from headway.errors import UsageError
from headway.features.arc import ArcPlan, arc_hashes
from headway.features.global_features import NO_GLOBALS, GlobalPlan
from headway.features.high_order import NO_PARTS, PART_ROW, PartPlan
from headway.interrupts import interruptibly, stop_flag
from headway.kernel import kernel, unit_kernel
from headway.parts import Parse
from headway.parts.arc_index import index_arcs
from headway.parts.kinds import GRANDPARENT, LONGEST, SIBLING
from headway.parts.links import Links, make_links
from headway.pipeline import NO_GOLD, ArcModel, IntArray, TableOfArcs, Threads, find_heads
from headway.scorers.global_features import make_global_scorer
from headway.scorers.high_order import make_part_scorer
from headway.scorers.linear import score_arcs
from headway.scorers.rows import Rows, holds_bytes, pack, plain_rows
from headway.scorers.tensor import NO_PACKED_TRIPLES, NO_TRIPLES, Tensor, add_arc_tensor, project_sentence
from headway.scorers.trees import TreeScores, hang, make_options, plant, tree_total, weigh


@dataclass(frozen=True)
class PartModel:
    """What it takes to score parts of higher order, and structures of the whole tree, by one table of rows."""

    plan: PartPlan
    rows: Rows
    structures: GlobalPlan = NO_GLOBALS
    triples: Tensor = NO_TRIPLES


_NO_WEIGHTS = np.zeros((64, PART_ROW), dtype=np.float32)
_NO_PARTS = PartModel(NO_PARTS, plain_rows(_NO_WEIGHTS))
_NO_PACKED_PARTS = PartModel(NO_PARTS, pack(_NO_WEIGHTS, most=64), triples=NO_PACKED_TRIPLES)


@dataclass(frozen=True)
class SearchRule:
    """How to climb.

    Parameters
    ----------
    start : str
        One of `headway.decoders.hill_climbing.STARTS`.
    restarts : int
        Stop after so many climbs in a row that found no better tree.
    seed : int
        Every sentence is searched with the random numbers of this seed, so its tree does not depend on the others.
    thorough : bool
        Whether every climb ends with moves of several words; slower, and more often at the optimum.
    ratio : float
        Heads less probable than this beside the word's best one, by the pruner, are to be left out; 0 for none. Whoever
        prunes does so: see `TrainedModel.prune`.
    """

    start: str = "map"
    restarts: int = 10
    seed: int = 0
    thorough: bool = False
    ratio: float = 0.0

    def climber(
        self, *, projective: bool, single_root: bool, most: int = np.iinfo(np.int64).max, bound: float = np.inf
    ) -> Climber:
        """The same for kernels."""
        if self.start not in STARTS:
            raise UsageError(f"no start {self.start!r}; there are {', '.join(STARTS)}")
        return Climber(
            STARTS.index(self.start),
            self.restarts,
            most,
            projective,
            single_root,
            self.seed,
            bound,
            self.thorough,
            0,
            stop_flag(),
        )


class TreeModel(NamedTuple):
    """Everything that scores trees, for kernels."""

    arc_plan: ArcPlan
    arc_rows: Rows
    tensor: Tensor
    part_plan: PartPlan
    part_rows: Rows
    structures: GlobalPlan
    triples: Tensor


def tree_model(arcs: ArcModel, parts: PartModel | None) -> TreeModel:
    """The two models in one."""
    if parts is None:
        parts = _NO_PACKED_PARTS if holds_bytes(arcs.rows) else _NO_PARTS
    return TreeModel(arcs.plan, arcs.rows, arcs.tensor, parts.plan, parts.rows, parts.structures, parts.triples)


def climb_heads(
    encoded: Encoded,
    model: TreeModel,
    arcs: TableOfArcs,
    *,
    rule: SearchRule,
    projective: bool,
    single_root: bool = True,
    threads: Threads,
) -> IntArray:
    """(rows,) The best tree found for every sentence, laid like the rows of `encoded`, -1 for roots.

    Parameters
    ----------
    arcs : TableOfArcs
        The arcs to choose from; where they hold no such tree, arcs alone decide, among all of them.
    """
    if not model.part_plan.wanted.any():
        own = ArcModel(model.arc_plan, model.arc_rows, model.tensor)
        return find_heads(encoded, own, projective=projective, single_root=single_root, threads=threads, arcs=arcs)
    heads = np.empty(len(encoded.atoms), dtype=np.int32)
    climber = rule.climber(projective=projective, single_root=single_root)
    if len(encoded) < threads.number:
        for sentence, (begin, end) in enumerate(itertools.pairwise(encoded.starts.tolist())):
            heads[begin:end] = _climb_together(encoded, sentence, model, arcs, climber, threads)
        return heads
    everything, outcomes, trace = np.arange(len(encoded)), np.empty((len(encoded), 4)), make_trace(0, 0)

    def work(first: int, stride: int) -> None:
        search_kernel(
            encoded.atoms, encoded.tags, encoded.starts, everything, first, stride,
            arcs.starts, arcs.allowed, NO_GOLD, model, climber, heads, outcomes, trace,
        )  # fmt: skip

    interruptibly(lambda: threads.deal(work), climber.stop)
    return heads


def _climb_together(
    encoded: Encoded, sentence: int, model: TreeModel, arcs: TableOfArcs, climber: Climber, threads: Threads
) -> IntArray:
    """(n + 1,) The tree that one thread would find, its climbs shared among several."""
    size = int(encoded.lengths()[sentence]) + 1
    allowed = arcs.of(sentence) if len(arcs.starts) else np.ones((size, size), dtype=np.bool_)
    share = max(1, -(-climber.restarts // threads.number))
    best, found, climbs = -np.inf, 0, 0
    heads = np.empty(size, dtype=np.int32)
    answers = [heads] * threads.number
    traces = [make_trace(share, size) for _ in answers]
    while climbs == 0 or climbs - found < climber.restarts:

        def work(thread: int, stride: int, base: int = climbs) -> None:
            own = climber._replace(first=base + thread * share, most=share, restarts=share)
            answers[thread], _ = _search_one(encoded, sentence, model, allowed, own, traces[thread])

        interruptibly(lambda: threads.deal(work), climber.stop)
        for trace in traces:
            for score, tree in zip(trace.scores, trace.heads, strict=True):
                if not score > -np.inf:  # no such tree, or scores that are no numbers: arcs alone decide
                    return answers[0]
                climbs += 1
                if score > best + ROUNDING:
                    best, found = float(score), climbs
                    heads = tree.copy()
                if climbs - found >= climber.restarts:
                    return heads
    return heads


def climb_one(
    encoded: Encoded,
    sentence: int,
    model: TreeModel,
    allowed: npt.NDArray[np.bool_],
    *,
    rule: SearchRule,
    projective: bool,
    single_root: bool = True,
    bound: float = np.inf,
) -> Parse | None:
    """The best tree found for one sentence over ``allowed`` (n + 1, n + 1) [head, modifier]; None if there is none.

    Parameters
    ----------
    bound : float
        No tree scores more, as far as is known: the search ends with a tree that scores as much.
    """
    climber = rule.climber(projective=projective, single_root=single_root, bound=bound)
    heads, outcome = _search_one(encoded, sentence, model, allowed, climber, make_trace(0, 0))
    score, highest, climbs, found = outcome.tolist()
    if score == -np.inf:
        return None
    known = highest if highest < np.inf else None
    return Parse(heads, score, bound=known, exact=score >= highest, statistics={"restarts": climbs, "found": found})


def rivals(
    encoded: Encoded, sentence: int, model: TreeModel, allowed: npt.NDArray[np.bool_], heads: IntArray
) -> npt.NDArray[np.float64]:
    """(n + 1, n + 1) [head, modifier] What each other head would make of a tree, all other words staying as they are.

    Parameters
    ----------
    heads : (n + 1,) int32
        The tree, made of arcs that are allowed.

    Returns
    -------
    (n + 1, n + 1) float64
        The score up to a constant for each modifier; -inf where the result would be no tree. The word at the root has
        rivals too: it may hang on any word that takes its place there.
    """
    begin, end = encoded.starts[sentence], encoded.starts[sentence + 1]
    allowed = allowed.copy()
    allowed[1:, heads == 0] |= allowed[0, 1:, None]  # what may be the root may have the root of this tree below it
    np.fill_diagonal(allowed, False)
    gains = np.full((end - begin, end - begin), -np.inf)
    _rivals_kernel(encoded.atoms[begin:end], encoded.tags[begin:end], allowed, model, heads, gains)
    return gains


def trace_climbs(
    encoded: Encoded,
    sentence: int,
    model: TreeModel,
    arcs: TableOfArcs,
    *,
    rule: SearchRule,
    projective: bool,
    single_root: bool = True,
    climbs: int,
) -> Trace:
    """Climb so many times, whatever is found on the way, and keep every tree."""
    climber = rule.climber(projective=projective, single_root=single_root, most=climbs)._replace(restarts=climbs)
    trace = make_trace(climbs, int(encoded.lengths()[sentence]) + 1)
    _search_one(encoded, sentence, model, arcs.of(sentence), climber, trace)
    return trace


def _search_one(
    encoded: Encoded,
    sentence: int,
    model: TreeModel,
    allowed: npt.NDArray[np.bool_],
    climber: Climber,
    trace: Trace,
) -> tuple[IntArray, npt.NDArray[np.float64]]:
    one = encoded.some(np.array([sentence]))
    heads, outcomes = np.empty(len(one.atoms), dtype=np.int32), np.empty((1, 4))
    interruptibly(
        lambda: search_kernel(
            one.atoms, one.tags, one.starts, np.zeros(1, dtype=np.int64), 0, 1,
            np.array([0, allowed.size]), allowed.reshape(-1), NO_GOLD, model, climber, heads, outcomes, trace,
        ),
        climber.stop,
    )  # fmt: skip
    return heads, outcomes[0]


@unit_kernel
def sentence_scores(atoms: IntArray, tags: IntArray, allowed: npt.NDArray[np.bool_], model: TreeModel) -> TreeScores:
    """What the trees of one sentence are scored by, over the arcs that are allowed."""
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
    """Write the scores of the arcs that are allowed, [head, modifier], -inf for others."""
    score_arcs(arc_hashes(atoms, tags, model.arc_plan), model.arc_plan, model.arc_rows, allowed, dense)
    add_arc_tensor(project_sentence(atoms, model.tensor), model.tensor.shapes, allowed, dense)


@kernel
def search_kernel(
    atoms: IntArray,
    tags: IntArray,
    starts: npt.NDArray[np.int64],
    sentences: npt.NDArray[np.int64],
    first: int,
    stride: int,
    tables: npt.NDArray[np.int64],
    allowed: npt.NDArray[np.bool_],
    gold: IntArray,
    model: TreeModel,
    climber: Climber,
    heads: IntArray,
    outcomes: npt.NDArray[np.float64],
    trace: Trace,
) -> None:
    """Search every stride-th of some sentences; with gold heads, for the tree of highest score plus cost.

    Parameters
    ----------
    tables, allowed
        As in `TableOfArcs`; no tables for all arcs.
    gold : (rows,) int32
        The heads that cost nothing, all others costing one; `NO_GOLD` for no costs.
    heads : (rows,) int32
        Is written: where there is no such tree, the best tree of all arcs.
    outcomes : (sentences, 4) float64
        Is written: score, bound, climbs made and the climb that found the tree; -inf as score if there is none.
    trace : Trace
        Is written as far as there is room, for one sentence.
    """
    for number in range(first, len(sentences), stride):
        if climber.stop[0] != 0:
            return
        sentence = sentences[number]
        begin, end = starts[sentence], starts[sentence + 1]
        size = end - begin
        own = np.ones((size, size), dtype=np.bool_)
        if len(tables) > 0:
            own = allowed[tables[sentence] : tables[sentence + 1]].reshape(size, size)
        outcomes[number, 0] = -np.inf
        if size <= LONGEST:
            scores = sentence_scores(atoms[begin:end], tags[begin:end], own, model)
            if len(gold) > 0:
                _add_costs(scores, gold[begin:end])
            starting = arc_starts(scores.layout, scores.arc, climber.start == 0, climber.single_root)
            score, bound, climbs, found = search_trees(scores, starting, climber, heads[begin:end], trace)
            outcomes[number, 0], outcomes[number, 1], outcomes[number, 2] = score, bound, climbs
            outcomes[number, 3] = found
            if score > -np.inf:
                continue
        dense = np.empty((size, size), dtype=np.float64)
        arc_table_kernel(atoms[begin:end], tags[begin:end], np.ones((size, size), dtype=np.bool_), model, dense)
        if not best_tree_kernel(dense, climber.projective, climber.single_root, heads[begin:end]):
            write_chain(heads[begin:end])


@kernel
def _add_costs(scores: TreeScores, gold: IntArray) -> None:
    index = scores.layout
    for modifier in range(1, len(gold)):
        for arc in range(index.offsets[modifier], index.offsets[modifier + 1]):
            if index.heads[arc] != gold[modifier]:
                scores.arc[arc] += 1.0


@kernel
def _rivals_kernel(
    atoms: IntArray,
    tags: IntArray,
    allowed: npt.NDArray[np.bool_],
    model: TreeModel,
    heads: IntArray,
    gains: npt.NDArray[np.float64],
) -> None:
    scores = sentence_scores(atoms, tags, allowed, model)
    links, options = make_links(len(heads)), make_options(len(heads))
    plant(scores, links, heads)
    for modifier in range(1, len(heads)):
        count = list_options(scores, links, options, modifier, True)
        weigh(scores, links, modifier, options, count)
        for option in range(count):
            gains[options.heads[option], modifier] = options.gains[option]
        hang(scores, links, modifier, heads[modifier])
    top = _only_child(heads)
    if top > 0:
        _root_rivals(scores, links, heads, top, gains)


@kernel
def _only_child(heads: IntArray) -> int:
    """The word at the root, or 0 where there are several."""
    found = 0
    for modifier in range(1, len(heads)):
        if heads[modifier] == 0:
            if found > 0:
                return 0
            found = modifier
    return found


@kernel
def _root_rivals(scores: TreeScores, links: Links, heads: IntArray, top: int, gains: npt.NDArray[np.float64]) -> None:
    """Weigh the trees in which another word takes the place of `top` at the root, and `top` hangs on it."""
    number = scores.layout.number
    tree = heads.copy()
    own = tree_total(scores, links)
    gains[0, top] = own
    for other in range(1, len(heads)):
        if other == top or number[0, other] < 0 or number[other, top] < 0:
            continue
        tree[other], tree[top] = 0, other
        plant(scores, links, tree)
        total = tree_total(scores, links)
        gains[other, top] = total
        gains[0, other] = total - own + gains[heads[other], other]
        tree[other], tree[top] = heads[other], 0
