"""``headway analyze agreement``: constituents, dependencies and tags by dual decomposition."""

from typing import Annotated

import typer

from headway.cli.options import JsonOption, QuietOption
from headway.cli.progress import reporting, say_if_compiling
from headway.cli.showing import ModelArgument, PlotOption, TreebankArgument, check_plot, show, watched


def agreement(
    model: ModelArgument,
    file: TreebankArgument = "-",
    gold_tags: Annotated[bool, typer.Option("--gold-tags", help="Give all systems the gold tags.")] = False,
    iterations: Annotated[
        int, typer.Option(min=1, metavar="N", help="Maximum number of iterations of dual decomposition.")
    ] = 50,
    step: Annotated[
        str,
        typer.Option(
            metavar="NAME", help="Step size: [b]mixed[/], [b]ad3[/], [b]halving[/], [b]decreasing[/] or [b]polyak[/]."
        ),
    ] = "mixed",
    every: Annotated[int, typer.Option(min=1, metavar="N", help="Use only every N-th tree.")] = 1,
    skip: Annotated[int, typer.Option(min=0, metavar="N", help="Skip the first N trees.")] = 0,
    plot: PlotOption = None,
    json: JsonOption = False,
    quiet: QuietOption = False,
) -> None:
    """Compare a constituent parser by itself and jointly with tags, dependencies and both.

    Per system: bracket scores, the share of sentences certified, and F1, by the number of iterations.

    [b]headway analyze agreement en.const.headway dev.ptb --plot agreement.svg[/]
    """
    from itertools import islice

    from headway import load_constituents
    from headway.analysis.agreement import study_agreement
    from headway.cli.constituent_files import read_trees

    check_plot(plot)
    with reporting(quiet=quiet) as progress:
        parser = load_constituents(model)
        say_if_compiling(progress)
        trees = watched(islice(read_trees(file), skip, None, every), progress, "parsing")
        found = study_agreement(parser, trees, gold_tags=gold_tags, iterations=iterations, step=step)
        if found.flat:
            progress.note(f"sentences that the grammar cannot derive: {found.flat}; their trees are flat")
    show(found.rows(), found.charts(), plot=plot, json=json)
