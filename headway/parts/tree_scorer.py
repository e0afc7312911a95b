"""The interface between searches that change one head at a time and scorers of whole trees.

A tree scorer is a named tuple of arrays with the fields ``layout``, an `ArcIndex`, and ``arc`` (arcs,), the scores of
the candidate arcs, that implements the functions below with its own kernels::

    @implements(tree_total, MyScores)
    @kernel
    def _total(scores: MyScores, links: Links) -> float: ...

The *gain* of attaching m to h is the score of the tree with m (and all words below it) attached to h, minus that of the
forest in which m is detached; the difference of two gains is the change in score when m moves. `weigh` computes the
gains of all heads of a word in one call. Implementations: `headway.parts.table_scores` for scores in tables,
`headway.scorers.trees` for linear models.
"""

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from headway.kernel import interface, kernel
from headway.parts.links import Links
from headway.parts.moves import PartList, make_part_list

TreeScorer = Any
"""A named tuple for which the functions below are implemented."""


class Options(NamedTuple):
    """The heads to which a word might be attached, and their gains; functions pass the number of heads separately.

    Parameters
    ----------
    heads : (n + 1,) int64
    gains : (n + 1,) float64
    parts : PartList
        A buffer for lists of parts.
    """

    heads: npt.NDArray[np.int64]
    gains: npt.NDArray[np.float64]
    parts: PartList


@kernel
def make_options(size: int) -> Options:
    """Allocate the options of one word in a sentence of `size` - 1 words."""
    return Options(np.empty(size, dtype=np.int64), np.empty(size, dtype=np.float64), make_part_list(size))


@interface
def weigh(scores: TreeScorer, links: Links, modifier: int, options: Options, count: int) -> None:
    """Write into `options.gains` the gain of attaching the detached `modifier` to each of the first `count` heads."""


@interface
def plant(scores: TreeScorer, links: Links, heads: npt.NDArray[np.int32]) -> None:
    """Set `links` to the tree ``heads`` (n + 1,)."""


@interface
def take(scores: TreeScorer, links: Links, modifier: int) -> None:
    """Detach `modifier`, with all words below it; its entry in `links.heads` stays."""


@interface
def hang(scores: TreeScorer, links: Links, modifier: int, head: int) -> None:
    """Attach `modifier`, with all words below it, to `head`."""


@interface
def tree_total(scores: TreeScorer, links: Links) -> float:  # type: ignore[empty-body]
    """Return the score of a whole tree, from all its parts."""


@interface
def charge_arcs(scores: TreeScorer, bounds: npt.NDArray[np.float64]) -> float:  # type: ignore[empty-body]
    """Add to ``bounds`` (arcs,) the maximum score of the higher-order parts charged to each arc.

    Every higher-order part of a tree is charged to one of its arcs or to a word. Returns the sum over words of the
    maximum scores of the parts charged to them, or infinity if no bound is known. If ``bounds`` holds the arc scores at
    first, a tree's score is at most the sum of its arcs' bounds afterwards plus the returned value.
    """
