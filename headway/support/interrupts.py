"""Make long kernels stop on Ctrl-C and SIGTERM.

Python handles signals in the main thread between two bytecode instructions, so never while that thread is inside a
kernel. A long kernel therefore runs in a helper thread, the main thread waits for it, and the kernel checks now and
then a flag that says whether to stop.
"""

import threading
from collections.abc import Callable
from typing import TypeVar

import numpy as np
import numpy.typing as npt

T = TypeVar("T")

_PATIENCE = 1.0
"""Seconds to wait for a kernel that was told to stop; a kernel that is still being compiled is abandoned."""


def stop_flag() -> npt.NDArray[np.int64]:
    """(1,) Return a flag for kernels to check: nonzero means stop, because the result is no longer needed."""
    return np.zeros(1, dtype=np.int64)


def interruptibly(work: Callable[[], T], stop: npt.NDArray[np.int64] | None = None, *, short: bool = False) -> T:
    """Return ``work()``, handling signals at once.

    Only the main thread handles signals; in any other thread, this is a plain call.

    Parameters
    ----------
    stop : (1,) int64, optional
        The flag that the kernels inside `work` check; set when a signal raises an exception. Without one, `work` is
        abandoned then: for solvers of other packages, which release the GIL but check no flag.
    short : bool
        Whether `work` ends before a user could wait for it. Then this is a plain call, too: a helper thread takes as
        much time as the search for a tree of 20 words.
    """
    if short or threading.current_thread() is not threading.main_thread():
        return work()
    answers: list[T] = []
    failures: list[BaseException] = []

    def run() -> None:
        try:
            answers.append(work())
        except BaseException as failure:
            failures.append(failure)

    helper = threading.Thread(target=run, daemon=True)  # a daemon, so that the process may end before the thread
    helper.start()
    try:
        while helper.is_alive():
            helper.join(0.5)  # with a timeout: without one, some systems do not handle signals while waiting
    except BaseException:
        if stop is not None:
            stop[0] = 1
            helper.join(_PATIENCE)
        raise
    if failures:
        raise failures[0]
    return answers[0]
