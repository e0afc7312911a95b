"""Reports of long work: the stage it is in, and the time left; who listens is in `headway.cli.progress`."""

from collections.abc import Callable, Mapping


class Progress:
    """Told of stages and steps by whatever takes long; a base that ignores it all."""

    def plan(self, work: Mapping[str, float]) -> None:
        """Kinds of stages to come, in their order, and how much work each kind is, in any unit; what is known stays."""

    def start(self, stage: str, total: int, *, share: float = 1.0, before: float = 0.0) -> None:
        """A stage of `total` steps begins.

        Parameters
        ----------
        stage : str
            Its kind, and more after a comma.
        share, before : float
            How much of the work planned for its kind it is, and how much of that is done, now or in an earlier run.
        """

    def advance(self, steps: int = 1) -> None:
        """So many steps of the stage are done."""

    def finish(self) -> None:
        """The stage is over."""

    def note(self, message: str) -> None:
        """Something worth a line: the figures of an epoch, say."""


class TimeLeft(Progress):
    """The time that planned work will still take, if it goes on as it has so far.

    Parameters
    ----------
    clock : callable
        Says how many seconds have been worked, from any beginning.
    """

    def __init__(self, clock: Callable[[], float]) -> None:
        self._clock, self._began = clock, 0.0
        self._left: dict[str, float] = {}
        self._whole: dict[str, float] = {}
        self._done = self._size = self._owed = 0.0
        self._kind, self._total = "", 0

    def plan(self, work: Mapping[str, float]) -> None:
        """Begin to count, unless that has been done."""
        if not self._left:
            self._began = self._clock()
        for kind, size in work.items():
            self._left.setdefault(kind, size)
            self._whole.setdefault(kind, size)

    def start(self, stage: str, total: int, *, share: float = 1.0, before: float = 0.0) -> None:
        """Begin a stage; planned stages before it that have not come are dropped."""
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
        """Some of the planned work is done."""
        if self._total:
            self._count(self._size * steps / self._total)

    def finish(self) -> None:
        """All of the stage is done, told or not."""
        self._count(self._owed)
        self._total = 0

    def _count(self, work: float) -> None:
        work = min(work, self._owed)
        self._owed -= work
        self._done += work
        if self._kind:
            self._left[self._kind] = max(0.0, self._left[self._kind] - work)

    def seconds(self) -> float | None:
        """None before there is anything to tell it by, and after the plan."""
        left = sum(self._left.values())
        if self._done <= _ENOUGH * left or left == 0.0:
            return None
        return (self._clock() - self._began) * left / self._done

    def __str__(self) -> str:
        """Such as ``about 5 minutes left``; nothing where that is not known."""
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
"""So much of the plan is done before the rest is judged by it."""
