"""How the compiled versions of a function are saved and read."""

from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import pytest
from numba.core.caching import IndexDataCacheFile

from engine.kernel import cache as kernel_cache
from engine.kernel.generic import compiled
from engine.kernel.llvm.compiled_files import CheckedFiles


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of the locks. Compiled functions of this module are kept in it too."""
    monkeypatch.setattr(kernel_cache, "directory", lambda: tmp_path)
    monkeypatch.setattr("numba.core.config.CACHE_DIR", str(tmp_path))
    return tmp_path


def test_one_process_at_a_time_keeps_what_it_has_compiled(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Two at once would give the files of their versions of a function the same number."""
    import fcntl

    refused: list[bool] = []

    def save(*_: object) -> None:
        with (folder / "saving.lock").open("a") as lock, suppress(BlockingIOError):
            refused.append(True)
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            refused.remove(True)

    monkeypatch.setattr(IndexDataCacheFile, "save", save)

    @compiled
    def tripled(number: int) -> int:
        return 3 * number

    assert tripled(2) == 6
    assert refused == [True]


def test_functions_that_cannot_be_cached_are_compiled_anyway(folder: Path) -> None:
    """The folder may be shared with somebody whose files we may not open."""
    (folder / "saving.lock").mkdir()

    @compiled
    def quadrupled(number: int) -> int:
        return 4 * number

    assert quadrupled(2) == 8


def doubling() -> Callable[[int], int]:
    """The same function each time, as if each call was in another process."""

    @compiled
    def doubled(number: int) -> int:
        return 2 * number

    return doubled


def cache_hits(function: Callable[[int], int]) -> int:
    stats = function.stats  # type: ignore[attr-defined]
    return sum(stats.cache_hits.values())


def test_another_process_reads_the_saved_files(folder: Path) -> None:
    assert doubling()(3) == 6
    assert list(folder.rglob("*.nbc"))
    again = doubling()
    assert again(3) == 6
    assert cache_hits(again) == 1


@pytest.mark.parametrize("kind", ["*.nbi", "*.nbc"])
@pytest.mark.parametrize(
    "damage",
    [
        pytest.param(lambda content: content[: len(content) // 2], id="cut in its middle"),
        pytest.param(lambda content: content[:-600] + bytes(600), id="zeros at its end"),
        pytest.param(lambda _: b"", id="empty"),
    ],
)
def test_a_damaged_file_is_compiled_again_and_replaced(
    folder: Path, kind: str, damage: Callable[[bytes], bytes]
) -> None:
    """A power cut leaves such files."""
    doubling()(3)
    (file,) = folder.rglob(kind)
    file.write_bytes(damage(file.read_bytes()))
    damaged = doubling()
    assert damaged(3) == 6
    assert cache_hits(damaged) == 0
    mended = doubling()
    assert mended(3) == 6
    assert cache_hits(mended) == 1


@pytest.mark.parametrize("method", ["_load_index", "_load_data", "_open_for_write"])
def test_numba_still_has_the_overridden_methods(method: str) -> None:
    assert method in vars(IndexDataCacheFile)
    assert method in vars(CheckedFiles)
