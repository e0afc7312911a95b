"""Head automata: each head chooses its best children, and its head, independently of the other heads.

An automaton reads the candidate modifiers of a head on one side, from the nearest to the furthest, and takes some. Its
state is the child taken last (or the last two, if tri-siblings are scored). If grandparents are scored, the automaton
runs once for every candidate head of the head, and keeps the best result. The choices of all automata together need not
form a tree: this is the task of the other oracle of a Lagrangian relaxation.

Koo et al. (2010), sections 3 and 5, and 7.4 for lazy decoding, extended here: an automaton is only run again if
the changes of its weights may have made another choice the best. O(k²) per run for k modifiers, O(k³) with
tri-siblings.
"""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from headway.charts.part_places import PartPlaces
from headway.kernel import kernel, leaf_kernel
from headway.parts.arc_index import ArcIndex

Vector = npt.NDArray[np.float64]


class Automata(NamedTuple):
    """The parts of one sentence, laid out for automata.

    Parameters
    ----------
    heads, modifiers : (arcs,) int64
        The arcs into a word are ``offsets[word]:offsets[word + 1]``.
    children : (arcs,) int64
        The arcs of each head to each side, nearest first, from ``starts[head, side]`` on.
    siblings, grand_siblings, tri_siblings : (n + 1, 2) int64
        The positions of the scores of these parts, as in `PartPlaces`; -1 for none.
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
    """Return the automata over some arcs and parts."""
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


class Room(NamedTuple):
    """The best and the second-best values of an automaton's states, and their previous states."""

    values: Vector
    seconds: Vector
    before: npt.NDArray[np.int64]
    last: npt.NDArray[np.int64]


@kernel
def make_room(automata: Automata) -> Room:
    """Allocate buffers for the longest automaton."""
    most = automata.most.max() + 2
    size = most if (automata.tri_siblings < 0).all() else most * most
    return Room(np.empty(size), np.empty(size), np.empty(size, dtype=np.int64), np.empty(most, np.int64))


def know_grandparents(automata: Automata) -> bool:
    """Return whether the automata score the heads of heads."""
    return bool((automata.grandparents >= 0).any() or (automata.grand_siblings >= 0).any())


class HeadAutomata:
    """All automata as one oracle over arcs: as children or, with grandparents, as children and then as heads.

    An automaton is run again only on a side whose weights have changed, and only if its best choice may have changed:
    when the changes against it have used up the margin between that choice and the second-best one.

    Parameters
    ----------
    scores : (parts,) float64
        The scores, laid out as in `PartPlaces`; arcs come first.
    share : float
        The share of the arc scores that the automata get.
    single_root : bool
        Whether the root's automaton takes exactly one child, which lowers the bound.

    Attributes
    ----------
    runs : list of float
        The share of all automata (heads, sides, grandparents) that were run, for each query of the oracle.
    """

    def __init__(self, automata: Automata, scores: Vector, *, share: float = 1.0, single_root: bool = True) -> None:
        self.automata, self.scores, self.single_root = automata, scores, single_root
        arcs, words = len(automata.heads), len(automata.most)
        banned = np.isneginf(scores[:arcs])
        self.knows_grandparent = know_grandparents(automata)
        self.size = 2 * arcs if self.knows_grandparent else arcs
        self.sums = np.where(np.resize(banned, self.size), -np.inf, 0.0)
        self.sums[:arcs] += np.where(banned, 0.0, share * scores[:arcs])
        self.weights, self.taken = np.zeros(self.size), np.zeros(self.size)
        self.state = State(
            np.zeros(words),
            np.full(words, -np.inf),
            np.ones((words, 2), dtype=np.bool_),
            np.full((words, 2), NOWHERE),
            np.zeros((arcs + words, 2)),
            np.zeros((arcs + words, 2)),
        )
        self.all = 2 * (arcs + 1 if self.knows_grandparent else words)
        self.runs: list[float] = []

    def best(self, weights: Vector) -> tuple[float, Vector]:
        """See `Oracle`."""
        ran = run_automata(
            self.automata, self.scores, weights, self.weights, self.sums, self.single_root, self.state, self.taken
        )
        self.runs.append(ran / self.all)
        return float(self.state.values.sum()), self.taken.copy()


NOWHERE = -2
"""A value for a grandparent that was not determined."""


