"""Head automata: the best children of every head, and the head above it, each head for itself.

An automaton reads the candidate modifiers of a head on one side, from the nearest to the furthest, and takes some. Its
state is the child taken last (or the last two, where tri-siblings are scored). Where grandparents are scored, the
automaton runs once for every candidate head of the head, and takes the best. What all automata take together need not
be a tree: that is for the other oracle of a Lagrangian relaxation.

Koo et al. (2010), sections 3 and 5, and 7.4 for lazy decoding: an automaton whose weights have not changed is not run
again. O(k²) a run for k modifiers, O(k³) with tri-siblings.
"""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from headway.charts.part_places import PartPlaces
from headway.kernel import kernel, leaf_kernel
from headway.parts.arc_index import ArcIndex

Vector = npt.NDArray[np.float64]


class Automata(NamedTuple):
    """What the automata of one sentence are made of.

    Parameters
    ----------
    heads, modifiers : (arcs,) int64
        The arcs above a word are ``offsets[word]:offsets[word + 1]``.
    children : (arcs,) int64
        The arcs of each head to each side, nearest first, from ``starts[head, side]`` on.
    siblings, grand_siblings, tri_siblings : (n + 1, 2) int64
        Where the scores of these parts begin, as `PartPlaces` says; -1 for none.
    grandparents : (arcs,) int64
    """

    offsets: npt.NDArray[np.int64]
    heads: npt.NDArray[np.int64]
    modifiers: npt.NDArray[np.int64]
    most: npt.NDArray[np.int64]
    starts: npt.NDArray[np.int64]
    children: npt.NDArray[np.int64]
    siblings: npt.NDArray[np.int64]
    grandparents: npt.NDArray[np.int64]
    grand_siblings: npt.NDArray[np.int64]
    tri_siblings: npt.NDArray[np.int64]


def make_automata(index: ArcIndex, places: PartPlaces) -> Automata:
    """The automata over some arcs and parts."""
    starts = np.zeros(index.most.shape, dtype=np.int64)
    starts.reshape(-1)[1:] = np.cumsum(index.most.reshape(-1))[:-1]
    modifiers = np.repeat(np.arange(len(index.most)), np.diff(index.offsets))
    sides = (modifiers > index.heads).astype(np.int64)
    children = np.empty(len(index.heads), dtype=np.int64)
    children[starts[index.heads, sides] + index.rank - 1] = np.arange(len(index.heads))
    return Automata(
        index.offsets, index.heads, modifiers, index.most, starts, children,
        places.siblings, places.grandparents, places.grand_siblings, places.tri_siblings,
    )  # fmt: skip


class HeadAutomata:
    """All automata as one oracle over arcs: children alone or, with grandparents, children and then heads.

    Parameters
    ----------
    scores : (parts,) float64
        Laid out as `PartPlaces` says; arcs come first.
    share : float
        How much of the arc scores counts here.
    single_root : bool
        Whether the root's automaton takes exactly one child: no tree needs more, and the bound is lower.

    Attributes
    ----------
    runs : list of int
        How many automata were run each time the oracle was asked.
    """

    def __init__(self, automata: Automata, scores: Vector, *, share: float = 1.0, single_root: bool = True) -> None:
        self.automata, self.scores, self.single_root = automata, scores, single_root
        arcs = len(automata.heads)
        self.arc = np.where(np.isneginf(scores[:arcs]), -np.inf, share * scores[:arcs])
        self.knows_grandparent = bool((automata.grandparents >= 0).any() or (automata.grand_siblings >= 0).any())
        self.size = 2 * arcs if self.knows_grandparent else arcs
        self.values = np.zeros(len(automata.most))
        self.taken = np.zeros(self.size)
        self.weights = np.full(self.size, np.nan)
        self.runs: list[int] = []

    def best(self, weights: Vector) -> tuple[float, Vector]:
        """See `Oracle`."""
        changed, arcs = weights != self.weights, len(self.arc)
        stale = np.zeros(len(self.values), dtype=np.bool_)
        stale[self.automata.heads[changed[:arcs]]] = True
        if self.knows_grandparent:
            stale[self.automata.modifiers[changed[arcs:]]] = True
        if not self.runs:
            stale[:] = True
        self.weights = weights.copy()
        down = self.arc + weights[:arcs]
        up = weights[arcs:] if self.knows_grandparent else np.zeros(0)
        if self.knows_grandparent:
            up = np.where(np.isneginf(self.arc), -np.inf, up)
        run_automata(
            self.automata, self.scores, down, up, np.flatnonzero(stale), self.single_root, self.values, self.taken
        )
        self.runs.append(int(stale.sum()))
        return float(self.values.sum()), self.taken.copy()


