"""Partial trees for greedy inference: the loss and gain of each arc, updated as arcs are chosen.

Tchernowitz, Yedidsion and Reichart 2016, Algorithms 1 and 2 and appendix A. Choosing the arc u → v *loses* the arcs

- u' → v, its rivals;
- a → r, if a is v or below it and r is the word at the top of u's tree: they would close a cycle;
- 0 → x, if u = 0 and the root has a single child.

A part is lost if one of its arcs in A is lost, or one of its arcs in B is chosen. No part has two rivals, or two arcs
to r, so the score of lost parts is the sum over rivals, plus the sum over arcs to r, minus that of the parts with both.

=============  ========================================================================================
array          the sum of score × residual probability of all parts that have ...
=============  ========================================================================================
sums[a]        a in A
pairs[a, w]    a = (u', v) and an arc to w from v, or from below v, in A
tops[v, w]     the same over all arcs to v
root_pairs[v]  an arc to v, and another arc from the root, in A
across         a in B: as differences along the ranks of a group, so that adding a run costs O(1)
above          the same, only for the grand-siblings of each arc g → h
=============  ========================================================================================

The residual probability of a part is the product of p over the undecided arcs of A and of 1 - p over those of B. An arc
below `UNLIKELY` counts as absent until it is chosen. So each word has at most 1 / `UNLIKELY` heads whose loss changes
other parts, and all updates together cost O(n³) for second-order and O(n⁴) for third-order parts.
"""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from headway.decoders.arc_sets import ABOVE, END, GROUP, HOLE, START, ArcSets
from headway.kernel import kernel, leaf_kernel
from headway.kernel.arrays import copy_into
from headway.parts.arc_index import ArcIndex

Floats = npt.NDArray[np.float64]

OPEN, CHOSEN, LOST = 0, 1, 2
"""The status of an arc."""

UNLIKELY = 0.01
"""The probability below which an arc counts as absent until it is chosen."""

_LEAST = 1e-9
"""The minimum of probabilities, so that they can be divisors."""


class Chances(NamedTuple):
    """The probabilities of arcs, and the options.

    Parameters
    ----------
    present : (arcs,) float64
        The probability of each arc, by a softmax over the heads of its word.
    absent : (arcs,) float64
        The logarithm of the probability that each arc is absent; 0 for unlikely arcs.
    balance : float
        β, the weight of lost parts; gained parts have the weight 1 - β.
    basic : bool
        Algorithm 1: all parts count fully when they are lost, but only complete parts are gained.
    """

    present: Floats
    absent: Floats
    balance: float
    basic: bool
    single_root: bool


class PartialTree(NamedTuple):
    """A partial tree with its sums; see the module's docstring.

    Parameters
    ----------
    heads, top : (n + 1,) int32
        The head of each word, -1 if it has none yet; the word at the top of its tree.
    status : (arcs,) int8
    value : (1,) float64
        The sum of the values of the arcs that were chosen.
    logs, taken, undecided : (groups, n + 2)
        For the first r ranks of a group: the sum of `Chances.absent` over undecided arcs, and the numbers of chosen and
        of undecided arcs.
    whole, settled : (arcs,) float64
        For basic inference: the scores of parts that only lack this arc of A, or the loss of this arc of B.
    whole_pairs : (arcs, n + 1) float64
        For basic inference: the scores of parts that only lack this arc and the loss of another arc to the word.
    gone : (parts,) bool
        Parts that the complete tree cannot have; they are skipped from then on.
    """

    heads: npt.NDArray[np.int32]
    top: npt.NDArray[np.int32]
    status: npt.NDArray[np.int8]
    value: Floats
    sums: Floats
    pairs: Floats
    tops: Floats
    root_pairs: Floats
    across: Floats
    above: Floats
    logs: Floats
    taken: npt.NDArray[np.int32]
    undecided: npt.NDArray[np.int32]
    whole: Floats
    settled: Floats
    whole_pairs: Floats
    gone: npt.NDArray[np.bool_]


class Beam(NamedTuple):
    """Memory for several partial trees: the arrays of `PartialTree`, each with an additional axis, and buffers."""

    trees: PartialTree
    stamps: npt.NDArray[np.int32]
    touched: npt.NDArray[np.int32]
    lost: npt.NDArray[np.int64]
    clock: npt.NDArray[np.int64]


