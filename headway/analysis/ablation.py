"""Ablation: several models, each on several treebanks.

Zhang, Lei, Barzilay and Jaakkola (2014), Table 4: first order, third order, everything, with the tensor and without.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass

from headway.analysis.outcomes import Outcome, measure
from headway.analysis.rows import Row
from headway.corpus import Layout, read_sentences
from headway.errors import UsageError
from headway.parser import Parser
from headway.plots.charts import BarChart

AVERAGE = "average"
PLACE = "{}"
"""The placeholder for a treebank's name in the name of a model file."""


@dataclass(frozen=True)
class Ablation:
    """Scores of models.

    Parameters
    ----------
    outcomes : mapping of str to mapping of str to Outcome
        The scores by treebank and model; every treebank has the same models, in the same order.
    """

    outcomes: Mapping[str, Mapping[str, Outcome]]

    def rows(self) -> list[Row]:
        """A row for each treebank, and their average; UAS and LAS of each model."""
        rows: list[Row] = [
            {"treebank": treebank, **{f"{name} {metric}": value for (name, metric), value in cells.items()}}
            for treebank, cells in self._cells().items()
        ]
        return rows

    def chart(self) -> BarChart:
        """UAS of each model on each treebank and on average."""
        cells = self._cells()
        bars = {name: [row[name, "UAS"] for row in cells.values()] for name in self._models()}
        lowest = min((height for heights in bars.values() for height in heights), default=0.0)
        return BarChart("What models score", "UAS", list(cells), bars, lowest=max(0.0, 5 * (lowest // 5) - 5))

    def _models(self) -> list[str]:
        return list(next(iter(self.outcomes.values()), {}))

    def _cells(self) -> dict[str, dict[tuple[str, str], float]]:
        cells = {
            treebank: {
                (name, metric): value
                for name, outcome in outcomes.items()
                for metric, value in (("UAS", outcome.uas), ("LAS", outcome.las))
            }
            for treebank, outcomes in self.outcomes.items()
        }
        if len(cells) > 1:
            keys = next(iter(cells.values()))
            cells[AVERAGE] = {key: sum(row[key] for row in cells.values()) / len(cells) for key in keys}
        return cells


def compare_models(
    models: Mapping[str, str],
    treebanks: Mapping[str, str],
    *,
    layout: Layout | None = None,
    report: Callable[[str], None] | None = None,
) -> Ablation:
    """Parse every treebank with every model.

    Parameters
    ----------
    models : mapping of str to str
        The name of a kind of model, and its files: ``{}`` stands for the name of the treebank, as in
        ``models/{}-full.headway``.
    treebanks : mapping of str to str
        The name of a treebank, and a file with its gold trees.
    report : callable, optional
        Called with the name of each model file before it is used.

    Raises
    ------
    UsageError
        If there is nothing to compare, or several treebanks would be parsed with one file.
    """
    _check(models, treebanks)
    outcomes: dict[str, dict[str, Outcome]] = {}
    for treebank, gold in treebanks.items():
        sentences = list(read_sentences(gold, layout=layout))
        outcomes[treebank] = {}
        for name, pattern in models.items():
            path = pattern.replace(PLACE, treebank)
            if report is not None:
                report(path)
            outcomes[treebank][name] = measure(Parser.load(path), sentences)
    return Ablation(outcomes)


def named(values: Iterable[str], *, what: str) -> dict[str, str]:
    """Parse ``NAME=FILE`` arguments of a command line; `what` is what error messages call the named things.

    Examples
    --------
    >>> named(["full=models/{}-full.headway"], what="a model")
    {'full': 'models/{}-full.headway'}
    """
    pairs: dict[str, str] = {}
    for value in values:
        name, equals, path = value.partition("=")
        if not (name and equals and path):
            raise UsageError(f"{value}: {what} is given as NAME=FILE")
        if name in pairs:
            raise UsageError(f"{name}: the name of {what} is given twice")
        pairs[name] = path
    return pairs


def _check(models: Mapping[str, str], treebanks: Mapping[str, str]) -> None:
    if not models or not treebanks:
        raise UsageError("a comparison needs at least one model and one treebank")
    for name, pattern in models.items():
        if len(treebanks) > 1 and PLACE not in pattern:
            raise UsageError(f"{name}={pattern}: for several treebanks, the file needs {PLACE} where their names go")
