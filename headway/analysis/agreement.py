"""Measure joint inference of constituents, tags and dependencies: certificates, convergence and scores.

Rush, Sontag, Collins and Jaakkola (2010), Table 1 (convergence by iterations), Table 2 (dependencies), Table 3 (tags)
and Figure 5 (certificates and F1 over iterations).
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from headway.analysis.rows import Row
from headway.constituency.agreement import ITERATIONS, Agreement, agree, obey
from headway.constituency.bracket_scores import score_trees
from headway.constituency.forest import Forest, best_tree
from headway.constituency.head_rules import dependencies
from headway.constituency.parser import GRAMMARS, ConstituentParser
from headway.constituency.partners import Partner
from headway.constituency.tree import Tree, has_words, stripped
from headway.plots.charts import Chart

_STEPS = ((1, 1), (2, 2), (3, 3), (4, 4), (5, 10), (11, 20), (21, 50))
"""The columns of Table 1."""
_POINTS = (1, 2, 3, 4, 5, 7, 10, 15, 20, 30, 40, 50)
"""The iterations after which F1 is measured."""
_SHOWN = (1, 2, 5, 10, 50)
"""The iterations whose F1 is shown in the table."""

_ALONE = ("parser", "markovised grammar", "both grammars")
"""The names of the parser by itself, with each of `GRAMMARS`."""
_FIXED, _TAGS_FIXED = "parser, dependencies fixed", "parser, tags fixed"
DEPENDENCIES, TAGS, ALL = "parser + dependencies", "parser + tags", "parser + tags + dependencies"


@dataclass(frozen=True)
class AgreementStudy:
    """The measurements.

    Parameters
    ----------
    systems : list of Row
        Tables 2 and 3: a row for each system.
    runs : dict of str to list of Agreement
        The result of joint inference on each sentence, by system; only for systems that iterate.
    f1 : dict of str to dict of int to float
        For these systems, the F1 of the best trees so far, by iteration.
    flat : int
        The number of sentences that the grammar cannot derive.
    """

    systems: list[Row]
    runs: dict[str, list[Agreement]]
    f1: dict[str, dict[int, float]]
    flat: int = 0

    def rows(self) -> list[Row]:
        """Return a row for each system: scores and, by iteration, F1 and the share of certificates in per cent.

        ``searches`` is the mean number of searches of the forest for a sentence.
        """
        return [
            {**row, **self._convergence(str(row["system"])), **self._progress(str(row["system"]))}
            for row in self.systems
        ]

    def _progress(self, name: str) -> Row:
        runs, reached = self.runs.get(name), self.f1.get(name, {})
        searches = None if runs is None else float(np.mean([run.searches for run in runs]))
        return {"searches": searches, **{f"F1 at {point}": reached.get(point) for point in _SHOWN}}

    def _convergence(self, name: str) -> Row:
        runs = self.runs.get(name)
        needed = np.array([run.iterations for run in runs if run.certified] if runs else [])
        shares: dict[str, float | None] = {}
        for first, last in _STEPS:
            share = None if runs is None else 100.0 * float(((needed >= first) & (needed <= last)).sum()) / len(runs)
            shares[f"{first}-{last}" if last > first else f"{first}"] = share
        shares["none"] = None if runs is None else 100.0 * (1.0 - len(needed) / len(runs))
        shares["within 5"] = None if runs is None else 100.0 * float((needed <= 5).sum()) / len(runs)
        return shares

    def charts(self) -> list[Chart]:
        """The share of certificates, and F1, over the number of iterations."""
        steps = np.arange(1, ITERATIONS + 1)
        lines = {
            name: (
                steps,
                np.array(
                    [100.0 * np.mean([run.certified and run.iterations <= step for run in runs]) for step in steps]
                ),
            )
            for name, runs in self.runs.items()
        }
        scores = {name: (np.array(list(f1_at)), np.array(list(f1_at.values()))) for name, f1_at in self.f1.items()}
        return [
            Chart("Certificates", "iterations", "sentences, %", lines),
            Chart("Bracket scores", "iterations", "F1", scores),
        ]


def study_agreement(
    parser: ConstituentParser,
    trees: Iterable[Tree],
    *,
    gold_tags: bool = False,
    iterations: int = ITERATIONS,
    step: str = "mixed",
) -> AgreementStudy:
    """Parse the words of trees by every system and compare; if the grammar has no tree, all systems return flat trees.

    Parameters
    ----------
    gold_tags : bool
        Give all systems the gold tags; the systems with a tagger are then left out.
    """
    study = _Study(parser, gold_tags, iterations, step)
    for tree in trees:
        if has_words(tree):
            study.add(tree)
    return study.result()


class _Study:
    """The trees of all systems for the sentences so far."""

    def __init__(self, parser: ConstituentParser, gold_tags: bool, iterations: int, step: str) -> None:
        self.parser, self.gold_tags, self.iterations, self.step = parser, gold_tags, iterations, step
        self.gold: list[Tree] = []
        self.tagged: list[Tree] = []  # with the tagger's tags and the dependency parser's heads
        self.heads: list[list[int]] = []
        self.found: dict[str, list[Tree]] = {name: [] for name in (*_ALONE, _FIXED)}
        names = [DEPENDENCIES]
        if not gold_tags:
            self.found[_TAGS_FIXED] = []
            names += [TAGS, ALL]
        self.found |= {name: [] for name in names}
        self.runs: dict[str, list[Agreement]] = {name: [] for name in names}
        points = [point for point in _POINTS if point <= iterations]
        self.reached: dict[str, dict[int, list[Tree]]] = {name: {point: [] for point in points} for name in names}
        self.flat = 0

    def add(self, tree: Tree) -> None:
        """Parse a sentence by every system."""
        parser, bare = self.parser, stripped(tree)
        forms, given = bare.forms, bare.tags if self.gold_tags else None
        tags = bare.tags if self.gold_tags else parser.tag([forms])[0]
        leaves, forests = parser.forests(forms, given)
        self.gold.append(tree)
        self.tagged.append(bare.with_tags(tags))
        self.heads.append(parser.dependency_heads([(forms, tags)])[0])
        if not self.gold_tags:
            self._add(_TAGS_FIXED, forms, tags, parser.forest(forms, tags)[1])
        for name, grammar in zip(_ALONE, GRAMMARS, strict=True):
            self._add(name, forms, tags, forests.get(grammar))
        forest = forests.get("lexicalised")
        if forest is None:
            self._add_flat(forms, tags)
            return
        arcs = parser.arc_partner(forms, tags, leaves, forest)
        self._add(_FIXED, forms, tags, forest, obey(forest, arcs, arcs.vector([-1, *self.heads[-1]])))
        partners: dict[str, list[Partner]] = {DEPENDENCIES: [arcs]}
        if not self.gold_tags:
            tagger = parser.tag_partner(forms, leaves)
            partners |= {TAGS: [tagger], ALL: [tagger, arcs]}
        for name, together in partners.items():
            run = agree(forest, together, iterations=self.iterations, step=self.step)
            self.runs[name].append(run)
            self._add(name, forms, tags, forest, run.edges)
            for point, parsed in self.reached[name].items():
                edges = [edges for since, edges in run.history if since <= point][-1]
                parsed.append(parser.tree(forest, edges, forms))

    def _add(
        self,
        name: str,
        forms: Sequence[str],
        tags: Sequence[str],
        forest: Forest | None,
        edges: npt.NDArray[np.int32] | None = None,
    ) -> None:
        """Add a tree of a system, given by edges of a forest, or the best tree of the forest."""
        if forest is None:
            tree = self.parser.flat_tree(forms, tags)
        else:
            tree = self.parser.tree(forest, best_tree(forest)[1] if edges is None else edges, forms)
        self.found[name].append(tree)

    def _add_flat(self, forms: Sequence[str], tags: Sequence[str]) -> None:
        """Add flat trees, which have no certificate, for all systems that search a forest."""
        self.flat += 1
        for name in (_FIXED, *self.runs):
            self._add(name, forms, tags, None)
        for name, runs in self.runs.items():
            runs.append(Agreement(np.empty(0, dtype=np.int32), -np.inf, np.inf, self.iterations))
            for parsed in self.reached[name].values():
                parsed.append(self.parser.flat_tree(forms, tags))

    def result(self) -> AgreementStudy:
        """Score all trees so far."""
        rules = self.parser.rules
        systems: list[Row] = []
        for name, parsed in self.found.items():
            scores = score_trees(self.gold, parsed, head_rules=rules)
            systems.append(
                {
                    "system": name, "precision": scores.precision, "recall": scores.recall, "F1": scores.f1,
                    "tags": scores.tags, "arcs": scores.arcs,
                }
            )  # fmt: skip
        gold_heads = [dependencies(stripped(tree), rules)[0] for tree in self.gold]
        arcs = [
            one == other for pair in zip(gold_heads, self.heads, strict=True) for one, other in zip(*pair, strict=True)
        ]
        systems.append(
            {
                "system": "tagger, dependency parser", "precision": None, "recall": None, "F1": None,
                "tags": score_trees(self.gold, self.tagged, head_rules=rules).tags,
                "arcs": 100.0 * float(np.mean(arcs)) if arcs else None,
            }
        )  # fmt: skip
        f1 = {
            name: {point: score_trees(self.gold, parsed, head_rules=rules).f1 for point, parsed in parsed_at.items()}
            for name, parsed_at in self.reached.items()
        }
        return AgreementStudy(systems, self.runs, f1, self.flat)
