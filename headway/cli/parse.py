"""``headway parse``: trees for sentences."""

import sys
import time
from collections.abc import Iterable, Iterator
from dataclasses import replace
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated

import typer

from headway.cli.failures import warn
from headway.cli.options import Format, FormatOption, OutputOption, QuietOption, RootsOption, ThreadsOption
from headway.cli.progress import reporting, say_if_compiling
from headway.errors import HeadwayError, UsageError
from headway.progress import Progress

if TYPE_CHECKING:
    from headway import Annotator, Parser
    from headway.corpus import Sentence


class OnError(StrEnum):
    """What a sentence that cannot be read does."""

    stop = "raise"
    skip = "skip"


class To(StrEnum):
    """The forms that trees can be written in."""

    conllu = "conllu"
    json = "json"
    tree = "tree"
    html = "html"


def parse(
    file: Annotated[
        str, typer.Argument(metavar="FILE", help="Sentences, or plain text ([b].txt[/]); [b]-[/] for stdin.")
    ] = "-",
    *,
    model: Annotated[
        str, typer.Option("--model", "-m", metavar="MODEL", help="A model file, or [b]en[/], which comes with Headway.")
    ] = "en",
    output: OutputOption = "-",
    threads: ThreadsOption = 1,
    keep_heads: Annotated[
        bool, typer.Option("--keep-heads", help="Keep the heads that are there, find those that are [b]_[/].")
    ] = False,
    confidence: Annotated[
        bool, typer.Option("--confidence", help="Add how sure each head is to MISC: [b]HeadProb=0.97[/].")
    ] = False,
    multiple_roots: RootsOption = False,
    decoder: Annotated[
        str | None,
        typer.Option(metavar="NAME", help="Another search than the model's own, such as [b]model1[/] or [b]eisner[/]."),
    ] = None,
    exact: Annotated[
        bool,
        typer.Option("--exact", help="Find the best tree with a proof; say so, or how far off it may be, in comments."),
    ] = False,
    time_limit: Annotated[
        float, typer.Option(min=0.0, metavar="SECONDS", help="How long [b]--exact[/] may take for a sentence.")
    ] = 10.0,
    k_best: Annotated[
        int, typer.Option(min=1, max=1000, metavar="K", help="Write the K best trees of each sentence, best first.")
    ] = 1,
    restarts: Annotated[
        int | None, typer.Option(min=0, metavar="N", help="Search longer, or less long, than the model is set to.")
    ] = None,
    on_error: Annotated[
        OnError,
        typer.Option(help="Stop at a sentence that cannot be read or whose heads cannot be kept, or leave it out."),
    ] = OnError.stop,
    to: Annotated[
        To, typer.Option(help="What to write: a table, JSON, trees for the terminal, or a page to look at.")
    ] = To.conllu,
    text: Annotated[
        bool | None, typer.Option("--text/--table", help="Take the input for plain text, or for a table of words.")
    ] = None,
    format: FormatOption = Format.conllu,
    quiet: QuietOption = False,
) -> None:
    """Find the head of every word.

    [b]headway parse article.txt[/]

    [b]headway parse article.txt --to html -o article.html --confidence[/]

    [b]headway parse text.conllu --model english.headway -o parsed.conllu.xz[/]

    [b]xzcat corpus.conllu.xz | headway parse -m english.headway --on-error skip | gzip > parsed.gz[/]
    """
    from headway.corpus import read_sentences, write_sentences
    from headway.searchers import find_searcher

    if exact and decoder not in (None, "exact"):
        raise UsageError(f"--exact is a decoder of its own, so --decoder {decoder} makes no sense beside it")
    decoder = "exact" if exact else decoder
    if confidence and "MISC" not in format.layout.names:
        raise UsageError(f"--confidence writes to MISC, and {format.layout.name} has no such column")
    is_text = file.removesuffix(".gz").removesuffix(".xz").endswith(".txt") if text is None else text
    onto_terminal = output == "-" and sys.stdout.isatty()
    with reporting(quiet=quiet or onto_terminal) as progress:
        parser, annotator = _load(model)
        if is_text:
            if annotator is None:
                raise UsageError(f"{model}: a parser of tagged words, not of text: train it with --pipeline")
            sentences = annotator.tag(annotator.read_files([file]))
        else:
            sentences = read_sentences(file, layout=format.layout, on_error=on_error.value, report=_tell)
            if annotator is not None:
                sentences = annotator.tag(sentences)
        searcher = find_searcher(parser.model, decoder)
        say_if_compiling(progress, searcher.kernel)
        if decoder is not None and searcher.neglected():
            warn(f"{decoder} does not score {', '.join(searcher.neglected())}, which this model was trained with")
        if confidence and not parser.model.facts.get("calibrated"):
            warn("this model had no dev set to calibrate its confidences on: they rank arcs, but are no probabilities")
        parsed = parser.parse(
            sentences if annotator else _watched(sentences, parser.model.encoder.constant_atoms()),
            threads=threads,
            single_root=not multiple_roots,
            keep_heads=keep_heads,
            confidence=confidence,
            live=file == "-",
            decoder=decoder,
            seconds=time_limit,
            k_best=k_best,
            search=None if restarts is None else replace(parser.model.search, restarts=restarts),
            report=_tell if on_error is OnError.skip else None,
        )
        if to is To.conllu:
            write_sentences(output, _counted(parsed, progress))
        else:
            _write_document(output, _counted(parsed, progress), to)


