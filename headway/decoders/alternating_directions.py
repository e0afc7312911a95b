"""AD3 (alternating directions): lower the dual bound of `lagrangian` by a quadratic penalty instead of subgradients.

Every factor (the automaton of a head, or of a cluster of heads, and the tree) keeps a copy of the arcs that it reads.
In turn, each factor maximises its score minus ``rate / 2`` times the squared distance of its copy to the average of all
copies, the averages are recomputed, and the multipliers move by the distance of each copy from its average. Copies may
be fractional, so factors that cannot agree meet in the middle instead of oscillating: the bound falls in far fewer
iterations, each of which costs more.

A factor can only find its best choice for given weights. Its quadratic problem is solved over a small active set of
choices: add the choice that the gradient prefers, distribute the mass by steps between pairs of choices, and repeat.

Martins, Figueiredo, Aguiar, Smith and Xing (2015), "AD3: Alternating directions dual decomposition for MAP inference
in graphical models"; Martins et al. (2013), "Turning on the Turbo". Steps between pairs are those of Platt's SMO.
"""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from headway.decoders.clusters import Clusters, decide_together
from headway.decoders.eisner import eisner_kernel
from headway.decoders.head_automata import Automata, Room, list_head, make_room, most_taken, score_tree
from headway.decoders.lagrangian import SLACK
from headway.decoders.spanning_tree import spanning_tree_kernel
from headway.kernel import kernel

Vector = npt.NDArray[np.float64]

CHOICES = 12
"""The maximum number of choices that a factor mixes."""

_CORRECTIONS = 8
"""The maximum number of times that a factor's active set grows in one iteration."""

_TOLERANCE = 1e-8
_STILL = 1e-10
_SETTLED = 1e-12
"""Squared distances below which the copies agree and no longer move; without a certificate, they are fractional."""
_PAIRS = 60
_ROUND = 4
"""Iterations between attempts to build a tree from the averages, which predict it long before the multipliers do."""
_ADAPT = 8
"""Iterations after which the rate is adapted."""
_UNEVEN = 10.0
"""The rate changes if one of two distances, copies to averages and averages to old averages, exceeds the other by this
factor.
"""


class Sentence(NamedTuple):
    """The problem to search, and the options.

    Parameters
    ----------
    automata : Automata
    scores : (parts,) float64
        Scores of parts; arcs come first.
    number : (n + 1, n + 1) int32
        The number of each arc, [head, modifier].
    grandparents : bool
        Whether automata score the head of their head.
    projective, single_root : bool
        Which trees are allowed.
    clusters : Clusters
        The groups of automata that form one factor each.
    """

    automata: Automata
    scores: Vector
    number: npt.NDArray[np.int32]
    grandparents: bool
    projective: bool
    single_root: bool
    clusters: Clusters


class Trace(NamedTuple):
    """The results so far.

    Parameters
    ----------
    multipliers : (arcs,) or (2 arcs,) float64
        The multipliers of the lowest bound: subtracted from the arcs of the automata as children (and as heads), added
        to those of the tree.
    bounds, totals : (iterations,) float64
        The lowest bound and the best score after each iteration.
    runs : (iterations,) int64
        The number of automata that were run in each iteration.
    heads : (n + 1,) int32
        The best tree.
    spread : (arcs,) float64
        The distance of the copies of each arc from their average, at the end.
    average : (arcs,) float64
        The average of the copies of each arc.
    rate : (1,) float64
        The weight of the quadratic penalty, which is adapted.
    shares : (parts,) or (0,) float64
        How much of each arc and part is in the solution of the automata (fractional if they mix choices); empty if this
        is not needed.
    stop : (1,) int64
        See `headway.support.interrupts.stop_flag`.
    """

    multipliers: Vector
    bounds: Vector
    totals: Vector
    runs: npt.NDArray[np.int64]
    heads: npt.NDArray[np.int32]
    spread: Vector
    average: Vector
    rate: Vector
    shares: Vector
    stop: npt.NDArray[np.int64]


