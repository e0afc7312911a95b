"""``headway analyze hc-search``: split an incremental model's errors into those of the beam and those of the choice."""

from typing import Annotated

import typer

from headway.cli.options import Format, FormatOption, JsonOption, QuietOption
from headway.cli.progress import reporting, say_if_compiling
from headway.cli.showing import ModelArgument, PlotOption, TreebankArgument, check_plot, show


def hc_search(
    model: ModelArgument,
    file: TreebankArgument = "-",
    beams: Annotated[
        list[int] | None, typer.Option("--beam", min=1, max=1024, metavar="N", help="A beam width; may be repeated.")
    ] = None,
    plot: PlotOption = None,
    format: FormatOption = Format.auto,
    json: JsonOption = False,
    quiet: QuietOption = False,
) -> None:
    """Split the errors of an incremental model, and show accuracy, speed and search errors by beam width.

    [b]headway analyze hc-search english.headway dev.conllu --plot beams.svg[/]
    """
    from headway.analysis.hc_search import BEAMS, beam_curve, beam_search, loss_rows
    from headway.annotator import Annotator, load_model
    from headway.corpus import read_sentences
    from headway.learning.gold import check_gold

    check_plot(plot)
    with reporting(quiet=quiet) as progress:
        found = load_model(model)
        parser = found.parser if isinstance(found, Annotator) else found
        beam_search(parser.model)
        say_if_compiling(progress)
        sentences = list(read_sentences(file, layout=format.layout))
        check_gold(sentences, "compare with")
        losses = loss_rows(parser.model, sentences, name=model)
        curve = beam_curve(parser.model, sentences, widths=beams or BEAMS)
    if json:
        show([*losses, *curve.rows()], curve.charts(), plot=plot, json=True)
        return
    show(losses, [], plot=None, json=False)
    typer.echo()
    show(curve.rows(), curve.charts(), plot=plot, json=False)
