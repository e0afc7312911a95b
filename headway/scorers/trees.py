"""The tree scorer of linear models: arcs, parts and structures with hashed features, scored on first use."""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from headway.kernel import implements, inner_kernel, kernel, leaf_kernel
from headway.parts.arc_index import ArcIndex, grandparent_place, sibling_place
from headway.parts.kinds import GRANDPARENT, SIBLING, list_parts, most_parts, read_key
from headway.parts.links import Links, link, place, set_tree, unlink
from headway.parts.moves import list_changes
from headway.parts.spans import narrow_spans, set_spans, widen_spans
from headway.parts.tree_scorer import Options, charge_arcs, hang, plant, take, tree_total, weigh
from headway.scorers.global_features import GlobalScorer, tree_globals
from headway.scorers.global_gains import weigh_globals
from headway.scorers.high_order import PartScorer, part_score, remembered_score


class TreeScores(NamedTuple):
    """The scores and weights whose sum is the score of a tree.

    Parameters
    ----------
    arc : (arcs,) float64
    sibling, grandparent : float64
        Tables laid out as in `ArcIndex`, with NaN for parts not scored yet; empty if there are no such parts.
    wanted : (kinds,) bool
        Whether each kind of part is scored.
    parts : PartScorer
        Scores parts that are not in a table, or not yet.
    structures : GlobalScorer
        Scores structures, which are larger than parts, if `has_structures`.
    """

    layout: ArcIndex
    arc: npt.NDArray[np.float64]
    sibling: npt.NDArray[np.float64]
    grandparent: npt.NDArray[np.float64]
    wanted: npt.NDArray[np.bool_]
    parts: PartScorer
    structures: GlobalScorer
    has_structures: bool


@implements(weigh, TreeScores)
@leaf_kernel
def _weigh(scores: TreeScores, links: Links, modifier: int, options: Options, count: int) -> None:
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


@implements(plant, TreeScores)
@leaf_kernel
def _plant(scores: TreeScores, links: Links, heads: npt.NDArray[np.int32]) -> None:
    set_tree(links, heads)
    if scores.has_structures:
        set_spans(scores.structures.spans, links)


@implements(take, TreeScores)
@inner_kernel
def _take(scores: TreeScores, links: Links, modifier: int) -> None:
    unlink(links, modifier)
    if scores.has_structures:
        narrow_spans(scores.structures.spans, links, modifier)


@implements(hang, TreeScores)
@inner_kernel
def _hang(scores: TreeScores, links: Links, modifier: int, head: int) -> None:
    link(links, modifier, head)
    if scores.has_structures:
        widen_spans(scores.structures.spans, links, modifier)


@inner_kernel
def _score(scores: TreeScores, key: int) -> float:
    """Return the score of one part, from its table or from the cache if possible."""
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


@implements(tree_total, TreeScores)
@kernel
def _tree_total(scores: TreeScores, links: Links) -> float:
    total = 0.0
    for modifier in range(1, len(links.heads)):
        total += scores.arc[scores.layout.number[links.heads[modifier], modifier]]
    keys = np.empty(most_parts(links, scores.wanted), dtype=np.int64)
    for number in range(list_parts(links, scores.wanted, keys)):
        total += _score(scores, keys[number])
    if scores.has_structures:
        total += tree_globals(scores.structures, links)
    return total


@implements(charge_arcs, TreeScores)
@leaf_kernel
def _charge_arcs(scores: TreeScores, bounds: npt.NDArray[np.float64]) -> float:
    """Return infinity if there are parts: they are scored on first use, so there is no finite bound."""
    return np.inf if scores.has_structures or scores.wanted.any() else 0.0