class _Copies(NamedTuple):
    """The copies of the arcs: row 0 is the automata's children, row 1 their heads, row 2 the tree."""

    weights: Vector
    mixed: Vector
    average: Vector
    taken: Vector
    pulled: Vector


class _Factors(NamedTuple):
    """The copies that each factor reads (row times arcs, plus the arc), and the choices that it mixes.

    Parameters
    ----------
    extra : (factors, CHOICES) float64
        The score of the higher-order parts of each choice.
    mass : (factors, CHOICES) float64
        The mass of each choice; sums to one.
    common : (factors, CHOICES, CHOICES) float64
        The number of arcs that two choices share.
    """

    members: npt.NDArray[np.int64]
    starts: npt.NDArray[np.int64]
    choices: npt.NDArray[np.uint8]
    extra: Vector
    mass: Vector
    common: Vector
    filled: npt.NDArray[np.int64]
    room: Room
    table: Vector
    tree: npt.NDArray[np.int32]


@kernel
def alternate(sentence: Sentence, trace: Trace, share: float, best: float, enough: float) -> int:
    """Lower the bound for as many iterations as `trace` has room for; return the number of iterations run.

    Parameters
    ----------
    share : float
        The share of the arc scores that the tree gets; the automata have the rest.
    best : float
        The score of ``trace.heads``; -inf if there is no tree yet.
    enough : float
        Stop when the bound is at most this.
    """
    arcs, tree = len(sentence.automata.heads), len(sentence.clusters.starts) - 1
    copies, factors = _make_copies(sentence, trace, share), _make_factors(sentence)
    values = np.zeros(tree + 1)
    stale, moved = np.ones(tree + 1, dtype=np.bool_), np.ones(tree + 1, dtype=np.bool_)
    lowest, rate = np.inf, trace.rate[0]
    made = len(trace.bounds)
    for iteration in range(made):
        if trace.stop[0] != 0:
            return iteration
        ran = 0
        for factor in range(tree + 1):
            if not stale[factor]:
                continue
            values[factor] = _choose(sentence, copies.weights, factor, factors, copies.taken)
            ran += factor < tree
            if factor == tree and values[tree] > -np.inf:
                best = _keep(sentence, factors.tree, best, trace.heads)
            if iteration == 0:
                for member in _seen(factors, factor)[0]:
                    copies.mixed[member // arcs, member % arcs] = copies.taken[member // arcs, member % arcs]
        stale[:] = False
        if values.sum() < lowest:
            lowest = values.sum()
            _keep_multipliers(sentence, copies.weights, share, trace.multipliers)
        if iteration == 0:
            _average(sentence, copies, 0.0, stale, moved, trace.spread)
            moved[:] = True
        if iteration % _ROUND == _ROUND - 1 and _build(sentence, copies.average, factors):
            best = _keep(sentence, factors.tree, best, trace.heads)
        trace.bounds[iteration], trace.totals[iteration], trace.runs[iteration] = lowest, best, ran
        if lowest <= enough or (best > -np.inf and lowest - best <= SLACK * (1.0 + abs(best))):
            made = iteration + 1
            break
        for factor in range(tree + 1):
            if moved[factor]:
                ran += _solve(sentence, copies, factors, factor, rate)
        moved[:] = False
        trace.runs[iteration] = ran
        pulled, shifted = _average(sentence, copies, rate, stale, moved, trace.spread)
        if max(pulled, shifted) < _SETTLED:
            made = iteration + 1
            break
        if iteration % _ADAPT == _ADAPT - 1 and max(pulled, shifted) > _UNEVEN * min(pulled, shifted):
            rate *= 2.0 if pulled > shifted else 0.5
            moved[:] = True
            trace.rate[0] = rate
    trace.average[:] = copies.average
    if len(trace.shares) > 0:
        _share_out(sentence, factors, trace.shares)
    return made


@kernel
def _share_out(sentence: Sentence, factors: _Factors, shares: Vector) -> None:
    """Add up the arcs and parts of the choices that the automata mix."""
    automata = sentence.automata
    taken = np.zeros((2 if sentence.grandparents else 1) * len(automata.heads))
    places = np.empty(most_taken(automata), dtype=np.int64)
    shares[:] = 0.0
    for factor in range(len(sentence.clusters.starts) - 1):
        members, choices = _seen(factors, factor)
        for which in range(factors.filled[factor]):
            if factors.mass[factor, which] == 0.0:
                continue
            for place in range(len(members)):
                taken[members[place]] = choices[which, place]
            for head in _heads(sentence, factor):
                for number in range(list_head(automata, taken, head, places)):
                    shares[places[number]] += factors.mass[factor, which]


@kernel
def _make_copies(sentence: Sentence, trace: Trace, share: float) -> _Copies:
    """Return the initial weights of all copies."""
    arcs = len(sentence.automata.heads)
    weights = np.zeros((3, arcs))
    for arc in range(arcs):
        arc_score = sentence.scores[arc]
        if arc_score == -np.inf:
            weights[:, arc] = -np.inf
            continue
        weights[0, arc] = (1.0 - share) * arc_score - trace.multipliers[arc]
        weights[2, arc] = share * arc_score + trace.multipliers[arc]
        if sentence.grandparents:
            weights[1, arc] = -trace.multipliers[arcs + arc]
            weights[2, arc] += trace.multipliers[arcs + arc]
    return _Copies(weights, np.zeros((3, arcs)), np.zeros(arcs), np.zeros((3, arcs)), np.zeros((3, arcs)))


@kernel
def _keep_multipliers(sentence: Sentence, weights: Vector, share: float, multipliers: Vector) -> None:
    arcs = len(sentence.automata.heads)
    for arc in range(arcs):
        if sentence.scores[arc] > -np.inf:
            multipliers[arc] = (1.0 - share) * sentence.scores[arc] - weights[0, arc]
            if sentence.grandparents:
                multipliers[arcs + arc] = -weights[1, arc]


@kernel
def _make_factors(sentence: Sentence) -> _Factors:
    """Return the factors: the automata of all heads or clusters of heads, then the tree."""
    automata, tree = sentence.automata, len(sentence.clusters.starts) - 1
    arcs, count = len(automata.heads), 0
    members = np.empty((3 if sentence.grandparents else 2) * arcs, dtype=np.int64)
    starts = np.zeros(tree + 2, dtype=np.int64)
    for factor in range(tree):
        for head in _heads(sentence, factor):
            for side in range(2):
                for rank in range(automata.most[head, side]):
                    members[count] = automata.children[automata.starts[head, side] + rank]
                    count += 1
            if sentence.grandparents:
                for arc in range(automata.offsets[head], automata.offsets[head + 1]):
                    members[count] = arcs + arc
                    count += 1
        starts[factor + 1] = count
    for arc in range(arcs):
        members[count + arc] = 2 * arcs + arc
    starts[tree + 1] = count + arcs
    return _Factors(
        members,
        starts,
        np.zeros((CHOICES, len(members)), dtype=np.uint8),
        np.zeros((tree + 1, CHOICES)),
        np.zeros((tree + 1, CHOICES)),
        np.zeros((tree + 1, CHOICES, CHOICES)),
        np.zeros(tree + 1, dtype=np.int64),
        make_room(automata),
        np.full(sentence.number.shape, -np.inf),
        np.empty(len(sentence.number), dtype=np.int32),
    )


@kernel
def _heads(sentence: Sentence, factor: int) -> npt.NDArray[np.int64]:
    """Return the heads whose automata form this factor."""
    clusters = sentence.clusters
    return clusters.heads[clusters.starts[factor] : clusters.starts[factor + 1]]


@kernel
def _seen(factors: _Factors, factor: int) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.uint8]]:
    """(members,) Return the copies that a factor reads, and (CHOICES, members) which of them its choices take."""
    begin, end = factors.starts[factor], factors.starts[factor + 1]
    return factors.members[begin:end], factors.choices[:, begin:end]


