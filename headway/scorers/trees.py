"""The score of a whole tree, and what hanging one word on a head adds to it.

The gain of hanging m on h is the score of the tree with m (and all below it) on h, minus that of the forest in which
m hangs on nothing; the difference of two gains is the change in score when m moves, at a cost that hardly grows with
the sentence. All heads of a word are weighed in one call.
"""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from headway.kernel import inner_kernel, kernel, leaf_kernel
from headway.parts.arc_index import ArcIndex, grandparent_place, sibling_place
from headway.parts.kinds import GRANDPARENT, SIBLING, list_parts, most_parts, read_key
from headway.parts.links import Links, link, place, set_tree, unlink
from headway.parts.moves import PartList, list_changes, make_part_list
from headway.parts.spans import narrow_spans, set_spans, widen_spans
from headway.scorers.global_features import GlobalScorer, tree_globals
from headway.scorers.global_gains import weigh_globals
from headway.scorers.high_order import PartScorer, part_score, remembered_score


class TreeScores(NamedTuple):
    """Everything that the score of a tree is the sum of.

    Parameters
    ----------
    arc : (arcs,) float64
    sibling, grandparent : float64
        Tables as `ArcIndex` lays them out, NaN for what was not scored yet; empty where there are no such parts.
    wanted : (kinds,) bool
        The kinds of parts that count.
    parts : PartScorer
        Scores what has no table, or is not in it yet.
    structures : GlobalScorer
        Scores what spans more than a part can, if `has_structures`.
    """

    layout: ArcIndex
    arc: npt.NDArray[np.float64]
    sibling: npt.NDArray[np.float64]
    grandparent: npt.NDArray[np.float64]
    wanted: npt.NDArray[np.bool_]
    parts: PartScorer
    structures: GlobalScorer
    has_structures: bool


class Options(NamedTuple):
    """The heads that a word might be hung on, and what each would bring: arrays with room for n + 1 of them.

    Parameters
    ----------
    heads : int64
    gains : float64
    parts : PartList
        Room to work in.
    """

    heads: npt.NDArray[np.int64]
    gains: npt.NDArray[np.float64]
    parts: PartList


@kernel
def make_options(size: int) -> Options:
    """Room for the options of a word of a sentence of `size` - 1 words."""
    return Options(np.empty(size, dtype=np.int64), np.empty(size, dtype=np.float64), make_part_list(size))


@leaf_kernel
def weigh(scores: TreeScores, links: Links, modifier: int, options: Options, count: int) -> None:
    """Write what hanging `modifier`, which hangs on nothing, on each of the first `count` heads gains."""
    parts = options.parts
    for option in range(count):
        head = options.heads[option]
        inner, outer = place(links, modifier, head)
        list_changes(links, scores.wanted, modifier, head, inner, outer, parts)
        total = scores.arc[scores.layout.number[head, modifier]]
        for number in range(parts.size[0]):
            total += parts.signs[number] * _score(scores, parts.keys[number])
        options.gains[option] = total
    if scores.has_structures:
        weigh_globals(scores.structures, links, modifier, options, count)


@leaf_kernel
def plant(scores: TreeScores, links: Links, heads: npt.NDArray[np.int32]) -> None:
    """Make `links` the tree `heads` (n + 1,)."""
    set_tree(links, heads)
    if scores.has_structures:
        set_spans(scores.structures.spans, links)


@inner_kernel
def take(scores: TreeScores, links: Links, modifier: int) -> None:
    """Take `modifier`, and all below it, out of the tree; it still names its head."""
    unlink(links, modifier)
    if scores.has_structures:
        narrow_spans(scores.structures.spans, links, modifier)


@inner_kernel
def hang(scores: TreeScores, links: Links, modifier: int, head: int) -> None:
    """Hang `modifier` and all below it on `head`."""
    link(links, modifier, head)
    if scores.has_structures:
        widen_spans(scores.structures.spans, links, modifier)


@inner_kernel
def _score(scores: TreeScores, key: int) -> float:
    """The score of one part, from its table or the memo if it was asked for before."""
    kind, shape, first, second, third, _ = read_key(key)
    if kind > GRANDPARENT:
        return remembered_score(scores.parts, key)
    if kind == SIBLING:
        table = scores.sibling
        entry = sibling_place(scores.layout, first, (shape - 1) // 3, second, third)
    else:
        table = scores.grandparent
        entry = grandparent_place(scores.layout, first, second, third)
    if np.isnan(table[entry]):
        table[entry] = part_score(scores.parts, key)
    return float(table[entry])


@kernel
def tree_total(scores: TreeScores, links: Links) -> float:
    """The score of a whole tree, from all its parts."""
    total = 0.0
    for modifier in range(1, len(links.heads)):
        total += scores.arc[scores.layout.number[links.heads[modifier], modifier]]
    keys = np.empty(most_parts(links, scores.wanted), dtype=np.int64)
    for number in range(list_parts(links, scores.wanted, keys)):
        total += _score(scores, keys[number])
    if scores.has_structures:
        total += tree_globals(scores.structures, links)
    return total
