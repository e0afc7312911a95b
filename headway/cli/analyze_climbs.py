"""``headway analyze convergence``, ``speed`` and ``starts``: analyses of a trained model's hill climber."""

from dataclasses import replace
from typing import TYPE_CHECKING, Annotated

import typer

from headway.cli.options import Format, FormatOption, JsonOption, QuietOption, SeedOption
from headway.cli.progress import reporting, say_if_compiling
from headway.cli.showing import (
    ModelArgument,
    PlotOption,
    Start,
    StartOption,
    TreebankArgument,
    check_plot,
    show,
    watched,
)

if TYPE_CHECKING:
    from headway import Parser
    from headway.search import SearchRule

_RESTARTS_HELP = "Stop after N climbs in a row that find no better tree"
RestartsOption = Annotated[
    list[int] | None,
    typer.Option("--restarts", min=0, metavar="N", help=f"{_RESTARTS_HELP}; may be repeated."),
]


def convergence(
    model: ModelArgument,
    file: TreebankArgument = "-",
    climbs: Annotated[int, typer.Option(min=1, metavar="N", help="Climbs for each sentence.")] = 1000,
    start: StartOption = Start.first_order,
    seed: SeedOption = 1,
    plot: PlotOption = None,
    format: FormatOption = Format.auto,
    json: JsonOption = False,
    quiet: QuietOption = False,
) -> None:
    """Show how the score rises with the number of climbs.

    [b]headway analyze convergence english.headway dev.conllu --plot convergence.svg[/]
    """
    from headway import Parser
    from headway.analysis import climb_traces, follow_climbs
    from headway.corpus import read_sentences

    check_plot(plot)
    with reporting(quiet=quiet) as progress:
        parser = Parser.load(model)
        say_if_compiling(progress)
        sentences = watched(read_sentences(file, layout=format.layout), progress, "climbing")
        rule = _rule(parser, seed, start)
        followed = follow_climbs(climb_traces(parser, sentences, rule=rule, climbs=climbs))
    show(followed.rows(), followed.charts(), plot=plot, json=json)


def speed(
    model: ModelArgument,
    file: TreebankArgument = "-",
    restarts: RestartsOption = None,
    start: StartOption = Start.map,
    seed: SeedOption = 1,
    plot: PlotOption = None,
    format: FormatOption = Format.auto,
    json: JsonOption = False,
    quiet: QuietOption = False,
) -> None:
    """Show accuracy against speed for several numbers of restarts.

    [b]headway analyze speed english.headway dev.conllu --restarts 0 --restarts 10 --restarts 100[/]
    """
    from headway import Parser
    from headway.analysis import trade_off
    from headway.analysis.outcomes import RESTARTS
    from headway.corpus import read_sentences

    check_plot(plot)
    with reporting(quiet=quiet) as progress:
        parser = Parser.load(model)
        say_if_compiling(progress)
        sentences = list(read_sentences(file, layout=format.layout))
        numbers = watched(restarts or RESTARTS, progress, "parsing")
        result = trade_off(parser, sentences, restarts=numbers, rule=_rule(parser, seed, start))
    show(result.rows(), result.charts(), plot=plot, json=json)


def starts(
    model: ModelArgument,
    file: TreebankArgument = "-",
    restarts: Annotated[int, typer.Option(min=0, metavar="N", help=f"{_RESTARTS_HELP}.")] = 100,
    seed: SeedOption = 1,
    plot: PlotOption = None,
    format: FormatOption = Format.auto,
    json: JsonOption = False,
    quiet: QuietOption = False,
) -> None:
    """Compare climbs from different starting trees.

    [b]headway analyze starts english.headway dev.conllu --restarts 100[/]
    """
    from headway import Parser
    from headway.analysis import compare_starts
    from headway.corpus import read_sentences

    check_plot(plot)
    with reporting(quiet=quiet) as progress:
        parser = Parser.load(model)
        say_if_compiling(progress)
        sentences = list(read_sentences(file, layout=format.layout))
        progress.note("climbing from four kinds of starting trees")
        compared = compare_starts(parser, sentences, rule=replace(_rule(parser, seed), restarts=restarts))
    show(compared.rows(), [compared.chart()], plot=plot, json=json)


def _rule(parser: "Parser", seed: int, start: Start = Start.map) -> "SearchRule":
    """Return the model's search with the options of the command line."""
    return replace(parser.model.rule, start=start.value, seed=seed)
