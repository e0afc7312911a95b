"""Switch Python's garbage collector off while many long-lived objects are made.

Importing modules and loading a model make hundreds of thousands of objects, all of which stay; scanning them again and
again for garbage takes a tenth of the start-up time.
"""

import gc
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def no_collection() -> Iterator[None]:
    """Switch the garbage collector off for a while, unless it is off already.

    Afterwards all objects count as old; otherwise, the next collection would scan every one of them.
    """
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.freeze()
            gc.unfreeze()  # moves the frozen objects into the oldest generation
            gc.enable()
