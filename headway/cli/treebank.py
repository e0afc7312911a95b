"""``headway treebank``: count, validate, split and convert treebanks."""

from collections import Counter
from collections.abc import Iterator
from contextlib import ExitStack, suppress
from typing import TYPE_CHECKING, Annotated

import typer

from headway.cli.failures import warn
from headway.cli.guard import INPUT, PART
from headway.cli.options import (
    Format,
    FormatOption,
    JsonOption,
    OutputOption,
    QuietOption,
    RootsOption,
    SeedOption,
)
from headway.errors import CorpusError, UsageError
from headway.support.printable import printable

if TYPE_CHECKING:
    from headway.corpus import Layout, Sentence

Files = Annotated[list[str], typer.Argument(metavar="FILE...", help="Files of sentences, [b]-[/] for stdin."), INPUT]
Input = Annotated[str, typer.Argument(metavar="FILE", help="A file of sentences, [b]-[/] for stdin."), INPUT]


def stats(files: Files, format: FormatOption = Format.auto, json: JsonOption = False) -> None:
    """Count sentences, words, relations, crossing arcs and more.

    [b]headway treebank stats train.conllu dev.conllu[/]
    """
    from dataclasses import asdict

    from headway.corpus import read_sentences, statistics

    table = {path: asdict(statistics(read_sentences(path, layout=format.layout))) for path in files}
    typer.echo(_json(table) if json else _columns(table))


def validate(
    files: Files, format: FormatOption = Format.auto, roots: RootsOption = False, quiet: QuietOption = False
) -> None:
    """List all problems of some files; the exit code is 3 if there are any.

    [b]headway treebank validate train.conllu[/]
    """
    from headway.corpus import validate as problems_of

    problems = 0
    for path in files:
        for problem in problems_of(path, layout=format.layout, single_root=not roots):
            typer.echo(printable(str(problem)))
            problems += 1
    if not quiet:
        typer.echo(f"{problems:,} problem{'' if problems == 1 else 's'}", err=True)
    if problems:
        raise typer.Exit(CorpusError.exit_code)


def split(
    part: Annotated[
        list[str], typer.Option(metavar="FILE=SHARE", help="A file to write and its share; may be repeated."), PART
    ],
    file: Input = "-",
    seed: SeedOption = 1,
    format: FormatOption = Format.auto,
) -> None:
    """Split the sentences of a file at random.

    [b]headway treebank split all.conllu --part train.conllu=0.9 --part dev.conllu=0.1[/]
    """
    from headway.corpus import format_sentence, open_output, read_sentences
    from headway.corpus import split as deal

    names, shares = zip(*map(_name_and_share, part), strict=True)
    sentences = read_sentences(file, layout=format.layout)
    dealt = deal(sentences, fractions=shares, seed=seed)
    with ExitStack() as stack:
        streams = [stack.enter_context(open_output(name)) for name in names]
        for number, sentence in dealt:
            streams[number].write(format_sentence(sentence).encode())


def convert(
    file: Input = "-",
    output: OutputOption = "-",
    source: Annotated[Format, typer.Option("--format", "--from", help="The format of FILE.")] = Format.auto,
    target: Annotated[Format, typer.Option("--to", help="The format to write.")] = Format.conllu,
    quiet: QuietOption = False,
) -> None:
    """Convert sentences to another table format; a warning lists what is lost.

    [b]headway treebank convert train.conllu --to conllx -o train.conllx[/]
    """
    from headway.corpus import CONLLU, read_sentences, write_sentences

    losses: Counter[str] = Counter()
    layout = target.layout or CONLLU
    sentences = read_sentences(file, layout=source.layout)
    write_sentences(output, _converted(sentences, layout, losses))
    if losses and not quiet:
        kinds = ", ".join(f"{kind} (sentences: {count:,})" for kind, count in losses.most_common())
        warn(f"{layout.name} has no place for {kinds}")


def _converted(sentences: Iterator["Sentence"], layout: "Layout", losses: "Counter[str]") -> Iterator["Sentence"]:
    from headway.corpus import conversion_losses
    from headway.corpus import convert as to_layout

    for sentence in sentences:
        losses.update(map(_kind, conversion_losses(sentence, layout=layout)))
        yield to_layout(sentence, layout=layout)


def _kind(loss: str) -> str:
    """Return the kind of a loss, without its count: ``comments`` for both ``1 comment`` and ``3 comments``."""
    count, _, name = loss.partition(" ")
    if not count.replace(",", "").isdecimal():
        return loss
    return name if name.endswith("s") else f"{name}s"


def _name_and_share(part: str) -> tuple[str, float]:
    name, _, share = part.rpartition("=")
    with suppress(ValueError):
        if name and 0 <= float(share) <= 1:
            return name, float(share)
    raise UsageError(f"{part!r}: write each part as FILE=SHARE, such as dev.conllu=0.1")


def _columns(table: dict[str, dict[str, float]]) -> str:
    """Format counts as a table with a line for each count and a column for each file."""
    counts = {name: [column[name] for column in table.values()] for name in next(iter(table.values()))}
    lines = [["", *map(printable, table)]] if len(table) > 1 else []
    lines += [[name.replace("_", " "), *map(_number, values)] for name, values in counts.items()]
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    return "\n".join("  ".join([line[0].ljust(widths[0]), *map(str.rjust, line[1:], widths[1:])]) for line in lines)


def _number(value: float) -> str:
    return f"{value:,}" if isinstance(value, int) else f"{value:,.2f}"


def _json(table: dict[str, dict[str, float]]) -> str:
    import json

    return json.dumps(table, ensure_ascii=False, indent=2)
