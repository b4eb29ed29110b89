"""The folder of compiled kernels, and compiling ahead of time."""

import os
import shutil
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

import pytest
from numba.core.caching import IndexDataCacheFile

from engine.kernel import cache as kernel_cache
from engine.kernel.generic import compiled

PLAY = """
import engine
from engine.kernel import calls
engine.play_out(engine.game("bluestone", board="pent-3"))
stats = calls.try_step.stats
print(stats.cache_hits.total(), stats.cache_misses.total())
"""


def test_the_environment_chooses_the_folder(tmp_path: Path) -> None:
    chosen = kernel_cache.choose_directory({"BLUESTONE_CACHE_DIR": str(tmp_path / "new")})
    assert chosen.parent == tmp_path / "new"
    assert chosen.is_dir()
    assert chosen == kernel_cache.choose_directory({"BLUESTONE_CACHE_DIR": str(tmp_path / "new")})


def test_one_process_at_a_time_keeps_what_it_has_compiled(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Two at once would give the files of their versions of a function the same number."""
    import fcntl

    refused: list[bool] = []

    def save(*_: object) -> None:
        with (tmp_path / "saving.lock").open("a") as lock, suppress(BlockingIOError):
            refused.append(True)
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            refused.remove(True)

    monkeypatch.setattr(kernel_cache, "directory", lambda: tmp_path)
    monkeypatch.setattr(IndexDataCacheFile, "save", save)

    @compiled
    def tripled(number: int) -> int:
        return 3 * number

    assert tripled(2) == 6
    assert refused == [True]


def test_what_cannot_be_kept_is_compiled_all_the_same(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The folder may be shared with somebody whose files we may not open."""
    monkeypatch.setattr(kernel_cache, "directory", lambda: tmp_path)
    (tmp_path / "saving.lock").mkdir()

    @compiled
    def quadrupled(number: int) -> int:
        return 4 * number

    assert quadrupled(2) == 8


def test_other_sources_get_another_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    sources = tmp_path / "engine"
    shutil.copytree(Path(kernel_cache.__file__).parents[1], sources)
    environment = {"BLUESTONE_CACHE_DIR": str(tmp_path / "cache")}
    elsewhere = kernel_cache.choose_directory(environment)
    monkeypatch.setattr(kernel_cache, "__file__", str(sources / "kernel" / "cache.py"))
    here = kernel_cache.choose_directory(environment)
    # Numba does not find there what it has compiled from sources at another place.
    assert here != elsewhere
    assert kernel_cache.choose_directory(environment) == here
    with (sources / "kernel" / "bits.py").open("a", encoding="utf-8") as file:
        file.write("# changed\n")
    assert kernel_cache.choose_directory(environment) != here


def test_a_folder_that_cannot_be_made_is_replaced_by_a_private_one(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    chosen = kernel_cache.choose_directory({"BLUESTONE_CACHE_DIR": str(tmp_path / "file")})
    assert chosen.is_dir()
    assert tmp_path not in chosen.parents
    assert chosen.parent.stat().st_mode & 0o022 == 0


def test_kernels_in_a_read_only_folder_are_taken_along(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As in an image whose file system cannot be written."""
    environment = {"BLUESTONE_CACHE_DIR": str(tmp_path / "image")}
    folder = kernel_cache.choose_directory(environment)
    (folder / "rules").mkdir()
    (folder / "rules" / "find.nbi").write_text("compiled")
    for path in (folder / "rules" / "find.nbi", folder / "rules", folder):
        path.chmod(path.stat().st_mode & ~0o222)
    monkeypatch.setattr(kernel_cache, "_writable", lambda _: False)
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    chosen = kernel_cache.choose_directory(environment)
    assert chosen != folder
    taken = chosen / "rules" / "find.nbi"
    assert taken.read_text() == "compiled"
    assert all(path.stat().st_mode & 0o200 for path in (chosen, chosen / "rules", taken))


def test_folders_of_old_sources_are_deleted_and_nothing_else(tmp_path: Path) -> None:
    environment = {"BLUESTONE_CACHE_DIR": str(tmp_path)}
    old = [tmp_path / f"kernels-{number:016x}" for number in range(6)]
    for age, folder in enumerate(old):
        folder.mkdir()
        os.utime(folder, (1000 - age, 1000 - age))
    (tmp_path / "somebody-elses-16").mkdir()
    current = kernel_cache.choose_directory(environment)
    assert set(tmp_path.iterdir()) == {current, *old[:3], tmp_path / "somebody-elses-16"}


def test_another_process_finds_the_kernels_compiled() -> None:
    command = [sys.executable, "-c", PLAY]
    _, again = (  # the first may have to compile
        subprocess.run(command, capture_output=True, text=True, check=True, timeout=60)
        for _ in range(2)
    )
    assert again.stdout.split() == ["1", "0"]
