"""Which search finds the best tree, which can prove it, and how long they take.

Koo et al. (2010), "Dual decomposition for parsing with non-projective head automata": Table 1 (certificates and times),
Figure 3 (automata that are run again) and Figure 4 (iterations). Zhang et al. (2014), "Greed is good if randomized",
Table 3: hill climbing against dual decomposition.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from time import process_time

import numpy as np
import numpy.typing as npt

from headway.analysis.rows import Row, mean, reaches, share
from headway.chart_search import automata_parts
from headway.constrained_search import ConstrainedSearch
from headway.corpus import Sentence
from headway.decoders.dual_decomposition import DualRule, exact_tree, relax_tree
from headway.decoders.head_automata import score_tree
from headway.errors import UsageError
from headway.parser import Parser
from headway.plots.charts import Chart
from headway.search import SearchRule
from headway.searchers import ClimbingSearcher, DualSearcher

ITERATIONS = (10, 25, 50, 100, 250, 500, 1000, 5000)
_FIRST = 10
"""Iterations after which the paper looks at how many automata are run again."""


@dataclass(frozen=True)
class Search:
    """What one search did with all sentences.

    Parameters
    ----------
    scores : (sentences,) float64
        Of the trees found, all by the same parts.
    right : (sentences,) int64
        Right heads.
    seconds : float
        CPU time.
    """

    scores: npt.NDArray[np.float64]
    right: npt.NDArray[np.int64]
    seconds: float


@dataclass(frozen=True)
class Certificates:
    """Three searches beside each other.

    Parameters
    ----------
    lengths : (sentences,) int64
    climbing, dual, exact : Search
    certified, proved : (sentences,) bool
        What dual decomposition alone proved, and what branching proved.
    needed : (sentences,) int64
        Iterations until the certificate, or all that were made.
    last : (sentences,) int64
        Iterations until the best tree that was found.
    recomputed : float
        The share of automata that were run after the first ten iterations, in per cent.
    """

    lengths: npt.NDArray[np.int64]
    climbing: Search
    dual: Search
    exact: Search
    certified: npt.NDArray[np.bool_]
    proved: npt.NDArray[np.bool_]
    needed: npt.NDArray[np.int64]
    last: npt.NDArray[np.int64]
    recomputed: float | None

    def rows(self) -> list[Row]:
        """A row for each search."""
        named = {"hill climbing": self.climbing, "dual decomposition": self.dual, "exact": self.exact}
        proofs = {"dual decomposition": self.certified, "exact": self.proved}
        return [
            {
                "search": name,
                "UAS": 100 * float(found.right.sum()) / float(self.lengths.sum()),
                "proved, %": share(proofs[name]) if name in proofs else None,
                "best of the proved, %": share(reaches(found.scores, self.exact.scores)[self.proved]),
                "best of the certified, %": share(reaches(found.scores, self.exact.scores)[self.certified]),
                "above dual, %": share(~reaches(self.dual.scores, found.scores)),
                "below dual, %": share(~reaches(found.scores, self.dual.scores)),
                "ms/sentence": 1000 * found.seconds / len(self.lengths),
            }
            for name, found in named.items()
        ]

    def iteration_rows(self) -> list[Row]:
        """What dual decomposition has after so many iterations."""
        made = max(int(self.needed.max()), 1)
        return [
            {
                "iterations": number,
                "certificates, %": share(self.certified & (self.needed <= number)),
                "the final tree, %": share(self.last <= number),
            }
            for number in sorted({*(n for n in ITERATIONS if n < made), made})
        ]

    def charts(self) -> list[Chart]:
        """Certificates and final trees over iterations."""
        rows = self.iteration_rows()
        numbers = np.array([row["iterations"] for row in rows], dtype=np.float64)
        lines = {
            name: (numbers, np.array([row[name] for row in rows], dtype=np.float64))
            for name in ("certificates, %", "the final tree, %")
        }
        return [Chart("Dual decomposition", "iterations", "% of sentences", lines, x_log=True)]


def compare_searches(
    parser: Parser,
    sentences: Iterable[Sentence],
    *,
    rule: DualRule | None = None,
    climbing: SearchRule | None = None,
) -> Certificates:
    """Search gold sentences by hill climbing, by dual decomposition, and exactly, over the arcs that the pruner leaves.

    Parameters
    ----------
    parser : Parser
        With parts that head automata score, and no others: else the searches would not be after the same trees.
    rule : DualRule, optional
        How the dual is searched; at most ten seconds for an exact tree by default.
    climbing : SearchRule, optional
        How to climb; the model's own way by default.
    """
    rule = rule or DualRule(seconds=10.0, projective=parser.model.settings.projective)
    exactly = DualSearcher(parser.model, rule, branches=True)
    if parser.model.parts is None or exactly.neglected():
        missing = ", ".join(exactly.neglected()) or "no parts of higher order"
        raise UsageError(f"head automata and this model do not score the same trees: it has {missing}")
    model = replace(parser.model, settings=replace(parser.model.settings, projective=rule.projective))
    climber = ClimbingSearcher(model, climbing or model.search)
    every: list[tuple[int, ...]] = []
    scores: list[tuple[float, ...]] = []
    seconds, later, runs = np.zeros(3), 0, 0
    for number, sentence in enumerate(sentences):
        if len(sentence) == 0:
            continue
        encoded = model.encoder.encode([sentence])
        candidates = ConstrainedSearch(model, climber).candidates(encoded, 0)
        parts, _ = automata_parts(encoded, 0, model.trees, candidates.mask())
        times = [process_time()]
        climbed = climber.one(encoded, 0, candidates, single_root=rule.single_root)
        times.append(process_time())
        dual, automata = relax_tree(parts, replace(rule, seconds=np.inf))
        times.append(process_time())
        best = exact_tree(parts, rule)
        times.append(process_time())
        if number > 0:  # the first one compiles
            seconds += np.diff(times)
        trees = (climbed.heads, dual.solution, best.heads)
        gold = np.array(sentence.heads)
        scores.append(tuple(score_tree(parts.automata, parts.scores, parts.number, heads) for heads in trees))
        last = int(np.argmax(np.array(dual.scores) >= dual.score)) + 1
        right = (int((heads[1:] == gold).sum()) for heads in trees)
        every.append((len(sentence), *right, dual.certified, best.exact, len(dual.bounds), last))
        later += sum(automata.runs[_FIRST:])
        runs += len(automata.runs[_FIRST:]) * len(parts.number)
    if not every:
        raise UsageError("there is no sentence to search")
    table, totals = np.array(every, dtype=np.int64), np.array(scores)
    climbs, duals, exacts = (Search(totals[:, which], table[:, 1 + which], float(seconds[which])) for which in range(3))
    return Certificates(
        table[:, 0],
        climbs,
        duals,
        exacts,
        certified=table[:, 4].astype(np.bool_),
        proved=table[:, 5].astype(np.bool_),
        needed=table[:, 6],
        last=table[:, 7],
        recomputed=100.0 * later / runs if runs else None,
    )


def summary(found: Certificates) -> Sequence[Row]:
    """Figures that have no place in the tables."""
    return [
        {
            "sentences": len(found.lengths),
            "iterations, mean": mean(found.needed),
            "automata run after the first ten, %": found.recomputed,
        }
    ]