@kernel
def softmax_chances(
    index: ArcIndex, arc: Floats, sharpness: float, balance: float, basic: bool, single_root: bool
) -> Chances:
    """Compute arc probabilities by a softmax of sharpness · score over the heads of each word."""
    present, absent = np.empty(len(arc)), np.zeros(len(arc))
    for modifier in range(1, len(index.most)):
        first, end = index.offsets[modifier], index.offsets[modifier + 1]
        if first == end:
            continue
        highest, total = arc[first:end].max(), 0.0
        for number in range(first, end):
            present[number] = np.exp(sharpness * (arc[number] - highest))
            total += present[number]
        for number in range(first, end):
            chance = present[number] / total
            present[number] = max(chance, _LEAST)
            if chance >= UNLIKELY:
                absent[number] = np.log(max(1.0 - chance, _LEAST))
    return Chances(present, absent, balance, basic, single_root)


@kernel
def make_beam(index: ArcIndex, sets: ArcSets, width: int, basic: bool, grand: bool) -> Beam:
    """Allocate `width` partial trees."""
    size, arcs = len(index.most), len(index.heads)
    more = arcs if basic else 0
    trees = PartialTree(
        np.full((width, size), -1, dtype=np.int32),
        np.empty((width, size), dtype=np.int32),
        np.zeros((width, arcs), dtype=np.int8),
        np.zeros((width, 1)),
        np.zeros((width, arcs)),
        np.zeros((width, arcs, size)),
        np.zeros((width, size, size)),
        np.zeros((width, size)),
        np.zeros((width, 2 * size, size + 2)),
        np.zeros((width, 2 * arcs if grand else 0, size + 2)),
        np.zeros((width, 2 * size, size + 2)),
        np.zeros((width, 2 * size, size + 2), dtype=np.int32),
        np.zeros((width, 2 * size if basic else 0, size + 2), dtype=np.int32),
        np.zeros((width, more)),
        np.zeros((width, more)),
        np.zeros((width, more, size)),
        np.zeros((width, len(sets.weights)), dtype=np.bool_),
    )
    numbers = np.zeros(len(sets.weights), dtype=np.int32)
    return Beam(trees, numbers, numbers.copy(), np.zeros(arcs, dtype=np.int64), np.zeros(1, dtype=np.int64))


@kernel
def tree_at(trees: PartialTree, place: int) -> PartialTree:
    """Return one tree of a beam."""
    return PartialTree(
        trees.heads[place],
        trees.top[place],
        trees.status[place],
        trees.value[place],
        trees.sums[place],
        trees.pairs[place],
        trees.tops[place],
        trees.root_pairs[place],
        trees.across[place],
        trees.above[place],
        trees.logs[place],
        trees.taken[place],
        trees.undecided[place],
        trees.whole[place],
        trees.settled[place],
        trees.whole_pairs[place],
        trees.gone[place],
    )


@kernel
def copy_tree(target: PartialTree, tree: PartialTree) -> None:
    """Copy a partial tree."""
    copy_into(target.heads, tree.heads)
    copy_into(target.top, tree.top)
    copy_into(target.status, tree.status)
    copy_into(target.value, tree.value)
    copy_into(target.sums, tree.sums)
    copy_into(target.pairs.ravel(), tree.pairs.ravel())
    copy_into(target.tops.ravel(), tree.tops.ravel())
    copy_into(target.root_pairs, tree.root_pairs)
    copy_into(target.across.ravel(), tree.across.ravel())
    copy_into(target.above.ravel(), tree.above.ravel())
    copy_into(target.logs.ravel(), tree.logs.ravel())
    copy_into(target.taken.ravel(), tree.taken.ravel())
    copy_into(target.undecided.ravel(), tree.undecided.ravel())
    copy_into(target.whole, tree.whole)
    copy_into(target.settled, tree.settled)
    copy_into(target.whole_pairs.ravel(), tree.whole_pairs.ravel())
    copy_into(target.gone, tree.gone)


