"""Bars on a terminal, lines elsewhere, silence on request."""

import contextlib
import io
import sys

from rich.console import Console
from rich.progress import Progress as Bars

from headway.cli.progress import BarProgress, LineProgress, reporting
from headway.progress import Progress


def a_day_of(progress: Progress) -> None:
    progress.start("reading", 3)
    progress.advance()
    progress.advance(2)
    progress.finish()
    progress.note("92.10 [bold] on dev")
    progress.start("writing", 0)
    progress.advance(1500)
    progress.finish()


def test_lines_name_stages_and_pass_notes_on():
    stream = io.StringIO()
    a_day_of(LineProgress(stream))
    assert stream.getvalue() == "reading\n92.10 [bold] on dev\nwriting\n"


def test_long_stages_give_signs_of_life():
    stream = io.StringIO()
    a_day_of(LineProgress(stream, every=0.0))
    assert stream.getvalue().splitlines() == [
        *("reading", "  1 of 3", "  3 of 3"),
        "92.10 [bold] on dev",
        *("writing", "  1,500"),
    ]


def test_bars_come_and_go_and_notes_stay():
    stream = io.StringIO()
    with Bars(console=Console(file=stream, width=60), auto_refresh=False) as bars:
        progress = BarProgress(bars)
        progress.start("reading", 3)
        progress.advance(2)
        [task] = bars.tasks
        assert (task.description, task.completed, task.total) == ("reading", 2, 3)
        progress.start("writing", 0)
        [task] = bars.tasks
        assert (task.description, task.total) == ("writing", None)
        progress.finish()
        progress.finish()
        progress.advance()
        assert bars.tasks == []
        a_day_of(progress)
    assert "92.10 [bold] on dev\n" in stream.getvalue()


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_quiet_reports_nothing(monkeypatch):
    monkeypatch.setattr(sys, "stderr", stream := Terminal())
    with reporting(quiet=True) as progress:
        a_day_of(progress)
    assert stream.getvalue() == ""


def test_no_terminal_no_bars(monkeypatch):
    monkeypatch.setattr(sys, "stderr", stream := io.StringIO())
    with reporting() as progress:
        a_day_of(progress)
    assert isinstance(progress, LineProgress)
    assert stream.getvalue().startswith("reading\n")


def test_a_terminal_gets_bars_which_go_even_in_failure(monkeypatch):
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setattr(sys, "stderr", stream := Terminal())
    with contextlib.suppress(ValueError), reporting() as progress:
        progress.start("reading", 3)
        raise ValueError
    assert isinstance(progress, BarProgress)
    assert "\x1b[?25h" in stream.getvalue()  # the cursor is back
