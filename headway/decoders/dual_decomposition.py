"""Dual decomposition for second- and third-order parts, with a certificate of optimality.

Head automata choose the children (and the head) of every word independently; a spanning tree, or Eisner's chart for
projective trees, makes sure that the choices form a tree; Lagrange multipliers make them agree.

Koo, Rush, Collins, Jaakkola and Sontag (2010), "Dual decomposition for parsing with non-projective head automata".
Not in the paper: grand-siblings and tri-siblings, a root with exactly one child, Polyak's step sizes, and branching if
the bound is not reached (`exact_tree`).
"""

import heapq
from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from headway.charts.problems import flat_scores
from headway.decoders.alternating_directions import Sentence, Trace, alternate
from headway.decoders.clusters import apart, bring_together
from headway.decoders.decoder import Cost, TableDecoder
from headway.decoders.eisner import eisner_kernel
from headway.decoders.head_automata import (
    Automata,
    HeadAutomata,
    know_grandparents,
    make_automata,
    score_tree,
    share_taken,
    tree_taken,
)
from headway.decoders.hill_climbing import HillClimbing
from headway.decoders.lagrangian import Relaxation, is_certified, relax
from headway.decoders.spanning_tree import spanning_tree_kernel
from headway.errors import UsageError
from headway.kernel import working_clock
from headway.parts import Candidates, Kind, Parse, Scores
from headway.parts.constraints import no_tree
from headway.support.interrupts import interruptibly, stop_flag

Vector = npt.NDArray[np.float64]

KINDS = (Kind.SIBLING, Kind.GRANDPARENT, Kind.GRAND_SIBLING, Kind.TRI_SIBLING)
"""The kinds of parts that can be scored in addition to arcs."""

READS = frozenset({Kind.ARC, *KINDS})

_SHARE = 0.001
"""The share of the arc scores that the tree gets; the automata have the rest (Koo et al., appendix A.2)."""


ALTERNATING = "alternating"
"""The name of the step of AD3."""

_FIRST_STEPS = 30
"""Subgradient steps of an exact search before AD3."""
ALTERNATIONS = 1000
"""The maximum number of iterations of AD3; each is more expensive than with subgradients, but fewer are needed."""
_BRANCH_ALTERNATIONS = 100
"""The maximum number of iterations of AD3 for a branch."""

_FIRST_RATE = 1.0
_BEFORE_BRANCHING = 30
"""Restarts of hill climbing before an exact search branches."""
_BETWEEN = 100
"""Iterations of AD3 between two checks of the time limit, after which automata can also be merged."""
_HARDLY = 0.01
"""AD3 ends if `_BETWEEN` iterations lower the bound by less than this share of its distance to the best tree."""


@dataclass(frozen=True)
class DualRule:
    """The options of the dual search.

    Parameters
    ----------
    iterations : int
        The maximum number of iterations of one relaxation.
    step : str
        One of `headway.decoders.lagrangian.STEPS`, or ``alternating`` for AD3.
    projective : bool
        Whether trees must not have crossing arcs.
    seconds : float
        The time limit of `exact_tree`.
    merge : bool
        Whether AD3 may merge automata (see `headway.decoders.clusters`).
    """

    iterations: int = 5000
    step: str = "decreasing"
    projective: bool = False
    single_root: bool = True
    seconds: float = np.inf
    merge: bool = True


@dataclass(frozen=True)
class Parts:
    """One sentence: its automata, the index of every arc, and the scores of arcs and parts."""

    automata: Automata
    number: npt.NDArray[np.int32]
    scores: Vector

    @property
    def arcs(self) -> int:
        """The number of arcs."""
        return len(self.automata.heads)


