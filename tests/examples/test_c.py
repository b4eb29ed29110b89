"""The program in C plays by the rules of the engine, and searches as it does."""

import re
import shutil
import subprocess
from typing import Final

import pytest

import engine
from engine.kernel.processor import levels_here
from engine.search.searcher import Searcher
from engine.search.tree import ROOT
from tests.ahead import PATIENCE_S, built
from tests.skipping import skip
from tools import ROOT as CHECKOUT

PAGE: Final = CHECKOUT / "docs" / "engine-in-other-programs.md"
FOLDER: Final = "build/engine"
"""The folder of the library in the page."""
LEVEL: Final = "x86-64-v3"
"""The kind of processor in the page."""
MEGABYTES: Final = 16
"""The memory of the program's tree."""
STRICT: Final = "-Wall -Wextra -Wpedantic -Werror"
SECONDS: Final = 60

pytestmark = [pytest.mark.xdist_group("engine as WebAssembly"), pytest.mark.timeout(PATIENCE_S)]


def documented() -> list[str]:
    """The commands of the page about C, in their order."""
    _, _, section = PAGE.read_text(encoding="utf-8").partition("## C\n")
    [_, commands, *_] = re.split(r"^```.*\n", section, flags=re.MULTILINE)
    return commands.splitlines()


@pytest.fixture(scope="module")
def said() -> list[str]:
    """The lines that the program prints."""
    if not shutil.which("cc"):
        skip("there is no C compiler")
    folder, (level, *_) = built("bluestone"), levels_here()
    build, compile_it, run = documented()
    assert build.split()[1:] == (
        f"-m tools.ahead --games bluestone --targets {LEVEL} --output {FOLDER}".split()
    ), "which is what `built` does"
    done = "", ""
    for command in (compile_it.replace("cc ", f"cc {STRICT} ", 1), run):
        here = command.replace(FOLDER, folder.relative_to(CHECKOUT).as_posix())
        done = _run(here.replace(LEVEL, level))
    out, errors = done
    assert not errors
    return out.splitlines()


def _run(command: str) -> tuple[str, str]:
    done = subprocess.run(
        command,
        shell=True,
        cwd=CHECKOUT,
        capture_output=True,
        text=True,
        check=False,
        timeout=SECONDS,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout, done.stderr


def test_the_game_is_legal_and_has_the_printed_result(said: list[str]) -> None:
    *turns, result, _ = said
    position = engine.game("bluestone", board="pent-6").replay(turns)
    assert position.over
    assert result == (f"player {position.winner} wins" if position.winner else "draw")
    assert len(turns) > 10


def test_the_search_grows_the_tree_of_the_engine(said: list[str]) -> None:
    *_, seed, playouts = documented()[-1].split()
    game = engine.game("bluestone", board="pent-6")
    searcher = Searcher(game, megabytes=2 * MEGABYTES, threads=1, seed=1)
    searcher.move_to(game.start())
    searcher._workers[0].scratch.rng[0] = int(seed)
    searcher.grow(int(playouts))
    tree = searcher.tree
    first = tree.first_edge[ROOT]
    edges = range(first, first + tree.edge_count[ROOT])
    visits = {edge: tree.visits[tree.child[edge]] for edge in edges if tree.child[edge] >= 0}
    best = max(visits, key=lambda edge: visits[edge])
    step = game.start().frame.step_name(int(tree.step[best]))
    assert said[-1] == f"{visits[best]} of {playouts} playouts begin with {step}"
