"""``headway analyze greedy``: compare greedy inference with other decoders."""

from typing import Annotated

import typer

from headway.cli.guard import MODEL
from headway.cli.options import Format, FormatOption, JsonOption, QuietOption
from headway.cli.progress import reporting, say_if_compiling
from headway.cli.showing import ModelArgument, TreebankArgument, show


def greedy(
    model: ModelArgument,
    file: TreebankArgument = "-",
    beside: Annotated[
        str | None,
        typer.Option(
            "--beside",
            metavar="MODEL",
            help="The model for dual decomposition and hill climbing; default: the same model.",
        ),
        MODEL,
    ] = None,
    format: FormatOption = Format.auto,
    json: JsonOption = False,
    quiet: QuietOption = False,
) -> None:
    """Compare greedy inference with dual decomposition and hill climbing: accuracy, speed and shared arcs.

    [b]headway analyze greedy greedy.headway dev.conllu --beside english.headway[/]
    """
    from headway import Parser
    from headway.analysis.greedy import compare_variants
    from headway.corpus import read_sentences

    with reporting(quiet=quiet) as progress:
        parser = Parser.load(model)
        other = parser if beside is None else Parser.load(beside)
        say_if_compiling(progress)
        rows = compare_variants(parser, other, list(read_sentences(file, layout=format.layout)))
    show(rows, [], plot=None, json=json)
