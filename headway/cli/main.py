"""The entry point of the ``headway`` command.

This module imports as little as possible, so that Ctrl-C ends the command cleanly from its first moment on.
"""

import atexit
import os
import signal
import sys
from contextlib import suppress

_INTERRUPTED, _STOPPED = 128 + signal.SIGINT, 128 + signal.SIGTERM


def main() -> None:
    """Run the command that the arguments name."""
    leave_when_interrupted()
    # Kernels use their own threads; those of numpy's OpenBLAS would only cost CPU time at start-up.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    from headway.cli.streams import open_closed_streams

    open_closed_streams()
    from headway.cli.app import run

    try:
        run()
    except SystemExit as end:
        if end.code not in (_INTERRUPTED, _STOPPED):
            raise
        for stream in filter(None, (sys.stdout, sys.stderr)):
            with suppress(OSError, ValueError):
                stream.flush()
        atexit._run_exitfuncs()  # semaphores shared with other processes are removed here
        # Python would wait for threads that are still at work, and may end by the signal itself if the interrupt was
        # raised during an import.
        os._exit(int(end.code))


def leave_when_interrupted() -> None:
    """End silently on Ctrl-C: before a command starts, there is nothing to clean up."""
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:  # a shell may have set it to be ignored
        signal.signal(signal.SIGINT, _leave)


def raise_when_interrupted() -> None:
    """From now on, raise KeyboardInterrupt on Ctrl-C, as Python does."""
    if signal.getsignal(signal.SIGINT) is _leave:
        signal.signal(signal.SIGINT, signal.default_int_handler)


def _leave(number: int, frame: object) -> None:
    os._exit(_INTERRUPTED)  # not by an exception: a module that is being imported could catch or print it


if __name__ == "__main__":
    sys.modules["headway.cli.main"] = sys.modules["__main__"]  # so that there is only one `_leave`
    main()
