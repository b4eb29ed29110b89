"""Imports point one way: the rules in pyproject.toml hold, and they would notice."""

import shutil
import subprocess
import sys
from graphlib import TopologicalSorter
from pathlib import Path

import pytest

from tools import ROOT
from tools.import_graph import PACKAGES, contracts, imports

LINTER = Path(sys.executable).with_name("lint-imports")

FORBIDDEN = [
    ("bot/wire/extra.py", "from bot.daemon import session", "floors-of-bot"),
    ("bot/engines/extra.py", "from bot.platforms import base", "floors-of-bot"),
    ("bot/extra.py", "VALUE = 1", "floors-of-bot"),
    ("bot/daemon/extra.py", "from bot.arena import server", "daemon-and-arena"),
    ("bot/arena/store/extra.py", "from bot.arena.lobby import lobby", "floors-of-the-arena"),
    ("bot/arena/extra.py", "VALUE = 1", "floors-of-the-arena"),
    ("engine/kernel/extra.py", "from engine import catalogue", "floors-of-engine"),
    ("engine/games/extra.py", "def late() -> None:\n    import engine.game", "floors-of-engine"),
    ("bot/daemon/extra.py", "from engine.kernel import calls", "what-bot-sees-of-the-engine"),
    ("bot/terminal/extra.py", "from engine.game import Position", "what-bot-sees-of-the-engine"),
    ("engine/extra.py", "import bot.errors", "engine-knows-no-bot"),
    ("bot/wire/extra.py", "from tests.fakes import time", "product-alone"),
    ("engine/extra.py", "import tools.dist", "product-alone"),
    ("bot/cli/extra.py", "def late() -> None:\n    import lab.soak", "product-alone"),
]


def linted(folder: Path) -> subprocess.CompletedProcess[str]:
    """What `lint-imports` says of the sources in a folder."""
    return subprocess.run(
        [LINTER, "--no-cache"],
        cwd=folder,
        env={"PYTHONPATH": str(folder), "COLUMNS": "250"},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    """The sources, to be changed."""
    shutil.copy(ROOT / "pyproject.toml", tmp_path)
    for package in PACKAGES:
        only_python = shutil.ignore_patterns("*.js", "*.json", "*.css", "__pycache__")
        shutil.copytree(ROOT / package, tmp_path / package, ignore=only_python)
    return tmp_path


def test_the_rules_hold(copy: Path) -> None:
    found = linted(copy)
    assert found.returncode == 0, found.stdout


@pytest.mark.parametrize(("file", "line", "rule"), FORBIDDEN)
def test_a_forbidden_import_is_refused_by_the_name_of_its_rule(
    copy: Path, file: str, line: str, rule: str
) -> None:
    (copy / file).write_text(f'"""A stray."""\n\n{line}\n')
    found = linted(copy)
    assert found.returncode == 1
    name = contracts()[rule]["name"]
    assert f"{name} BROKEN" in found.stdout or "not listed" in found.stdout
    assert Path(file).stem in found.stdout


def test_a_circle_is_refused(copy: Path) -> None:
    (copy / "bot/records/one.py").write_text("from bot.records import two\n")
    (copy / "bot/records/two.py").write_text("def later() -> None:\n    import bot.records.one\n")
    found = linted(copy)
    assert found.returncode == 1
    assert f"{contracts()['no-circles']['name']} BROKEN" in found.stdout


def test_no_module_imports_itself_by_a_detour() -> None:
    """Also not over the `__init__` of a package, which the linter does not look at."""
    graph = imports()
    allowed = {
        tuple(pair.split(" -> "))
        for contract in contracts().values()
        for pair in contract.get("ignore_imports", [])
    }
    below = {
        module: {
            imported
            for imported in graph.find_modules_directly_imported_by(module)
            if (module, imported) not in allowed
        }
        for module in graph.modules
    }
    TopologicalSorter(below).prepare()
