"""Long kernels that end when they are asked to: by Ctrl-C, or by SIGTERM.

Python handles signals in the main thread, between two of its own instructions, so never while that thread is inside a
kernel. A long kernel therefore runs in a helper thread, the main thread waits for it, and the kernel looks now and then
at a flag that says whether the result is still wanted.
"""

import threading
from collections.abc import Callable
from typing import TypeVar

import numpy as np
import numpy.typing as npt

T = TypeVar("T")

_PATIENCE = 1.0
"""Seconds to wait for a kernel that was told to stop; one that is still being compiled is left behind."""


def stop_flag() -> npt.NDArray[np.int64]:
    """(1,) Return a flag for kernels to look at: not zero means that nobody wants their result any more."""
    return np.zeros(1, dtype=np.int64)


def interruptibly(work: Callable[[], T], stop: npt.NDArray[np.int64]) -> T:
    """Return ``work()``, in such a way that signals are handled at once.

    Only the main thread handles signals: called by any other, this is a plain call.

    Parameters
    ----------
    stop : (1,) int64
        The flag that the kernels inside `work` look at; set when a signal raises an exception.
    """
    if threading.current_thread() is not threading.main_thread():
        return work()
    answers: list[T] = []
    failures: list[BaseException] = []

    def run() -> None:
        try:
            answers.append(work())
        except BaseException as failure:
            failures.append(failure)

    helper = threading.Thread(target=run, daemon=True)  # a daemon: the process may end before it does
    helper.start()
    try:
        while helper.is_alive():
            helper.join(0.5)  # with a limit: without one, not every system handles signals while it waits
    except BaseException:
        stop[0] = 1
        helper.join(_PATIENCE)
        raise
    if failures:
        raise failures[0]
    return answers[0]