@kernel
def _choose(sentence: Sentence, weights: Vector, factor: int, factors: _Factors, taken: Vector) -> float:
    """Write a factor's best choice to `taken`, and return its value; -inf if there is none."""
    if factor < len(sentence.clusters.starts) - 1:
        return decide_together(
            sentence.automata, sentence.scores, weights, sentence.clusters, factor, sentence.grandparents,
            sentence.single_root, factors.room, taken,
        )  # fmt: skip
    taken[2] = 0.0
    if not _build(sentence, weights[2], factors):
        return -np.inf
    total = 0.0
    for word in range(1, len(sentence.number)):
        arc = sentence.number[factors.tree[word], word]
        taken[2, arc] = 1.0
        total += weights[2, arc]
    return total


@kernel
def _build(sentence: Sentence, weights: Vector, factors: _Factors) -> bool:
    """Write the best tree for these arc weights; return whether there is one."""
    automata = sentence.automata
    for arc in range(len(weights)):
        banned = sentence.scores[arc] == -np.inf
        factors.table[automata.heads[arc], automata.modifiers[arc]] = -np.inf if banned else weights[arc]
    if sentence.projective:
        return bool(eisner_kernel(factors.table, sentence.single_root, factors.tree))
    return bool(spanning_tree_kernel(factors.table, sentence.single_root, factors.tree))


