"""Many files into one, or into a folder; and on from where a run was broken off."""

import os
from collections.abc import Callable, Sequence
from functools import partial

from headway.bulk.answers import answers
from headway.bulk.forms import Form
from headway.bulk.joining import document_names, joined
from headway.bulk.pieces import is_damaged
from headway.bulk.plan import Plan
from headway.bulk.worker import WATCHED, Answer, Worker
from headway.corpus import remote
from headway.corpus.files import compression
from headway.corpus.remote import is_remote
from headway.corpus.resumable import PieceOutput
from headway.corpus.writer import encode
from headway.errors import HeadwayError, UsageError
from headway.progress import Progress


def parse_files(
    paths: Sequence[str],
    output: str,
    worker: Worker,
    *,
    jobs: int = 1,
    cluster: str | None = None,
    text: bool | None = None,
    resume: bool = False,
    progress: Progress | None = None,
    tell: Callable[[HeadwayError], None] = lambda error: None,
    lacking: Callable[[frozenset[str]], None] = lambda columns: None,
    unread: Callable[[str], None] = lambda path: None,
) -> tuple[int, int]:
    """Parse files into one, or into a folder with one for each.

    Parameters
    ----------
    output : str
        A file, ``-``, or a folder: one that is there, or a name that ends in a slash. May be remote, as the files may.
    jobs, cluster
        As for `headway.bulk.answers.answers`.
    text : bool, optional
        Whether the files are plain text; told by their names by default.
    resume : bool
        Go on from where a run with the same files and options was broken off. A page or a picture, which is written
        at its end, begins anew.
    tell : callable
        Hears of sentences that are left out.
    lacking : callable
        Hears, once, of columns that the model relies on and the first sentences do not have.
    unread : callable
        Hears of plain text with signs of what could not be read, once for each file.

    Returns
    -------
    sentences, words : int
        How many were read, in this run.
    """
    if resume and ("-" in paths or output == "-"):
        raise UsageError("a run that reads standard input or writes standard output cannot be resumed")
    progress = progress or Progress()
    progress.start("parsing", _total_size(paths))
    plan, form, columns = Plan(paths, output, worker.task, text=text, resume=resume), Form(worker.task.to), _Columns()
    words = 0
    damaged: set[str] = set()
    names: dict[str, str] = {}
    sink: PieceOutput | None = None
    stream = answers(
        plan.stream(tell, progress, live=jobs == 1 and cluster is None), worker, jobs=jobs, cluster=cluster
    )
    try:
        for target, piece, answer in stream:
            if sink is None:
                target.output.open()
                sink = target.output
                names = document_names(target.sources) if target.several else {}
            for complaint in answer.complaints:
                tell(complaint)
            if piece.text and piece.path not in damaged and is_damaged(piece.text):
                damaged.add(piece.path)
                unread(piece.path)
            columns.watch(answer, lacking)
            trees = joined(answer.trees, piece, sink.counts, document=names.get(piece.path, ""))
            written = form.end() if piece.last else form.add(trees)
            sentences = sink.counts.get("sentences", 0) + answer.sentences
            sink.write(encode(written, output), sentences=sentences)
            words += answer.words
            progress.advance(piece.size)
            if piece.last:
                sink.finish(partial(plan.note, target))
                sink = None
    except BaseException:
        if sink is not None:
            sink.abandon()
        raise
    finally:
        stream.close()
    columns.end(lacking)
    plan.finish()
    progress.finish()
    return columns.sentences, words


class _Columns:
    """The columns that the model relies on and that the first sentences of a run do not have."""

    def __init__(self) -> None:
        self.sentences = 0
        self._missing: frozenset[str] | None = None

    def watch(self, answer: Answer, report: Callable[[frozenset[str]], None]) -> None:
        """Count the sentences of an answer, and report as soon as enough of them were seen."""
        if not answer.sentences:
            return
        if self.sentences < WATCHED:
            self._missing = answer.missing if self._missing is None else self._missing & answer.missing
        self.sentences += answer.sentences
        if self.sentences >= WATCHED:
            self.end(report)

    def end(self, report: Callable[[frozenset[str]], None]) -> None:
        """Report what is missing, once."""
        if self._missing:
            report(self._missing)
        self._missing = frozenset()


def _total_size(paths: Sequence[str]) -> int:
    """Bytes of all files; 0 where nobody knows before they are read."""
    if any(path == "-" or compression(path) for path in paths):
        return 0
    return sum(remote.size(path) if is_remote(path) else os.path.getsize(path) for path in paths)