class _Trees:
    """The oracle for trees, over arcs, or over two copies of the arcs: as children and as heads."""

    def __init__(self, parts: Parts, size: int, rule: DualRule) -> None:
        self.parts, self.twice, self.rule = parts, size > parts.arcs, rule
        self.share = np.where(np.isneginf(parts.scores[: parts.arcs]), -np.inf, _SHARE * parts.scores[: parts.arcs])
        self.table = np.full(parts.number.shape, -np.inf)
        self.heads = np.empty(len(parts.number), dtype=np.int32)
        self.solve = eisner_kernel if rule.projective else spanning_tree_kernel
        self.words = np.arange(1, len(parts.number))

    def best(self, weights: Vector) -> tuple[float, Vector]:
        """See `Oracle`; -inf if there is no tree."""
        parts, arcs = self.parts, self.parts.arcs
        arc_weights = self.share + weights[:arcs]
        if self.twice:
            arc_weights = arc_weights + weights[arcs:]
        self.table[parts.automata.heads, parts.automata.modifiers] = arc_weights
        taken = np.zeros(arcs)
        if not self.solve(self.table, self.rule.single_root, self.heads):
            return -np.inf, np.tile(taken, 2) if self.twice else taken
        chosen = parts.number[self.heads[1:], self.words]
        taken[chosen] = 1.0
        return float(arc_weights[chosen].sum()), np.tile(taken, 2) if self.twice else taken


def relax_tree(
    parts: Parts, rule: DualRule, start: Relaxation | None = None, *, enough: float = -np.inf
) -> tuple[Relaxation, list[float]]:
    """Minimise the dual of one sentence; also return the share of automata that were run in each iteration.

    Parameters
    ----------
    start : Relaxation, optional
        The relaxation to continue from.
    enough : float
        Stop when the bound is at most this.
    """
    automata = HeadAutomata(parts.automata, parts.scores, share=1.0 - _SHARE, single_root=rule.single_root)
    start = start or Relaxation(np.zeros(automata.size), np.zeros(automata.size))
    deadline = working_clock() + rule.seconds
    if rule.step == ALTERNATING:
        return start, _alternate(parts, rule, start, automata.knows_grandparent, enough, deadline)
    trees = _Trees(parts, automata.size, rule)

    def primal(taken: Vector) -> tuple[float, npt.NDArray[np.int32]]:
        if not taken.any() and len(parts.number) > 1:
            return -np.inf, trees.heads
        return score_tree(parts.automata, parts.scores, parts.number, trees.heads), trees.heads.copy()

    relaxation = relax(
        automata, trees, primal, start=start, iterations=rule.iterations, step=rule.step,
        is_over=lambda: working_clock() > deadline, enough=enough,
    )  # fmt: skip
    return relaxation, automata.runs


def _alternate(
    parts: Parts, rule: DualRule, found: Relaxation, knows_grandparent: bool, enough: float, deadline: float
) -> list[float]:
    """Lower the bound of `found` by alternating directions; return the share of automata run in each iteration.

    If it does not converge in time, or the solution is fractional, automata that contradict each other are merged.
    """
    sentence = Sentence(
        parts.automata, parts.scores, parts.number, knows_grandparent, rule.projective, rule.single_root,
        apart(len(parts.number)),
    )  # fmt: skip
    runs, rate = list[float](), np.array([_FIRST_RATE])
    while len(runs) < rule.iterations:
        size = min(rule.iterations - len(runs), _BETWEEN)
        heads = np.zeros(len(parts.number), dtype=np.int32)
        trace = Trace(
            found.multipliers.copy(), np.empty(size), np.empty(size), np.empty(size, dtype=np.int64), heads,
            np.zeros(parts.arcs), np.zeros(parts.arcs), rate, np.empty(0), stop_flag(),
        )  # fmt: skip
        made = _alternate_on(sentence, trace, found.score, enough)
        if trace.totals[made - 1] > found.score:
            found.score, found.solution = float(trace.totals[made - 1]), heads
        if trace.bounds[made - 1] < found.bound:
            found.bound, found.multipliers = float(trace.bounds[made - 1]), trace.multipliers
        found.disagreement = np.resize(trace.spread, len(found.multipliers))
        found.bounds += trace.bounds[:made].tolist()
        found.scores += trace.totals[:made].tolist()
        runs += (trace.runs[:made] / len(parts.number)).tolist()
        if found.certified or found.bound <= enough or working_clock() > deadline:
            break
        clusters = sentence.clusters
        if rule.merge:
            clusters = bring_together(parts.automata, parts.scores, trace.average, clusters)
        if np.array_equal(clusters.contested, sentence.clusters.contested):
            fallen = trace.bounds[0] - trace.bounds[made - 1]
            if made < size or fallen < _HARDLY * (found.bound - found.score):
                break
        sentence = sentence._replace(clusters=clusters)
    return runs


def _alternate_on(sentence: Sentence, trace: Trace, best: float, enough: float) -> int:
    """Run more iterations, handling signals at once; see `alternate`."""
    return interruptibly(lambda: alternate(sentence, trace, _SHARE, best, enough), trace.stop)


