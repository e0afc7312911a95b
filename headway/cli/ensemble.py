"""``headway ensemble``: combine several parsers into one model file."""

from pathlib import Path
from typing import Annotated

import typer

from headway.cli.guard import INPUT, MODEL, OUTPUT
from headway.cli.options import Format, FormatOption, QuietOption
from headway.cli.progress import reporting, say_if_compiling
from headway.errors import UsageError


def ensemble(
    models: Annotated[
        list[str],
        typer.Argument(
            metavar="MODEL...", help="Model files. The first parser decodes, biased towards the trees of the others."
        ),
        MODEL,
    ],
    output: Annotated[Path, typer.Option("--output", "-o", metavar="MODEL", help="The model file to write."), OUTPUT],
    dev: Annotated[
        str | None, typer.Option(metavar="FILE", help="Dev set: used for learning the weights of the parsers."), INPUT
    ] = None,
    weight: Annotated[
        list[str] | None,
        typer.Option(
            "--weight",
            metavar="G1,G2,G3",
            help="Fixed weights for arcs, second- and third-order parts; repeat once per other parser.",
        ),
    ] = None,
    confident: Annotated[
        bool, typer.Option("--confident", help="Multiply the weight of each arc by its calibrated probability.")
    ] = False,
    reparse: Annotated[
        bool, typer.Option("--reparse", help="Combine the trees by voting on arcs, without the first parser's scores.")
    ] = False,
    format: FormatOption = Format.auto,
    quiet: QuietOption = False,
) -> None:
    """Combine several parsers into one model.

    [b]headway ensemble full.headway model1.headway greedy.headway --dev dev.conllu -o all.headway[/]
    """
    from headway import Parser
    from headway.corpus import read_sentences
    from headway.ensemble import Ensemble, read_gamma
    from headway.model_file import check_model_place
    from headway.scorers.biased import Gamma

    check_model_place(output)
    if len(models) < 2:
        raise UsageError("an ensemble needs at least two parsers")
    voters = len(models) - 1 + int(reparse)
    if weight and len(weight) not in (1, voters):
        raise UsageError(f"{len(weight)} weights for {voters} trees: give one weight, or one for each tree")
    gammas = [read_gamma(text) for text in weight] if weight else [Gamma()]
    with reporting(quiet=quiet) as progress:
        first, *others = (Parser.load(model) for model in models)
        say_if_compiling(progress)
        combined = Ensemble(
            first.model, others, gammas if len(gammas) == voters else gammas * voters, confident=confident,
            reparse=reparse,
        )  # fmt: skip
        if dev is not None:
            combined = combined.tuned(list(read_sentences(dev, layout=format.layout)), report=progress.note)
        combined.save(output)
