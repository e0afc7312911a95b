"""Failures, told in one line on standard error and by the exit code.

===== =====================================================================
code  meaning
===== =====================================================================
0     done
1     anything not listed below
2     options or arguments that make no sense
3     a corpus that cannot be read or written, or heads that are no tree
4     constraints that no tree can meet
5     a model file that is damaged, foreign or too new
130   interrupted
141   whoever read the output went away
143   asked to stop
===== =====================================================================

With ``HEADWAY_TRACEBACK=1`` in the environment the traceback is shown as well.
"""

import errno
import os
import signal
import sys
import traceback
import warnings
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any, NoReturn

import typer

from headway.errors import HeadwayError, HeadwayWarning
from headway.printable import printable

INTERRUPTED = 128 + signal.SIGINT
BROKEN_PIPE = 141  # 128 + SIGPIPE, which not every system has
STOPPED = 128 + signal.SIGTERM


@contextmanager
def one_line_failures() -> Iterator[None]:
    """Turn every exception into a line and an exit; also a decorator: ``one_line_failures()(command)``."""
    try:
        yield
        sys.stdout.flush()
    except typer.Exit:
        raise
    except (Exception, KeyboardInterrupt) as failure:
        if os.environ.get("HEADWAY_TRACEBACK") == "1":
            traceback.print_exc()
        line, code = describe(failure)
        if line:
            print(f"headway: {line}", file=sys.stderr)
        _give_up_standard_output()
        sys.exit(code)


def describe(failure: BaseException) -> tuple[str, int]:
    """The line that tells of `failure` (empty where nobody would read it) and the exit code."""
    if isinstance(failure, BrokenPipeError):
        return "", BROKEN_PIPE
    if isinstance(failure, KeyboardInterrupt):
        return "interrupted", INTERRUPTED
    if _is_usage_error(failure):
        return _usage_line(failure), int(getattr(failure, "exit_code"))  # noqa: B009
    if isinstance(failure, HeadwayError):
        return f"error: {printable(str(failure))}", failure.exit_code
    return f"error: {printable(_reason(failure))}", 1


def _is_usage_error(failure: object) -> bool:
    """Return whether typer raised this: by its methods, since typer may bring its own copy of click."""
    return hasattr(failure, "format_message") and hasattr(failure, "exit_code")


def _usage_line(failure: Any) -> str:
    """Return what is wrong with the options, in one line; the help itself where a command was given none."""
    if type(failure).__name__ == "NoArgsIsHelpError":
        print(failure.format_message())
        return ""
    context = getattr(failure, "ctx", None)
    command = context.command_path if context is not None else "headway"
    message = printable(" ".join(failure.format_message().split())).rstrip(".")
    return f"error: {message[:1].lower()}{message[1:]} ({command} --help lists all options)"


def warn(message: str) -> None:
    """Print a warning, in one line on standard error."""
    print(f"headway: warning: {printable(message)}", file=sys.stderr)


def warn_in_one_line() -> None:
    """Print Headway's own warnings as `warn` does; all others as Python does."""
    shown = warnings.showwarning

    def show(message: Any, category: type[Warning], *place: Any) -> None:
        if issubclass(category, HeadwayWarning):
            warn(str(message))
        else:
            shown(message, category, *place)

    warnings.showwarning = show  # type: ignore[assignment]


def stop_when_asked() -> None:
    """Make SIGTERM an orderly exit, in which unfinished output files are removed, or left for ``--resume``."""
    signal.signal(signal.SIGTERM, _stop)


def _stop(number: int, frame: object) -> NoReturn:
    sys.exit(STOPPED)


def _reason(failure: BaseException) -> str:
    if isinstance(failure, MemoryError):
        return f"out of memory ({failure})" if str(failure) else "out of memory"
    if isinstance(failure, OSError) and failure.errno == errno.EBADF and failure.filename is None:
        return "a standard stream is closed"
    if isinstance(failure, OSError) and failure.strerror:
        place = "" if failure.filename is None else f"{os.fsdecode(failure.filename)}: "
        return place + failure.strerror[:1].lower() + failure.strerror[1:]
    return f"unexpected {type(failure).__name__}: {failure} (HEADWAY_TRACEBACK=1 shows where)"


def _give_up_standard_output() -> None:
    """Write what is still buffered or, where that fails, send it nowhere, lest it fail once more at the very end."""
    try:
        sys.stdout.flush()
    except (OSError, ValueError):
        with suppress(OSError, ValueError):  # no file descriptor: nothing that could fail
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