@kernel
def plant_seed(index: ArcIndex, sets: ArcSets, chances: Chances, tree: PartialTree) -> None:
    """Initialise a tree without arcs, with the sums of all parts."""
    for word in range(len(index.most)):
        tree.top[word] = word
    for group in range(len(sets.members)):
        for rank in range(1, sets.members.shape[1]):
            arc = sets.members[group, rank]
            tree.logs[group, rank] = tree.logs[group, rank - 1] + (chances.absent[arc] if arc >= 0 else 0.0)
            if chances.basic:
                tree.undecided[group, rank] = tree.undecided[group, rank - 1] + (1 if arc >= 0 else 0)
    modifiers = modifiers_of(index)
    for part in range(len(sets.weights)):
        count_part(index, sets, chances, tree, modifiers, part, 1.0)


@kernel
def modifiers_of(index: ArcIndex) -> npt.NDArray[np.int64]:
    """(arcs,) Return the modifier of each arc."""
    modifiers = np.empty(len(index.heads), dtype=np.int64)
    for modifier in range(1, len(index.most)):
        for arc in range(index.offsets[modifier], index.offsets[modifier + 1]):
            modifiers[arc] = modifier
    return modifiers


@leaf_kernel
def count_part(
    index: ArcIndex,
    sets: ArcSets,
    chances: Chances,
    tree: PartialTree,
    modifiers: npt.NDArray[np.int64],
    part: int,
    sign: float,
) -> None:
    """Add a part to all its sums, or subtract it with a `sign` of -1."""
    rows = sets.parts
    weight, open_arcs, last = sets.weights[part], 0, -1
    for column in range(3):
        arc = rows[part, column]
        if arc < 0:
            continue
        if tree.status[arc] == LOST:
            tree.gone[part] = True
            return
        if tree.status[arc] == OPEN:
            open_arcs += 1
            last = arc
            if not chances.basic:
                weight *= chances.present[arc]
    group, hole, between = rows[part, GROUP], rows[part, HOLE], 0
    if group >= 0:
        start, end = rows[part, START] - 1, rows[part, END]
        chosen = tree.taken[group, end] - tree.taken[group, start]
        if chosen > (1 if hole >= 0 and tree.status[hole] == CHOSEN else 0):
            tree.gone[part] = True
            return
        if chances.basic:
            between = tree.undecided[group, end] - tree.undecided[group, start]
            if hole >= 0 and tree.status[hole] == OPEN:
                between -= 1
        else:
            log = tree.logs[group, end] - tree.logs[group, start]
            if hole >= 0 and tree.status[hole] == OPEN:
                log -= chances.absent[hole]
            weight *= np.exp(log)
    weight *= sign
    for column in range(3):
        arc = rows[part, column]
        if arc >= 0 and tree.status[arc] == OPEN:
            tree.sums[arc] += weight
            if open_arcs > 1:
                _count_pairs(index, chances, tree, modifiers, rows, part, arc, weight)
    if group >= 0:
        _add_run(tree.across, group, rows[part, START], rows[part, END], weight)
        if hole >= 0:
            _add_run(tree.across, group, index.rank[hole], index.rank[hole], -weight)
        above = rows[part, ABOVE]
        if above >= 0 and tree.status[above] == OPEN:
            _add_run(tree.above, 2 * above + group % 2, rows[part, START], rows[part, END], weight)
    if chances.basic and open_arcs + between > 0 and open_arcs <= 1 and between <= 1:
        _count_whole(index, sets, tree, modifiers, rows, part, last, between, weight)


@leaf_kernel
def _count_pairs(
    index: ArcIndex,
    chances: Chances,
    tree: PartialTree,
    modifiers: npt.NDArray[np.int64],
    rows: npt.NDArray[np.int32],
    part: int,
    arc: int,
    weight: float,
) -> None:
    """Add the pairs of an arc u' → v with the part's other arcs that are from v, from below v, or from the root."""
    word = modifiers[arc]
    for column in range(3):
        other = rows[part, column]
        if other < 0 or other == arc or tree.status[other] != OPEN:
            continue
        if tree.top[index.heads[other]] == word:
            tree.pairs[arc, modifiers[other]] += weight
            tree.tops[word, modifiers[other]] += weight
        if chances.single_root and index.heads[other] == 0:
            tree.root_pairs[word] += weight


@leaf_kernel
def _add_run(differences: Floats, place: int, start: int, end: int, weight: float) -> None:
    differences[place, start] += weight
    differences[place, end + 1] -= weight


