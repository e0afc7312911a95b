"""Show progress on standard error: bars on a terminal, lines otherwise, nothing with ``--quiet``."""

import os
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, TextIO

from headway.progress import Progress, TimeLeft

if TYPE_CHECKING:
    from rich.progress import Progress as Bars
    from rich.progress import TaskID


@contextmanager
def reporting(*, quiet: bool = False) -> Iterator[Progress]:
    """Yield the progress display that fits standard error, and remove it at the end."""
    try:
        if quiet:
            yield Progress()
        elif sys.stderr.isatty():
            with _bars() as bars:
                yield BarProgress(bars)
        else:
            yield LineProgress(sys.stderr)
    finally:
        if kernels := sys.modules.get("headway.kernel"):
            kernels.watch_compilation(_say_nothing)


class LineProgress(Progress):
    """Print a line for each stage and each note, and further lines while a long stage runs.

    Parameters
    ----------
    stream : TextIO
        The stream that lines are written to.
    every : float
        The seconds between two progress lines of a long stage.
    """

    def __init__(self, stream: TextIO, *, every: float = 30.0) -> None:
        self._stream, self._every = stream, every
        self._done = self._total = 0
        self._last_note = 0.0
        self._left = TimeLeft(_worked)

    def plan(self, work: Mapping[str, float]) -> None:
        """Estimate the remaining time of the whole run from now on."""
        self._left.plan(work)

    def start(self, stage: str, total: int, *, share: float = 1.0, before: float = 0.0) -> None:
        """Start a stage; a total of 0 means unknown."""
        self._done, self._total = 0, total
        self._left.start(stage, total, share=share, before=before)
        self.note(self._with_time(stage))

    def advance(self, steps: int = 1) -> None:
        """Count steps, and print a line if the last one was `every` seconds ago."""
        self._done += steps
        self._left.advance(steps)
        if time.monotonic() - self._last_note >= self._every:
            self.note(self._with_time(f"  {self._done:,} of {self._total:,}" if self._total else f"  {self._done:,}"))

    def finish(self) -> None:
        """Count the remaining steps of the stage as done."""
        self._left.finish()

    def _with_time(self, message: str) -> str:
        return f"{message}; {left}" if (left := str(self._left)) else message

    def note(self, message: str) -> None:
        """Print the message at once."""
        print(message, file=self._stream, flush=True)
        self._last_note = time.monotonic()


class BarProgress(Progress):
    """A bar for the current stage; notes are printed above it."""

    def __init__(self, bars: "Bars") -> None:
        self._bars = bars
        self._task: TaskID | None = None
        self._left = TimeLeft(_worked)

    def plan(self, work: Mapping[str, float]) -> None:
        """Also show the remaining time of the whole run from now on."""
        self._left.plan(work)

    def start(self, stage: str, total: int, *, share: float = 1.0, before: float = 0.0) -> None:
        """Replace the bar by a new one; a total of 0 means unknown."""
        self.finish()
        self._left.start(stage, total, share=share, before=before)
        self._task = self._bars.add_task(stage, total=total or None, left=str(self._left))

    def advance(self, steps: int = 1) -> None:
        """Advance the bar."""
        self._left.advance(steps)
        if self._task is not None:
            self._bars.update(self._task, advance=steps, left=str(self._left))

    def finish(self) -> None:
        """Remove the bar."""
        self._left.finish()
        if self._task is not None:
            self._bars.remove_task(self._task)
            self._task = None

    def note(self, message: str) -> None:
        """Print the message above the bar."""
        self._bars.console.print(message, highlight=False, markup=False, soft_wrap=True)


def _worked() -> float:
    """Return elapsed seconds without those spent on compiling, which would distort the estimates of remaining time."""
    from headway.kernel import working_clock  # imported here: it imports the compiler

    return working_clock()


def _bars() -> "Bars":
    """Make the display of bars on standard error."""
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, Task, TextColumn, TimeElapsedColumn
    from rich.progress import TimeRemainingColumn as Remaining
    from rich.text import Text

    class Left(Remaining):
        """The remaining time: of the whole run if there is a plan, else of the stage."""

        def render(self, task: Task) -> Text:
            return Text(task.fields["left"]) if task.fields["left"] else super().render(task)

    return Progress(
        TextColumn("{task.description}", markup=False),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        Left(),
        console=Console(stderr=True),
        transient=True,
        redirect_stdout=False,
    )


def say_if_compiling(progress: Progress) -> None:
    """Print once, as soon as a kernel has to be compiled, that this run takes longer."""
    from headway.kernel import watch_compilation

    def tell(name: str) -> None:
        progress.note("compiling kernels, once on this machine: up to a minute")
        watch_compilation(_say_nothing)

    watch_compilation(tell)


def _say_nothing(name: str) -> None:
    """Do nothing: the default hook for the compilation of kernels."""


def training_summary(output: Path, seconds: float, scores: Mapping[str, float] | None = None) -> str:
    """Return a line with the dev scores, the file, its size and the time."""
    scores_text = "".join(f"{name} {scores[name]:.2f}, " for name in ("UAS", "LAS") if scores and name in scores)
    minutes, seconds_left = divmod(round(seconds), 60)
    size = os.path.getsize(output) / 1e6
    return f"{'dev set: ' + scores_text if scores_text else ''}{output}, {size:.1f} MB, {minutes} min {seconds_left} s"
