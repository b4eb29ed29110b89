"""A pause of the garbage collector while many long-lived objects are created."""

import gc
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def no_collecting() -> Iterator[None]:
    """Pause the garbage collector for the block.

    Each of its rounds visits every object made so far: with 10,000 games that takes five times as
    long as reading them.
    """
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()