@leaf_kernel
def _count_whole(
    index: ArcIndex,
    sets: ArcSets,
    tree: PartialTree,
    modifiers: npt.NDArray[np.int64],
    rows: npt.NDArray[np.int32],
    part: int,
    last: int,
    between: int,
    weight: float,
) -> None:
    """Add a part that the next arc can complete: as its last arc, by losing the last arc of B, or both."""
    if between == 0:
        tree.whole[last] += weight
        return
    rank = rows[part, START]
    while (
        sets.members[rows[part, GROUP], rank] == rows[part, HOLE]
        or tree.status[sets.members[rows[part, GROUP], rank]] != OPEN
    ):
        rank += 1
    arc = sets.members[rows[part, GROUP], rank]
    if last < 0:
        tree.settled[arc] += weight
    else:
        tree.whole_pairs[last, modifiers[arc]] += weight


@kernel
def weigh_arcs(
    index: ArcIndex, sets: ArcSets, chances: Chances, tree: PartialTree, modifiers: npt.NDArray[np.int64]
) -> Floats:
    """(arcs,) Return the value of each undecided arc, of which the lowest is the best; infinity for other arcs."""
    size, arcs = len(index.most), len(index.heads)
    into, circles, settled = np.zeros(size), np.zeros((size, size)), np.zeros((size, size))
    settled_into, from_root = np.zeros(size), 0.0
    for arc in range(arcs):
        if tree.status[arc] == OPEN:
            head, word = index.heads[arc], modifiers[arc]
            into[word] += tree.sums[arc]
            circles[tree.top[head], word] += tree.sums[arc]
            from_root += tree.sums[arc] if head == 0 else 0.0
            if chances.basic:
                settled_into[word] += tree.settled[arc]
                settled[tree.top[head], word] += tree.settled[arc]
    values = np.full(arcs, np.inf)
    crossed = _crossed(index, sets, tree)
    for arc in range(arcs):
        if tree.status[arc] != OPEN:
            continue
        head, word = index.heads[arc], modifiers[arc]
        top, whole = tree.top[head], tree.sums[arc]
        loss = into[word] - tree.sums[arc] + crossed[arc]
        if head == 0 and chances.single_root:
            loss += from_root - tree.sums[arc] - tree.root_pairs[word]
        if top != 0:
            loss += circles[word, top] - (tree.tops[word, top] - tree.pairs[arc, top])
            whole -= tree.pairs[arc, top]
        if chances.basic:
            gain = tree.whole[arc] + settled_into[word] - tree.settled[arc]
            if top != 0:
                gain += settled[word, top] + tree.whole_pairs[arc, top]
            values[arc] = loss - gain
        else:
            gain = whole / chances.present[arc]
            values[arc] = chances.balance * loss - (1.0 - chances.balance) * gain
    return values


