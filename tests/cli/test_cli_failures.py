"""One line and an exit code for everything that goes wrong."""

import errno
import signal
import subprocess
import sys

import pytest
import typer
from cli_samples import SOUND, table

from headway.cli.failures import describe, one_line_failures, warn
from headway.errors import ConstraintError, CorpusError, HeadwayError, ModelError, TreeError, UsageError
from headway.support.printable import printable


@pytest.mark.parametrize(
    ("failure", "line", "code"),
    [
        (HeadwayError("no luck"), "error: no luck", 1),
        (UsageError("no sense"), "error: no sense", 2),
        (CorpusError("empty field", path="a.conllu", line=3), "error: a.conllu:3: empty field", 3),
        (TreeError("cycle"), "error: cycle", 3),
        (ConstraintError("no tree"), "error: no tree", 4),
        (ModelError("damaged"), "error: damaged", 5),
        (KeyboardInterrupt(), "interrupted", 130),
        (BrokenPipeError(), "", 141),
        (MemoryError(), "error: out of memory", 1),
        (MemoryError("3 GiB"), "error: out of memory (3 GiB)", 1),
        (OSError(errno.ENOSPC, "No space left on device"), "error: no space left on device", 1),
        (PermissionError(errno.EACCES, "Permission denied", "a/b"), "error: a/b: permission denied", 1),
        (ValueError("odd"), "error: unexpected ValueError: odd (HEADWAY_TRACEBACK=1 shows where)", 1),
        (CorpusError("no such file", path="a\nb\x1b[0m"), r"error: a\nb\x1b[0m: no such file", 3),
    ],
)
def test_failures_are_described_in_one_line(failure, line, code):
    assert describe(failure) == (line, code)


@pytest.mark.parametrize("failure", [ModelError("damaged"), ValueError("odd"), KeyboardInterrupt()])
def test_failures_end_the_command(capsys, failure):
    with pytest.raises(SystemExit) as exit, one_line_failures():
        raise failure
    line, code = describe(failure)
    assert exit.value.code == code
    assert capsys.readouterr() == ("", f"headway: {line}\n")


def test_a_broken_pipe_is_no_news(capfd):
    with pytest.raises(SystemExit) as exit, one_line_failures():
        raise BrokenPipeError
    assert exit.value.code == 141
    assert capfd.readouterr().err == ""


def test_success_and_wanted_exits_pass():
    with one_line_failures():
        pass
    with pytest.raises(typer.Exit), one_line_failures():
        raise typer.Exit(3)


def test_tracebacks_are_shown_on_request(capsys, monkeypatch):
    monkeypatch.setenv("HEADWAY_TRACEBACK", "1")
    with pytest.raises(SystemExit), one_line_failures():
        raise ModelError("damaged")
    shown = capsys.readouterr().err
    assert shown.startswith("Traceback")
    assert shown.endswith("\nheadway: error: damaged\n")


def test_printable_text_stays_as_it_is():
    assert printable("naïve 文 'a'.conllu") == "naïve 文 'a'.conllu"
    assert printable("a\tb\r\u202e\udcff") == r"a\tb\r\u202e\udcff"


def test_warnings_are_one_line(capsys):
    warn("left\nout")
    assert capsys.readouterr() == ("", "headway: warning: left\\nout\n")


@pytest.mark.parametrize(
    ("number", "code", "line"), [(signal.SIGINT, 130, b"headway: interrupted\n"), (signal.SIGTERM, 143, b"")]
)
def test_signals_end_a_command_in_good_order(start, number, code, line):
    process = start("treebank", "convert", "-")
    process.stdin.write(SOUND.encode())
    process.stdin.flush()
    assert process.stdout.readline().startswith(b"1\tword1")  # so it is up and waiting for more
    process.send_signal(number)
    _, errors = process.communicate()
    assert (process.returncode, errors) == (code, line)


def test_a_reader_that_goes_away_ends_the_command_quietly(start, tmp_path):
    path = tmp_path / "long.conllu"
    path.write_text(table(2, 1) * 20_000)
    process = start("treebank", "validate", path)
    process.stdout.readline()
    process.stdout.close()
    errors = process.stderr.read()
    process.stderr.close()
    process.stdin.close()
    assert (process.wait(), errors) == (141, b"")


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="needs /dev/full")
def test_a_full_disk_is_one_line(tmp_path):
    path = tmp_path / "a.conllu"
    path.write_text(SOUND)
    for output in (["-o", "/dev/full"], []):
        with open("/dev/full", "wb") as full:
            run = subprocess.run(
                [sys.executable, "-m", "headway.cli.main", "treebank", "convert", path, *output],
                stdout=full,
                stderr=subprocess.PIPE,
            )
        assert run.returncode == 3
        assert run.stderr.count(b"\n") == 1
        assert b"no space left" in run.stderr
