"""Compiling ahead of time."""

import pytest

from headway import warmup
from headway.errors import KernelError, UsageError
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


def test_every_kernel_that_tells_whether_a_task_is_done_exists() -> None:
    for task in (*warmup.PARSING, warmup.CONFIDENCE):
        assert isinstance(warmup.is_warm(task), bool)
