"""``headway tune``: tune the options of greedy inference on a dev set."""

from pathlib import Path
from typing import Annotated

import typer

from headway.cli.guard import INPUT, OUTPUT
from headway.cli.options import Format, FormatOption, QuietOption
from headway.cli.progress import reporting, say_if_compiling
from headway.cli.showing import ModelArgument


def tune(
    model: ModelArgument,
    dev: Annotated[str, typer.Argument(metavar="DEV", help="Sentences with trees, [b]-[/] for stdin."), INPUT],
    output: Annotated[Path, typer.Option("--output", "-o", metavar="MODEL", help="The model file to write."), OUTPUT],
    beam: Annotated[
        list[int] | None, typer.Option(min=1, metavar="N", help="A beam width to try; may be repeated.")
    ] = None,
    swaps: Annotated[
        list[int] | None, typer.Option(min=0, metavar="N", help="A number of arc swaps to try; may be repeated.")
    ] = None,
    format: FormatOption = Format.auto,
    quiet: QuietOption = False,
) -> None:
    """Make greedy inference a model's decoder and tune its options (α, β, beam, arc swaps) on a dev set.

    [b]headway tune english.headway dev.conllu -o greedy.headway[/]
    """
    from headway import Parser
    from headway.corpus import read_sentences
    from headway.model_file import check_model_place
    from headway.tuning import BEAMS, SWAPS, tune_greedy

    check_model_place(output)
    with reporting(quiet=quiet) as progress:
        parser = Parser.load(model)
        say_if_compiling(progress)
        sentences = list(read_sentences(dev, layout=format.layout))
        tuned = tune_greedy(parser, sentences, beams=beam or BEAMS, swaps=swaps or SWAPS, report=progress.note)
        tuned.save(output)
