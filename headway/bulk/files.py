"""Many files into one, or into a folder; and on from where a run was broken off."""

import hashlib
import json
import os
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from headway.bulk.pieces import COMPRESSED, Piece, bare_name, is_damaged, is_text, pieces
from headway.bulk.processes import answers
from headway.bulk.worker import Task, Worker
from headway.corpus.resumable import PieceOutput, ResumableOutput, clear_words, is_resumable
from headway.corpus.text import PART
from headway.corpus.writer import encode
from headway.errors import CorpusError, HeadwayError, UsageError
from headway.models import find_model
from headway.progress import Progress

_NUMBER = re.compile(r"^# sent_id = (\d+)$", re.MULTILINE)

_FORMAT = 2
"""Raised when pieces are cut otherwise, or written otherwise: older runs cannot be gone on with then."""


def parse_files(
    paths: Sequence[str],
    output: str,
    worker: Worker,
    *,
    jobs: int = 1,
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
        A file, ``-``, or a folder: one that is there, or a name that ends in a slash.
    text : bool, optional
        Whether the files are plain text; told by their names by default.
    resume : bool
        Go on from where a run with the same files and options was broken off.
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
        raise UsageError("what comes from or goes to the standard streams is gone: a run with them cannot be resumed")
    progress = progress or Progress()
    progress.start("parsing", _total_size(paths))
    plan = _Plan(paths, output, worker.task, text=text, resume=resume)
    sentences = words = 0
    damaged: set[str] = set()
    sink: PieceOutput | None = None
    stream = answers(plan.stream(tell, progress), worker, jobs=jobs)
    try:
        for target, piece, answer in stream:
            if sink is None:
                target.output.open()
                sink = target.output
            for complaint in answer.complaints:
                tell(complaint)
            if piece.text and piece.path not in damaged and is_damaged(piece.text):
                damaged.add(piece.path)
                unread(piece.path)
            if answer.missing and not sentences:
                lacking(answer.missing)
            joined = target.several and worker.task.to == "conllu"
            said, counts = _placed(answer.text, piece, sink.counts, several=joined)
            counts["sentences"] = sink.counts.get("sentences", 0) + answer.sentences
            sink.write(encode(said, output), **counts)
            sentences, words = sentences + answer.sentences, words + answer.words
            progress.advance(piece.size)
            if piece.last:
                sink.finish()
                sink = None
                plan.note(target)
    except BaseException:
        if sink is not None:
            sink.abandon()
        raise
    finally:
        stream.close()
    plan.finish()
    progress.finish()
    return sentences, words


def is_folder(output: str) -> bool:
    """Whether each file gets one of its own there: a folder that is there, or a name that ends in a slash."""
    return output.endswith(os.sep) or os.path.isdir(output)


@dataclass(frozen=True)
class _Target:
    """Where the trees of some files go.

    Parameters
    ----------
    mark : str
        What they are made from and how, as a digest.
    """

    name: str
    sources: tuple[str, ...]
    mark: str
    output: PieceOutput

    @property
    def several(self) -> bool:
        """Whether more than one file goes there."""
        return len(self.sources) > 1


class _Plan:
    """Which files go where, and what of it is done.

    While trees go into a folder, ``.headway-resume.jsonl`` there says which of its files are whole.
    """

    def __init__(self, paths: Sequence[str], output: str, task: Task, *, text: bool | None, resume: bool) -> None:
        self.task, self.text, self.resume = task, text, resume
        self.folder = output if is_folder(output) else None
        self.groups = {output: tuple(paths)} if self.folder is None else _one_for_each(paths, self.folder, task.to)
        self._check_outputs(paths)
        self._journal = None if self.folder is None else Path(self.folder) / ".headway-resume.jsonl"
        self._done: dict[str, str] = {}
        if self.folder is not None:
            with clear_words(self.folder):
                os.makedirs(self.folder, exist_ok=True)
        if self._journal is not None and self._journal.is_file():
            if resume:
                self._done = _read_journal(self._journal)
            else:
                self._journal.unlink()

    def _check_outputs(self, paths: Sequence[str]) -> None:
        """Refuse to write over what is read."""
        read = {(known.st_dev, known.st_ino) for known in (os.stat(path) for path in paths if path != "-")}
        for name in filter(os.path.exists, self.groups):
            if (os.stat(name).st_dev, os.stat(name).st_ino) in read:
                raise UsageError(f"{name}: is read and would be written over; choose another output")

    def stream(self, tell: Callable[[HeadwayError], None], progress: Progress) -> Iterator[tuple[_Target, Piece]]:
        """All pieces that are still to do, with their targets; the last of each target is an empty one."""
        for name, sources in self.groups.items():
            mark = self._mark(sources)
            if self._done.get(name) == mark and os.path.exists(name):
                continue
            output = ResumableOutput(name, mark, resume=self.resume) if is_resumable(name) else PieceOutput(name)
            target, done = _Target(name, sources, mark, output), output.pieces
            for path in sources:
                try:
                    for piece in pieces(path, text=is_text(path) if self.text is None else self.text):
                        if done:
                            done -= 1
                            progress.advance(piece.size)
                        else:
                            yield target, piece
                except CorpusError as error:  # of reading itself: a truncated archive, a bad disk
                    if not self.task.skip:
                        raise
                    tell(error)
            yield target, Piece(sources[-1], last=True)

    def _mark(self, sources: Sequence[str]) -> str:
        """What trees are made from and how; what does not change them (threads, what errors do) is left out."""
        options = {name: value for name, value in self.task.options.items() if name != "threads"}
        mark = {
            "format": [_FORMAT, PART],
            "input": [_state(path) for path in sources],
            "text": self.text,
            "model": _state(find_model(self.task.model)),
            "task": [self.task.layout.name, self.task.to, self.task.restarts, repr(sorted(options.items()))],
        }
        return hashlib.sha256(json.dumps(mark).encode()).hexdigest()

    def note(self, target: _Target) -> None:
        """Remember that a file of the folder is whole."""
        if self._journal is not None:
            with clear_words(str(self._journal)), open(self._journal, "a", encoding="utf-8") as file:
                file.write(json.dumps([target.name, target.mark]) + "\n")

    def finish(self) -> None:
        """All is done."""
        if self._journal is not None:
            self._journal.unlink(missing_ok=True)


def _read_journal(path: Path) -> dict[str, str]:
    """The files that are whole, each with its mark; a last line that was broken off does not count."""
    try:
        *lines, rest = path.read_text(encoding="utf-8").split("\n")
        if rest:
            path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
        return dict(json.loads(line) for line in lines)
    except (OSError, ValueError, TypeError):
        raise UsageError(f"{path}: damaged; remove it, or leave out --resume") from None


def _one_for_each(paths: Sequence[str], folder: str, to: str) -> dict[str, tuple[str, ...]]:
    """Where in a folder the trees of each file go; files that would go to the same place are refused."""
    groups: dict[str, tuple[str, ...]] = {}
    for path in paths:
        name = _name_in(folder, path, to)
        if name in groups:
            raise UsageError(f"{groups[name][0]} and {path} would both become {name}; use a folder for each of them")
        groups[name] = (path,)
    return groups


def _name_in(folder: str, path: str, to: str) -> str:
    """Where in a folder the trees of a file go: under its name, with another ending."""
    name = Path(bare_name(path)).stem if path != "-" else "stdin"
    return os.path.join(folder, f"{name}.{'txt' if to == 'tree' else to}")


def _state(path: str | Path) -> list[Any]:
    """What changes when a file does."""
    known = os.stat(path) if str(path) != "-" else None
    return [str(path), known and known.st_size, known and known.st_mtime_ns]


def _total_size(paths: Sequence[str]) -> int:
    """Bytes of all files; 0 where nobody knows before they are read."""
    if any(path == "-" or path.endswith(COMPRESSED) for path in paths):
        return 0
    return sum(os.path.getsize(path) for path in paths)


def _placed(text: str, piece: Piece, counts: Mapping[str, int], *, several: bool) -> tuple[str, dict[str, int]]:
    """What is written for a piece, and what has to be known for the next one.

    Sentences of a text are numbered on, and files that share an output are kept apart by a blank line.
    """
    before = counts.get("sentences", 0)
    if piece.text is not None:
        text = _NUMBER.sub(lambda match: f"# sent_id = {int(match[1]) + before}", text)
        if several and piece.first and text.startswith("#"):
            text = f"# newdoc id = {Path(bare_name(piece.path)).stem}\n{text}"
    if not several or not text:
        return text, dict(counts)
    if piece.first and before:
        newline = "\r\n" if counts.get("carriage returns") else "\n"
        text = newline * counts.get("missing newlines", 0) + text.removeprefix("\ufeff")
    ends = len(text) - len(text.rstrip("\r\n"))
    missing = max(0, 2 - text[len(text) - ends :].count("\n"))
    return text, {"missing newlines": missing, "carriage returns": int(text.endswith("\r\n"))}
