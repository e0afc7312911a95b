"""Clusters: merge head automata whose separate decisions lead to fractional trees.

If AD3 ends with fractions, some words have several partial heads: the automata of these heads mix choices that
contradict each other about the same words. In a merged factor, they cannot: every word has at most one of the contested
arcs, these arcs have no cycle, and a head whose automaton scores its own head is consistent with this arc. The merged
factor has fewer choices than all combinations of the old choices, but still those of every tree. So the lowest bound
falls or stays the same, and a certificate still proves the best tree.

The automata of a cluster are independent once each contested word has a head. So each automaton runs once for every
set of its contested arcs (and arc above it, if that is contested), and all assignments of the words are enumerated.

For tightening a relaxation by merging factors where it is loose, see Sontag, Meltzer, Globerson, Jaakkola and Weiss
(2008), "Tightening LP relaxations for MAP using message passing".
"""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from headway.decoders.head_automata import Automata, Room, run_head
from headway.kernel import kernel

Vector = npt.NDArray[np.float64]
Numbers = npt.NDArray[np.int64]

WAYS = 150
"""The maximum number of assignments of one cluster's contested words to heads."""

_WHOLE = 0.02
"""An arc is contested if its share is further than this from 0 and from 1."""
_STILL = 0.1
"""The minimum distance from 0 and 1 that is assumed for the share of an arc that was contested before."""


class Clusters(NamedTuple):
    """The groups of heads whose automata are merged, and the contested arcs.

    Parameters
    ----------
    factor : (n + 1,) int64
        The cluster of each head; most clusters have a single head.
    heads : (n + 1,) int64
        The heads of cluster ``c`` are ``starts[c]:starts[c + 1]``.
    contested : (contested,) int64
        The contested arcs; those of cluster ``c`` are ``firsts[c]:firsts[c + 1]``, with arcs into the same word side by
        side.
    reach : float
        The largest difference between the part scores of two choices.
    """

    factor: Numbers
    heads: Numbers
    starts: Numbers
    contested: Numbers
    firsts: Numbers
    reach: float


def apart(words: int) -> Clusters:
    """Return clusters with one head each."""
    heads = np.arange(words)
    return Clusters(heads, heads, np.arange(words + 1), np.zeros(0, np.int64), np.zeros(words + 1, np.int64), 0.0)


def bring_together(automata: Automata, scores: Vector, shares: Vector, before: Clusters) -> Clusters:
    """Merge automata that take contested arcs.

    Words that are contested by the same heads join one cluster, as long as there are not too many assignments; words
    with the clearest head are left out first.

    Parameters
    ----------
    scores : (parts,) float64
    shares : (arcs,) float64
        The share of each arc in the current solution.
    before : Clusters
        The previous clusters: contested arcs usually stay contested.
    """
    doubt = np.minimum(shares, 1.0 - shares)
    doubt[before.contested] = np.maximum(doubt[before.contested], _STILL)
    contested = np.flatnonzero(doubt > _WHOLE)
    arcs_into = {int(word): contested[automata.modifiers[contested] == word] for word in automata.modifiers[contested]}
    cluster = np.arange(len(automata.most))
    ways, arcs = dict[int, int](), dict[int, list[int]]()
    for word in sorted(arcs_into, key=lambda word: (-doubt[arcs_into[word]].max(), word)):
        joined = {int(cluster[head]) for head in automata.heads[arcs_into[word]]} | {int(cluster[word])}
        size = (len(arcs_into[word]) + 1) * int(np.prod([ways.get(one, 1) for one in joined]))
        if size > WAYS:
            continue
        name = min(joined)
        cluster[np.isin(cluster, list(joined))] = name
        arcs[name] = sum((arcs.pop(one, []) for one in sorted(joined)), arcs_into[word].tolist())
        ways[name] = size
    names, factor = np.unique(cluster, return_inverse=True)
    lists = [sorted(arcs.get(int(name), [])) for name in names]
    ends = np.cumsum([0, *(len(one) for one in lists)])
    starts = np.cumsum([0, *np.bincount(factor)])
    return Clusters(
        factor.astype(np.int64),
        np.argsort(factor, kind="stable"),
        starts.astype(np.int64),
        np.array([arc for one in lists for arc in one], dtype=np.int64),
        ends.astype(np.int64),
        2.0 * float(np.abs(scores[np.isfinite(scores)]).sum()),
    )


