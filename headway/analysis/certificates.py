"""Compare searches: how often they find the best tree, how often they prove it, and how long they take.

Koo et al. (2010), "Dual decomposition for parsing with non-projective head automata": Table 1 (certificates and times),
Table 2 (integer programs and their relaxations), Table 3 (crossing arcs or none), Figure 3 (automata that are run
again) and Figure 4 (iterations). Zhang et al. (2014), "Greed is good if randomized", Table 3: hill climbing against
dual decomposition.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from time import process_time
from typing import Any

import numpy as np
import numpy.typing as npt

from headway.analysis.rows import Row, mean, reaches, share
from headway.corpus import Sentence
from headway.decoders.decoder import list_kinds
from headway.decoders.dual_decomposition import (
    ALTERNATING,
    ALTERNATIONS,
    DualRule,
    Parts,
    exact_tree,
    parts_of,
    relax_tree,
)
from headway.decoders.head_automata import score_tree
from headway.decoders.integer_program import FLOWS, program_tree
from headway.decoders.lagrangian import Relaxation
from headway.errors import ConstraintError, UsageError
from headway.parser import Parser
from headway.parts import Parse
from headway.plots.charts import Chart
from headway.search import SearchRule
from headway.support.threads import Threads

CLIMBING, DUAL, ALTERNATE, EXACT = "hill climbing", "dual decomposition", "AD3", "exact"
EXACT_PROJECTIVE = "exact, no crossing arcs"

ITERATIONS = (10, 25, 50, 100, 250, 500, 1000, 5000)
_FIRST = 10
"""The number of iterations at the start that do not count for the share of automata run, as in the paper."""
_SHOWN = 100
"""The number of iterations in the chart of the automata run."""


@dataclass(frozen=True)
class Search:
    """The results of one search on all sentences.

    Parameters
    ----------
    scores : (sentences,) float64
        The scores of the trees found, over the same parts for all searches; -inf for no tree.
    right : (sentences,) int64
        The number of correct heads.
    proved : (sentences,) bool
        Whether the search proved its tree to be the best.
    seconds : (sentences,) float64
        CPU time; NaN for the first sentence, whose time includes compilation.
    """

    scores: npt.NDArray[np.float64]
    right: npt.NDArray[np.int64]
    proved: npt.NDArray[np.bool_]
    seconds: npt.NDArray[np.float64]


@dataclass(frozen=True)
class Certificates:
    """The results of several searches of the same sentences.

    Parameters
    ----------
    lengths : (sentences,) int64
    searches : dict of str to Search
        By name: `CLIMBING`, `DUAL`, `ALTERNATE`, `EXACT` and, if trees may have crossing arcs, `EXACT_PROJECTIVE`.
    programs : dict of str to Search
        Integer programs and their relaxations, on the first sentences.
    needed : (sentences,) int64
        The number of iterations of dual decomposition: up to the certificate, if there is one.
    last : (sentences,) int64
        The iteration of dual decomposition that found its best tree.
    right : (sentences, ITERATIONS) int64
        The number of correct heads of dual decomposition's best tree so far, after each number of `ITERATIONS`.
    alternations : (sentences,) int64
        The number of iterations of AD3.
    recomputed : float or None
        The share of automata that dual decomposition ran in an iteration after the first ten, in per cent; it only runs
        automata whose choice may have changed.
    by_iteration : (iterations,) float64
        The same for each of the first iterations, over the sentences that needed that iteration.
    """

    lengths: npt.NDArray[np.int64]
    searches: dict[str, Search]
    programs: dict[str, Search]
    needed: npt.NDArray[np.int64]
    last: npt.NDArray[np.int64]
    right: npt.NDArray[np.int64]
    alternations: npt.NDArray[np.int64]
    recomputed: float | None
    by_iteration: npt.NDArray[np.float64]

    @property
    def certified(self) -> npt.NDArray[np.bool_]:
        """(sentences,) Whether dual decomposition or AD3 proved its tree, without branching."""
        return self.searches[DUAL].proved | self.searches[ALTERNATE].proved

    def rows(self) -> list[Row]:
        """A row for each search."""
        exact, dual = self.searches[EXACT], self.searches[DUAL]
        return [
            {
                "search": name,
                "UAS": self._accuracy(results),
                "proved, %": share(results.proved) if results.proved.any() else None,
                "best of the certified, %": share(reaches(results.scores, exact.scores)[self.certified]),
                "above dual, %": share(~reaches(dual.scores, results.scores)),
                "below dual, %": share(~reaches(results.scores, dual.scores)),
                **_times(results),
            }
            for name, results in self.searches.items()
        ]

    def program_rows(self) -> list[Row]:
        """A row for each integer program or relaxation, and one for dual decomposition on the same sentences."""
        if not self.programs:
            return []
        first = len(next(iter(self.programs.values())).right)
        searches = {name: _first(self.searches[name], first) for name in (DUAL, ALTERNATE, EXACT)}
        return [
            {
                "search": name,
                "sentences": first,
                "UAS": self._accuracy(results),
                "proved or whole, %": share(results.proved),
                "best, %": share(reaches(results.scores, searches[EXACT].scores)),
                **_times(results),
            }
            for name, results in (searches | self.programs).items()
        ]

    def iteration_rows(self) -> list[Row]:
        """A row for each number of iterations of dual decomposition."""
        certified = self.searches[DUAL].proved
        return [
            {
                "iterations": number,
                "certificates, %": share(certified & (self.needed <= number)),
                "the final tree, %": share(self.last <= number),
                "UAS": 100 * float(self.right[:, which].sum()) / float(self.lengths.sum()),
            }
            for which, number in enumerate(ITERATIONS)
            if which == 0 or ITERATIONS[which - 1] < self.needed.max()
        ]

    def charts(self) -> list[Chart]:
        """Certificates and final trees by the number of iterations, and the share of automata run in each iteration."""
        rows = self.iteration_rows()
        numbers = np.array([row["iterations"] for row in rows], dtype=np.float64)
        lines = {
            name: (numbers, np.array([row[name] for row in rows], dtype=np.float64))
            for name in ("certificates, %", "the final tree, %", "UAS")
        }
        steps = np.arange(1, len(self.by_iteration) + 1, dtype=np.float64)
        return [
            Chart("Dual decomposition", "iterations", "%", lines, x_log=True),
            Chart("Lazy decoding", "iteration", "% of automata run", {"automata": (steps, self.by_iteration)}),
        ]

    def summary(self) -> list[Row]:
        """The mean numbers of iterations, and the share of automata run."""
        return [
            {
                "sentences": len(self.lengths),
                "iterations": mean(self.needed),
                "iterations of AD3": mean(self.alternations),
                "automata run after the first ten, %": self.recomputed,
            }
        ]

    def _accuracy(self, results: Search) -> float:
        return 100 * float(results.right.sum()) / float(self.lengths[: len(results.right)].sum())


def _times(results: Search) -> Row:
    timed = results.seconds[~np.isnan(results.seconds)]
    return {
        "ms/sentence": 1000 * float(timed.mean()) if len(timed) else None,
        "at worst": 1000 * float(timed.max()) if len(timed) else None,
    }


def _first(results: Search, count: int) -> Search:
    return Search(results.scores[:count], results.right[:count], results.proved[:count], results.seconds[:count])


def compare_searches(
    parser: Parser,
    sentences: Iterable[Sentence],
    *,
    rule: DualRule | None = None,
    climbing: SearchRule | None = None,
    programs: int = 0,
) -> Certificates:
    """Parse gold sentences by hill climbing, dual decomposition, AD3 and exact search, over the arcs the pruner keeps.

    The times of hill climbing and exact search include scoring the parts; the other searches are given the scores.

    Parameters
    ----------
    parser : Parser
        It must score higher-order parts, and only kinds that head automata can score, so that all searches maximise the
        same score.
    rule : DualRule, optional
        The settings of dual decomposition and exact search; the default limits exact search to ten seconds a sentence.
    climbing : SearchRule, optional
        The settings of hill climbing; the model's by default.
    programs : int
        The number of sentences for which integer programs are solved, too, which is slow; their trees may have crossing
        arcs.
    """
    rule = rule or DualRule(seconds=10.0, projective=parser.model.settings.projective)
    model = replace(parser.model, settings=replace(parser.model.settings, projective=rule.projective))
    exact = model.search("exact", seconds=rule.seconds, single_root=rule.single_root)
    if exact.ignored:
        raise UsageError(f"head automata cannot score {list_kinds(exact.ignored)} parts, which this model has")
    if len(model.scorer.kinds) == 1:
        raise UsageError("this analysis needs a model with higher-order parts")
    climber = model.search("hill-climbing", rule=climbing, single_root=rule.single_root)
    log = _Log()
    for sentence in sentences:
        if len(sentence) == 0:
            continue
        encoded = model.encoder.encode([sentence])
        with Threads() as pool:  # the same arcs for every search
            candidates = climber.candidates(encoded, threads=pool, narrow=False).candidates(0, len(sentence))
        parts = parts_of(candidates, model.scorer.scores(encoded, 0, candidates))
        log.begin(parts, np.array(sentence.heads))
        log.time(CLIMBING, climber.decode, encoded, 0, candidates)
        log.relax(replace(rule, seconds=np.inf))
        log.alternate(replace(rule, step=ALTERNATING, iterations=min(rule.iterations, ALTERNATIONS), seconds=np.inf))
        log.time(EXACT, exact.decode, encoded, 0, candidates)
        if not rule.projective:
            log.time(EXACT_PROJECTIVE, exact_tree, parts, replace(rule, projective=True))
        if len(log.lengths) <= programs:
            log.solve(rule)
    if not log.lengths:
        raise UsageError("there is no sentence to search")
    return log.result()


class _Log:
    """The measurements, which are recorded sentence by sentence."""

    def __init__(self) -> None:
        self.lengths: list[int] = []
        self.found: dict[str, list[tuple[float, int, bool, float]]] = {}
        self.iterations: list[tuple[int, ...]] = []
        self.alternations: list[int] = []
        self.runs, self.counts = np.zeros(_SHOWN), np.zeros(_SHOWN)
        self.later, self.later_count = 0.0, 0

    def begin(self, parts: Parts, gold: npt.NDArray[np.int64]) -> None:
        self.parts, self.gold = parts, gold
        self.lengths.append(len(gold))

    def time(self, name: str, search: Callable[..., Parse], *arguments: Any, **options: Any) -> None:
        """Run a search and record its tree and its time."""
        began = process_time()
        try:
            parse = search(*arguments, **options)
        except ConstraintError:  # there is no projective tree, or none was found in time
            parse = None
        self.keep(name, parse, process_time() - began)

    def keep(self, name: str, parse: Parse | None, seconds: float) -> None:
        rows = self.found.setdefault(name, [])
        seconds = seconds if rows else np.nan  # the first time includes compilation
        if parse is None:
            rows.append((-np.inf, 0, False, seconds))
            return
        score = score_tree(self.parts.automata, self.parts.scores, self.parts.number, parse.heads)
        rows.append((score, self._right(parse.heads), parse.exact, seconds))

    def relax(self, rule: DualRule) -> None:
        """Run dual decomposition, and record its iterations."""
        began = process_time()
        dual, ran = relax_tree(self.parts, rule)
        self.keep(DUAL, _parse(dual), process_time() - began)
        last = int(np.argmax(np.array(dual.scores) >= dual.score)) + 1
        trees = [heads for iteration, heads in dual.solutions]
        found_at = np.array([iteration for iteration, heads in dual.solutions])
        best_after = [trees[int(np.searchsorted(found_at, number, side="right")) - 1] for number in ITERATIONS]
        self.iterations.append((len(ran), last, *(self._right(heads) for heads in best_after)))
        shown = np.array(ran[:_SHOWN])
        self.runs[: len(shown)] += shown
        self.counts[: len(shown)] += 1
        self.later += sum(ran[_FIRST:])
        self.later_count += len(ran[_FIRST:])

    def alternate(self, rule: DualRule) -> None:
        """Run AD3, and record the number of its iterations."""
        began = process_time()
        relaxation, ran = relax_tree(self.parts, rule)
        self.keep(ALTERNATE, _parse(relaxation), process_time() - began)
        self.alternations.append(len(ran))

    def solve(self, rule: DualRule) -> None:
        """Solve the integer programs and their relaxations, and record their trees and times."""
        for flow in FLOWS:
            for relaxed in (False, True):
                name = f"{'relaxed' if relaxed else 'integer'} program, {flow} flow"
                self.time(
                    name, program_tree, self.parts, single_root=rule.single_root, flow=flow, relaxed=relaxed,
                    seconds=rule.seconds,
                )  # fmt: skip

    def result(self) -> Certificates:
        searches = {name: _search(rows) for name, rows in self.found.items()}
        names = (CLIMBING, DUAL, ALTERNATE, EXACT, EXACT_PROJECTIVE)
        iterations = np.array(self.iterations)
        reached = self.counts > 0
        return Certificates(
            np.array(self.lengths),
            {name: results for name, results in searches.items() if name in names},
            {name: results for name, results in searches.items() if name not in names},
            iterations[:, 0],
            iterations[:, 1],
            iterations[:, 2:],
            np.array(self.alternations),
            100.0 * self.later / self.later_count if self.later_count else None,
            100.0 * self.runs[reached] / self.counts[reached],
        )

    def _right(self, heads: npt.NDArray[np.int32]) -> int:
        return int((heads[1:] == self.gold).sum())


def _parse(relaxation: Relaxation) -> Parse | None:
    if relaxation.solution is None:
        return None
    return Parse(relaxation.solution, relaxation.score, bound=relaxation.bound, exact=relaxation.certified)


def _search(rows: list[tuple[float, int, bool, float]]) -> Search:
    scores, right, proved, seconds = zip(*rows, strict=True)
    return Search(np.array(scores), np.array(right), np.array(proved), np.array(seconds))