class State(NamedTuple):
    """The state of the automata.

    Parameters
    ----------
    values, margins : (n + 1,) float64
        The values of the automata's choices, and the margins between them and the second-best choices.
    stale : (n + 1, 2) bool
        Sides whose weights have changed since the last run.
    ways : (n + 1, 2) int64
        The grandparent, by its rank, for which each side's children are the best; -1 without grandparents.
    sides, gaps : (arcs + n + 1, 2) float64
        The value and margin of each side for each grandparent, by the arc; without grandparents, after all arcs.
    """

    values: Vector
    margins: Vector
    stale: npt.NDArray[np.bool_]
    ways: npt.NDArray[np.int64]
    sides: Vector
    gaps: Vector


@kernel
def run_automata(
    automata: Automata,
    scores: Vector,
    weights: Vector,
    last: Vector,
    sums: Vector,
    single_root: bool,
    state: State,
    taken: Vector,
) -> int:
    """Run the automata whose choices may change with the new weights; return the number of runs.

    Parameters
    ----------
    weights, last, sums : (arcs,) or (2 arcs,) float64
        The current weights, the previous weights, and the sums of weights and arc scores; the last two are updated.
        Children come first, then, if automata know grandparents, heads.
    taken : (arcs,) or (2 arcs,) float64
        The choices; updated.
    """
    arcs, room, ran = len(automata.heads), make_room(automata), 0
    for place in range(len(weights)):
        change = weights[place] - last[place]
        if change == 0.0:
            continue
        head = automata.heads[place] if place < arcs else automata.modifiers[place - arcs]
        if taken[place] > 0.0:
            state.values[head] += change
            state.margins[head] += min(change, 0.0)
        else:
            state.margins[head] -= max(change, 0.0)
        if place < arcs:
            state.stale[head, 1 if automata.modifiers[place] > head else 0] = True
        sums[place] += change
        last[place] = weights[place]
    for head in range(len(automata.most)):
        if state.margins[head] > _ROUNDING:
            continue
        if head == 0 and single_root and automata.most[0, 1] > 0:
            _clear(automata, 0, 1, taken)
            state.values[0], state.margins[0] = _run_root(automata, scores, sums, taken)
            ran += 2
        else:
            ran += _run_sides(automata, scores, sums[:arcs], sums[arcs:], head, room, state, taken)
    return ran


_ROUNDING = 1e-12


@leaf_kernel
def _run_sides(
    automata: Automata, scores: Vector, down: Vector, up: Vector, head: int, room: Room, state: State, taken: Vector
) -> int:
    """Run the stale sides of one automaton and choose again; return the number of runs."""
    arcs, ran = len(automata.heads), 0
    begin, end, first = automata.offsets[head], automata.offsets[head + 1], 0
    if len(up) == 0 or head == 0:
        begin, end, first = arcs + head, arcs + head + 1, -1
    for side in range(2):
        if state.stale[head, side]:
            for place in range(begin, end):
                state.sides[place, side], state.gaps[place, side] = _run(
                    automata, scores, down, head, side, first + place - begin, room
                )
                ran += 1
            state.stale[head, side] = False
            state.ways[head, side] = NOWHERE
            if first < 0:
                _clear(automata, head, side, taken)
                _take(automata, head, side, room, taken)
                state.ways[head, side] = first
    highest, margin, chosen = -np.inf, np.inf, NOWHERE
    for place in range(begin, end):
        value = state.sides[place, 0] + state.sides[place, 1] + (0.0 if first < 0 else up[place])
        if value > highest:
            margin = min(state.gaps[place, 0], state.gaps[place, 1], value - highest)
            highest, chosen = value, first + place - begin
        elif value > -np.inf:
            margin = min(margin, highest - value)
        if first == 0:
            taken[arcs + place] = 0.0
    state.values[head], state.margins[head] = highest, margin
    if chosen == NOWHERE:
        return ran
    if first == 0:
        taken[arcs + begin + chosen] = 1.0
    for side in range(2):
        if state.ways[head, side] != chosen:
            _run(automata, scores, down, head, side, chosen, room)
            _clear(automata, head, side, taken)
            _take(automata, head, side, room, taken)
            state.ways[head, side] = chosen
            ran += 1
    return ran


@leaf_kernel
def _clear(automata: Automata, head: int, side: int, taken: Vector) -> None:
    """Take no child of a head on one side."""
    start = automata.starts[head, side]
    for rank in range(automata.most[head, side]):
        taken[automata.children[start + rank]] = 0.0


