"""Randomised hill climbing with restarts (Zhang, Lei, Barzilay and Jaakkola 2014, "Greed is Good if Randomized").

Climb from a start, remember the best tree, start again; stop after a number of restarts in a row without a better tree,
or when the best tree meets an upper bound. Works for any scorer that can score the move of one word. Cost of a
climb: a few passes over n words, each trying its candidate heads.
"""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from headway.decoders.bounds import upper_bound
from headway.decoders.climbing import climb, polish
from headway.decoders.decoder import Cost, TableDecoder
from headway.decoders.starts import Starts, arc_starts, best_of_arcs, exact_starts, random_start
from headway.errors import UsageError
from headway.kernel import unit_kernel
from headway.kernel.arrays import copy_into
from headway.kernel.random_numbers import make_generator, reseed
from headway.parts import Candidates, Kind, Parse, Scores
from headway.parts.constraints import no_tree
from headway.parts.links import make_links
from headway.parts.table_scores import possible_scores
from headway.parts.tree_scorer import TreeScorer, plant, tree_total
from headway.support.interrupts import interruptibly, stop_flag

STARTS = ("uniform", "first-order", "map")
"""Random trees, uniform or by the probability of their arcs; or the best first-order tree, then random trees."""

_UNIFORM, _MAP = 0, 2
_SHORT = 2_000
"""The most words times climbs of a short search."""
ROUNDING = 1e-9
"""A tree counts as better than another only if its score is higher by more than this."""


class Climber(NamedTuple):
    """The options of the search, for kernels.

    Parameters
    ----------
    start : int
        Index into `STARTS`.
    restarts : int
        Stop after this many climbs in a row without a better tree.
    most : int
        Stop after this many climbs in total.
    bound : float
        An upper bound on the score, if known: a tree that reaches it ends the search.
    thorough : bool
        Whether every climb ends with moves of several words; see `polish`.
    first : int
        The number of the first climb, if other threads make the earlier ones: each climb has its own random numbers.
    stop : (1,) int64
        Stop as soon as this is not zero: see `headway.support.interrupts`.
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
    """The results of climbs, as many as fit.

    Parameters
    ----------
    scores : (climbs,) float64
    heads, starts : (climbs, n + 1) int32
        The heads where each climb ended and where it started.
    """

    scores: npt.NDArray[np.float64]
    heads: npt.NDArray[np.int32]
    starts: npt.NDArray[np.int32]


def make_trace(climbs: int, size: int) -> Trace:
    """Allocate a trace of `climbs` climbs over `size` - 1 words."""
    return Trace(
        np.full(climbs, -np.inf),
        np.full((climbs, size), -1, dtype=np.int32),
        np.full((climbs, size), -1, dtype=np.int32),
    )


@unit_kernel
def search_trees(
    scores: TreeScorer,
    starts: Starts,
    climber: Climber,
    heads: npt.NDArray[np.int32],
    trace: Trace,
) -> tuple[float, float, int, int]:
    """Write the best tree found into `heads` (n + 1,).

    Returns
    -------
    score, bound, climbs made, the climb that found the tree
        The score is -inf if there is no tree.
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


def is_short(climber: Climber, words: int) -> bool:
    """Return whether a search of so many words ends in a fraction of a second; see `interruptibly`."""
    return words * (climber.restarts + 1) <= _SHORT and not climber.thorough


@dataclass(frozen=True)
class HillClimbing(TableDecoder):
    """Find a high-scoring tree by climbing from many starts.

    The statistics of its parses are ``restarts`` (the climbs made) and ``found`` (the climb that reached the tree).

    Parameters
    ----------
    start : str
        One of `STARTS`.
    restarts : int
        Stop after this many climbs in a row without a better tree.
    seed : int
        The same seed gives the same tree.
    thorough : bool
        Whether every climb ends with moves of several words; see `polish`.
    bound : float
        An upper bound on the score, if known: a tree that reaches it ends the search.
    marginal_roots : bool
        Whether random starts draw the child of a single root by its marginal probability, so that trees are drawn
        exactly as `start` says; otherwise by its probability among its own heads, which is cheaper.
    """

    projective: bool = False
    start: str = "uniform"
    restarts: int = 300
    seed: int = 0
    thorough: bool = False
    bound: float = np.inf
    marginal_roots: bool = True
    name = "hill-climbing"
    reads = frozenset(Kind)
    whole_trees = True

    def __post_init__(self) -> None:
        if self.start not in STARTS:
            raise UsageError(f"no start {self.start!r}; choose from {', '.join(STARTS)}")

    def _search(self, candidates: Candidates, scores: Scores, *, single_root: bool, cost: Cost | None) -> Parse:
        return self.decode_trees(possible_scores(candidates, scores, cost), single_root=single_root)

    def decode_trees(self, scorer: TreeScorer, *, single_root: bool = True) -> Parse:
        """Find a tree under a tree scorer; see `SearchesTrees`."""
        size, climber = len(scorer.layout.most), self.climber(single_root=single_root)
        heads = np.empty(size, dtype=np.int32)
        if not best_of_arcs(scorer.layout, scorer.arc, self.projective, single_root, heads):
            raise no_tree(size - 1, single_root=single_root, projective=self.projective)
        starting = exact_starts if self.marginal_roots else arc_starts
        starts = starting(scorer.layout, scorer.arc, climber.start == _UNIFORM, single_root)
        score, bound, climbs, found = interruptibly(
            lambda: search_trees(scorer, starts, climber, heads, make_trace(0, size)),
            climber.stop,
            short=is_short(climber, size - 1),
        )
        return Parse(
            heads,
            score,
            bound=bound if bound < np.inf else None,
            exact=score >= bound,
            statistics={"restarts": climbs, "found": found},
        )

    def climber(self, *, single_root: bool) -> Climber:
        """Return the options of the search for kernels."""
        return Climber(
            STARTS.index(self.start),
            self.restarts,
            np.iinfo(np.int64).max,
            self.projective,
            single_root,
            self.seed,
            self.bound,
            self.thorough,
            0,
            stop_flag(),
        )
