"""A disk that takes no more than the beginning of each file."""

import resource
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def longest_file(size: int) -> Iterator[None]:
    """Nothing can be written behind so many bytes of any file, as on a full disk."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
