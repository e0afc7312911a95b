"""``headway parse``: parse text or tables."""

import sys
import time
from collections.abc import Collection
from enum import StrEnum
from typing import Annotated, Any

import typer

from headway.cli.failures import warn, warn_unread
from headway.cli.guard import INPUT, INPUTS_BY_PATTERN, MODEL, OUTPUT
from headway.cli.options import Format, FormatOption, QuietOption, RootsOption, ThreadsOption
from headway.cli.progress import reporting, say_if_compiling
from headway.errors import HeadwayError, UsageError
from headway.progress import Progress


class OnError(StrEnum):
    """Behaviour at a sentence that cannot be read: stop, or skip it."""

    stop = "raise"
    skip = "skip"


class To(StrEnum):
    """The formats that trees can be written in."""

    conllu = "conllu"
    json = "json"
    tree = "tree"
    svg = "svg"
    html = "html"


def parse(
    files: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="FILE...",
            help=(
                "Plain text or CoNLL tables (recognised by their tabs): files, or patterns such "
                "as [b]'corpus/**/*.txt'[/], here or remote ([b]s3://[/], [b]gs://[/]); [b]-[/], the default, is stdin."
            ),
        ),
        INPUTS_BY_PATTERN,
    ] = None,
    *,
    model: Annotated[
        str,
        typer.Option(
            "--model",
            "-m",
            metavar="MODEL",
            help="A model file, or [b]en[/] or [b]en-accurate[/], which come with Headway.",
        ),
        MODEL,
    ] = "en",
    output: Annotated[
        str,
        typer.Option(
            "--output",
            "-o",
            metavar="FILE",
            help=(
                "Output file, here or remote; [b].gz[/] and [b].xz[/] compress. If this is a folder, each input "
                "gets its own file there."
            ),
        ),
        OUTPUT,
    ] = "-",
    jobs: Annotated[
        int | None,
        typer.Option(
            "--jobs", "-j", min=1, metavar="N", help="Number of processes; default: 1, or with --ray one per processor."
        ),
    ] = None,
    ray: Annotated[
        str | None,
        typer.Option(
            metavar="ADDRESS",
            help="Parse on a Ray cluster: its address, [b]auto[/], or [b]local[/] to start one on this machine.",
        ),
    ] = None,
    resume: Annotated[bool, typer.Option("--resume", help="Continue an interrupted run of the same command.")] = False,
    threads: ThreadsOption = 1,
    keep_heads: Annotated[
        bool, typer.Option("--keep-heads", help="Keep the heads of the input; predict only those that are [b]_[/].")
    ] = False,
    confidence: Annotated[
        bool,
        typer.Option("--confidence", help="Add the probability of each head and label to MISC: [b]HeadProb=0.97[/]."),
    ] = False,
    multiple_roots: RootsOption = False,
    decoder: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            help=(
                "Use another decoder than the model's: [b]eisner[/], [b]spanning-tree[/], "
                "[b]hill-climbing[/], [b]sampling[/], [b]model1[/], [b]exact[/], "
                "[b]integer-program[/], …"
            ),
        ),
    ] = None,
    exact: Annotated[
        bool,
        typer.Option(
            "--exact",
            help="Search with a proof: comments say whether the tree is proved best, or how far off it may be.",
        ),
    ] = False,
    time_limit: Annotated[
        float, typer.Option(min=0.0, metavar="SECONDS", help="Time limit of [b]--exact[/] for one sentence.")
    ] = 10.0,
    k_best: Annotated[
        int,
        typer.Option(
            min=1,
            max=1000,
            metavar="K",
            help="Write the K best trees of each sentence, best first; fewer if the model's pruner leaves not so many.",
        ),
    ] = 1,
    restarts: Annotated[
        int | None,
        typer.Option(min=0, metavar="N", help="Restarts of hill climbing: more are slower, but find better trees."),
    ] = None,
    pieces_above: Annotated[
        int | None,
        typer.Option(
            "--pieces-above",
            min=1,
            metavar="N",
            help="Cut sentences of more than N words after punctuation and parse the parts; default: [b]400[/].",
        ),
    ] = None,
    constraint: Annotated[
        list[str] | None,
        typer.Option(
            "--constraint",
            metavar="NAME",
            help="A rule that every tree must obey: [b]one-subject[/], [b]one-object[/], [b]one-indirect-object[/] or "
            "[b]leaf-punctuation[/]; may be repeated.",
        ),
    ] = None,
    like: Annotated[
        str | None,
        typer.Option(
            "--like",
            metavar="FILE",
            help="Another parser's trees of the same sentences; their arcs get a bonus.",
        ),
        INPUT,
    ] = None,
    like_weight: Annotated[
        str | None,
        typer.Option(
            "--like-weight",
            metavar="G1,G2,G3",
            help=("Bonuses for arcs, second- and third-order parts of the [b]--like[/] trees; default: [b]1[/]."),
        ),
    ] = None,
    correct_tags: Annotated[
        bool | None,
        typer.Option(
            "--correct-tags/--no-correct-tags",
            help="Correct the predicted tags after parsing; default: on if that was better on the model's dev set.",
        ),
    ] = None,
    on_error: Annotated[
        OnError,
        typer.Option(help=("If a sentence cannot be read, or its heads cannot be kept: stop, or skip it.")),
    ] = OnError.stop,
    to: Annotated[
        To, typer.Option(help="Output format: a table, JSON, trees for the terminal, a picture or an HTML page.")
    ] = To.conllu,
    text: Annotated[
        bool | None,
        typer.Option("--text/--table", help="Read the input as plain text, or as a table; default: guessed."),
    ] = None,
    presegmented: Annotated[
        bool, typer.Option("--presegmented", help="The plain text has one sentence per line.")
    ] = False,
    format: FormatOption = Format.auto,
    quiet: QuietOption = False,
) -> None:
    """Parse text or tables: find the head of every word.

    [b]headway parse article.txt[/]

    [b]headway parse article.txt --to html -o article.html --confidence[/]

    [b]headway parse text.conllu --model english.headway -o parsed.conllu.xz[/]

    [b]headway parse 'corpus/**/*.txt' --jobs 8 -o parsed/ --resume[/]

    [b]xzcat corpus.conllu.xz | headway parse -m english.headway --on-error skip | gzip > parsed.gz[/]
    """
    from headway.bulk import Task, Worker, find_files, is_text, parse_files
    from headway.corpus import CONLLU
    from headway.corpus.guessing import guess_layout, start_of
    from headway.decoders.decoder import list_kinds
    from headway.search.constraints import CONSTRAINTS, find_constraints
    from headway.warmup import warm_up_parser

    if exact and decoder not in (None, "exact"):
        raise UsageError(f"--exact and --decoder {decoder} exclude each other: choose one")
    decoder = "exact" if exact else decoder
    paths = find_files(files or ["-"])
    texts = [is_text(path) if text is None else text for path in paths]
    tables = [path for path, plain in zip(paths, texts, strict=True) if not plain]
    layout = format.layout or (guess_layout(tables[0]) if tables else CONLLU)
    if confidence and "MISC" not in layout.names:
        raise UsageError(f"--confidence needs the MISC column, which {layout.name} does not have")
    if any(texts) and ((format is Format.conllu and not tables) or format not in (Format.auto, Format.conllu)):
        what = "plain text always becomes CoNLL-U, and --format is about tables"
        raise UsageError(f"{what}; to read the file as {format.value}, add --table")
    if presegmented and not any(texts) and any(start_of(path).strip() for path in tables):
        raise UsageError("--presegmented is about plain text, and the input is a table; to read it as text, add --text")
    options: dict[str, Any] = {
        "threads": threads,
        "single_root": not multiple_roots,
        "keep_heads": keep_heads,
        "confidence": confidence,
        "decoder": decoder,
        "seconds": time_limit,
        "k_best": k_best,
        "constraints": find_constraints(constraint or ()),
        **({} if pieces_above is None else {"longest": pieces_above}),
    }
    if like is not None:
        from headway.ensemble import TreeFile, read_gamma

        options["like"] = TreeFile.read(like, gamma=read_gamma(like_weight or "1"), layout=layout)
    elif like_weight is not None:
        raise UsageError("--like-weight needs --like FILE")
    task = Task(model, layout, to.value, on_error is OnError.skip, options, restarts, correct_tags, presegmented)
    onto_terminal = output == "-" and sys.stdout.isatty()
    with reporting(quiet=quiet or onto_terminal) as progress:
        worker = Worker(task)
        search = worker.parser.model.search(decoder)
        search.check_k(k_best)
        reads_text = worker.annotator is not None and any(texts)
        warm_up_parser(worker.parser, progress, text=reads_text, confidence=confidence)
        say_if_compiling(progress)
        if decoder is not None and search.ignored:
            warn(f"{decoder} cannot read {list_kinds(search.ignored)} parts, which this model scores: they are ignored")
        for name in constraint or ():
            if not CONSTRAINTS[name].applies(worker.parser.model.labels):
                warn(f"{name} has no effect: this model has none of its labels, which are those of UD")
        if confidence and not worker.parser.model.facts.get("calibrated"):
            warn("this model was trained without a dev set: its confidences rank arcs, but are not calibrated")
        started = time.monotonic()
        counts = parse_files(
            paths, output, worker, jobs=jobs or (1 if ray is None else 0), cluster=ray, text=text, resume=resume,
            progress=progress, tell=_tell, lacking=_tell_missing, unread=warn_unread,
        )  # fmt: skip
        _note(progress, *counts, time.monotonic() - started)


def _tell_missing(columns: Collection[str]) -> None:
    names = ", ".join(sorted(name.upper() for name in columns))
    warn(f"the input has no {names}, which this model was trained with: expect worse trees")


def _note(progress: Progress, sentences: int, words: int, seconds: float) -> None:
    from headway.corpus.word import counted

    rate = words / max(seconds, 1e-9)
    progress.note(f"{counted(sentences, 'sentence')}, {counted(words, 'word')}, {rate:,.0f} words a second")


def _tell(error: HeadwayError) -> None:
    warn(f"left out: {error}")
