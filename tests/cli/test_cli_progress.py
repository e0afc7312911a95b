"""Bars on a terminal, lines elsewhere, silence on request."""

import contextlib
import io
import sys

import pytest
import small_corpus
from rich.console import Console
from rich.progress import Progress as Bars

from headway.cli.progress import BarProgress, LineProgress, reporting, say_if_compiling
from headway.kernel import kernel
from headway.learning import TrainingOptions
from headway.learning.work import training_work
from headway.parser import Parser
from headway.presets import PRESETS
from headway.progress import Progress, TimeLeft


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


class Clock:
    now = 100.0

    def __call__(self) -> float:
        return self.now


def test_the_time_left_is_told_by_the_time_taken():
    clock = Clock()
    left = TimeLeft(clock)
    left.advance()
    left.start("reading", 10)
    left.advance(10)  # of which nothing was planned
    assert left.seconds() is None
    clock.now = 200.0
    left.plan({"text": 10.0, "trees": 40.0, "labels": 10.0})
    left.plan({"trees": 1.0})  # what is planned stays
    left.start("text", 5)
    assert str(left) == ""
    left.advance()
    clock.now += 4.0
    assert left.seconds() == pytest.approx(4.0 * 58 / 2)
    assert str(left) == "about 2 minutes left"
    left.advance(4)
    clock.now += 16.0
    left.start("trees, epoch 1 of at most 4", 2, share=0.25)
    left.advance(1)
    clock.now += 10.0
    assert left.seconds() == pytest.approx(30.0 * 45 / 15)
    left.advance(1)
    left.start("trees, epoch 2 of at most 4", 2, share=0.25, before=0.25)
    left.finish()  # without a step
    left.finish()
    assert left.seconds() == pytest.approx(30.0 * 30 / 30)
    assert str(left) == "about 30 seconds left"
    left.start("labels, epoch 1 of at most 1", 4)  # two epochs of trees were not needed
    assert left.seconds() == pytest.approx(30.0 * 10 / 30)
    left.advance(4)
    left.advance(1)
    assert left.seconds() is None


def test_time_left_does_not_count_work_of_earlier_runs():
    clock = Clock()
    left = TimeLeft(clock)
    left.plan({"pruner": 10.0, "trees": 70.0})
    left.start("pruner, of everything", 2)
    left.advance(2)
    clock.now += 10.0
    left.start("trees, epoch 6 of at most 7", 2, share=1 / 7, before=5 / 7)
    assert left.seconds() == pytest.approx(20.0)


def test_hours_are_hours():
    clock = Clock()
    left = TimeLeft(clock)
    left.plan({"trees": 100.0})
    left.start("trees", 100)
    left.advance(50)
    clock.now += 9000.0
    assert str(left) == "about 2.5 hours left"


def test_lines_and_bars_say_how_long_it_will_take(monkeypatch):
    clock = Clock()
    monkeypatch.setattr("headway.kernel.working_clock", clock)
    stream, console = io.StringIO(), Console(file=io.StringIO(), width=200)
    with Bars(console=console, auto_refresh=False) as bars:
        for progress in (LineProgress(stream, every=0.0), BarProgress(bars)):
            progress.plan({"trees": 4.0})
            progress.start("trees, epoch 1 of at most 2", 2, share=0.5)
            clock.now += 60.0
            progress.advance()
        [task] = bars.tasks
        assert task.fields["left"] == "about 3 minutes left"
    assert stream.getvalue().splitlines() == ["trees, epoch 1 of at most 2", "  1 of 2; about 3 minutes left"]


class Stages(Progress):
    def __init__(self) -> None:
        self.left = TimeLeft(lambda: 0.0)
        self.kinds: list[str] = []
        self.planned: list[str] = []

    def plan(self, work):
        self.planned += [kind for kind, size in work.items() if size > 0.0]

    def start(self, stage, total, *, share=1.0, before=0.0):
        kind = stage.split(",")[0]
        self.kinds += [] if kind in self.kinds else [kind]


@pytest.mark.parametrize("preset", ["first-order", "fast", "second-order-tight"])
def test_stages_match_the_plan(preset):
    stages = Stages()
    Parser.train(small_corpus.sample(30), preset=preset, options=TrainingOptions(epochs=1), progress=stages)
    assert stages.kinds == stages.planned


@pytest.mark.parametrize("preset", PRESETS.values(), ids=PRESETS)
def test_more_epochs_are_more_work(preset):
    few, many = (sum(training_work(preset, TrainingOptions(epochs=epochs), 1000).values()) for epochs in (1, 9))
    assert 0.0 < few < many


def test_kernels_compiled_after_the_command_are_not_told_of():
    stream = io.StringIO()
    with contextlib.redirect_stderr(stream), reporting() as progress:
        say_if_compiling(progress)
    kernel(lambda number: number + 1)(1)
    assert stream.getvalue() == ""
