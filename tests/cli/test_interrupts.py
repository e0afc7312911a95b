"""Ctrl-C and SIGTERM end long work at once, with the exit code that shells expect, and leave nothing behind."""

import os
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
"""Seconds after the signal in which the process has to end."""
CODES = {signal.SIGINT: 130, signal.SIGTERM: 143}


def _hear_signals() -> None:
    """Undo what a shell does to jobs in the background: they, and all that they start, ignore Ctrl-C."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


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
    asked = time.monotonic()
    process.send_signal(number)
    try:
        rest = process.communicate(timeout=60)[1]  # for ever, if kernels do not look at the flag
    finally:
        process.kill()
    assert time.monotonic() - asked < PATIENCE
    assert process.returncode == CODES[number], rest
    assert list(tmp_path.iterdir()) == [many]