class _Contest(NamedTuple):
    """One cluster: its heads, and the contested arcs.

    Parameters
    ----------
    firsts : (words + 1,) int64
        The first arc of each contested word.
    place, bit : (contested,) int64
        The head that an arc belongs to, by its place in the cluster, and the bit of the arc among that head's contested
        arcs.
    bits : (heads,) int64
        The number of contested arcs of each head.
    word : (heads,) int64
        The contested word that a head is itself, if automata know grandparents; else -1.
    """

    heads: Numbers
    arcs: Numbers
    firsts: Numbers
    place: Numbers
    bit: Numbers
    bits: Numbers
    word: Numbers


@kernel
def decide_together(
    automata: Automata,
    scores: Vector,
    weights: Vector,
    clusters: Clusters,
    which: int,
    grandparents: bool,
    single_root: bool,
    room: Room,
    taken: Vector,
) -> float:
    """Write a cluster's best choice to `taken`, and return its value; -inf if there is none.

    Parameters
    ----------
    weights, taken : (2 or more, arcs) float64
        The weights, and the output: of arcs as children, and as heads.
    """
    up = weights[1] if grandparents else weights[1, :0]
    heads = clusters.heads[clusters.starts[which] : clusters.starts[which + 1]]
    if len(heads) == 1:
        return run_head(automata, scores, weights[0], up, heads[0], single_root, room, taken[0], taken[1])
    contest = _lay_out(automata, clusters, which, grandparents)
    down, up = weights[0].copy(), up.copy()
    force = clusters.reach + _size(weights)
    values = np.full((len(heads), _most_cases(contest)), -np.inf)
    for number in range(len(heads)):
        for case in range(_cases(contest, number)):
            values[number, case] = _run_case(
                automata, scores, down, up, contest, number, case, force, single_root, room, taken
            )
    way, cases = np.zeros(len(contest.firsts) - 1, dtype=np.int64), np.zeros(len(heads), dtype=np.int64)
    highest, best = -np.inf, np.zeros(len(heads), dtype=np.int64)
    while True:
        if not _has_circle(automata, contest, way):
            _find_cases(contest, way, cases)
            value = 0.0
            for number in range(len(heads)):
                value += values[number, cases[number]]
            if value > highest:
                highest = value
                best[:] = cases
        if not _count_on(contest, way):
            break
    for number in range(len(heads)):
        _run_case(automata, scores, down, up, contest, number, best[number], force, single_root, room, taken)
    return highest


@kernel
def _lay_out(automata: Automata, clusters: Clusters, which: int, grandparents: bool) -> _Contest:
    heads = clusters.heads[clusters.starts[which] : clusters.starts[which + 1]]
    arcs = clusters.contested[clusters.firsts[which] : clusters.firsts[which + 1]]
    firsts, words = np.zeros(len(arcs) + 1, dtype=np.int64), 0
    place, bit = np.zeros(len(arcs), dtype=np.int64), np.zeros(len(arcs), dtype=np.int64)
    bits, word = np.zeros(len(heads), dtype=np.int64), np.full(len(heads), -1)
    for index in range(len(arcs)):
        if index == 0 or automata.modifiers[arcs[index]] != automata.modifiers[arcs[index - 1]]:
            firsts[words] = index
            words += 1
        for number in range(len(heads)):
            if heads[number] == automata.heads[arcs[index]]:
                place[index], bit[index] = number, bits[number]
                bits[number] += 1
            if grandparents and heads[number] == automata.modifiers[arcs[index]]:
                word[number] = words - 1
    firsts[words] = len(arcs)
    return _Contest(heads, arcs, firsts[: words + 1], place, bit, bits, word)


