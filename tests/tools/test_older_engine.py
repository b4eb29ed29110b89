"""`make older`: the engine of an earlier commit, in a repository whose commits build in no time."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.skipping import skip
from tools import ROOT

MAKEFILE = """\
install:
\t@echo once >> ../installed
\t@mkdir -p .venv/bin
\t@cp program .venv/bin/python
\t@echo Installing
"""
PROGRAM = """\
#!/bin/sh
echo "FIRST $BLUESTONE_CACHE_DIR $*"
"""
WHO = ("-c", "user.name=Anna", "-c", "user.email=anna@example.org", "-c", "commit.gpgsign=false")


class Repository:
    """Has one commit, with an engine that says how it was started."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._git("init", "--quiet")
        (folder / "Makefile").write_text(MAKEFILE)
        (folder / "program").write_text(PROGRAM)
        (folder / "program").chmod(0o755)
        self.commit()

    def commit(self) -> None:
        self._git("add", "Makefile", "program")
        self._git(*WHO, "commit", "--quiet", "--message", "One more")

    def _git(self, *arguments: str) -> None:
        subprocess.run(["git", *arguments], cwd=self.folder, check=True, env=_environment())

    def older(self, *commit: str) -> subprocess.CompletedProcess[str]:
        script = ROOT / "tools" / "older_engine.sh"
        return self.run("sh", str(script), *commit)

    def run(self, *command: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            command,
            cwd=self.folder,
            capture_output=True,
            text=True,
            check=False,
            env=_environment(),
        )


def _environment() -> dict[str, str]:
    """Without what git tells the programs that its hooks start."""
    return {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}


@pytest.fixture
def repository(tmp_path: Path) -> Repository:
    if not (shutil.which("git") and shutil.which("make")):
        skip("there is no git or no make here")
    return Repository(tmp_path)


def test_it_prints_the_command_that_starts_the_engine_of_that_commit(
    repository: Repository,
) -> None:
    first = repository.older("HEAD")
    (repository.folder / "program").write_text(PROGRAM.replace("FIRST", "SECOND"))
    repository.commit()
    second = repository.older("HEAD")
    assert repository.older("HEAD~1").stdout == first.stdout
    said = [repository.run(each.stdout.strip(), "--engine", "search") for each in (first, second)]
    names, caches, arguments = zip(*(each.stdout.split(maxsplit=2) for each in said), strict=True)
    assert names == ("FIRST", "SECOND")
    assert caches[0] != caches[1], "what they compile is kept apart"
    assert set(arguments) == {"-I -m engine.ugi --engine search\n"}


def test_it_is_built_once(repository: Repository) -> None:
    one, two = repository.older("HEAD"), repository.older("HEAD")
    assert one.stdout == two.stdout
    assert one.stdout.count("\n") == 1, "what is said while it is built goes elsewhere"
    built = repository.folder / one.stdout.strip()
    assert (built.parent / "installed").read_text() == "once\n"


def test_an_incomplete_build_is_built_again(repository: Repository) -> None:
    program = repository.folder / "program"
    program.unlink()
    program.symlink_to("nowhere")
    repository.commit()
    failed = repository.older("HEAD")
    assert failed.returncode
    assert not failed.stdout
    assert repository.older("HEAD").returncode, "it is not taken for built"
    assert repository.older("HEAD~1").returncode == 0


@pytest.mark.parametrize(
    ("commit", "said"),
    [((), "Say which commit"), (("v7",), "There is no commit v7"), (("",), "Say which commit")],
)
def test_an_unknown_commit_is_reported(
    repository: Repository, commit: tuple[str, ...], said: str
) -> None:
    refused = repository.older(*commit)
    assert refused.returncode == 2
    assert said in refused.stderr
    assert not refused.stdout