def _write_document(output: str, sentences: Iterable["Sentence"], to: To) -> None:
    """Write what a person looks at, or a program reads."""
    import json

    from headway.cli.demo import tree_lines
    from headway.corpus import open_output
    from headway.document import Doc

    shown: Iterable[str]
    if to is To.tree:
        shown = ("\n".join([*(line.plain for line in tree_lines(one)), ""]) for one in sentences)
    elif to is To.json:
        shown = (json.dumps(sentence, ensure_ascii=False) for sentence in Doc("", tuple(sentences)).to_json())
    else:
        shown = [Doc("", tuple(sentences)).to_html()]
    with open_output(output) as file:
        for piece in shown:
            file.write(f"{piece}\n".encode())


def _load(path: str) -> "tuple[Parser, Annotator | None]":
    """The parser of a model file, and all around it where the file has that."""
    from headway import Annotator, Parser
    from headway.annotator import reads_text

    if reads_text(path):
        annotator = Annotator.load(path)
        return annotator.parser, annotator
    return Parser.load(path), None


_COLUMNS = {"lemma": "lemmas", "upos": "upos", "xpos": "xpos", "feats": "feats"}
_WATCHED = 20


def _watched(sentences: Iterable["Sentence"], constant: set[str]) -> Iterator["Sentence"]:
    """Pass sentences on, and warn if the first ones lack a column that the model was trained with."""
    missing = {name for name in _COLUMNS if name not in constant}
    number = 0
    for number, sentence in enumerate(sentences, start=1):
        missing = {name for name in missing if set(getattr(sentence, _COLUMNS[name])) <= {"_"}}
        if number == _WATCHED:
            _tell_missing(missing)
        yield sentence
    if 0 < number < _WATCHED:
        _tell_missing(missing)


def _tell_missing(columns: set[str]) -> None:
    if columns:
        names = ", ".join(sorted(name.upper() for name in columns))
        warn(f"the input has no {names}, which this model relies on: expect worse trees")


def _counted(sentences: Iterable["Sentence"], progress: Progress) -> Iterator["Sentence"]:
    """Pass sentences on, and report on them."""
    count = words = 0
    started = time.monotonic()
    progress.start("parsing", 0)
    for sentence in sentences:
        yield sentence
        count, words = count + 1, words + len(sentence)
        progress.advance()
    progress.finish()
    seconds = max(time.monotonic() - started, 1e-9)
    progress.note(f"{count:,} sentences, {words:,} words, {words / seconds:,.0f} words a second")


def _tell(error: HeadwayError) -> None:
    warn(f"left out: {error}")
