"""Every error that Headway raises on purpose.

Each message is one line that says what is wrong and, if possible, what to do. The command line prints it unchanged
and exits with the class's ``exit_code``.
"""

from collections.abc import Callable
from functools import partial


class HeadwayError(Exception):
    """The base of all errors that are meant for users of Headway."""

    exit_code = 1


class CorpusError(HeadwayError):
    """A file of sentences that cannot be read, with the position of the error.

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
    """Constraints that no tree satisfies."""

    exit_code = 4


class ModelError(HeadwayError):
    """A model file that is damaged, not a model, or of a version that this Headway cannot read."""

    exit_code = 5


class UsageError(HeadwayError):
    """Options or arguments that are wrong, or that do not fit together."""

    exit_code = 2


class ScoreError(UsageError):
    """Scores that are NaN, or infinite where they must be finite, usually from a user's scorer."""


class KernelError(HeadwayError):
    """A kernel that cannot be compiled or cached: a defect of Headway, or of a user's kernel."""


class HeadwayWarning(UserWarning):
    """The base of all warnings that are meant for users of Headway."""


class MixingWarning(HeadwayWarning):
    """Markov chains that have not mixed: estimates from their samples are not reliable."""


class KernelWarning(HeadwayWarning):
    """Compiled kernels that could not be cached: everything works, but each run compiles them again."""