@leaf_kernel
def run_head(
    automata: Automata,
    scores: Vector,
    down: Vector,
    up: Vector,
    head: int,
    single_root: bool,
    room: Room,
    children: Vector,
    above: Vector,
) -> float:
    """Run the automaton of one head, without using earlier results.

    Parameters
    ----------
    down : (arcs,) float64
        The weight of taking each arc as a child.
    up : (arcs,) or (0,) float64
        The weight of being below each head; empty if automata do not know grandparents.
    children, above : (arcs,) float64, output
        Set to one for the arcs that it takes below and above the head, and to zero for other arcs of the head; `above`
        is not changed if automata do not know grandparents.

    Returns
    -------
    float
        The value of the choice.
    """
    for side in range(2):
        _clear(automata, head, side, children)
    if head == 0 and single_root and automata.most[0, 1] > 0:
        return _run_root(automata, scores, down, children)[0]
    if len(up) == 0 or head == 0:
        value = 0.0
        for side in range(2):
            value += _run(automata, scores, down, head, side, -1, room)[0]
            _take(automata, head, side, room, children)
        return value
    highest, chosen = -np.inf, -1
    begin, end = automata.offsets[head], automata.offsets[head + 1]
    for shift in range(end - begin):
        value = up[begin + shift]
        if value == -np.inf:
            continue
        for side in range(2):
            value += _run(automata, scores, down, head, side, shift, room)[0]
        if value > highest:
            highest, chosen = value, shift
    for shift in range(end - begin):
        above[begin + shift] = 1.0 if shift == chosen else 0.0
    if chosen >= 0:
        for side in range(2):
            _run(automata, scores, down, head, side, chosen, room)
            _take(automata, head, side, room, children)
    return highest


