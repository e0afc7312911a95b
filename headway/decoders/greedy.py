"""Greedy inference with partial-part predictions: build a tree arc by arc, choosing the arc with the smallest loss.

Tchernowitz, Yedidsion and Reichart 2016, "Effective greedy inference for graph-based non-projective dependency
parsing". The value of an arc combines the scores of parts that are lost and gained by choosing it (`partial_tree`); the
arc with the lowest value is chosen. A beam keeps the best partial trees by the sum of their arcs' values, and arc swaps
improve the complete trees; the result is the tree with the highest score.

Not in the paper: parts with absent arcs, so that all kinds can be scored (`arc_sets`); a root with exactly one child;
and an arc is only chosen if the remaining arcs can complete the tree, so that the search never fails on pruned
candidates.

Cost: O(n³) for second-order and O(n⁴) for third-order parts, for each tree of the beam. If a tree of the beam is
extended in several ways, its sums are copied: O(n³) numbers without pruning, and a byte for each part.
"""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from headway.decoders.arc_sets import ArcSets, list_arc_sets
from headway.decoders.arc_swaps import swap_arcs
from headway.decoders.decoder import Cost, TableDecoder
from headway.decoders.partial_tree import (
    OPEN,
    Beam,
    Chances,
    PartialTree,
    choose_arc,
    copy_tree,
    make_beam,
    modifiers_of,
    plant_seed,
    softmax_chances,
    tree_at,
    weigh_arcs,
)
from headway.decoders.starts import best_of_arcs
from headway.errors import UsageError
from headway.kernel import kernel, leaf_kernel
from headway.kernel.arrays import copy_into
from headway.parts import Candidates, Kind, Parse, Scores
from headway.parts.arc_index import ArcIndex
from headway.parts.constraints import no_tree
from headway.parts.kinds import GRAND_SIBLING
from headway.parts.links import make_links
from headway.parts.table_scores import TableScores, possible_scores
from headway.parts.tree_scorer import plant, tree_total
from headway.support.interrupts import interruptibly, stop_flag

Floats = npt.NDArray[np.float64]


@kernel
def search_greedily(
    scores: TableScores,
    chances: Chances,
    width: int,
    swaps: int,
    heads: npt.NDArray[np.int32],
    values: Floats,
    stop: npt.NDArray[np.int64],
) -> tuple[float, int]:
    """Write the best tree found into `heads` (n + 1,); the candidates must have a tree.

    Parameters
    ----------
    values : (n,) float64
        Output: the values of the best tree's arcs before swaps, in the order in which they were chosen.
    stop : (1,) int64
        See `headway.support.interrupts.stop_flag`.

    Returns
    -------
    score, swaps made
    """
    index = scores.layout
    size, modifiers = len(heads), modifiers_of(index)
    sets = list_arc_sets(scores, chances.single_root)
    beam = make_beam(index, sets, 2 * width, chances.basic, scores.wanted[GRAND_SIBLING])
    plant_seed(index, sets, chances, tree_at(beam.trees, 0))
    gains = np.zeros((2 * width, size - 1))
    slots, kept = np.arange(2 * width), 1  # the trees are in the first slots; the others are free
    for step in range(size - 1):
        if stop[0] != 0:
            return -np.inf, 0
        choices = np.full((kept * width, 2), -1, dtype=np.int64)
        ranked = np.full(kept * width, np.inf)
        for place in range(kept):
            tree = tree_at(beam.trees, slots[place])
            arc_values = weigh_arcs(index, sets, chances, tree, modifiers)
            _pick(index, chances, tree, modifiers, arc_values, place, width, choices, ranked)
        kept = _extend(index, sets, chances, beam, modifiers, choices, ranked, slots, kept, width, gains, step)
    links, best, most = make_links(size), -np.inf, 0
    for place in range(kept):
        plant(scores, links, beam.trees.heads[slots[place]])
        swapped = swap_arcs(scores, links, swaps, chances.single_root)
        total = tree_total(scores, links)
        if total > best:
            best, most = total, swapped
            copy_into(heads, links.heads)
            copy_into(values, gains[slots[place]])
    return best, most


