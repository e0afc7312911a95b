"""Progress of long work: the current stage and the time left. The displays are in `headway.cli.progress`."""

from collections.abc import Callable, Mapping


class Progress:
    """Receives the progress of long work; this base class ignores it."""

    def plan(self, work: Mapping[str, float]) -> None:
        """Announce the stages to come, in order, with the work of each, in any unit; an earlier plan stays."""

    def start(self, stage: str, total: int, *, share: float = 1.0, before: float = 0.0) -> None:
        """Begin a stage of `total` steps.

        Parameters
        ----------
        stage : str
            The name of the stage, optionally with details after a comma.
        share, before : float
            Its share of the work planned under that name, and the share that is done already, in this run or before.
        """

    def advance(self, steps: int = 1) -> None:
        """Count finished steps of the stage."""

    def finish(self) -> None:
        """End the stage."""

    def note(self, message: str) -> None:
        """Report one line, such as the scores of an epoch."""


class TimeLeft(Progress):
    """Estimates the time left for the planned work from the speed so far.

    Parameters
    ----------
    clock : callable
        Returns the seconds of work so far, from any starting point.
    """

    def __init__(self, clock: Callable[[], float]) -> None:
        self._clock, self._began = clock, 0.0
        self._left: dict[str, float] = {}
        self._whole: dict[str, float] = {}
        self._done = self._size = self._owed = 0.0
        self._kind, self._total = "", 0

    def plan(self, work: Mapping[str, float]) -> None:
        """Set the plan, unless there is one already."""
        if not self._left:
            self._began = self._clock()
        for kind, size in work.items():
            self._left.setdefault(kind, size)
            self._whole.setdefault(kind, size)

    def start(self, stage: str, total: int, *, share: float = 1.0, before: float = 0.0) -> None:
        """Begin a stage; planned stages before it that were skipped are dropped."""
        self.finish()
        kind = stage.split(",")[0]
        if kind not in self._left:
            return
        for other in self._left:
            if other == kind:
                break
            self._left[other] = 0.0
        self._left[kind] = min(self._left[kind], (1.0 - before) * self._whole[kind])
        self._kind, self._total = kind, total
        self._size = self._owed = share * self._whole[kind]

    def advance(self, steps: int = 1) -> None:
        """Count finished work of the plan."""
        if self._total:
            self._count(self._size * steps / self._total)

    def finish(self) -> None:
        """Count the whole stage as finished."""
        self._count(self._owed)
        self._total = 0

    def _count(self, work: float) -> None:
        work = min(work, self._owed)
        self._owed -= work
        self._done += work
        if self._kind:
            self._left[self._kind] = max(0.0, self._left[self._kind] - work)

    def seconds(self) -> float | None:
        """The seconds left; None if it is too early to estimate them, and after the plan."""
        left = sum(self._left.values())
        if self._done <= _ENOUGH * left or left == 0.0:
            return None
        return (self._clock() - self._began) * left / self._done

    def __str__(self) -> str:
        """Return, for example, ``about 5 minutes left``; empty if unknown."""
        seconds = self.seconds()
        if seconds is None:
            return ""
        if seconds < 90.0:
            return f"about {max(10, round(seconds, -1)):.0f} seconds left"
        minutes = round(seconds / 60.0)
        if minutes < 90:
            return f"about {minutes} minutes left"
        return f"about {minutes / 60.0:.1f} hours left"


_ENOUGH = 0.01
"""The share of the plan that must be done before the time left is estimated."""
