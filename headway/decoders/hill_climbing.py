"""Randomised hill climbing with restarts (Zhang, Lei, Barzilay and Jaakkola 2014, "Greed is Good if Randomized").

Climb from a start, remember the best tree, start again; stop after so many restarts in a row without a better tree,
or when the best tree meets an upper bound. Any score that can say what moving one word changes will do. Cost of a
climb: a few passes over n words, each trying its candidate heads.
"""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from headway.arrays import copy_into
from headway.decoders.bounds import upper_bound
from headway.decoders.climbing import climb, polish
from headway.decoders.starts import Starts, best_of_arcs, random_start
from headway.errors import UsageError
from headway.features.global_features import NO_GLOBALS
from headway.features.high_order import NO_PARTS, PART_ROW
from headway.interrupts import interruptibly, stop_flag
from headway.kernel import kernel, unit_kernel
from headway.marginals import matrix_tree_kernel
from headway.parts import Candidates, Parse, Scores, arc_table
from headway.parts.arc_index import ArcIndex, index_arcs
from headway.parts.constraints import no_tree
from headway.parts.kinds import GRANDPARENT, KINDS, SIBLING
from headway.parts.links import make_links
from headway.random_numbers import make_generator, reseed
from headway.scorers.global_features import make_global_scorer
from headway.scorers.high_order import make_part_scorer
from headway.scorers.rows import plain_rows
from headway.scorers.tensor import NO_TRIPLES
from headway.scorers.trees import TreeScores, plant, tree_total

STARTS = ("uniform", "first-order", "map")
"""Random trees, all alike or by the probability of their arcs; or the best tree of the arcs, and then the latter."""

_UNIFORM, _MAP = 0, 2
ROUNDING = 1e-9
"""A tree is better than another if it scores more than this above it."""


class Climber(NamedTuple):
    """How to search, for kernels.

    Parameters
    ----------
    start : int
        Index into `STARTS`.
    restarts : int
        Stop after so many climbs in a row that found no better tree.
    most : int
        Stop after so many climbs in all.
    bound : float
        No tree scores more, if that is known: a tree that scores as much ends the search.
    thorough : bool
        Whether every climb ends with moves of several words; see `polish`.
    first : int
        The number of the first climb, where others make those before: every climb has random numbers of its own.
    stop : (1,) int64
        Stop as soon as this is not zero: see `headway.interrupts`.
    """

    start: int
    restarts: int
    most: int
    projective: bool
    single_root: bool
    seed: int
    bound: float
    thorough: bool
    first: int
    stop: npt.NDArray[np.int64]


class Trace(NamedTuple):
    """What each climb came to, as far as there is room.

    Parameters
    ----------
    scores : (climbs,) float64
    heads, starts : (climbs, n + 1) int32
        Where it ended and where it started.
    """

    scores: npt.NDArray[np.float64]
    heads: npt.NDArray[np.int32]
    starts: npt.NDArray[np.int32]


@kernel
def make_trace(climbs: int, size: int) -> Trace:
    """Room for so many climbs over `size` - 1 words."""
    return Trace(
        np.full(climbs, -np.inf),
        np.full((climbs, size), -1, dtype=np.int32),
        np.full((climbs, size), -1, dtype=np.int32),
    )


@unit_kernel
def search_trees(
    scores: TreeScores,
    starts: Starts,
    climber: Climber,
    heads: npt.NDArray[np.int32],
    trace: Trace,
) -> tuple[float, float, int, int]:
    """Write the best tree found into `heads` (n + 1,).

    Returns
    -------
    score, bound, climbs made, the climb that found the tree
        -inf as score if there is no tree.
    """
    generator = make_generator(climber.seed)
    links = make_links(len(heads))
    start = np.empty_like(heads)
    bound = min(climber.bound, upper_bound(scores, climber.projective, climber.single_root))
    best, found, climbs = -np.inf, 0, 0
    while climbs < climber.most and (climbs == 0 or (climbs - found < climber.restarts and climber.stop[0] == 0)):
        reseed(generator, climber.seed, climber.first + climbs)
        if climber.start == _MAP and climber.first + climbs == 0:
            ready = best_of_arcs(scores.layout, scores.arc, climber.projective, climber.single_root, start)
        else:
            ready = random_start(scores.layout, starts, climber.projective, generator, start)
        if not ready:
            break
        plant(scores, links, start)
        total = tree_total(scores, links) + climb(scores, links, climber.single_root, climber.projective)
        if climber.thorough:
            total += polish(scores, links, climber.single_root, climber.projective)
        if climbs < len(trace.scores):
            trace.scores[climbs] = total
            copy_into(trace.heads[climbs], links.heads)
            copy_into(trace.starts[climbs], start)
        climbs += 1
        if total > best + ROUNDING:
            best, found = total, climbs
            copy_into(heads, links.heads)
        if best >= bound - ROUNDING and climbs >= len(trace.scores):
            break
    if found > 0:
        plant(scores, links, heads)
        best = tree_total(scores, links)
    return best, max(best, bound), climbs, found