def relaxed_shares(parts: Parts, rule: DualRule) -> Vector:
    """(parts,) Return how much of each arc and part is in AD3's solution: a tree or, if not certified, fractions.

    All are zero if there is no tree.
    """
    knows, size = know_grandparents(parts.automata), rule.iterations
    heads, shares = np.zeros(len(parts.number), dtype=np.int32), np.empty(len(parts.scores))
    trace = Trace(
        np.zeros(2 * parts.arcs if knows else parts.arcs), np.empty(size), np.empty(size),
        np.empty(size, dtype=np.int64), heads, np.zeros(parts.arcs), np.zeros(parts.arcs),
        np.array([_FIRST_RATE]), shares, stop_flag(),
    )  # fmt: skip
    sentence = Sentence(
        parts.automata, parts.scores, parts.number, knows, rule.projective, rule.single_root, apart(len(parts.number))
    )
    last = _alternate_on(sentence, trace, -np.inf, -np.inf) - 1
    if is_certified(trace.totals[last], trace.bounds[last]):
        return share_taken(parts.automata, tree_taken(parts.automata, parts.number, heads), len(shares))
    return shares


def relaxed_tree(parts: Parts, rule: DualRule) -> Parse:
    """Return the best tree that the dual search found, and its bound; reaching the bound proves the tree optimal.

    Raises
    ------
    ConstraintError
        If there is no tree.
    """
    found, runs = relax_tree(parts, rule)
    if found.solution is None:
        raise no_tree(len(parts.number) - 1, single_root=rule.single_root, projective=rule.projective)
    recomputed = sum(runs) / len(runs)
    return Parse(
        found.solution,
        found.score,
        bound=max(found.bound, found.score),
        exact=found.certified,
        statistics={"iterations": float(len(found.bounds)), "recomputed": recomputed},
    )


Improve = Callable[[float], npt.NDArray[np.int32] | None]
"""Searches for a better tree, given an upper bound on the score of any tree."""


def exact_tree(parts: Parts, rule: DualRule, *, improve: Improve | None = None) -> Parse:
    """Return the best tree with a proof, by branch and bound over the dual, or the best tree found in time.

    For most sentences, a few subgradient steps suffice; for the rest, AD3 finds the lowest bound, first without
    branching.

    Parameters
    ----------
    improve : callable, optional
        A search for a better tree, such as hill climbing, before the first branching: a better tree rules out branches.

    Returns
    -------
    Parse
        Its statistics are ``relaxations`` and the ``iterations`` of the first one.

    Raises
    ------
    ConstraintError
        If there is no tree.
    """
    deadline = working_clock() + rule.seconds
    root, _ = relax_tree(parts, replace(rule, iterations=min(_FIRST_STEPS, rule.iterations)))
    if root.bound == -np.inf:
        raise no_tree(len(parts.number) - 1, single_root=rule.single_root, projective=rule.projective)
    if improve is not None and not root.certified:
        heads = improve(root.bound)
        score = -np.inf if heads is None else score_tree(parts.automata, parts.scores, parts.number, heads)
        if score > root.score:
            root.score, root.solution = score, heads
    limited = replace(rule, step=ALTERNATING, iterations=min(_BRANCH_ALTERNATIONS, rule.iterations))
    if not root.certified and working_clock() < deadline:
        zeros = np.zeros_like(root.multipliers)  # start from zero, because subgradient steps leave many ties
        again, _ = relax_tree(parts, limited, Relaxation(zeros, zeros, root.solution, root.score))
        again.bound = min(again.bound, root.bound)
        root = again
    best, solution = root.score, root.solution
    # entries: the negated bound; a number, so that ties never compare the rest; the relaxation; the banned arcs
    heap = [(-root.bound, 0, root, np.zeros(parts.arcs, dtype=np.bool_))]
    number, bound = 1, root.bound
    while heap:
        bound = -heap[0][0]
        if bound - best <= 1e-9 * (1.0 + abs(best)) or working_clock() > deadline:
            break
        _, _, node, banned = heapq.heappop(heap)
        for ban in _branches(parts, node, banned):
            scores = parts.scores.copy()
            scores[: parts.arcs][ban] = -np.inf
            branch = replace(parts, scores=scores)
            left = replace(limited, seconds=max(0.0, deadline - working_clock()))
            again = Relaxation(node.multipliers.copy(), np.zeros_like(node.disagreement))
            again.score = best
            found, _ = relax_tree(branch, left, again, enough=best)
            number += 1
            if found.score > best:
                best, solution = found.score, found.solution
            if found.bound > best + 1e-9 * (1.0 + abs(best)) and found.bound > -np.inf:
                heapq.heappush(heap, (-min(found.bound, bound), number, found, ban))
    else:
        bound = best
    if solution is None:
        raise no_tree(len(parts.number) - 1, single_root=rule.single_root, projective=rule.projective)
    proved = bound - best <= 1e-9 * (1.0 + abs(best))
    statistics = {"relaxations": float(number), "iterations": float(len(root.bounds))}
    return Parse(solution, best, bound=max(bound, best), exact=proved, statistics=statistics)


