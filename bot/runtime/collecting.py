"""Python's search for garbage, put off while much is made that stays."""

import gc
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def no_collecting() -> Iterator[None]:
    """Each of its rounds looks at everything that was made so far: with 10,000 games that is five
    times as long as reading them.
    """
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()
