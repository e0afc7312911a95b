"""The interface between searches that change one head at a time and scorers of whole trees.

A tree scorer is a named tuple of arrays with the fields ``layout``, an `ArcIndex`, and ``arc`` (arcs,), the scores of
the candidate arcs, that implements the functions below with its own kernels::

    @implements(tree_total, MyScores)
    @kernel
    def _total(scores: MyScores, links: Links) -> float: ...

The *gain* of attaching m to h is the score of the tree with m (and all words below it) attached to h, minus that of the
forest in which m is detached; the difference of two gains is the change in score when m moves. All heads of a word are
scored in one call. Implementations: `headway.parts.table_scores` for scores in tables, `headway.scorers.trees` for
linear models.
"""

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from headway.kernel import interface, kernel
from headway.parts.links import Links
from headway.parts.moves import PartList, make_part_list

TreeScorer = Any
"""A named tuple that implements the functions below."""


class Options(NamedTuple):
    """The heads to which a word might be attached, and their gains: arrays with room for n + 1 of them.

    Parameters
    ----------
    heads : int64
    gains : float64
    parts : PartList
        A buffer for computations.
    """

    heads: npt.NDArray[np.int64]
    gains: npt.NDArray[np.float64]
    parts: PartList


@kernel
def make_options(size: int) -> Options:
    """Allocate the options of a word of a sentence of `size` - 1 words."""
    return Options(np.empty(size, dtype=np.int64), np.empty(size, dtype=np.float64), make_part_list(size))


@interface
def weigh(scores: TreeScorer, links: Links, modifier: int, options: Options, count: int) -> None:
    """Write the gains of attaching `modifier`, which is detached, to each of the first `count` heads."""


@interface
def plant(scores: TreeScorer, links: Links, heads: npt.NDArray[np.int32]) -> None:
    """Set `links` to the tree ``heads`` (n + 1,)."""


@interface
def take(scores: TreeScorer, links: Links, modifier: int) -> None:
    """Detach `modifier`, with all words below it; its entry in `heads` stays."""


@interface
def hang(scores: TreeScorer, links: Links, modifier: int, head: int) -> None:
    """Attach `modifier`, with all words below it, to `head`."""


@interface
def tree_total(scores: TreeScorer, links: Links) -> float:  # type: ignore[empty-body]
    """Return the score of a whole tree, from all its parts."""


@interface
def charge_arcs(scores: TreeScorer, bounds: npt.NDArray[np.float64]) -> float:  # type: ignore[empty-body]
    """Increase ``bounds`` (arcs,), the scores of arcs, by the maximum score of the parts charged to each arc.

    Every part of a tree is charged to one of its arcs or to a word. Returns the sum over words of the maximum score of
    the parts charged to them; infinity if it is unknown. No tree's score is higher than the sum of its arcs' bounds
    plus this value.
    """