@kernel
def _keep(sentence: Sentence, tree: npt.NDArray[np.int32], best: float, heads: npt.NDArray[np.int32]) -> float:
    """Store a tree if it is the best so far; return the higher score."""
    score = score_tree(sentence.automata, sentence.scores, sentence.number, tree)
    if score > best:
        heads[:] = tree
        return float(score)
    return best


@kernel
def _solve(sentence: Sentence, copies: _Copies, factors: _Factors, factor: int, rate: float) -> int:
    """Solve the quadratic problem of one factor; return how often its automaton was run."""
    arcs, runs = len(copies.average), 0
    members, choices = _seen(factors, factor)
    values, gains = np.zeros(CHOICES), np.zeros(CHOICES)
    for which in range(factors.filled[factor]):
        values[which] = factors.extra[factor, which]
        for place in range(len(members)):
            if choices[which, place]:
                values[which] += copies.weights[members[place] // arcs, members[place] % arcs]
    if factors.filled[factor] > 0:
        _mix(copies, factors, factor, values, gains, rate)
    for _ in range(_CORRECTIONS):
        for place in range(len(members)):
            row, arc = members[place] // arcs, members[place] % arcs
            pull = rate * (copies.mixed[row, arc] - copies.average[arc]) if factors.filled[factor] > 0 else 0.0
            copies.pulled[row, arc] = copies.weights[row, arc] - pull
        value = _choose(sentence, copies.pulled, factor, factors, copies.taken)
        runs += factor < len(sentence.clusters.starts) - 1
        highest = -np.inf
        for which in range(factors.filled[factor]):
            highest = max(highest, gains[which] if factors.mass[factor, which] > 0.0 else -np.inf)
        if value <= highest + _TOLERANCE:
            break
        which = _add(copies, factors, factor)
        factors.extra[factor, which], values[which] = value, 0.0
        for place in range(len(members)):
            row, arc = members[place] // arcs, members[place] % arcs
            if choices[which, place]:
                factors.extra[factor, which] -= copies.pulled[row, arc]
                values[which] += copies.weights[row, arc]
        values[which] += factors.extra[factor, which]
        _mix(copies, factors, factor, values, gains, rate)
    return runs


@kernel
def _add(copies: _Copies, factors: _Factors, factor: int) -> int:
    """Add the arcs just taken to a factor's choices, replacing the choice with least mass if there is no room."""
    members, choices = _seen(factors, factor)
    arcs, which = len(copies.average), factors.filled[factor]
    mass, common = factors.mass[factor], factors.common[factor]
    if which < CHOICES:
        factors.filled[factor] += 1
        mass[which] = 1.0 if which == 0 else 0.0
    else:
        which = int(np.argmin(mass))
        lost = mass[which]
        mass[which] = 0.0
        mass[int(np.argmax(mass))] += lost
    common[which, :] = 0.0
    for place in range(len(members)):
        choices[which, place] = copies.taken[members[place] // arcs, members[place] % arcs] > 0.0
        if choices[which, place]:
            for other in range(factors.filled[factor]):
                common[which, other] += choices[other, place]
    common[:, which] = common[which, :]
    return int(which)


@kernel
def _mix(copies: _Copies, factors: _Factors, factor: int, values: Vector, gains: Vector, rate: float) -> None:
    """Distribute the mass over a factor's choices to solve its quadratic problem, by steps between pairs.

    Parameters
    ----------
    values : (CHOICES,) float64
        The scores of the choices.
    gains : (CHOICES,) float64, output
        The gradient; in the end, it is equal for all choices with mass.
    """
    members, choices = _seen(factors, factor)
    arcs, filled = len(copies.average), factors.filled[factor]
    mass, common = factors.mass[factor], factors.common[factor]
    for which in range(filled):
        gains[which] = values[which]
        for place in range(len(members)):
            if choices[which, place]:
                gains[which] += rate * copies.average[members[place] % arcs]
        for other in range(filled):
            gains[which] -= rate * mass[other] * common[which, other]
    for _ in range(_PAIRS):
        up, down = 0, -1
        for which in range(filled):
            if gains[which] > gains[up]:
                up = which
            if mass[which] > 0.0 and (down < 0 or gains[which] < gains[down]):
                down = which
        if gains[up] - gains[down] <= _TOLERANCE:
            break
        distance = common[up, up] + common[down, down] - 2.0 * common[up, down]
        if distance == 0.0:  # two choices with the same arcs, but different parts
            size = mass[down]
        else:
            size = min(mass[down], (gains[up] - gains[down]) / (rate * distance))
        mass[up] += size
        mass[down] -= size
        for which in range(filled):
            gains[which] -= rate * size * (common[which, up] - common[which, down])
    for place in range(len(members)):
        row, arc = members[place] // arcs, members[place] % arcs
        copies.mixed[row, arc] = 0.0
        for which in range(filled):
            if choices[which, place]:
                copies.mixed[row, arc] += mass[which]


@kernel
def _average(
    sentence: Sentence,
    copies: _Copies,
    rate: float,
    stale: npt.NDArray[np.bool_],
    moved: npt.NDArray[np.bool_],
    spread: Vector,
) -> tuple[float, float]:
    """Compute new averages and weights, and mark the factors that they concern.

    Returns
    -------
    tuple of float
        The squared distances of the copies to their averages, and of the averages to the previous averages.
    """
    automata, clusters = sentence.automata, sentence.clusters
    tree = len(clusters.starts) - 1
    pulled, shifted = 0.0, 0.0
    count = 3.0 if sentence.grandparents else 2.0
    for arc in range(len(copies.average)):
        if sentence.scores[arc] == -np.inf:
            continue
        average = (copies.mixed[0, arc] + copies.mixed[1, arc] + copies.mixed[2, arc]) / count
        change = average - copies.average[arc]
        shifted += count * change * change
        copies.average[arc] = average
        spread[arc] = 0.0
        for row in range(3):
            if row == 1 and not sentence.grandparents:
                continue
            word = automata.heads[arc] if row == 0 else automata.modifiers[arc]
            factor = tree if row == 2 else clusters.factor[word]
            distance = copies.mixed[row, arc] - average
            spread[arc] = max(spread[arc], abs(distance))
            pulled += distance * distance
            if abs(distance) > _STILL:
                copies.weights[row, arc] -= rate * distance
                stale[factor] = True
                moved[factor] = True
            elif abs(change) > _STILL:
                moved[factor] = True
    return pulled, shifted
