"""Find the best tree by an integer program, or a bound by its linear relaxation, with HiGHS.

Martins, Smith and Xing (2009), "Concise integer linear programming formulations for dependency parsing": an arc is a
variable, every word has one head, and a flow from the root makes sure that arcs form a tree: of one commodity (each
word keeps one unit of it) or of one commodity for each word, which is tighter. Rows of siblings are paths: a variable
for each step from one child to the next, and as many steps lead to a child as from it. Grandparents, grand-siblings and
tri-siblings are variables tied to the arcs and steps that they are made of.

This is a second, slower implementation of what `dual_decomposition` does, useful for checking it.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from headway.decoders.decoder import Cost, TableDecoder
from headway.decoders.dual_decomposition import READS, Parts, parts_of
from headway.decoders.head_automata import score_tree
from headway.decoders.spanning_tree import spanning_tree_kernel
from headway.errors import ConstraintError, ScoreError, UsageError
from headway.parts import Candidates, Parse, Scores
from headway.parts.constraints import no_tree
from headway.support.interrupts import interruptibly

if TYPE_CHECKING:
    from scipy.optimize import OptimizeResult

Vector = npt.NDArray[np.float64]

FLOWS = ("single", "multi")
_INFEASIBLE = 2
"""Status codes of HiGHS."""


class _Program:
    """Collects the variables and constraints of a program."""

    def __init__(self) -> None:
        self.scores: list[float] = []
        self.uppers: list[float] = []
        self.rows: list[int] = []
        self.columns: list[int] = []
        self.values: list[float] = []
        self.bounds: list[tuple[float, float]] = []
        self.whole: list[bool] = []

    def variable(self, score: float, *, upper: float = 1.0, whole: bool = False) -> int:
        self.scores.append(score)
        self.uppers.append(upper)
        self.whole.append(whole)
        return len(self.scores) - 1

    def constrain(self, terms: Sequence[tuple[int, float]], low: float, high: float) -> None:
        """Require a weighted sum of variables to lie between two numbers."""
        for column, value in terms:
            self.rows.append(len(self.bounds))
            self.columns.append(column)
            self.values.append(value)
        self.bounds.append((low, high))


@dataclass(frozen=True)
class IntegerProgram(TableDecoder):
    """Find the best tree by integer programming, or a tree and a bound by its linear relaxation.

    Parameters
    ----------
    flow : str
        The flow that makes arcs a tree: ``single`` (one commodity) or ``multi`` (one for each word).
    relaxed : bool
        Allow fractional variables. The tree is then the best one by the arcs' values, and exact if these are integers.
    seconds : float
        A time limit; ConstraintError if no tree was found in time.
    """

    flow: str = "single"
    relaxed: bool = False
    seconds: float = np.inf
    name = "integer-program"
    reads = READS
    proves = True
    projective = False

    def _search(self, candidates: Candidates, scores: Scores, *, single_root: bool, cost: Cost | None) -> Parse:
        parts = parts_of(candidates, scores, cost)
        return program_tree(parts, single_root=single_root, flow=self.flow, relaxed=self.relaxed, seconds=self.seconds)


def program_tree(
    parts: Parts, *, single_root: bool = True, flow: str = "single", relaxed: bool = False, seconds: float = np.inf
) -> Parse:
    """Find the best tree of the parts of a sentence; see `IntegerProgram`."""
    from scipy.optimize import (
        Bounds,
        LinearConstraint,
        milp,
    )  # imported here: it is slow to import, and few callers need it
    from scipy.sparse import csr_array

    if flow not in FLOWS:
        raise UsageError(f"no flow {flow!r}; choose from {', '.join(FLOWS)}")
    length = len(parts.number) - 1
    if length == 0:
        score = score_tree(parts.automata, parts.scores, parts.number, np.array([-1], dtype=np.int32))
        return Parse(np.array([-1], dtype=np.int32), score, bound=score, exact=True)
    if not np.isfinite(parts.scores[parts.arcs :]).all():
        raise ScoreError("scores of parts must be finite for an integer program")
    if not np.isfinite(parts.scores[: parts.arcs]).any():
        raise no_tree(length, single_root=single_root)
    program = _Program()
    for arc in range(parts.arcs):
        score = parts.scores[arc]
        allowed = score > -np.inf
        program.variable(score if allowed else 0.0, upper=float(allowed), whole=not relaxed)
    _add_tree(program, parts, length, flow, single_root)
    _add_parts(program, parts)
    shape = (len(program.bounds), len(program.scores))
    matrix = csr_array((program.values, (program.rows, program.columns)), shape=shape)
    low, high = np.array(program.bounds).T
    options = {} if np.isinf(seconds) else {"time_limit": seconds}
    constraints, integrality = LinearConstraint(matrix, low, high), np.array(program.whole, dtype=np.int64)
    answer = interruptibly(
        lambda: milp(
            -np.array(program.scores),
            constraints=constraints,
            bounds=Bounds(0.0, np.array(program.uppers)),
            integrality=integrality,
            options={"mip_rel_gap": 0.0, **options},
        )
    )
    if answer.x is None and answer.status != _INFEASIBLE:
        raise ConstraintError(f"no tree was found in {seconds:g} seconds: allow more time")
    if answer.x is None:
        raise no_tree(length, single_root=single_root)
    return _read(parts, answer, single_root=single_root, relaxed=relaxed)


def _read(parts: Parts, answer: "OptimizeResult", *, single_root: bool, relaxed: bool) -> Parse:
    """Return the best tree by the arcs' values, and its bound."""
    values = np.asarray(answer.x)[: parts.arcs]
    table = np.full(parts.number.shape, -np.inf)
    possible = parts.scores[: parts.arcs] > -np.inf
    table[parts.automata.heads[possible], parts.automata.modifiers[possible]] = values[possible]
    heads = np.empty(len(parts.number), dtype=np.int32)
    if not spanning_tree_kernel(table, single_root, heads):
        raise no_tree(len(heads) - 1, single_root=single_root)
    score = float(score_tree(parts.automata, parts.scores, parts.number, heads))
    dual = answer.fun if relaxed else answer.mip_dual_bound
    if relaxed and answer.status != 0:  # stopped early, so its value is not a bound
        return Parse(heads, score)
    bound = max(score, -float(dual))
    return Parse(heads, score, bound=bound, exact=bound - score <= 1e-6 * (1.0 + abs(score)))


