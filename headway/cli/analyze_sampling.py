"""``headway analyze sampling``: compare sampling and hill climbing, in score and speed."""

from typing import Annotated

import typer

from headway.cli.options import Format, FormatOption, JsonOption, QuietOption
from headway.cli.progress import reporting, say_if_compiling
from headway.cli.showing import ModelArgument, PlotOption, TreebankArgument, check_plot, show


def sampling(
    model: ModelArgument,
    file: TreebankArgument = "-",
    sentences: Annotated[int, typer.Option(min=1, metavar="N", help="Maximum sentences per length group.")] = 75,
    chains: Annotated[
        list[int] | None,
        typer.Option("--chains", min=1, metavar="N", help="Number of sampling chains; may be repeated."),
    ] = None,
    restarts: Annotated[
        list[int] | None,
        typer.Option("--restarts", min=0, metavar="N", help="Number of restarts of hill climbing; may be repeated."),
    ] = None,
    equal_time: Annotated[
        bool,
        typer.Option("--equal-time", help="Also sample for as long as the model's hill climbing takes; slow."),
    ] = False,
    plot: PlotOption = None,
    format: FormatOption = Format.auto,
    json: JsonOption = False,
    quiet: QuietOption = False,
) -> None:
    """Compare Gibbs moves, random walks and hill climbing at several speeds.

    [b]headway analyze sampling english.headway dev.conllu --plot sampling.svg[/]
    """
    from headway.analysis.equal_time import compare_at_equal_time
    from headway.analysis.sampling import CHAINS, RESTARTS, compare_speeds, length_samples, samplers
    from headway.annotator import Annotator, load_model
    from headway.corpus import read_sentences

    check_plot(plot)
    with reporting(quiet=quiet) as progress:
        found = load_model(model)
        parser = found.parser if isinstance(found, Annotator) else found
        say_if_compiling(progress)
        groups = length_samples(parser, read_sentences(file, layout=format.layout), most=sentences)
        proposals = samplers(parser)
        speeds = compare_speeds(
            groups, proposals, chains=chains or CHAINS, restarts=restarts or RESTARTS, progress=progress
        )
        compared = compare_at_equal_time(groups, proposals, progress=progress) if equal_time else []
    rows = [comparison.row() for comparison in compared]
    show([*speeds.rows(), *rows] if json else speeds.rows(), speeds.charts(), plot=plot, json=json)
    if rows and not json:
        typer.echo()
        show(rows, [], plot=None, json=False)
