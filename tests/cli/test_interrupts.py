"""Ctrl-C and SIGTERM end long work at once, with the exit code that shells expect, and leave nothing behind."""

import os
import resource
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent.parent
TEXT = ROOT / "examples" / "text.txt"
TREES = ROOT / "examples" / "sample-train.conllu"

LONG = {
    "parse": ["parse", str(TEXT), "--restarts", "100000000", "-o", "out.conllu"],
    "threads": ["parse", str(TEXT), "--restarts", "100000000", "--threads", "2", "-o", "out.conllu"],
    "train": ["train", str(TREES), "--preset", "fast", "--epochs", "100000", "-o", "out.headway"],
    "full": ["train", str(TREES), "--preset", "full", "--epochs", "100000", "-o", "out.headway"],
    "exact": ["parse", "many.conllu", "--exact", "-o", "out.conllu"],
    "exact, threads": ["parse", "many.conllu", "--exact", "--threads", "2", "-o", "out.conllu"],
}
PATIENCE = 5.0
"""Seconds of processor time after the signal in which the process has to end: a busy machine does not count."""
CODES = {signal.SIGINT: 130, signal.SIGTERM: 143}


def _hear_signals() -> None:
    """Undo what a shell does to jobs in the background: they, and all that they start, ignore Ctrl-C."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


def _processor_seconds(process: int) -> float | None:
    """Return the processor time that a running process has used; None where the system does not tell (not Linux)."""
    state = Path(f"/proc/{process}/stat")
    if not state.exists():
        return None
    fields = state.read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def _ended_children_seconds() -> float:
    """Return the processor time of all processes that this one has started and that have ended."""
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


@pytest.mark.parametrize(
    ("work", "number"),
    [
        ("parse", signal.SIGINT),
        ("threads", signal.SIGTERM),
        ("train", signal.SIGINT),
        ("full", signal.SIGTERM),
        ("exact", signal.SIGTERM),
        ("exact, threads", signal.SIGTERM),
    ],
)
def test_long_work_ends_when_asked(work: str, number: signal.Signals, tmp_path: Path) -> None:
    many = tmp_path / "many.conllu"
    many.write_text(50 * TREES.read_text(encoding="utf-8"), encoding="utf-8")
    process = subprocess.Popen(
        [sys.executable, "-m", "headway.cli.main", *LONG[work]], cwd=tmp_path, stderr=subprocess.PIPE, text=True,
        env={**os.environ, "PYTHONPATH": str(ROOT)}, preexec_fn=_hear_signals,
    )  # fmt: skip
    assert process.stderr is not None
    for line in process.stderr:
        if line.startswith(("parsing", "trees", "arcs")):  # kernels are there, and at work
            break
    time.sleep(0.5)
    before, used = _ended_children_seconds(), _processor_seconds(process.pid)
    process.send_signal(number)
    try:
        rest = process.communicate(timeout=120)[1]  # for ever, if kernels do not look at the flag
    finally:
        process.kill()
    if used is not None:
        assert _ended_children_seconds() - before - used < PATIENCE
    assert process.returncode == CODES[number], rest
    assert list(tmp_path.iterdir()) == [many]
