"""Turn exceptions into one line on standard error and an exit code.

===== =====================================================================
code  meaning
===== =====================================================================
0     success
1     any error that is not listed below
2     wrong options or arguments
3     a corpus that cannot be read or written, or heads that form no tree
4     constraints that no tree satisfies
5     a model file that is damaged, not a model, or of a newer version
130   interrupted
141   broken pipe: the reader of the output has stopped reading
143   terminated (SIGTERM)
===== =====================================================================

If the environment has ``HEADWAY_TRACEBACK=1``, the traceback is shown, too.
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
from headway.support.printable import printable

INTERRUPTED = 128 + signal.SIGINT
BROKEN_PIPE = 141  # 128 + SIGPIPE, which not every system has
STOPPED = 128 + signal.SIGTERM


@contextmanager
def one_line_failures() -> Iterator[None]:
    """Turn every exception into one line and an exit code; also usable as a decorator, ``@one_line_failures()``."""
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
    """Return the error message of `failure` (empty after a broken pipe) and the exit code."""
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
    """Return whether typer raised this; tested by its methods, because typer may contain its own copy of click."""
    return hasattr(failure, "format_message") and hasattr(failure, "exit_code")


def _usage_line(failure: Any) -> str:
    """Return the error in the options as one line, or the help text for a command without arguments."""
    if type(failure).__name__ == "NoArgsIsHelpError":
        print(failure.format_message())
        return ""
    context = getattr(failure, "ctx", None)
    command = context.command_path if context is not None else "headway"
    message = printable(" ".join(failure.format_message().split())).rstrip(".").replace("Value error, ", "")
    message = message.replace(": Input should", ": it should").partition(", unable to parse")[0]
    return f"error: {message[:1].lower()}{message[1:]} ({command} --help lists all options)"


def warn(message: str) -> None:
    """Print a warning, in one line on standard error."""
    print(f"headway: warning: {printable(message)}", file=sys.stderr)


def warn_unread(path: str) -> None:
    """Warn that a text is probably not in the encoding that it was read in."""
    warn(f"{path}: contains invalid bytes (now \ufffd) or NUL: is it UTF-8? (iconv converts other encodings)")


def warn_in_one_line() -> None:
    """Show Headway's warnings by `warn`, and all others as Python does."""
    shown = warnings.showwarning

    def show(message: Any, category: type[Warning], *place: Any) -> None:
        if issubclass(category, HeadwayWarning):
            warn(str(message))
        else:
            shown(message, category, *place)

    warnings.showwarning = show  # type: ignore[assignment]


def stop_when_asked() -> None:
    """Exit in an orderly way on SIGTERM: remove unfinished output files, or keep them for ``--resume``."""
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
    """Flush standard output; if that fails, redirect it to nowhere, so that Python does not fail again at exit."""
    try:
        sys.stdout.flush()
    except (OSError, ValueError):
        with suppress(OSError, ValueError):  # without a file descriptor, nothing can fail at exit
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