@kernel
def _pick(
    index: ArcIndex,
    chances: Chances,
    tree: PartialTree,
    modifiers: npt.NDArray[np.int64],
    values: Floats,
    place: int,
    width: int,
    choices: npt.NDArray[np.int64],
    ranked: Floats,
) -> None:
    """Write the best arcs of one tree after which it can still be completed."""
    picked = 0
    while picked < width:
        arc = int(np.argmin(values)) if len(values) else -1
        if arc < 0 or values[arc] == np.inf:
            return
        if _can_complete(index, tree, modifiers, chances.single_root, arc):
            row = place * width + picked
            choices[row, 0], choices[row, 1] = place, arc
            ranked[row] = tree.value[0] + values[arc]
            picked += 1
        values[arc] = np.inf


@kernel
def _extend(
    index: ArcIndex,
    sets: ArcSets,
    chances: Chances,
    beam: Beam,
    modifiers: npt.NDArray[np.int64],
    choices: npt.NDArray[np.int64],
    ranked: Floats,
    slots: npt.NDArray[np.int64],
    kept: int,
    width: int,
    gains: Floats,
    step: int,
) -> int:
    """Make the next trees of a beam without duplicates, in the first slots, and return their number.

    The first extension of a tree replaces it, so that nothing is copied unless a tree has several extensions.
    """
    chosen, made = np.empty((width, 3), dtype=np.int64), 0
    totals, used, free = np.empty(width), np.zeros(kept, dtype=np.bool_), kept
    while made < width:
        row = int(np.argmin(ranked))
        if ranked[row] == np.inf:
            break
        value, parent, arc = ranked[row], choices[row, 0], choices[row, 1]
        ranked[row] = np.inf
        if _is_there(beam.trees.heads, index, modifiers, chosen, made, slots[parent], arc):
            continue
        chosen[made, 0], chosen[made, 1], chosen[made, 2] = slots[parent], arc, slots[parent]
        if used[parent]:
            chosen[made, 2] = slots[free]
            copy_tree(tree_at(beam.trees, slots[free]), tree_at(beam.trees, slots[parent]))
            copy_into(gains[slots[free]], gains[slots[parent]])
            free += 1
        used[parent], totals[made] = True, value
        made += 1
    for child in range(made):
        tree, arc = tree_at(beam.trees, chosen[child, 2]), chosen[child, 1]
        gains[chosen[child, 2], step] = totals[child] - tree.value[0]
        tree.value[0] = totals[child]
        choose_arc(index, sets, chances, beam, tree, modifiers, arc)
    taken, place = np.zeros(len(slots), dtype=np.bool_), made
    for child in range(made):
        slots[child] = chosen[child, 2]
        taken[slots[child]] = True
    for slot in range(len(slots)):
        if not taken[slot]:
            slots[place] = slot
            place += 1
    return made


@leaf_kernel
def _is_there(
    heads: npt.NDArray[np.int32],
    index: ArcIndex,
    modifiers: npt.NDArray[np.int64],
    chosen: npt.NDArray[np.int64],
    count: int,
    parent: int,
    arc: int,
) -> bool:
    """Return whether a tree with one more arc is already among the new trees."""
    for place in range(count):
        other, other_arc, same = chosen[place, 0], chosen[place, 1], True
        for word in range(1, heads.shape[1]):
            first = index.heads[arc] if modifiers[arc] == word else heads[parent, word]
            second = index.heads[other_arc] if modifiers[other_arc] == word else heads[other, word]
            same = same and first == second
        if same:
            return True
    return False


@kernel
def _can_complete(
    index: ArcIndex, tree: PartialTree, modifiers: npt.NDArray[np.int64], single_root: bool, arc: int
) -> bool:
    """Return whether undecided arcs can complete a tree after an arc is chosen: the root must reach every word.

    With a single root that has no child yet, some child must reach all other words. If there is such a word, the last
    start of a depth-first search over all words is one; the others are the words that reach it. O(n²).
    """
    size = len(tree.top)
    if len(index.heads) == (size - 1) ** 2:
        return True
    head, word = index.heads[arc], modifiers[arc]
    top = tree.top.copy()
    for below in range(size):
        if top[below] == word:
            top[below] = tree.top[head]
    taken = False
    for child in range(1, size):
        taken = taken or top[child] == 0
    if not single_root or taken:
        return _reach(index, tree, modifiers, top, single_root and taken, 0, np.zeros(size, dtype=np.bool_), False)
    seen, last = np.zeros(size, dtype=np.bool_), 0
    for start in range(1, size):
        if top[start] == start and not seen[start]:
            last = start
            _reach(index, tree, modifiers, top, True, start, seen, False)
    if not _reach(index, tree, modifiers, top, True, last, np.zeros(size, dtype=np.bool_), False):
        return False
    seen = np.zeros(size, dtype=np.bool_)
    _reach(index, tree, modifiers, top, True, last, seen, True)
    for child in range(1, size):
        root_arc = index.number[0, child]
        if seen[child] and top[child] == child and root_arc >= 0 and tree.status[root_arc] == OPEN:
            return True
    return False


