"""Shared parts of the analysis commands: arguments, progress, output as table, JSON or chart."""

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
    str | None,
    typer.Option("--plot", metavar="FILE", help="Also draw a chart: a file named [b].png[/] or [b].svg[/]."),
    OUTPUT,
]
PrunedOption = Annotated[bool, typer.Option("--pruned", help="Leave out the arcs that the model's pruner removes.")]


class Start(StrEnum):
    """The kinds of starting trees, by their names on the command line."""

    uniform = "uniform"
    first_order = "first-order"
    map = "map"


StartOption = Annotated[Start, typer.Option("--start", help="The trees that climbs start from.")]


def check_plot(path: str | None) -> None:
    """Check, before any long work, that a chart can be written to `path`; UsageError if not."""
    if path is not None:
        from headway.plots.charts import check_chart_path

        check_chart_path(path)


def watched(items: Iterable[T], progress: Progress, stage: str) -> Iterator[T]:
    """Yield the items and report progress."""
    progress.start(stage, 0)
    for item in items:
        yield item
        progress.advance()
    progress.finish()


def show(rows: "Sequence[Row]", charts: "Sequence[Chart | BarChart]", *, plot: str | None, json: bool) -> None:
    """Draw the charts, then print the rows: if drawing fails, nothing is printed."""
    from json import dumps

    from headway.analysis import rows_table

    if plot is not None:
        from headway.plots.charts import draw_charts

        draw_charts(charts, plot)
    typer.echo(dumps(rows, ensure_ascii=False, indent=2) if json else rows_table(rows))
