"""Plan a run: which outputs get the trees of which inputs, and what an earlier, interrupted run has already done."""

import hashlib
import json
import os
import posixpath
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, fields
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

_FORMAT = 5
"""Bump this when the chunking or the output format changes: it invalidates unfinished runs."""


def is_folder(output: str) -> bool:
    """Return whether an output is a folder, with one file for each input: it exists, or its name ends in a slash."""
    if is_remote(output):
        return output.endswith("/") or remote.is_folder(output)
    return output.endswith(os.sep) or os.path.isdir(output)


@dataclass(frozen=True)
class Target:
    """An output and the inputs whose trees are written to it.

    Parameters
    ----------
    name : str
        The name of the output.
    sources : tuple of str
        The names of the inputs.
    mark : str
        A digest of the inputs and options; an output with another mark cannot be resumed.
    """

    name: str
    sources: tuple[str, ...]
    mark: str
    output: PieceOutput

    @property
    def several(self) -> bool:
        """Whether there is more than one input."""
        return len(self.sources) > 1


class Plan:
    """The outputs of a run with their inputs, and what is left to do.

    While a run writes into a folder, it keeps a journal of the files that are complete: ``.headway-resume.jsonl`` in
    that folder or, if the folder is remote, ``NAME.DIGEST.resume.jsonl`` in the working directory.
    """

    def __init__(self, paths: Sequence[str], output: str, task: Task, *, text: bool | None, resume: bool) -> None:
        self.task, self.text, self.resume = task, text, resume
        self.folder = output if is_folder(output) else None
        self.groups = {output: tuple(paths)} if self.folder is None else _one_for_each(paths, self.folder, task.to)
        self._journal = None if self.folder is None else _journal(self.folder)
        check_outputs(self._outputs(), [*paths, find_model(task.model)])
        self._done: dict[str, str] = {}
        if self.folder is not None and not is_remote(self.folder):
            for folder in {self.folder, *map(os.path.dirname, self.groups)}:
                with clear_words(folder):
                    os.makedirs(folder, exist_ok=True)
        if self._journal is not None and self._journal.is_file():
            if resume:
                self._done = _read_journal(self._journal)
            else:
                with clear_words(str(self._journal)):
                    self._journal.unlink()

    def _outputs(self) -> Iterator[str]:
        """Yield all files that this run writes, including those for ``--resume``."""
        for name in self.groups:
            yield name
            if self._can_resume(name):
                yield from unfinished_files(name)
        if self._journal is not None:
            yield str(self._journal)

    def stream(
        self, tell: Callable[[HeadwayError], None], progress: Progress, *, live: bool = False
    ) -> Iterator[tuple[Target, Piece]]:
        """Yield all pieces that are still to be parsed, with their targets; each target ends with an empty piece.

        Parameters
        ----------
        tell : callable
            Called with the error if an input cannot be read to its end and the task skips errors.
        live : bool
            Yield the sentences of standard input as soon as they arrive.
        """
        for name, sources in self.groups.items():
            mark = self._mark(sources)
            output = ResumableOutput(name, mark, resume=self.resume) if self._can_resume(name) else PieceOutput(name)
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
                except CorpusError as error:  # reading failed: a truncated archive, a bad disk
                    if not self.task.skip:
                        raise
                    tell(error)
            yield target, Piece(sources[-1], last=True)

    def _is_done(self, target: Target) -> bool:
        """Return whether an earlier run completed this target; if it was killed just before recording that, do so."""
        noted = self._done.get(target.name) == target.mark and exists(target.name)
        if isinstance(target.output, ResumableOutput) and target.output.whole:
            if not noted:
                self.note(target)
            target.output.forget()
            return True
        return noted

    def _can_resume(self, name: str) -> bool:
        """Return whether this output, if the run is interrupted, can be resumed in the middle."""
        return is_resumable(name) and "-" not in self.groups[name] and not Form(self.task.to).whole

    def _mark(self, sources: Sequence[str]) -> str:
        """Return a digest of inputs, model, format and options; threads and error handling are left out."""
        names = {field.name for field in fields(self.task)} - {"model", "skip"}
        task = {name: getattr(self.task, name) for name in names}
        options = {name: value for name, value in self.task.options.items() if name != "threads"}
        task |= {"layout": self.task.layout.name, "options": repr(sorted(options.items()))}
        mark = {
            "format": [_FORMAT, PART],
            "input": [_state(path) for path in sources],
            "text": self.text,
            "model": _state(find_model(self.task.model)),
            "task": task,
        }
        return hashlib.sha256(json.dumps(mark, sort_keys=True).encode()).hexdigest()

    def note(self, target: Target) -> None:
        """Record in the journal, if there is one, that a target is complete."""
        if self._journal is not None:
            with clear_words(str(self._journal)):
                append_line(str(self._journal), json.dumps([target.name, target.mark]))

    def finish(self) -> None:
        """Remove the journal: all targets are complete."""
        if self._journal is not None:
            with clear_words(str(self._journal)):
                self._journal.unlink(missing_ok=True)


def _journal(folder: str) -> Path:
    """Return the path of the journal of a folder."""
    if is_remote(folder):
        return Path(f"{remote.local_name(folder)}.resume.jsonl")
    return Path(folder) / ".headway-resume.jsonl"


def _read_journal(path: Path) -> dict[str, str]:
    """Return the mark of each complete file; if the last line is incomplete, remove it from the journal."""
    try:
        *lines, incomplete = path.read_text(encoding="utf-8").split("\n")
        if incomplete:
            with open_output(path) as file:
                file.write("".join(f"{line}\n" for line in lines).encode())
        return dict(json.loads(line) for line in lines)
    except (OSError, CorpusError, ValueError, TypeError):
        raise UsageError(f"{path}: damaged; remove it, or leave out --resume") from None


def _one_for_each(paths: Sequence[str], folder: str, to: str) -> dict[str, tuple[str, ...]]:
    """Return an output in a folder for each input; raise UsageError if two inputs would have the same output."""
    groups: dict[str, tuple[str, ...]] = {}
    folders = [os.path.dirname(_absolute(path)) for path in paths if path != "-"]
    shared = os.path.commonpath(folders) if folders else ""
    for path in paths:
        name = _name_in(folder, path, to, shared)
        if name in groups:
            raise UsageError(
                f"{groups[name][0]} and {path} would both be written to {name}; give them separate folders"
            )
        groups[name] = (path,)
    return groups


def _name_in(folder: str, path: str, to: str, shared: str) -> str:
    """Return the name of an input's output in a folder: its path relative to `shared`, with the format's extension."""
    name, below = "stdin", ""
    if path != "-":
        name = Path(bare_name(path)).stem
        below = os.path.relpath(os.path.dirname(_absolute(path)), shared)
    inside = os.path.normpath(os.path.join(below, f"{name}.{'txt' if to == 'tree' else to}"))
    if is_remote(folder):
        return posixpath.join(folder, Path(inside).as_posix())
    return os.path.normpath(os.path.join(folder, inside))


def _absolute(path: str) -> str:
    """Return an absolute path; ``s3://bucket/name`` becomes ``/s3/bucket/name``."""
    return os.path.normpath(f"/{path.replace('://', '/')}") if is_remote(path) else os.path.abspath(path)


def _state(path: str | Path) -> list[Any]:
    """Return the path, size and modification time (remote: version) of a file, to notice that its content changed."""
    if is_remote(path):
        return [path, remote.size(str(path)), remote.version(str(path))]
    status = os.stat(path) if str(path) != "-" else None
    return [str(path), status and status.st_size, status and status.st_mtime_ns]
