"""The files of the wheel and of the source archive."""

import re
import tarfile
import zipfile
from pathlib import Path

import pytest

from tools import ROOT
from tools.dist import build_archive, build_wheel, unpack, version


@pytest.fixture(scope="module")
def archive(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return build_archive(ROOT, tmp_path_factory.mktemp("archive"))


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return build_wheel(ROOT, tmp_path_factory.mktemp("wheel"))


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
