"""Options and output of analyses: arguments, progress, a table or JSON, a chart."""

from collections.abc import Iterable, Iterator, Sequence
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated, TypeVar

import typer

from headway.cli.guard import INPUT, MODEL, OUTPUT
from headway.progress import Progress

if TYPE_CHECKING:
    from headway.analysis.rows import Row
    from headway.plots.charts import BarChart, Chart

T = TypeVar("T")

ModelArgument = Annotated[str, typer.Argument(metavar="MODEL", help="A model file."), MODEL]
TreebankArgument = Annotated[str, typer.Argument(metavar="FILE", help="Sentences, [b]-[/] for stdin."), INPUT]
PlotOption = Annotated[
    str | None, typer.Option("--plot", metavar="FILE", help="Draw it too: PNG or SVG by the name."), OUTPUT
]
PrunedOption = Annotated[bool, typer.Option("--pruned", help="Leave out the arcs that the model's pruner rules out.")]


class Start(StrEnum):
    """Where climbs begin, by the names that the command line has for it."""

    uniform = "uniform"
    first_order = "first-order"
    map = "map"


StartOption = Annotated[Start, typer.Option("--start", help="The trees that climbs begin with.")]


def check_plot(path: str | None) -> None:
    """Raise UsageError where `path` is no place for a chart: before the long work."""
    if path is not None:
        from headway.plots.charts import check_chart_path

        check_chart_path(path)


def watched(items: Iterable[T], progress: Progress, stage: str) -> Iterator[T]:
    """The same items, counted as they go by."""
    progress.start(stage, 0)
    for item in items:
        yield item
        progress.advance()
    progress.finish()


def show(rows: "Sequence[Row]", charts: "Sequence[Chart | BarChart]", *, plot: str | None, json: bool) -> None:
    """Draw, then print: where drawing fails, nothing is printed."""
    from json import dumps

    from headway.analysis import rows_table

    if plot is not None:
        from headway.plots.charts import draw_charts

        draw_charts(charts, plot)
    typer.echo(dumps(rows, ensure_ascii=False, indent=2) if json else rows_table(rows))