@kernel
def run_automata(
    automata: Automata,
    scores: Vector,
    down: Vector,
    up: Vector,
    which: npt.NDArray[np.int64],
    single_root: bool,
    values: Vector,
    taken: Vector,
) -> None:
    """Run some automata, and write their values and what they take.

    Parameters
    ----------
    down : (arcs,) float64
        What taking a child brings.
    up : (arcs,) or (0,) float64
        What being below a head brings; empty where automata do not know grandparents.
    """
    arcs, most = len(automata.heads), automata.most.max() + 2
    room = _Room(np.empty(most * most), np.empty(most * most, dtype=np.int64), np.empty(most), np.empty(most, np.int64))
    for head in which:
        for side in range(2):
            start = automata.starts[head, side]
            for rank in range(automata.most[head, side]):
                taken[automata.children[start + rank]] = 0.0
        above = automata.offsets[head + 1] - automata.offsets[head]
        if head == 0 and single_root and automata.most[0, 1] > 0:
            values[0] = _run_root(automata, scores, down, taken)
            continue
        if len(up) == 0 or head == 0:
            total = 0.0
            for side in range(2):
                total += _run(automata, scores, down, head, side, -1, room)
                _take(automata, head, side, room, taken)
            values[head] = total
            continue
        highest, chosen = -np.inf, -1
        for shift in range(above):
            value = up[automata.offsets[head] + shift]
            if value == -np.inf:
                continue
            for side in range(2):
                value += _run(automata, scores, down, head, side, shift, room)
            if value > highest:
                highest, chosen = value, shift
        values[head] = highest
        for shift in range(above):
            taken[arcs + automata.offsets[head] + shift] = 1.0 if shift == chosen else 0.0
        if chosen >= 0:
            for side in range(2):
                _run(automata, scores, down, head, side, chosen, room)
                _take(automata, head, side, room, taken)