@leaf_kernel
def _run_root(automata: Automata, scores: Vector, down: Vector, taken: Vector) -> tuple[float, float]:
    """Take the best single child of the root; return its value and its margin."""
    end = automata.most[0, 1] + 1
    highest, second, chosen = -np.inf, -np.inf, 0
    for rank in range(1, end):
        value = down[automata.children[automata.starts[0, 1] + rank - 1]]
        value += _step(automata, scores, 0, 1, -1, 0, rank) + _step(automata, scores, 0, 1, -1, rank, end)
        if automata.tri_siblings[0, 1] >= 0:
            value += scores[automata.tri_siblings[0, 1] + end * (end - 1) * (end - 2) // 6 + rank * (rank - 1) // 2]
        if value > highest:
            highest, second, chosen = value, highest, rank
        else:
            second = max(second, value)
    if chosen > 0:
        taken[automata.children[automata.starts[0, 1] + chosen - 1]] = 1.0
    return float(highest + _step(automata, scores, 0, 0, -1, 0, 1)), _margin(highest, second)


@leaf_kernel
def _margin(highest: float, second: float) -> float:
    """Return the difference of two values: infinity if only the second is -inf, -inf if both are."""
    if highest == -np.inf:
        return -np.inf
    return float(highest - second)


@leaf_kernel
def _step(automata: Automata, scores: Vector, head: int, side: int, shift: int, inner: int, outer: int) -> float:
    """Return the score of a step from one child to the next, by their ranks, without the arc of the child."""
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
def _run(
    automata: Automata, scores: Vector, down: Vector, head: int, side: int, shift: int, room: Room
) -> tuple[float, float]:
    """Return the value of the best sequence of children, and its margin; the path to it is left in `room`."""
    if automata.tri_siblings[head, side] >= 0:
        return _run_pairs(automata, scores, down, head, side, shift, room)
    end = automata.most[head, side] + 1
    start = automata.starts[head, side]
    room.values[0], room.seconds[0] = 0.0, -np.inf
    for outer in range(1, end + 1):
        child_score = 0.0 if outer == end else down[automata.children[start + outer - 1]]
        highest, second, before = -np.inf, -np.inf, 0
        if child_score > -np.inf:
            for inner in range(outer):
                if room.values[inner] > -np.inf:
                    step = _step(automata, scores, head, side, shift, inner, outer)
                    value = room.values[inner] + step
                    if value > highest:
                        second = max(highest, room.seconds[inner] + step)
                        highest, before = value, inner
                    else:
                        second = max(second, value)
        room.values[outer], room.seconds[outer] = highest + child_score, second + child_score
        room.last[outer] = before
    return float(room.values[end]), _margin(room.values[end], room.seconds[end])


@leaf_kernel
def _run_pairs(
    automata: Automata, scores: Vector, down: Vector, head: int, side: int, shift: int, room: Room
) -> tuple[float, float]:
    """Do the same as `_run` with the last two children as states."""
    end = automata.most[head, side] + 1
    start, width, tri = automata.starts[head, side], end + 1, automata.tri_siblings[head, side]
    for outer in range(1, end + 1):
        child_score = 0.0 if outer == end else down[automata.children[start + outer - 1]]
        for inner in range(outer):
            highest, second, before = -np.inf, -np.inf, 0
            if child_score > -np.inf:
                if inner == 0:
                    highest = child_score + _step(automata, scores, head, side, shift, 0, outer)
                else:
                    fixed = child_score + _step(automata, scores, head, side, shift, inner, outer)
                    place = tri + outer * (outer - 1) * (outer - 2) // 6 + inner * (inner - 1) // 2
                    for earlier in range(inner):
                        state, step = earlier * width + inner, fixed + scores[place + earlier]
                        value = room.values[state] + step
                        if value > highest:
                            second = max(highest, room.seconds[state] + step)
                            highest, before = value, earlier
                        else:
                            second = max(second, value)
            state = inner * width + outer
            room.values[state], room.seconds[state], room.before[state] = highest, second, before
    best, second = 0, room.seconds[end]
    for inner in range(1, end):
        state = inner * width + end
        if room.values[state] > room.values[best * width + end]:
            second = max(room.values[best * width + end], room.seconds[state])
            best = inner
        else:
            second = max(second, room.values[state])
    highest = float(room.values[best * width + end])
    outer, inner = end, best
    while outer > 0:
        room.last[outer] = inner
        outer, inner = inner, room.before[inner * width + outer] if inner > 0 else 0
    return highest, _margin(highest, second)


@leaf_kernel
def _take(automata: Automata, head: int, side: int, room: Room, taken: Vector) -> None:
    """Mark the children on the path that was found last."""
    rank = room.last[automata.most[head, side] + 1]
    start = automata.starts[head, side]
    while rank > 0:
        taken[automata.children[start + rank - 1]] = 1.0
        rank = room.last[rank]


@kernel
def list_taken(automata: Automata, taken: Vector, places: npt.NDArray[np.int64]) -> int:
    """Write the positions, among the scores, of all arcs and parts of the automata's choices; return their number.

    Parameters
    ----------
    taken : (arcs,) or (2 arcs,) float64
        The choices, as `HeadAutomata` returns them; a word may have any number of heads.
    places : (room,) int64
        Must have at least `most_taken` entries.
    """
    count = 0
    for head in range(len(automata.most)):
        count += list_head(automata, taken, head, places[count:])
    return count


@kernel
def list_head(automata: Automata, taken: Vector, head: int, places: npt.NDArray[np.int64]) -> int:
    """Do the same as `list_taken` for the automaton of one head."""
    arcs, count = len(automata.heads), 0
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
    """Return an upper bound on the number of positions that `list_taken` writes."""
    return 5 * len(automata.heads) + 6 * len(automata.most)


@kernel
def score_tree(
    automata: Automata, scores: Vector, number: npt.NDArray[np.int32], heads: npt.NDArray[np.int32]
) -> float:
    """Return the score of a tree, summed over its arcs and parts."""
    places = np.empty(most_taken(automata), dtype=np.int64)
    total = 0.0
    for place in range(list_taken(automata, tree_taken(automata, number, heads), places)):
        total += scores[places[place]]
    return total


@kernel
def share_taken(automata: Automata, taken: Vector, size: int) -> Vector:
    """(size,) Return one for each arc and part of the automata's choices, zero for all others."""
    places = np.empty(most_taken(automata), dtype=np.int64)
    shares = np.zeros(size)
    shares[places[: list_taken(automata, taken, places)]] = 1.0
    return shares


@kernel
def tree_taken(automata: Automata, number: npt.NDArray[np.int32], heads: npt.NDArray[np.int32]) -> Vector:
    """(2 arcs,) Return the arcs of a tree as automata take them: as children, then as heads."""
    arcs = len(automata.heads)
    taken = np.zeros(2 * arcs)
    for modifier in range(1, len(heads)):
        arc = number[heads[modifier], modifier]
        taken[arc] = 1.0
        taken[arcs + arc] = 1.0
    return taken
