"""Compiling ahead of time what parsing with ``en``, by hill-climbing, needs."""

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import headway
from headway import warmup
from headway.errors import KernelError, UsageError
from headway.kernel import Kernel, kernel_mode, store
from headway.kernel.names import types_digest, value_text
from headway.progress import Progress


class Notes(Progress):
    """The messages of a run."""

    def __init__(self) -> None:
        self.notes: list[str] = []

    def note(self, message: str) -> None:
        self.notes.append(message)


def test_a_task_is_run_once() -> None:
    warmup.warm_up(["labels"], Progress())
    assert warmup.is_warm("labels")
    assert warmup.warm_up(["labels"], Progress()) == 0


def test_what_is_compiled_is_named(monkeypatch: pytest.MonkeyPatch, tmp_path) -> None:
    monkeypatch.setenv("HEADWAY_CACHE", str(tmp_path))
    monkeypatch.setattr(warmup, "is_warm", lambda task: False)
    progress = Notes()
    assert warmup.warm_up(["labels"], progress) == 1
    assert "  _labels_kernel (labels)" in progress.notes
    assert list(tmp_path.glob("labels._labels_kernel-*.kernel"))


def test_an_unknown_task_is_refused() -> None:
    with pytest.raises(UsageError, match="unknown warm-up task 'supper'; choose from search, text"):
        warmup.warm_up(["supper"], Progress())


def test_a_task_that_fails_says_why(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(warmup, "is_warm", lambda task: False)
    monkeypatch.setenv("HEADWAY_KERNELS", "none")
    with pytest.raises(KernelError, match=r"labels: compiling failed: .*HEADWAY_KERNELS is 'none'"):
        warmup.warm_up(["labels"], Progress())


def test_nothing_is_compiled_where_nothing_can_be_kept(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")
    monkeypatch.setattr(warmup, "is_warm", lambda task: False)
    monkeypatch.setattr(warmup, "_run_apart", lambda task, progress: pytest.fail("compiles"))
    monkeypatch.setattr(store, "cache_folders", lambda: (tmp_path / "file" / "x",))
    with pytest.raises(KernelError, match=r"cannot be kept in .*: set HEADWAY_CACHE to a writable folder"):
        warmup.warm_up(["labels"], Progress())
    warmup.warm_up_parser(headway.load("en").parser, Progress(), text=True, confidence=True)


def test_the_command_fails_in_one_line_where_nothing_can_be_kept(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")
    folder = tmp_path / "file" / "x"
    command = [sys.executable, "-m", "headway.cli.main", "warmup"]
    variables = {**os.environ, "HEADWAY_CACHE": str(folder), "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    done = subprocess.run(command, env=variables, capture_output=True, text=True, check=False)
    problem = f"compiled kernels cannot be kept in {folder}: set HEADWAY_CACHE to a writable folder"
    assert (done.returncode, done.stdout, done.stderr) == (1, "", f"headway: error: {problem}\n")


def test_every_kernel_that_tells_whether_a_task_is_done_exists() -> None:
    for task in (*warmup.PARSING, warmup.CONFIDENCE):
        assert isinstance(warmup.is_warm(task), bool)


def kernels_called(work: Callable[[], Any]) -> set[tuple[str, str]]:
    """Return the kernels that Python calls, with their argument types."""
    called, call = set(), Kernel.__call__

    def note(kernel: Kernel, *args: Any) -> Any:
        called.add((kernel.py_func.__qualname__, types_digest([value_text(value) for value in args])))
        return call(kernel, *args)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Kernel, "__call__", note)
        work()
    return called


@pytest.mark.skipif(kernel_mode() == "python", reason="kernels are not compiled")
def test_parsing_text_calls_no_kernel_that_was_not_compiled_ahead() -> None:
    ahead = {}
    for task in (*warmup.PARSING, warmup.CONFIDENCE):
        ahead[task] = kernels_called(warmup.TASKS[task])
    nlp = headway.load("en")
    for confidence in (False, True):
        parsing = kernels_called(lambda confidence=confidence: nlp("Dogs bark. Cats sleep.", confidence=confidence))
        tasks = warmup.PARSING + (warmup.CONFIDENCE,) * confidence
        assert len(parsing) > 5
        assert parsing <= set().union(*(ahead[task] for task in tasks))
