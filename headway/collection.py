"""Python's garbage collector, held back while much is made and little is thrown away.

Importing modules and loading a model make hundreds of thousands of objects that all stay; looking through them again
and again for garbage takes a tenth of the start-up time.
"""

import gc
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def no_collection() -> Iterator[None]:
    """Switch the garbage collector off for a while, unless it is off already.

    Afterwards all objects count as old. As young ones, the next collection would look through every one of them.
    """
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.freeze()
            gc.unfreeze()  # moves what was frozen into the oldest generation
            gc.enable()
