"""The folder of compiled kernels, and compiling ahead of time."""

import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

import pytest

from engine.kernel import cache as kernel_cache

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


def test_other_sources_get_another_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    sources = tmp_path / "engine"
    shutil.copytree(Path(kernel_cache.__file__).parents[1], sources)
    environment = {"BLUESTONE_CACHE_DIR": str(tmp_path / "cache")}
    elsewhere = kernel_cache.choose_directory(environment)
    monkeypatch.setattr(kernel_cache, "FOLDER", sources)
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


@pytest.mark.skipif(not hasattr(os, "getuid"), reason="only POSIX shares a temporary folder")
@pytest.mark.parametrize("planted", ["link", "dangling link", "file", "open folder"])
def test_code_that_another_user_planted_in_the_temporary_folder_is_not_used(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, planted: str
) -> None:
    """Programs execute the cached code, and the folder's name can be guessed."""
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    theirs, place = tmp_path / "theirs", tmp_path / f"bluestone-kernels-{os.getuid()}"
    if planted in {"link", "open folder"}:
        theirs.mkdir()
        theirs.chmod(0o777)
    if planted.endswith("link"):
        place.symlink_to(theirs)
    elif planted == "file":
        place.touch()
    else:
        theirs.rename(place)
    (tmp_path / "occupied").touch()
    chosen = kernel_cache.choose_directory({"BLUESTONE_CACHE_DIR": str(tmp_path / "occupied")})
    assert chosen.is_dir()
    assert chosen.parent.stat().st_mode & 0o077 == 0
    assert chosen.resolve().parent.name not in {theirs.name, place.name}


@pytest.mark.skipif(not hasattr(os, "getuid"), reason="Windows has no modes")
@pytest.mark.parametrize("open_place", [".", "..", "../..", "rules", "rules/find.nbi"])
def test_code_that_other_users_could_have_changed_is_not_used(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, open_place: str
) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    environment = {"BLUESTONE_CACHE_DIR": str(tmp_path / "shared" / "cache")}
    folder = kernel_cache.choose_directory(environment)
    (folder / "rules").mkdir()
    (folder / "rules" / "find.nbi").write_text("compiled")
    assert kernel_cache.choose_directory(environment) == folder
    (folder / open_place).resolve().chmod(0o777)
    with pytest.warns(RuntimeWarning, match="not used: other users can write to"):
        chosen = kernel_cache.choose_directory(environment)
    assert chosen != folder
    assert list(chosen.iterdir()) == []


@pytest.mark.skipif(not hasattr(os, "getuid"), reason="Windows has no owners")
def test_code_of_another_user_is_not_used(tmp_path: Path) -> None:
    place = tmp_path / "cache"
    place.mkdir()
    assert kernel_cache.why_not_private(place / "kernels") == ""
    stranger = os.getuid() + 1
    why = kernel_cache.why_not_private(place / "kernels", stranger)
    assert (why == "") if os.getuid() == 0 else why.endswith(f"belongs to user {os.getuid()}")
    if os.getuid() == 0:
        os.chown(place, stranger, 0)
        assert kernel_cache.why_not_private(place / "kernels").endswith(f"user {stranger}")


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
    monkeypatch.setattr(kernel_cache, "_take", lambda _: False)
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    chosen = kernel_cache.choose_directory(environment)
    assert chosen != folder
    taken = chosen / "rules" / "find.nbi"
    assert taken.read_text() == "compiled"
    assert all(path.stat().st_mode & 0o200 for path in (chosen, chosen / "rules", taken))


def folders_of_other_sources(root: Path, days_old: Sequence[float]) -> list[Path]:
    """Folders whose last program started so many days ago, each with a file of 4,096 bytes."""
    folders = [root / f"kernels-{number:016x}" for number in range(len(days_old))]
    for folder, days in zip(folders, days_old, strict=True):
        folder.mkdir()
        (folder / "try_step.1.nbc").write_bytes(bytes(4096))
        started = time.time() - days * 24 * 3600
        os.utime(folder, (started, started))
    return folders


def test_only_folders_without_a_program_for_a_week_are_deleted(tmp_path: Path) -> None:
    recent, old = folders_of_other_sources(tmp_path, [6, 8])
    strangers = tmp_path / "somebody-elses-16"
    strangers.mkdir()
    current = kernel_cache.choose_directory({"BLUESTONE_CACHE_DIR": str(tmp_path)})
    assert current.is_dir()
    assert recent.is_dir()
    assert strangers.is_dir()
    assert not list(tmp_path.glob(f"{old.name}*"))


def test_the_oldest_folders_are_deleted_while_all_are_too_large(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(kernel_cache, "MOST_BYTES", 10_000)
    newest, oldest, older = folders_of_other_sources(tmp_path, [1, 3, 2])
    kernel_cache.choose_directory({"BLUESTONE_CACHE_DIR": str(tmp_path)})
    assert newest.is_dir()
    assert older.is_dir()
    assert not oldest.exists()


def test_a_folder_in_use_is_not_deleted_however_old(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A daemon runs for months while another version of the package starts beside it."""
    code = "from engine.kernel import cache; print(cache.directory(), flush=True); input()"
    environment = {**os.environ, "BLUESTONE_CACHE_DIR": str(tmp_path)}
    with subprocess.Popen(
        [sys.executable, "-c", code],
        env=environment,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as program:
        assert program.stdout is not None
        used = Path(program.stdout.readline().strip())
        os.utime(used, (0, 0))
        monkeypatch.setattr(kernel_cache, "_source_key", lambda: "0123456789abcdef")
        kernel_cache.choose_directory(environment)
        assert used.is_dir()
        program.communicate("\n", timeout=60)
    kernel_cache.choose_directory(environment)
    assert not used.exists()


def test_another_process_finds_the_kernels_compiled() -> None:
    command = [sys.executable, "-c", PLAY]
    _, again = (  # the first may have to compile
        subprocess.run(command, capture_output=True, text=True, check=True, timeout=60)
        for _ in range(2)
    )
    assert again.stdout.split() == ["1", "0"]