def _branches(parts: Parts, node: Relaxation, banned: npt.NDArray[np.bool_]) -> list[npt.NDArray[np.bool_]]:
    """Return two sets of banned arcs: one bans the arc that the oracles disagree on most, the other all its rivals."""
    arcs = parts.arcs
    doubt = node.disagreement[:arcs].copy()
    if len(node.disagreement) > arcs:
        doubt = np.maximum(doubt, node.disagreement[arcs:])
    rivals = np.bincount(parts.automata.modifiers[~banned], minlength=len(parts.number))
    doubt[banned | (rivals[parts.automata.modifiers] < 2)] = -1.0
    arc = int(np.argmax(doubt))
    if doubt[arc] < 0.0:
        return []
    without, alone = banned.copy(), banned.copy()
    without[arc] = True
    alone |= parts.automata.modifiers == parts.automata.modifiers[arc]
    alone[arc] = False
    return [alone, without]


def parts_of(candidates: Candidates, scores: Scores, cost: Vector | None = None) -> Parts:
    """Return the parts of the automata for candidates and scores."""
    index, places, flat, _ = flat_scores(candidates, scores, KINDS, cost)
    return Parts(make_automata(index, places), index.number, flat)


@dataclass(frozen=True)
class DualDecomposition(TableDecoder):
    """A high-scoring tree, an upper bound, and usually a proof that it is the best.

    The statistics of its parses are ``iterations`` and ``recomputed``, the share of automata that were run again.

    Parameters
    ----------
    iterations : int
        The most iterations.
    step : str
        See `DualRule`.
    """

    projective: bool = False
    iterations: int = 5000
    step: str = "decreasing"
    name = "dual-decomposition"
    reads = READS
    proves = True

    def _search(self, candidates: Candidates, scores: Scores, *, single_root: bool, cost: Cost | None) -> Parse:
        rule = DualRule(self.iterations, self.step, self.projective, single_root)
        return relaxed_tree(parts_of(candidates, scores, cost), rule)


@dataclass(frozen=True)
class AlternatingDirections(DualDecomposition):
    """Like `DualDecomposition`, but with AD3: fewer, more expensive iterations, which find the lowest bound."""

    iterations: int = ALTERNATIONS
    step: str = ALTERNATING
    name = "ad3"


@dataclass(frozen=True)
class Exact(TableDecoder):
    """The best tree under all given parts, with a proof; or, when time is up, a good tree and an upper bound.

    Parameters
    ----------
    seconds : float
        The time limit for the search for a proof.
    """

    projective: bool = False
    seconds: float = np.inf
    name = "exact"
    reads = READS
    proves = True

    def __post_init__(self) -> None:
        if self.seconds < 0.0:
            raise UsageError(f"the time limit must be positive, not {self.seconds:g} seconds")

    def _search(self, candidates: Candidates, scores: Scores, *, single_root: bool, cost: Cost | None) -> Parse:
        parts = parts_of(candidates, scores, cost)
        rule = DualRule(projective=self.projective, single_root=single_root, seconds=self.seconds)

        def climb(bound: float) -> npt.NDArray[np.int32] | None:
            if not np.isfinite(parts.scores[parts.arcs :]).all():
                return None  # hill climbing cannot handle forbidden parts (-inf)
            climber = HillClimbing(self.projective, restarts=_BEFORE_BRANCHING, start="map", thorough=True, bound=bound)
            return climber.decode(candidates, scores, single_root=single_root, cost=cost).heads

        return exact_tree(parts, rule, improve=climb)