def hill_climbing(
    candidates: Candidates,
    scores: Scores,
    *,
    single_root: bool = True,
    cost: npt.NDArray[np.float64] | None = None,
    projective: bool = False,
    start: str = "uniform",
    restarts: int = 300,
    seed: int = 0,
    thorough: bool = False,
) -> Parse:
    """Find a high-scoring tree by climbing from many starts.

    Parameters
    ----------
    candidates : Candidates
    scores : Scores
        Arcs, and where they are given siblings and grandparents.
    cost : (arcs,) float64, optional
        Added to the arc scores.
    start : str
        One of `STARTS`.
    restarts : int
        How many climbs in a row may bring nothing before the search ends.
    seed : int
        The same seed gives the same tree.
    thorough : bool
        Whether every climb ends with moves of several words; see `polish`.

    Returns
    -------
    Parse
        Its statistics are ``restarts``, the climbs made, and ``found``, the climb that reached the tree.
    """
    if start not in STARTS:
        raise UsageError(f"no start {start!r}; there are {', '.join(STARTS)}")
    table = arc_table(candidates, scores, cost)
    index = index_arcs(table > -np.inf)
    arc = candidates.gather(table)[candidates.gather(table) > -np.inf]
    _check_tables(scores, index, forbidden=len(arc) < len(candidates))
    weights = np.zeros_like(table) if start == STARTS[_UNIFORM] else table.copy()
    weights[table == -np.inf] = -np.inf
    marginals = np.zeros_like(table)
    heads = np.empty(candidates.length + 1, dtype=np.int32)
    if not best_of_arcs(index, arc, projective, single_root, heads):
        raise no_tree(candidates.length, single_root=single_root)
    matrix_tree_kernel(weights, single_root, marginals)
    roots = marginals[0] if single_root else np.empty(0)
    scaled = np.exp(weights - weights.max(axis=0, initial=-700.0))
    starts = Starts(np.ascontiguousarray(scaled.T[-np.inf < weights.T]), roots)
    climber = Climber(
        STARTS.index(start),
        restarts,
        np.iinfo(np.int64).max,
        projective,
        single_root,
        seed,
        np.inf,
        thorough,
        0,
        stop_flag(),
    )
    tables = _tables(scores, index, arc)
    score, bound, climbs, found = interruptibly(
        lambda: search_trees(tables, starts, climber, heads, make_trace(0, len(heads))), climber.stop
    )
    exact = score >= bound
    return Parse(heads, score, bound=bound, exact=exact, statistics={"restarts": climbs, "found": found})


def _check_tables(scores: Scores, index: ArcIndex, *, forbidden: bool) -> None:
    """Refuse tables that do not fit the arcs: kernels look them up without checking."""
    for name, values, size in zip(
        ("sibling", "grandparent"), (scores.sibling, scores.grandparent), index.sizes, strict=True
    ):  # fmt: skip
        if values is None:
            continue
        if forbidden:
            raise UsageError(
                f"with {name} scores, leave forbidden arcs out of the candidates instead of scoring them -inf"
            )
        if values.shape != (size,) or not np.isfinite(values).all():
            raise UsageError(f"{name} scores must be {size} finite numbers for these candidates")


def _tables(scores: Scores, index: ArcIndex, arc: npt.NDArray[np.float64]) -> TreeScores:
    """Scores as kernels read them: all of them are in tables."""
    none = np.empty(0)
    wanted = np.zeros(len(KINDS), dtype=np.bool_)
    wanted[SIBLING], wanted[GRANDPARENT] = scores.sibling is not None, scores.grandparent is not None
    atoms, rows = np.zeros((len(index.most), 1), dtype=np.int32), plain_rows(np.zeros((1, PART_ROW), dtype=np.float32))
    return TreeScores(
        index,
        arc,
        none if scores.sibling is None else scores.sibling,
        none if scores.grandparent is None else scores.grandparent,
        wanted,
        make_part_scorer(atoms, NO_PARTS, rows, NO_TRIPLES),
        make_global_scorer(atoms, atoms[:, 0].copy(), NO_GLOBALS, rows),
        False,
    )
