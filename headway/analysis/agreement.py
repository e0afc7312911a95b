"""Agreement of a constituent parser with a tagger and a dependency parser: how often, how soon, and what it gains.

Rush, Sontag, Collins and Jaakkola (2010), Table 1 (convergence by iterations), Table 2 (dependencies), Table 3 (tags)
and Figure 5 (certificates and F1 over iterations).
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from headway.analysis.rows import Row
from headway.constituency.agreement import ITERATIONS, Agreement, Partner, agree, obey
from headway.constituency.bracket_scores import COLLINS, score_trees
from headway.constituency.forest import Forest, best_tree
from headway.constituency.head_rules import dependencies
from headway.constituency.parser import ConstituentParser
from headway.constituency.tree import Tree, stripped
from headway.plots.charts import Chart

_STEPS = ((1, 1), (2, 2), (3, 3), (4, 4), (5, 10), (11, 20), (21, 50))
"""The columns of Table 1."""
_POINTS = (1, 2, 3, 4, 5, 7, 10, 15, 20, 30, 40, 50)
"""Iterations at which F1 is measured, up to the number of iterations run."""
_SHOWN = (1, 2, 5, 10, 50)
"""The iterations whose F1 is in the table."""


@dataclass(frozen=True)
class AgreementStudy:
    """The measurements.

    Parameters
    ----------
    systems : list of Row
        Tables 2 and 3: a row for each system.
    runs : dict of str to list of Agreement
        The agreement on each sentence, by the name of the system; only systems that iterate.
    f1 : dict of str to dict of int to float
        F1 of the best trees so far, by system and by number of iterations.
    """

    systems: list[Row]
    runs: dict[str, list[Agreement]]
    f1: dict[str, dict[int, float]]

    def rows(self) -> list[Row]:
        """Return a row for each system: its scores, and by iteration the share of certificates in per cent and F1.

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
    """Parse the words of gold trees with every system, and compare the scores.

    Parameters
    ----------
    gold_tags : bool
        Give all systems the gold tags; then there is no agreement with the tagger to measure.
    """
    parsed_trees: list[tuple[Tree, Sequence[str], Forest]] = []
    trees_by_system: dict[str, list[Tree]] = {}
    runs: dict[str, list[Agreement]] = {}
    reached: dict[str, dict[int, list[Tree]]] = {}
    arcs_alone, arc_words = 0, 0

    def add(name: str, forest: Forest, forms: Sequence[str], edges: npt.NDArray[np.int32]) -> None:
        trees_by_system.setdefault(name, []).append(parser.tree(forest, edges, forms))

    for tree in map(stripped, trees):
        forms, gold_or_none = tree.forms, tree.tags if gold_tags else None
        leaves, forest = parser.forest(forms, gold_or_none)
        tags = tree.tags if gold_tags else parser.tag([forms])[0]
        fixed = forest if gold_tags else parser.forest(forms, tags)[1]
        if forest is None or fixed is None:
            continue
        parsed_trees.append((tree, tags, forest))
        add("parser", forest, forms, best_tree(forest)[1])
        for name, grammar in (("markovised grammar", "markovised"), ("both grammars", "both")):
            rescored = parser.forest(forms, gold_or_none, grammar=grammar)[1]
            add(name, rescored or forest, forms, best_tree(rescored or forest)[1])
        arcs = parser.arc_partner(forms, tags, leaves, forest)
        heads = parser.dependency_heads([(forms, tags)])[0]
        right = dependencies(tree, parser.rules)[0]
        arcs_alone += sum(one == other for one, other in zip(heads, right, strict=True))
        arc_words += len(right)
        edges = obey(forest, arcs, arcs.vector([-1, *heads]))
        add("parser, dependencies fixed", forest, forms, edges)
        partners: dict[str, list[Partner]] = {"parser + dependencies": [arcs]}
        if not gold_tags:
            add("parser, tags fixed", fixed, forms, best_tree(fixed)[1])
            tagger = parser.tag_partner(forms, leaves)
            partners |= {"parser + tags": [tagger], "parser + tags + dependencies": [tagger, arcs]}
        for name, system_partners in partners.items():
            run = agree(forest, system_partners, iterations=iterations, step=step)
            runs.setdefault(name, []).append(run)
            add(name, forest, forms, run.edges)
            for point in _POINTS:
                if point <= iterations:
                    edges = [edges for since, edges in run.history if since <= point][-1]
                    reached.setdefault(name, {}).setdefault(point, []).append(parser.tree(forest, edges, forms))
    gold = [tree for tree, _, _ in parsed_trees]
    systems: list[Row] = []
    for name, parsed in trees_by_system.items():
        scores = score_trees(gold, parsed, head_rules=parser.rules)
        systems.append(
            {
                "system": name, "precision": scores.precision, "recall": scores.recall, "F1": scores.f1,
                "tags": scores.tags, "arcs": scores.arcs,
            }
        )  # fmt: skip
    tagged = [
        one == other
        for tree, tags, _ in parsed_trees
        for one, other in zip(tree.tags, tags, strict=True)
        if one not in COLLINS.deleted
    ]
    alone = 100.0 * arcs_alone / max(arc_words, 1)
    share = 100.0 * float(np.mean(tagged)) if tagged else None
    alone_row: Row = {
        "system": "tagger, dependency parser", "precision": None, "recall": None, "F1": None, "tags": share,
        "arcs": alone,
    }  # fmt: skip
    systems.append(alone_row)
    f1 = {
        name: {point: score_trees(gold, parsed, head_rules=parser.rules).f1 for point, parsed in parsed_at.items()}
        for name, parsed_at in reached.items()
    }
    return AgreementStudy(systems, runs, f1)