def _add_tree(program: _Program, parts: Parts, length: int, flow: str, single_root: bool) -> None:
    """Add constraints: one head for each word, if requested a single root, and a flow that reaches every word."""
    heads, modifiers = parts.automata.heads, parts.automata.modifiers
    into = [np.flatnonzero(modifiers == word).tolist() for word in range(length + 1)]
    out = [np.flatnonzero(heads == word).tolist() for word in range(length + 1)]
    for word in range(1, length + 1):
        program.constrain([(arc, 1.0) for arc in into[word]], 1.0, 1.0)
    if single_root:
        program.constrain([(arc, 1.0) for arc in out[0]], 1.0, 1.0)
    commodities = range(1) if flow == "single" else range(1, length + 1)
    for commodity in commodities:
        most = float(length) if flow == "single" else 1.0
        flows = [program.variable(0.0, upper=most) for _ in range(parts.arcs)]
        for arc in range(parts.arcs):
            program.constrain([(flows[arc], 1.0), (arc, -most)], -np.inf, 0.0)
        for word in range(1, length + 1):
            kept = 1.0 if flow == "single" or word == commodity else 0.0
            terms = [(flows[arc], 1.0) for arc in into[word]] + [(flows[arc], -1.0) for arc in out[word]]
            program.constrain(terms, kept, kept)
        if flow == "single":
            program.constrain([(flows[arc], 1.0) for arc in out[0]], most, most)


def _add_parts(program: _Program, parts: Parts) -> None:
    automata = parts.automata
    for head in range(len(parts.number)):
        above = list(range(int(automata.offsets[head]), int(automata.offsets[head + 1])))
        for side in range(2):
            _add_row(program, parts, head, side, above)


def _add_row(program: _Program, parts: Parts, head: int, side: int, above: list[int]) -> None:
    """Add the children of a head on one side: a path, and the parts that depend on its steps."""
    automata, scores = parts.automata, parts.scores
    count, start = int(automata.most[head, side]), int(automata.starts[head, side])
    children = automata.children[start : start + count].tolist()
    for arc in children:
        first = int(automata.grandparents[arc])
        if first >= 0:
            for shift, upper in enumerate(above):
                chain = program.variable(scores[first + shift])
                program.constrain([(chain, 1.0), (arc, -1.0)], -np.inf, 0.0)
                program.constrain([(chain, 1.0), (upper, -1.0)], -np.inf, 0.0)
                program.constrain([(chain, 1.0), (arc, -1.0), (upper, -1.0)], -1.0, np.inf)
    sibling, grand, tri = (
        int(table[head, side]) for table in (automata.siblings, automata.grand_siblings, automata.tri_siblings)
    )
    if sibling < 0 and grand < 0 and tri < 0:
        return
    steps = {}
    for outer in range(1, count + 2):
        for inner in range(outer):
            entry = outer * (outer - 1) // 2 + inner
            steps[inner, outer] = program.variable(scores[sibling + entry] if sibling >= 0 else 0.0)
            if grand >= 0:
                shares = [program.variable(scores[grand + len(above) * entry + shift]) for shift in range(len(above))]
                program.constrain([*((share, 1.0) for share in shares), (steps[inner, outer], -1.0)], 0.0, 0.0)
                for share, upper in zip(shares, above, strict=True):
                    program.constrain([(share, 1.0), (upper, -1.0)], -np.inf, 0.0)
    program.constrain([(steps[0, outer], 1.0) for outer in range(1, count + 2)], 1.0, 1.0)
    for rank, arc in enumerate(children, start=1):
        program.constrain([*((steps[inner, rank], 1.0) for inner in range(rank)), (arc, -1.0)], 0.0, 0.0)
        program.constrain([*((steps[rank, outer], 1.0) for outer in range(rank + 1, count + 2)), (arc, -1.0)], 0.0, 0.0)
    if tri >= 0:
        _add_pairs(program, scores, tri, count, steps)


def _add_pairs(program: _Program, scores: Vector, tri: int, count: int, steps: dict[tuple[int, int], int]) -> None:
    """Add triples of children: each step but the first follows a step, and each but the last is followed by a step."""
    three = {}
    for outer in range(2, count + 2):
        for middle in range(1, outer):
            for inner in range(middle):
                place = tri + outer * (outer - 1) * (outer - 2) // 6 + middle * (middle - 1) // 2 + inner
                three[inner, middle, outer] = program.variable(scores[place])
    for (first, second), step in steps.items():
        if first > 0:
            before = [(three[inner, first, second], 1.0) for inner in range(first)]
            program.constrain([*before, (step, -1.0)], 0.0, 0.0)
        if second <= count:
            after = [(three[first, second, outer], 1.0) for outer in range(second + 1, count + 2)]
            program.constrain([*after, (step, -1.0)], 0.0, 0.0)
