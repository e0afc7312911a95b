"""``headway analyze decoders``: which search finds the best tree, and which can prove it."""

from dataclasses import replace
from typing import Annotated

import typer

from headway.cli.options import Format, FormatOption, JsonOption, QuietOption
from headway.cli.progress import reporting, say_if_compiling
from headway.cli.showing import ModelArgument, PlotOption, TreebankArgument, check_plot, show, watched


def decoders(
    model: ModelArgument,
    file: TreebankArgument = "-",
    iterations: Annotated[
        int, typer.Option(min=1, metavar="N", help="Maximum number of iterations of dual decomposition.")
    ] = 5000,
    time_limit: Annotated[
        float, typer.Option(min=0.0, metavar="SECONDS", help="Time limit of the exact search for one sentence.")
    ] = 10.0,
    restarts: Annotated[
        int | None, typer.Option(min=0, metavar="N", help="Restarts of hill climbing; default: the model's setting.")
    ] = None,
    projective: Annotated[
        bool | None, typer.Option(help="Allow only projective trees, or all trees; default: the model's setting.")
    ] = None,
    programs: Annotated[
        int, typer.Option(min=0, metavar="N", help="Also solve integer programs for the first N sentences; slow.")
    ] = 0,
    plot: PlotOption = None,
    format: FormatOption = Format.auto,
    json: JsonOption = False,
    quiet: QuietOption = False,
) -> None:
    """Compare hill climbing, dual decomposition, AD3 and exact search on one model.

    [b]headway analyze decoders second-order.headway dev.conllu --plot certificates.svg[/]
    """
    from headway import Parser
    from headway.analysis.certificates import compare_searches
    from headway.corpus import read_sentences
    from headway.decoders.dual_decomposition import DualRule

    check_plot(plot)
    with reporting(quiet=quiet) as progress:
        parser = Parser.load(model)
        say_if_compiling(progress)
        sentences = watched(read_sentences(file, layout=format.layout), progress, "searching")
        crossing = parser.model.settings.projective if projective is None else projective
        rule = DualRule(iterations, projective=crossing, seconds=time_limit)
        climbing = parser.model.rule if restarts is None else replace(parser.model.rule, restarts=restarts)
        found = compare_searches(parser, sentences, rule=rule, climbing=climbing, programs=programs)
    show(found.rows(), found.charts(), plot=plot, json=json)
    for rows in (found.program_rows(), found.iteration_rows(), found.summary()):
        if rows and not json:
            typer.echo()
            show(rows, [], plot=None, json=False)
