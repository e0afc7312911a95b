"""Handle standard streams that the shell has closed (``>&-``): they cause an error only if they are used."""

import os
import sys


def open_closed_streams() -> None:
    """Reopen standard streams that are closed.

    Reading standard input, or writing to standard output, then fails as in other programs (EBADF), and
    messages to standard error are lost. As the descriptors 0 to 2 are then in use, no other file can get one of them.
    """
    for number, name, flags in ((0, "stdin", os.O_WRONLY), (1, "stdout", os.O_RDONLY), (2, "stderr", os.O_WRONLY)):
        if getattr(sys, name) is None:
            null = os.open(os.devnull, flags)
            if null != number:
                os.dup2(null, number)
                os.close(null)
            mode = "w" if number else "r"
            setattr(sys, name, open(number, mode, encoding="utf-8", closefd=False))  # noqa: SIM115 (to the very end)
