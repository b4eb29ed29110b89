"""The cache files of compiled functions: written under a lock and verified by a digest.

Numba writes an index of versions and a data file for each version. It trusts both:

- Numba reads the index, chooses the number of the next data file from it, and writes it back. Two
  processes that do so at once choose the same number. From then on a call of one version runs the
  other, which was compiled for other arguments. A lock prevents that.
- Numba unpickles any content of a file. A truncated file, as after a power cut, raises an arbitrary
  exception or yields damaged machine code. So every file ends with a SHA-256 digest of the
  preceding bytes. A damaged file counts as missing: Numba compiles again and replaces the file.

Numba has no public interface for either. `pyproject.toml` bounds its version, and the tests fail if
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
    """Make a function's cache write its files under a lock and verify them on reading.

    A file that cannot be saved, for example on a full disk or under another user's lock, is not an
    error: the next process compiles the function again.

    Args:
        dispatcher: The Numba dispatcher of the function.
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
    """Cache files that end with a digest of their content; any other file counts as missing."""

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
