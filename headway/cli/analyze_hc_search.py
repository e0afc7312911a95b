"""``headway analyze hc-search``: split errors into beam errors and ranking errors."""

from typing import Annotated

import typer

from headway.cli.guard import MODEL
from headway.cli.options import Format, FormatOption, JsonOption, QuietOption
from headway.cli.progress import reporting, say_if_compiling
from headway.cli.showing import ModelArgument, PlotOption, TreebankArgument, check_plot, show


def hc_search(
    model: ModelArgument,
    file: TreebankArgument = "-",
    beams: Annotated[
        list[int] | None, typer.Option("--beam", min=1, max=1024, metavar="N", help="A beam width; may be repeated.")
    ] = None,
    others: Annotated[
        list[str] | None,
        typer.Option("--with", metavar="MODEL", help="Another model to compare with; may be repeated."),
        MODEL,
    ] = None,
    plot: PlotOption = None,
    format: FormatOption = Format.auto,
    json: JsonOption = False,
    quiet: QuietOption = False,
) -> None:
    """Split errors of incremental models into beam and ranking errors; show accuracy and speed by beam width.

    [b]headway analyze hc-search english.headway dev.conllu --plot beams.svg[/]

    [b]headway analyze hc-search baseline.headway dev.conllu --with worst-fine.headway[/]
    """
    from headway.analysis.hc_search import BEAMS, beam_curve, beam_search, loss_rows
    from headway.annotator import Annotator, load_model
    from headway.corpus import read_sentences
    from headway.learning.gold import check_gold

    check_plot(plot)
    with reporting(quiet=quiet) as progress:
        models = {}
        for name in [model, *(others or [])]:
            found = load_model(name)
            models[name] = (found.parser if isinstance(found, Annotator) else found).model
            beam_search(models[name])
        say_if_compiling(progress)
        sentences = list(read_sentences(file, layout=format.layout))
        check_gold(sentences, "compare with")
        losses = loss_rows(models, sentences)
        curve = beam_curve(models[model], sentences, widths=beams or BEAMS)
    if json:
        show([*losses, *curve.rows()], curve.charts(), plot=plot, json=True)
        return
    show(losses, [], plot=None, json=False)
    typer.echo()
    show(curve.rows(), curve.charts(), plot=plot, json=False)
