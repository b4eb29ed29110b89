"""The files of the wheels and of the source archive."""

import json
import re
import sys
import tarfile
import tomllib
import zipfile
from collections.abc import Mapping
from pathlib import Path

import orjson
import pytest
from packaging.requirements import Requirement

from engine.kernel.library import LAYOUT, SHIPPED
from engine.kernel.sources import FOLDER, sources_key
from tools import ROOT, dist, wheels
from tools.dist import build_archive, unpack, version
from tools.wheels import (
    INSIDE,
    LIBRARIES,
    LibraryError,
    build_platform_wheel,
    build_wheel,
    check_libraries,
    needs,
)


@pytest.fixture(scope="module")
def archive(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return build_archive(ROOT, tmp_path_factory.mktemp("archive"))


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return build_wheel(ROOT, tmp_path_factory.mktemp("wheel"))


@pytest.fixture
def libraries(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Files in the place of libraries."""
    monkeypatch.setattr(wheels, "needs", lambda file: file.read_text().split())
    folder = tmp_path / "libraries"
    folder.mkdir()
    for names in LIBRARIES.values():
        for name in names:
            (folder / f"{name}.so").write_text("clock_gettime memset")
    write_layout(folder, sources_key())
    return folder


def write_layout(folder: Path, sources: str) -> None:
    (folder / LAYOUT).write_text(json.dumps({"sources": sources, "entries": {}}))


def contents(wheel: Path) -> Mapping[str, bytes]:
    with zipfile.ZipFile(wheel) as file:
        return {name: file.read(name) for name in file.namelist()}


def sources(*folders: str) -> set[str]:
    """The files of folders in the checkout, as paths from its root."""
    return {
        path.relative_to(ROOT).as_posix()
        for folder in folders
        for path in (ROOT / folder).rglob("*")
        if path.is_file() and path.suffix != ".pyc" and "__pycache__" not in path.parts
    }


def test_the_wheel_has_the_packages_and_the_settings_files_alone(wheel: Path) -> None:
    names = set(zipfile.ZipFile(wheel).namelist())
    metadata = {name for name in names if ".dist-info/" in name}
    config = {f"bot/{name}" for name in sources("config")}
    assert names - metadata == sources("bot", "engine") | config
    assert {"bot/py.typed", "engine/py.typed"} <= names
    assert f"bluestone-{version()}.dist-info/licenses/LICENSE" in metadata


@pytest.mark.parametrize("machine", LIBRARIES)
def test_a_wheel_for_one_machine_differs_in_its_libraries_alone(
    machine: str, wheel: Path, libraries: Path, tmp_path: Path
) -> None:
    """Resolvers take the metadata of one wheel for those of all wheels of a version."""
    special = build_platform_wheel(ROOT, libraries, machine, tmp_path / "wheel")
    assert special.name == f"bluestone-{version()}-py3-none-manylinux_2_17_{machine}.whl"
    found, common = contents(special), contents(wheel)
    info = f"bluestone-{version()}.dist-info"
    about = {f"{info}/WHEEL", f"{info}/RECORD"}
    added = {f"{INSIDE}/{name}.so" for name in LIBRARIES[machine]} | {f"{INSIDE}/{LAYOUT}"}
    assert found.keys() - common.keys() == added
    assert {name for name in common if common[name] != found[name]} == about
    assert b"Root-Is-Purelib: false" in found[f"{info}/WHEEL"]


def test_the_engine_finds_the_libraries_where_the_wheel_has_them() -> None:
    assert SHIPPED.relative_to(FOLDER.parent).as_posix() == INSIDE


def test_libraries_of_other_sources_come_into_no_wheel(libraries: Path, tmp_path: Path) -> None:
    write_layout(libraries, "other sources")
    with pytest.raises(LibraryError, match="other sources"):
        build_platform_wheel(ROOT, libraries, "x86_64", tmp_path / "wheel")


def test_a_library_that_needs_another_one_comes_into_no_wheel(libraries: Path) -> None:
    (libraries / "aarch64.so").write_text("memset expf libm.so.6")
    check_libraries(libraries, "x86_64")
    with pytest.raises(LibraryError, match=r"aarch64\.so needs expf, libm\.so\.6"):
        check_libraries(libraries, "aarch64")
    (libraries / "aarch64.so").unlink()
    with pytest.raises(LibraryError, match=r"aarch64\.so is missing"):
        check_libraries(libraries, "aarch64")


@pytest.mark.skipif(sys.platform != "linux", reason="libraries are ELF files on Linux alone")
def test_what_a_library_needs_is_read_from_its_file() -> None:
    file = Path(str(orjson.__file__)).parent
    [library] = file.glob("orjson*.so")
    found = set(needs(library))
    assert {"libc.so.6", "memcpy", "versions of symbols"} <= found


def test_without_a_linker_it_says_what_to_install_before_it_compiles(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("tools.ahead.targets.shutil.which", lambda _: None)
    monkeypatch.setattr("tools.ahead.targets.find_spec", lambda _: None)
    monkeypatch.setattr("tools.ahead.build.build", lambda *_: pytest.fail("it compiles"))
    monkeypatch.setattr(dist, "DIST", tmp_path / "dist")
    monkeypatch.setattr(sys, "argv", ["tools.dist"])
    assert dist.main() == 1
    assert "install Debian's lld, or the package ziglang" in capsys.readouterr().err


def test_without_the_engine_for_the_page_nothing_is_built(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(dist, "FOLDER", tmp_path)
    monkeypatch.setattr(dist, "DIST", tmp_path / "dist")
    monkeypatch.setattr(sys, "argv", ["tools.dist", "--libraries", str(tmp_path)])
    assert dist.main() == 1
    assert "the page has no engine for bluestone, " in capsys.readouterr().err
    assert not list(tmp_path.rglob("*.whl"))


def test_numba_is_needed_where_no_wheel_has_libraries() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    [needed] = [Requirement(each) for each in project["dependencies"] if "numba" in each]
    [compiling] = map(Requirement, project["optional-dependencies"]["compile"])
    assert (needed.name, needed.specifier) == (compiling.name, compiling.specifier)
    assert needed.marker is not None
    for machine in LIBRARIES:
        place = {"sys_platform": "linux", "platform_machine": machine}
        assert not needed.marker.evaluate(place)
        assert needed.marker.evaluate({**place, "sys_platform": "darwin"})
    assert needed.marker.evaluate({"sys_platform": "linux", "platform_machine": "riscv64"})


def test_the_metadata_says_what_the_package_is(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as file:
        text = file.read(f"bluestone-{version()}.dist-info/METADATA").decode()
    for line in (
        f"Version: {version()}",
        "License-Expression: MIT",
        "Author: The Bluestone authors",
        "Requires-Python: >=3.11",
        "Classifier: Typing :: Typed",
    ):
        assert f"\n{line}\n" in text


def test_the_source_archive_has_what_a_contributor_needs(archive: Path) -> None:
    top = f"bluestone-{version()}/"
    with tarfile.open(archive) as file:
        names = {name.removeprefix(top) for name in file.getnames()}
    assert sources("bot", "engine", "config", "docs", "tools", "lab", "tests") <= names
    assert {"Makefile", "CONTRIBUTING.md", "CHANGELOG.md", "Dockerfile", ".ci/run"} <= names
    dockerfile = (ROOT / "Dockerfile").read_text(encoding="utf-8")
    copied = {
        each
        for line in re.findall(r"^COPY (?!--from)(.+) \S+$", dockerfile, re.MULTILINE)
        for each in line.split()
    }
    assert copied
    assert [each for each in copied if each not in names and not sources(each) & names] == []
    assert not any(name.startswith((".venv", "build/", "var/", ".git/")) for name in names)


def test_the_source_archive_gives_the_same_wheel(
    archive: Path, wheel: Path, tmp_path: Path
) -> None:
    source = unpack(archive, tmp_path / "source")
    assert build_wheel(source, tmp_path / "wheel").read_bytes() == wheel.read_bytes()


def test_the_readme_and_the_changelog_name_the_version() -> None:
    assert f"version {version()}," in (ROOT / "README.md").read_text(encoding="utf-8")
    heading = re.compile(rf"^## {re.escape(version())} – \d{{4}}-\d\d-\d\d$", re.MULTILINE)
    assert heading.search((ROOT / "CHANGELOG.md").read_text(encoding="utf-8"))