@kernel
def _size(weights: Vector) -> float:
    """Return the largest difference that the weights can make between two choices."""
    total = 1.0
    for row in range(2):
        for weight in weights[row]:
            total += 2.0 * abs(weight) if weight > -np.inf else 0.0
    return total


@kernel
def _cases(contest: _Contest, number: int) -> int:
    """Return the number of cases of a head: the contested arcs it takes, and the arc above it if it knows that."""
    word = contest.word[number]
    above = contest.firsts[word + 1] - contest.firsts[word] + 1 if word >= 0 else 1
    return int(above << contest.bits[number])


@kernel
def _most_cases(contest: _Contest) -> int:
    most = 0
    for number in range(len(contest.heads)):
        most = max(most, _cases(contest, number))
    return most


@kernel
def _run_case(
    automata: Automata,
    scores: Vector,
    down: Vector,
    up: Vector,
    contest: _Contest,
    number: int,
    case: int,
    force: float,
    single_root: bool,
    room: Room,
    taken: Vector,
) -> float:
    """Run the automaton of one head in one case; return the value, -inf if impossible. `down` and `up` are restored."""
    head, word = contest.heads[number], contest.word[number]
    old, old_up, forced = np.empty(len(contest.arcs)), np.empty(len(contest.arcs)), 0
    for index in range(len(contest.arcs)):
        if contest.place[index] == number:
            arc = contest.arcs[index]
            old[index] = down[arc]
            if case >> contest.bit[index] & 1:
                down[arc] += force
                forced += 1
            else:
                down[arc] = -np.inf
    above = case >> contest.bits[number]
    if word >= 0:
        chosen = -1 if above == 0 else contest.arcs[contest.firsts[word] + above - 1]
        for index in range(contest.firsts[word], contest.firsts[word + 1]):
            old_up[index] = up[contest.arcs[index]]
            if contest.arcs[index] != chosen:
                up[contest.arcs[index]] = -np.inf
        if chosen >= 0:
            up[chosen] += force
            forced += 1
    value = run_head(automata, scores, down, up, head, single_root, room, taken[0], taken[1]) - forced * force
    for index in range(len(contest.arcs)):
        if contest.place[index] == number:
            down[contest.arcs[index]] = old[index]
        if word >= 0 and contest.firsts[word] <= index < contest.firsts[word + 1]:
            up[contest.arcs[index]] = old_up[index]
    return value if value > -0.5 * force else -np.inf


@kernel
def _has_circle(automata: Automata, contest: _Contest, way: Numbers) -> bool:
    """Return whether an assignment of the words contains a cycle."""
    words = len(way)
    for first in range(words):
        word = first
        for _ in range(words):
            if way[word] == 0:
                break
            head = automata.heads[contest.arcs[contest.firsts[word] + way[word] - 1]]
            above = -1
            for other in range(words):
                if automata.modifiers[contest.arcs[contest.firsts[other]]] == head:
                    above = other
            if above < 0:
                break
            if above == first:
                return True
            word = above
    return False


@kernel
def _find_cases(contest: _Contest, way: Numbers, cases: Numbers) -> None:
    """Find the case of every head in an assignment of the words."""
    for number in range(len(cases)):
        word = contest.word[number]
        cases[number] = way[word] << contest.bits[number] if word >= 0 else 0
    for word in range(len(way)):
        if way[word] > 0:
            index = contest.firsts[word] + way[word] - 1
            cases[contest.place[index]] |= 1 << contest.bit[index]


@kernel
def _count_on(contest: _Contest, way: Numbers) -> bool:
    """Advance to the next assignment; False after the last one."""
    for word in range(len(way)):
        if way[word] < contest.firsts[word + 1] - contest.firsts[word]:
            way[word] += 1
            return True
        way[word] = 0
    return False