@kernel
def _crossed(index: ArcIndex, sets: ArcSets, tree: PartialTree) -> Floats:
    """(arcs,) Return the weight of the parts that an arc must not be in, except those that a cycle rules out anyway."""
    crossed = np.zeros(len(index.heads))
    for group in range(len(sets.members)):
        total = 0.0
        for rank in range(1, index.most[group // 2, group % 2] + 1):
            total += tree.across[group, rank]
            crossed[sets.members[group, rank]] = total
    if len(tree.above) == 0:
        return crossed
    for head in range(1, len(index.most)):
        for arc in range(index.offsets[head], index.offsets[head + 1]):
            top = tree.top[index.heads[arc]]
            if tree.status[arc] != OPEN or top == 0 or index.number[head, top] < 0:
                continue
            crossing = index.number[head, top]
            side = 1 if top > head else 0
            for rank in range(1, index.rank[crossing] + 1):
                crossed[crossing] -= tree.above[2 * arc + side, rank]
    return crossed


@leaf_kernel
def _touch(beam: Beam, tree: PartialTree, parts: npt.NDArray[np.int32], start: int, end: int, count: int) -> int:
    """Collect parts that will change; return their number so far."""
    for place in range(start, end):
        part = parts[place]
        if not tree.gone[part] and beam.stamps[part] != beam.clock[0]:
            beam.stamps[part] = beam.clock[0]
            beam.touched[count] = part
            count += 1
    return count


@leaf_kernel
def _touch_across(
    index: ArcIndex, sets: ArcSets, beam: Beam, tree: PartialTree, group: int, arc: int, count: int
) -> int:
    """Collect the parts of a group whose run contains an arc."""
    rank = index.rank[arc]
    for place in range(sets.group_starts[group], sets.group_starts[group + 1]):
        part = sets.by_group[place]
        if not tree.gone[part] and sets.parts[part, START] <= rank <= sets.parts[part, END]:
            count = _touch(beam, tree, sets.by_group, place, place + 1, count)
    return count


@leaf_kernel
def list_lost(
    index: ArcIndex,
    tree: PartialTree,
    modifiers: npt.NDArray[np.int64],
    single_root: bool,
    arc: int,
    lost: npt.NDArray[np.int64],
) -> int:
    """Write the arcs that are lost if an arc is chosen, and return their number."""
    head, word, count = index.heads[arc], modifiers[arc], 0
    for rival in range(index.offsets[word], index.offsets[word + 1]):
        if rival != arc and tree.status[rival] == OPEN:
            lost[count] = rival
            count += 1
    top = tree.top[head]
    if top != 0:
        for circle in range(index.offsets[top], index.offsets[top + 1]):
            if tree.status[circle] == OPEN and tree.top[index.heads[circle]] == word:
                lost[count] = circle
                count += 1
    elif head == 0 and single_root:
        for other in range(1, len(index.most)):
            rival = index.number[0, other]
            if other != word and rival >= 0 and tree.status[rival] == OPEN:
                lost[count] = rival
                count += 1
    return count


@kernel
def choose_arc(
    index: ArcIndex,
    sets: ArcSets,
    chances: Chances,
    beam: Beam,
    tree: PartialTree,
    modifiers: npt.NDArray[np.int64],
    arc: int,
) -> None:
    """Add an arc to a partial tree and update all sums: parts that change are subtracted and added again."""
    head, word = int(index.heads[arc]), modifiers[arc]
    top = tree.top[head]
    lost = list_lost(index, tree, modifiers, chances.single_root, arc, beam.lost)
    beam.clock[0] += 1
    count = _touch(beam, tree, sets.by_arc, sets.arc_starts[arc], sets.arc_starts[arc + 1], 0)
    count = _touch_across(index, sets, beam, tree, 2 * head + (1 if word > head else 0), arc, count)
    for place in range(lost):
        gone = beam.lost[place]
        count = _touch(beam, tree, sets.by_arc, sets.arc_starts[gone], sets.arc_starts[gone + 1], count)
        if chances.basic or chances.absent[gone] < 0.0:
            group = 2 * index.heads[gone] + (1 if modifiers[gone] > index.heads[gone] else 0)
            count = _touch_across(index, sets, beam, tree, group, gone, count)
    if top != 0:  # arcs from below the word now form pairs with arcs to the top
        for rival in range(index.offsets[top], index.offsets[top + 1]):
            if tree.status[rival] == OPEN:
                count = _touch(beam, tree, sets.by_arc, sets.arc_starts[rival], sets.arc_starts[rival + 1], count)
    for place in range(count):
        count_part(index, sets, chances, tree, modifiers, beam.touched[place], -1.0)
    tree.heads[word] = head
    for below in range(len(tree.top)):
        if tree.top[below] == word:
            tree.top[below] = top
    _decide(index, chances, tree, modifiers, arc, CHOSEN)
    for place in range(lost):
        _decide(index, chances, tree, modifiers, beam.lost[place], LOST)
    for place in range(count):
        count_part(index, sets, chances, tree, modifiers, beam.touched[place], 1.0)


@leaf_kernel
def _decide(
    index: ArcIndex,
    chances: Chances,
    tree: PartialTree,
    modifiers: npt.NDArray[np.int64],
    arc: int,
    status: int,
) -> None:
    """Record that an arc is chosen or lost, also in the sums along its group."""
    tree.status[arc] = status
    head = index.heads[arc]
    side = 1 if modifiers[arc] > head else 0
    for rank in range(index.rank[arc], index.most[head, side] + 1):
        tree.logs[2 * head + side, rank] -= chances.absent[arc]
        if status == CHOSEN:
            tree.taken[2 * head + side, rank] += 1
        if chances.basic:
            tree.undecided[2 * head + side, rank] -= 1
