"""The files of one function's compiled versions: saved by one process at a time, checked when read.

Numba writes an index of versions and a data file for each version. It trusts both:

- It numbers the data files by the index, which it reads, extends and writes back. Two processes
  that do so at once choose the same number. From then on a call of one version runs the other,
  which was compiled for other arguments. A lock prevents that.
- It unpickles whatever the file holds. A file that lost its end, as after a power cut, raises
  anything or yields damaged machine code. Here every file ends with a digest of what precedes it,
  and a damaged file counts as missing: the function is compiled again, which replaces the file.

Numba has no public interface for either; `pyproject.toml` bounds its version, and the tests fail if
a method that this module overrides disappears.
"""

import hashlib
import io
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, Final

from numba.core.caching import IndexDataCacheFile

from engine.kernel import cache as kernel_cache

DIGEST_BYTES: Final = hashlib.sha256().digest_size


def save_checked(dispatcher: Any) -> None:  # noqa: ANN401  # its type says nothing of its cache
    """Have the compiled versions of a function saved alone and checked when they are read.

    A file that cannot be saved, for example on a full disk or under another user's lock, is no
    error: the next process compiles the function again.
    """
    cache = dispatcher._cache  # noqa: SLF001
    implementation = cache._impl  # noqa: SLF001
    cache._cache_file = CheckedFiles(  # noqa: SLF001
        cache.cache_path,
        implementation.filename_base,
        implementation.locator.get_source_stamp(),
    )
    save = cache.save_overload

    def save_overload(*version: object) -> None:
        with suppress(OSError), kernel_cache.alone("saving"):
            save(*version)

    cache.save_overload = save_overload


class CheckedFiles(IndexDataCacheFile):
    """Each file ends with a digest of its content; a file that does not counts as missing."""

    def _load_index(self) -> Any:  # noqa: ANN401
        return super()._load_index() if _is_whole(Path(self._index_path)) else {}

    def _load_data(self, name: str) -> Any:  # noqa: ANN401
        path = Path(self._data_path(name))
        if not _is_whole(path):
            raise FileNotFoundError(path)  # Numba compiles again
        return super()._load_data(name)

    @contextmanager
    def _open_for_write(self, filepath: str) -> Iterator[io.BytesIO]:
        content = io.BytesIO()
        yield content
        with super()._open_for_write(filepath) as file:
            file.write(content.getvalue())
            file.write(hashlib.sha256(content.getvalue()).digest())


def _is_whole(path: Path) -> bool:
    try:
        content = path.read_bytes()
    except OSError:
        return False
    body, digest = content[:-DIGEST_BYTES], content[-DIGEST_BYTES:]
    return hashlib.sha256(body).digest() == digest