@kernel
def _reach(
    index: ArcIndex,
    tree: PartialTree,
    modifiers: npt.NDArray[np.int64],
    top: npt.NDArray[np.int32],
    no_root_arcs: bool,
    start: int,
    seen: npt.NDArray[np.bool_],
    backwards: bool,
) -> bool:
    """Mark the tops reached from one top, or those that reach it; return whether these are all words but the root."""
    size = len(top)
    stack, depth = np.empty(size, dtype=np.int64), 1
    stack[0] = start
    seen[start] = True
    while depth > 0:
        depth -= 1
        here = stack[depth]
        for arc in range(len(modifiers)):
            head, word = index.heads[arc], modifiers[arc]
            if tree.status[arc] != OPEN or top[word] != word or (no_root_arcs and head == 0):
                continue
            source, target = (word, top[head]) if backwards else (top[head], word)
            if source == here and not seen[target]:
                seen[target] = True
                stack[depth] = target
                depth += 1
    reached = True
    for word in range(1, size):
        reached = reached and (seen[word] or top[word] != word)
    return reached


_SHORT = 40
"""The most words, with the root, of a sentence that is searched in a fraction of a second; see `interruptibly`."""


@dataclass(frozen=True)
class Greedy(TableDecoder):
    """Build a tree arc by arc, choosing the arc with the smallest loss.

    The statistics of its parses are ``swaps``, the number of swaps in the best tree.

    Parameters
    ----------
    sharpness : float
        α: the probabilities of the heads of a word are proportional to exp(α · score).
    balance : float
        β: the weight of lost parts, from 0 to 1; gained parts have the weight 1 - β.
    beam : int
        The number of partial trees kept.
    swaps : int
        The maximum number of arc swaps in a complete tree.
    basic : bool
        Basic greedy inference, Algorithm 1 of the paper: parts only count when they are complete or lost.
    """

    sharpness: float = 1.0
    balance: float = 0.3
    beam: int = 3
    swaps: int = 5
    basic: bool = False
    name = "greedy"
    reads = frozenset(Kind) - {Kind.GLOBAL}

    def __post_init__(self) -> None:
        for name, kind in (("beam", int), ("swaps", int), ("basic", bool)):  # model files only have numbers
            object.__setattr__(self, name, kind(getattr(self, name)))
        if not (0.0 <= self.sharpness < np.inf):
            raise UsageError(f"the sharpness (alpha) must be at least 0, not {self.sharpness:g}")
        if not 0.0 <= self.balance <= 1.0:
            raise UsageError(f"the balance (beta) must be from 0 to 1, not {self.balance:g}")
        if self.beam < 1 or self.swaps < 0:
            raise UsageError(
                f"the beam must be at least 1, not {self.beam}, and the number of swaps at least 0, not {self.swaps}"
            )

    def _search(self, candidates: Candidates, scores: Scores, *, single_root: bool, cost: Cost | None) -> Parse:
        heads, score, swaps, _ = self.trace(candidates, scores, single_root=single_root, cost=cost)
        return Parse(heads, score, statistics={"swaps": swaps})

    def trace(
        self, candidates: Candidates, scores: Scores, *, single_root: bool = True, cost: Cost | None = None
    ) -> tuple[npt.NDArray[np.int32], float, int, Floats]:
        """Find a tree; return its heads, its score, its swaps, and the values of its arcs in the order of choice."""
        tables = possible_scores(candidates, scores, cost)
        size = len(tables.layout.most)
        heads, values = np.empty(size, dtype=np.int32), np.zeros(size - 1)
        if not best_of_arcs(tables.layout, tables.arc, False, single_root, heads):
            raise no_tree(size - 1, single_root=single_root)
        chances = softmax_chances(
            tables.layout, tables.arc, float(self.sharpness), float(self.balance), self.basic, single_root
        )
        stop = stop_flag()
        score, swaps = interruptibly(
            lambda: search_greedily(tables, chances, self.beam, self.swaps, heads, values, stop),
            stop,
            short=size <= _SHORT,
        )
        return heads, score, swaps, values