@leaf_kernel
def _run_root(automata: Automata, scores: Vector, down: Vector, taken: Vector) -> float:
    """The value of the best single child of the root, which is taken."""
    end = automata.most[0, 1] + 1
    highest, chosen = -np.inf, 0
    for rank in range(1, end):
        value = down[automata.children[automata.starts[0, 1] + rank - 1]]
        value += _step(automata, scores, 0, 1, -1, 0, rank) + _step(automata, scores, 0, 1, -1, rank, end)
        if automata.tri_siblings[0, 1] >= 0:
            value += scores[automata.tri_siblings[0, 1] + end * (end - 1) * (end - 2) // 6 + rank * (rank - 1) // 2]
        if value > highest:
            highest, chosen = value, rank
    if chosen > 0:
        taken[automata.children[automata.starts[0, 1] + chosen - 1]] = 1.0
    return float(highest + _step(automata, scores, 0, 0, -1, 0, 1))


class _Room(NamedTuple):
    """The values of an automaton's states, and the states before them."""

    values: Vector
    before: npt.NDArray[np.int64]
    single: Vector
    last: npt.NDArray[np.int64]


@leaf_kernel
def _step(automata: Automata, scores: Vector, head: int, side: int, shift: int, inner: int, outer: int) -> float:
    """What going from one child to the next brings, by their ranks, the child's own arc apart."""
    entry = outer * (outer - 1) // 2 + inner
    total = 0.0
    if automata.siblings[head, side] >= 0:
        total += scores[automata.siblings[head, side] + entry]
    if shift >= 0:
        if automata.grand_siblings[head, side] >= 0:
            above = automata.offsets[head + 1] - automata.offsets[head]
            total += scores[automata.grand_siblings[head, side] + above * entry + shift]
        if outer <= automata.most[head, side]:
            arc = automata.children[automata.starts[head, side] + outer - 1]
            if automata.grandparents[arc] >= 0:
                total += scores[automata.grandparents[arc] + shift]
    return total


@leaf_kernel
def _run(automata: Automata, scores: Vector, down: Vector, head: int, side: int, shift: int, room: _Room) -> float:
    """The value of the best row of children; the way to it is left in `room`."""
    if automata.tri_siblings[head, side] >= 0:
        return _run_pairs(automata, scores, down, head, side, shift, room)
    end = automata.most[head, side] + 1
    start = automata.starts[head, side]
    room.single[0] = 0.0
    for outer in range(1, end + 1):
        own = 0.0 if outer == end else down[automata.children[start + outer - 1]]
        highest, before = -np.inf, 0
        if own > -np.inf:
            for inner in range(outer):
                if room.single[inner] > -np.inf:
                    value = room.single[inner] + _step(automata, scores, head, side, shift, inner, outer)
                    if value > highest:
                        highest, before = value, inner
        room.single[outer] = highest + own
        room.last[outer] = before
    return float(room.single[end])


@leaf_kernel
def _run_pairs(
    automata: Automata, scores: Vector, down: Vector, head: int, side: int, shift: int, room: _Room
) -> float:
    """The same where a state is the last two children."""
    end = automata.most[head, side] + 1
    start, width, tri = automata.starts[head, side], end + 1, automata.tri_siblings[head, side]
    for outer in range(1, end + 1):
        own = 0.0 if outer == end else down[automata.children[start + outer - 1]]
        for inner in range(outer):
            highest, before = -np.inf, 0
            if own > -np.inf:
                if inner == 0:
                    highest = own + _step(automata, scores, head, side, shift, 0, outer)
                else:
                    fixed = own + _step(automata, scores, head, side, shift, inner, outer)
                    place = tri + outer * (outer - 1) * (outer - 2) // 6 + inner * (inner - 1) // 2
                    for earlier in range(inner):
                        value = room.values[earlier * width + inner] + fixed + scores[place + earlier]
                        if value > highest:
                            highest, before = value, earlier
            room.values[inner * width + outer] = highest
            room.before[inner * width + outer] = before
    best = 0
    for inner in range(1, end):
        if room.values[inner * width + end] > room.values[best * width + end]:
            best = inner
    highest = float(room.values[best * width + end])
    outer, inner = end, best
    while outer > 0:
        room.last[outer] = inner
        outer, inner = inner, room.before[inner * width + outer] if inner > 0 else 0
    return highest


@leaf_kernel
def _take(automata: Automata, head: int, side: int, room: _Room, taken: Vector) -> None:
    """Mark the children of the way that was found last."""
    rank = room.last[automata.most[head, side] + 1]
    start = automata.starts[head, side]
    while rank > 0:
        taken[automata.children[start + rank - 1]] = 1.0
        rank = room.last[rank]


@kernel
def list_taken(automata: Automata, taken: Vector, places: npt.NDArray[np.int64]) -> int:
    """Write where all arcs and parts of what automata take are among the scores; the number of them is returned.

    Parameters
    ----------
    taken : (arcs,) or (2 arcs,) float64
        As `HeadAutomata` answers; any number of heads for a word.
    places : (room,) int64
        Room for as many as `most_taken` says.
    """
    arcs, count = len(automata.heads), 0
    for head in range(len(automata.most)):
        above = automata.offsets[head + 1] - automata.offsets[head]
        shift = -1
        if len(taken) > arcs:
            for rank in range(above):
                if taken[arcs + automata.offsets[head] + rank] > 0.0:
                    shift = rank
        for side in range(2):
            before, inner, end = 0, 0, automata.most[head, side] + 1
            for outer in range(1, end + 1):
                if outer < end:
                    arc = automata.children[automata.starts[head, side] + outer - 1]
                    if taken[arc] == 0.0:
                        continue
                    places[count] = arc
                    count += 1
                    if shift >= 0 and automata.grandparents[arc] >= 0:
                        places[count] = automata.grandparents[arc] + shift
                        count += 1
                entry = outer * (outer - 1) // 2 + inner
                if automata.siblings[head, side] >= 0:
                    places[count] = automata.siblings[head, side] + entry
                    count += 1
                if shift >= 0 and automata.grand_siblings[head, side] >= 0:
                    places[count] = automata.grand_siblings[head, side] + above * entry + shift
                    count += 1
                if inner > 0 and automata.tri_siblings[head, side] >= 0:
                    pyramid = outer * (outer - 1) * (outer - 2) // 6 + inner * (inner - 1) // 2
                    places[count] = automata.tri_siblings[head, side] + pyramid + before
                    count += 1
                before, inner = inner, outer
    return count


@kernel
def most_taken(automata: Automata) -> int:
    """An upper bound on what `list_taken` writes."""
    return 5 * len(automata.heads) + 6 * len(automata.most)


@kernel
def score_tree(
    automata: Automata, scores: Vector, number: npt.NDArray[np.int32], heads: npt.NDArray[np.int32]
) -> float:
    """The score of a tree, summed over its arcs and parts."""
    arcs = len(automata.heads)
    taken = np.zeros(2 * arcs)
    for modifier in range(1, len(heads)):
        arc = number[heads[modifier], modifier]
        taken[arc] = 1.0
        taken[arcs + arc] = 1.0
    places = np.empty(most_taken(automata), dtype=np.int64)
    total = 0.0
    for place in range(list_taken(automata, taken, places)):
        total += scores[places[place]]
    return total
