"""Which files go where, and how far they are: what a run has to know to go on where another broke off."""

import hashlib
import json
import os
import posixpath
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from headway.bulk.forms import Form
from headway.bulk.pieces import Piece, bare_name, exists, is_text, pieces
from headway.bulk.worker import Task
from headway.corpus import open_output, remote
from headway.corpus.overwriting import check_outputs
from headway.corpus.remote import is_remote
from headway.corpus.resumable import PieceOutput, ResumableOutput, clear_words, is_resumable, unfinished_files
from headway.corpus.text import PART
from headway.errors import CorpusError, HeadwayError, UsageError
from headway.models import find_model
from headway.progress import Progress
from headway.support.writing import append_line

_FORMAT = 4
"""Bump this when the chunking or the output format changes: it invalidates unfinished runs."""


def is_folder(output: str) -> bool:
    """Whether each file gets one of its own there: a folder that is there, or a name that ends in a slash."""
    if is_remote(output):
        return output.endswith("/") or remote.is_folder(output)
    return output.endswith(os.sep) or os.path.isdir(output)


@dataclass(frozen=True)
class Target:
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


class Plan:
    """Which files go where, and what of it is done.

    While trees go into a folder, ``.headway-resume.jsonl`` there says which of its files are whole; if the folder is
    remote, ``NAME.DIGEST.resume.jsonl`` in the working directory says so.
    """

    def __init__(self, paths: Sequence[str], output: str, task: Task, *, text: bool | None, resume: bool) -> None:
        self.task, self.text, self.resume = task, text, resume
        self.folder = output if is_folder(output) else None
        self.groups = {output: tuple(paths)} if self.folder is None else _one_for_each(paths, self.folder, task.to)
        self._journal = None if self.folder is None else _journal(self.folder)
        check_outputs(self._outputs(), [*paths, find_model(task.model)])
        self._done: dict[str, str] = {}
        if self.folder is not None and not is_remote(self.folder):
            for place in {self.folder, *map(os.path.dirname, self.groups)}:
                with clear_words(place):
                    os.makedirs(place, exist_ok=True)
        if self._journal is not None and self._journal.is_file():
            if resume:
                self._done = _read_journal(self._journal)
            else:
                with clear_words(str(self._journal)):
                    self._journal.unlink()

    def _outputs(self) -> Iterator[str]:
        """All files that are written, those for ``--resume`` among them."""
        for name in self.groups:
            yield name
            if self._goes_on(name):
                yield from unfinished_files(name)
        if self._journal is not None:
            yield str(self._journal)

    def stream(
        self, tell: Callable[[HeadwayError], None], progress: Progress, *, live: bool = False
    ) -> Iterator[tuple[Target, Piece]]:
        """All pieces that are still to do, with their targets; the last of each target is an empty one.

        Parameters
        ----------
        live : bool
            Give out the sentences of standard input as they come.
        """
        for name, sources in self.groups.items():
            mark = self._mark(sources)
            output = ResumableOutput(name, mark, resume=self.resume) if self._goes_on(name) else PieceOutput(name)
            target, done = Target(name, sources, mark, output), output.pieces
            if self._is_done(target):
                continue
            for path in sources:
                try:
                    text = is_text(path) if self.text is None else self.text
                    for piece in pieces(path, text=text, live=live and path == "-"):
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

    def _is_done(self, target: Target) -> bool:
        """Whether a run that this one goes on from gave a file its name; what that run still had to do is done."""
        noted = self._done.get(target.name) == target.mark and exists(target.name)
        if isinstance(target.output, ResumableOutput) and target.output.whole:
            if not noted:
                self.note(target)
            target.output.forget()
            return True
        return noted

    def _goes_on(self, name: str) -> bool:
        """Whether a run that breaks off leaves what it has written, for another one to go on with."""
        return is_resumable(name) and "-" not in self.groups[name] and not Form(self.task.to).whole

    def _mark(self, sources: Sequence[str]) -> str:
        """Return a digest of inputs and options that change trees (threads and error handling do not)."""
        options = {name: value for name, value in self.task.options.items() if name != "threads"}
        mark = {
            "format": [_FORMAT, PART],
            "input": [_state(path) for path in sources],
            "text": self.text,
            "model": _state(find_model(self.task.model)),
            "task": [
                self.task.layout.name,
                self.task.presegmented,
                self.task.to,
                self.task.restarts,
                repr(sorted(options.items())),
            ],
        }
        return hashlib.sha256(json.dumps(mark).encode()).hexdigest()

    def note(self, target: Target) -> None:
        """Remember that a file of the folder is whole."""
        if self._journal is not None:
            with clear_words(str(self._journal)):
                append_line(str(self._journal), json.dumps([target.name, target.mark]))

    def finish(self) -> None:
        """All is done."""
        if self._journal is not None:
            with clear_words(str(self._journal)):
                self._journal.unlink(missing_ok=True)


def _journal(folder: str) -> Path:
    if is_remote(folder):
        return Path(f"{remote.local_name(folder)}.resume.jsonl")
    return Path(folder) / ".headway-resume.jsonl"


def _read_journal(path: Path) -> dict[str, str]:
    """The files that are whole, each with its mark; a last line that was broken off does not count."""
    try:
        *lines, rest = path.read_text(encoding="utf-8").split("\n")
        if rest:
            with open_output(path) as file:
                file.write("".join(f"{line}\n" for line in lines).encode())
        return dict(json.loads(line) for line in lines)
    except (OSError, CorpusError, ValueError, TypeError):
        raise UsageError(f"{path}: damaged; remove it, or leave out --resume") from None


def _one_for_each(paths: Sequence[str], folder: str, to: str) -> dict[str, tuple[str, ...]]:
    """Where in a folder the trees of each file go; files that would go to the same place are refused."""
    groups: dict[str, tuple[str, ...]] = {}
    folders = [os.path.dirname(_absolute(path)) for path in paths if path != "-"]
    shared = os.path.commonpath(folders) if folders else ""
    for path in paths:
        name = _name_in(folder, path, to, shared)
        if name in groups:
            raise UsageError(f"{groups[name][0]} and {path} would both become {name}; use a folder for each of them")
        groups[name] = (path,)
    return groups


def _name_in(folder: str, path: str, to: str, shared: str) -> str:
    """Return where in a folder the trees of a file go: under its path below the shared folder, with another ending."""
    name, below = "stdin", ""
    if path != "-":
        name = Path(bare_name(path)).stem
        below = os.path.relpath(os.path.dirname(_absolute(path)), shared)
    inside = os.path.normpath(os.path.join(below, f"{name}.{'txt' if to == 'tree' else to}"))
    if is_remote(folder):
        return posixpath.join(folder, Path(inside).as_posix())
    return os.path.normpath(os.path.join(folder, inside))


def _absolute(path: str) -> str:
    """Return an absolute path; for a remote file one that begins with its protocol."""
    return os.path.normpath(f"/{path.replace('://', '/')}") if is_remote(path) else os.path.abspath(path)


def _state(path: str | Path) -> list[Any]:
    """Return path, size and time of a file, which change when it does; of a remote one, its tag if it has one."""
    if is_remote(path):
        return [path, remote.size(str(path)), remote.version(str(path))]
    known = os.stat(path) if str(path) != "-" else None
    return [str(path), known and known.st_size, known and known.st_mtime_ns]
