"""Closed standard streams, and Ctrl-C before a command has begun."""

import contextlib
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from cli_samples import TWO

pytestmark = pytest.mark.skipif(os.name != "posix", reason="needs descriptors and signals")

HEADWAY = f"{sys.executable} -m headway.cli.main"


def shell(command: str, folder: Path, **options: object) -> "subprocess.CompletedProcess[str]":
    (folder / "in.conllu").write_text(TWO)
    return subprocess.run(f"{HEADWAY} {command}", shell=True, capture_output=True, text=True, cwd=folder, timeout=300)


@pytest.mark.parametrize(
    ("command", "code", "line"),
    [
        ("treebank convert in.conllu >&-", 3, "-: is closed"),
        ("treebank convert - <&-", 3, "-: is closed"),
        ("treebank stats in.conllu >&-", 1, "a standard stream is closed"),
        ("--version >&-", 1, "a standard stream is closed"),
    ],
)
def test_closed_streams_are_told_in_one_line(tmp_path, command, code, line):
    done = shell(command, tmp_path)
    assert (done.returncode, done.stdout) == (code, "")
    assert done.stderr == f"headway: error: {line}\n"


def test_streams_that_are_not_needed_may_be_closed(tmp_path):
    done = shell("treebank convert in.conllu -o out.conllu <&- >&- 2>&-", tmp_path)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    assert (tmp_path / "out.conllu").read_text() == TWO
    assert shell("treebank convert in.conllu 2>&-", tmp_path).stdout == TWO
    assert shell("treebank convert nowhere.conllu 2>&-", tmp_path).returncode == 3


@pytest.mark.parametrize("module", ["typer", "headway.cli.app", "headway.cli.streams"])
def test_interrupts_before_a_command_has_begun_are_silent(module):
    code = f"""
import sys, time
from importlib.abc import MetaPathFinder

class Hold(MetaPathFinder):
    def find_spec(self, name, path, target=None):
        if name == {module!r}:
            print("importing", flush=True)
            time.sleep(60)

sys.meta_path.insert(0, Hold())
sys.argv[1:] = ["--version"]
from headway.cli.main import main
main()
"""
    process = subprocess.Popen(
        [sys.executable, "-c", code],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
    )
    assert process.stdout.readline() == b"importing\n"
    process.send_signal(signal.SIGINT)
    assert process.communicate(timeout=50) == (b"", b"")
    assert process.returncode == 130


def children(pid):
    """The processes that any thread of a process has started, as Linux tells; something else elsewhere."""
    if not Path("/proc/self/task").exists():
        return ["unknown"]
    found = []
    for thread in Path(f"/proc/{pid}/task").glob("*/children"):
        with contextlib.suppress(OSError):  # the thread has just ended
            found += thread.read_text().split()
    return found


def test_interrupts_while_processes_start_leave_none_behind(tmp_path):
    (tmp_path / "in.txt").write_text("Dogs bark.\n\n" * 40_000)
    for delay in (0.0, 0.1, 0.3):
        process = subprocess.Popen(
            [*HEADWAY.split(), "parse", "in.txt", "-q", "-j", "2", "-o", "out.conllu"],
            stderr=subprocess.PIPE,
            text=True,
            cwd=tmp_path,
            start_new_session=True,
            preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
        )
        while not children(process.pid) and process.poll() is None:
            time.sleep(0.01)
        assert process.poll() is None, "it ended before it started a process"
        time.sleep(delay)
        os.killpg(process.pid, signal.SIGINT)  # as a terminal does: to all of them
        assert process.communicate(timeout=120)[1] == "headway: interrupted\n"
        assert process.returncode == 130
