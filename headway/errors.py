"""Every error that Headway raises on purpose.

Each message is one line that says what is wrong and, where it can, what to do. The command line prints it as it is
and exits with the class's ``exit_code``.
"""

from collections.abc import Callable
from functools import partial


class HeadwayError(Exception):
    """The base of all errors that a user of Headway is meant to read."""

    exit_code = 1


class CorpusError(HeadwayError):
    """A file of sentences that cannot be read, with the place where it goes wrong.

    Parameters
    ----------
    reason : str
        What is wrong, in a few words.
    path : str
        The file, as the user named it (``-`` for standard input).
    line : int or None
        The line, counted from 1.
    column : int or None
        The field of that line, counted from 1.
    """

    exit_code = 3

    def __init__(self, reason: str, *, path: str = "-", line: int | None = None, column: int | None = None) -> None:
        self.reason, self.path, self.line, self.column = reason, path, line, column
        place = path if line is None else f"{path}:{line}"
        if column is not None:
            place += f", column {column}"
        super().__init__(f"{place}: {reason}")

    def __reduce__(self) -> tuple[Callable[..., "CorpusError"], tuple[str]]:
        return partial(CorpusError, path=self.path, line=self.line, column=self.column), (self.reason,)


class TreeError(HeadwayError):
    """Heads that do not form a tree where a tree is needed."""

    exit_code = 3


class ConstraintError(HeadwayError):
    """Constraints that no tree can meet."""

    exit_code = 4


class ModelError(HeadwayError):
    """A model file that is damaged, foreign, or of a version that this Headway does not read."""

    exit_code = 5


class UsageError(HeadwayError):
    """Options or arguments that make no sense together."""

    exit_code = 2


class ScoreError(UsageError):
    """Scores that are no numbers, from a scorer of one's own: NaN, or infinite where they must not be."""


class KernelError(HeadwayError):
    """A kernel that cannot be compiled or kept: a defect of Headway, or of a kernel of one's own."""


class HeadwayWarning(UserWarning):
    """The base of all warnings that a user of Headway is meant to read."""


class MixingWarning(HeadwayWarning):
    """Chains that tell different things: figures from their samples are not to be trusted."""


class KernelWarning(HeadwayWarning):
    """Compiled kernels that could not be kept: everything works, but each run compiles again."""
