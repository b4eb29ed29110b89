"""The recipe for a new game works as it stands: it is carried out, and the game is played."""

import asyncio
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import aiohttp
import pytest

import engine
from tests.bot.arena.table import begin
from tests.docs.pages import ROOT
from tests.docs.recipe import PAGE, copy_of_the_house, steps
from tests.e2e.browser.arena_process import running
from tests.fakes.arena_client import connected
from tests.skipping import skip

# The rules and the search of the new game are compiled once, by whichever worker has the group.
pytestmark = [pytest.mark.xdist_group("adding-a-game"), pytest.mark.timeout(600)]

BIN = Path(sys.executable).parent
SEED = 7


class House:
    """A copy of the sources with the new game in it, and kernels of its own."""

    def __init__(self, folder: Path) -> None:
        self.folder = copy_of_the_house(folder / "house")
        for step in steps():
            step.carry_out(self.folder)
        self.environment = {
            "PYTHONPATH": os.pathsep.join([str(self.folder), os.environ.get("PYTHONPATH", "")]),
            "BLUESTONE_CACHE_DIR": str(folder / "kernels"),
        }

    def run(self, *command: str | Path) -> str:
        """What a command prints that has to succeed."""
        done = subprocess.run(
            command,
            cwd=self.folder,
            env={**os.environ, **self.environment},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=400,
            check=False,
        )
        assert done.returncode == 0, f"{done.stdout}\n{done.stderr}"
        return done.stdout

    def python(self, *arguments: str) -> str:
        return self.run(sys.executable, *arguments)

    def engine_says(self, turns: list[str]) -> list[str]:
        """The lines of the built-in engine up to its turn after these."""
        with subprocess.Popen(
            (sys.executable, "-m", "engine.ugi"),
            cwd=self.folder,
            env={**os.environ, **self.environment},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        ) as program:
            assert program.stdin is not None
            assert program.stdout is not None
            position = f"position startpos moves {' '.join(turns)}"
            program.stdin.write(f"setoption name Game value clump\n{position}\ngo nodes 300\n")
            program.stdin.flush()
            said = []
            for line in program.stdout:
                said.append(line.strip())
                if line.startswith("bestmove"):
                    break
            program.stdin.close()
            program.wait(60)
        return said


@pytest.fixture(scope="module")
def sources(tmp_path_factory: pytest.TempPathFactory) -> House:
    """Nothing of it is compiled yet."""
    return House(tmp_path_factory.mktemp("recipe"))


@pytest.fixture(scope="module")
def house(sources: House) -> House:
    built = sources
    compiling = """import engine, engine.warming
engine.warming.warm(print, engine.warming.parts_of("clump"))
print(engine.__file__)"""
    said = built.python("-c", compiling).splitlines()
    assert said == ["Clump: rules", "Clump: search", str(built.folder / "engine" / "__init__.py")]
    return built


@pytest.fixture(scope="module")
def played(house: House) -> list[str]:
    """The turns of a random game."""
    code = f"import engine; print(*engine.play_out(engine.game('clump'), {SEED}).turns)"
    return house.python("-c", code).split()


def test_the_page_names_every_function_that_a_kernel_implements() -> None:
    declared = re.findall(
        r"^def (\w+)\([^)]*\)[^:]*:\n    \"\"\"(?:(?!^def ).)*?^    raise NotImplementedError",
        (ROOT / "engine" / "kernel" / "generic.py").read_text(encoding="utf-8"),
        re.MULTILINE | re.DOTALL,
    )
    kernel = next(step.code for step in steps() if step.file.endswith("clump/kernel.py"))
    implemented = re.findall(r"@implements\(kernel\.(\w+), STATE_DTYPE\)", kernel)
    assert sorted(implemented) == sorted(declared)


def test_the_tests_that_the_page_names_are_there() -> None:
    named = set(re.findall(r"`(test_\w+)`", PAGE.read_text(encoding="utf-8")))
    files = {ROOT / step.file for step in steps() if step.table is not None}
    sources = "".join(file.read_text(encoding="utf-8") for file in files)
    assert named
    assert [name for name in sorted(named) if f"def {name}(" not in sources] == []


def test_the_game_is_new_and_the_page_is_linked() -> None:
    assert "clump" not in [known.name for known in engine.games()]
    for page in ("README.md", "docs/architecture.md"):
        assert PAGE.name in (ROOT / page).read_text(encoding="utf-8")


def test_the_new_files_pass_format_and_lint(sources: House) -> None:
    files = [step.file for step in steps() if step.file.endswith(".py")]
    sources.run(BIN / "ruff", "format", "--check", *files)
    sources.run(BIN / "ruff", "check", *files)


def test_its_rules_are_played_without_a_compiler(sources: House) -> None:
    code = f"import engine; print(*engine.play_out(engine.game('clump'), {SEED}).turns)"
    environment = {**os.environ, **sources.environment, "NUMBA_DISABLE_JIT": "1"}
    command = [sys.executable, "-c", code]
    turns = subprocess.check_output(command, cwd=sources.folder, env=environment, text=True)
    assert len(turns.split()) > 3


@pytest.mark.nightly
def test_the_new_files_pass_types_and_the_rules_about_imports(house: House) -> None:
    folders = ("engine", "tests/engine/games/clump")
    # mypy compares each file with the cache that `make check` left, and reads again what differs.
    if (ROOT / ".mypy_cache").is_dir():
        shutil.copytree(ROOT / ".mypy_cache", house.folder / ".mypy_cache")
    house.run(BIN / "mypy", "--cache-dir", house.folder / ".mypy_cache", *folders)
    house.run(BIN / "lint-imports", "--no-cache")


@pytest.mark.nightly
def test_the_page_of_the_new_game_passes_the_checks_of_scripts(house: House) -> None:
    deno = BIN / "deno"
    if not deno.exists():
        skip("there is no deno here: the script of the recipe is not checked")
    house.run("sh", "tools/check_scripts.sh", deno)


@pytest.mark.nightly
def test_its_own_tests_pass_and_those_of_all_games(house: House) -> None:
    # Others have nothing to say of this game, and are slow to collect.
    files = (step.file for step in steps() if "/test_" in step.file)
    options = ("-q", "-p", "no:cacheprovider", "-k", "clump")
    said = house.python("-m", "pytest", *options, *dict.fromkeys(files))
    passed = re.search(r"(\d+) passed, \d+ deselected", said)
    assert passed is not None, said
    assert int(passed[1]) > 40


@pytest.mark.nightly
def test_the_search_plays_it_over_the_engine_protocol(house: House, played: list[str]) -> None:
    code = "import engine, sys; print(engine.game('clump').replay(sys.argv[1:]))"
    for before in (played[:3], played[:-1]):
        said = house.engine_says(before)
        usual = ("info nodes", "info string compiling", "bestmove")
        assert [line for line in said if not line.startswith(usual)] == []
        turn = said[-1].split()[1]
        assert house.python("-c", code, *before, turn) == (
            f"<Position of clump on hexhex-4 after {len(before) + 1} turns>\n"
        )


@pytest.mark.nightly
def test_the_terminal_and_the_pictures_show_it(house: House, played: list[str]) -> None:
    turns = " ".join(played[:4])
    drawn = house.python("-m", "bot", "draw", "--game", "clump", "--turns", turns)
    stones = sum(len(turn.split(",")) for turn in played[:4])
    assert drawn.count('class="stone player-') == stones
    assert "clump" in house.python("-m", "bot", "play", "--help")
    terminal = """import engine, sys
from bot.terminal.board import draw_board
print(draw_board(engine.game("clump").replay(sys.argv[1:])).plain)"""
    board = house.python("-c", terminal, *played[:4])
    assert len(re.findall(r"[●○◉◎]", board)) == stones


@pytest.mark.nightly
async def test_people_play_it_on_the_arena_and_it_is_recorded(
    house: House, played: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in house.environment.items():
        monkeypatch.setenv(name, value)
    settings = tmp_path / "arena.toml"
    settings.write_text('games = ["clump"]\n', encoding="utf-8")
    monkeypatch.chdir(house.folder)  # `python -m bot` looks there first
    async with (
        running(tmp_path, "--config", str(settings)) as arena,
        connected(arena.address, name="Anna") as one,
        connected(arena.address, name="Ben") as two,
        aiohttp.ClientSession(arena.address) as http,
    ):
        (offer,) = (await (await http.get("/api/games")).json())["games"]
        assert (offer["game"], offer["score"]) == ("clump", "connected")
        texts = await (await http.get("/js/rules/clump.js")).text()
        assert "What the page says about Clump" in texts
        game_id = await begin(one, two, game="clump", board="hexhex-4")
        for ply, turn in enumerate(played):
            mover = two if ply % 2 else one
            legal = await mover.do("game.legal", game_id=game_id, chosen=turn.split(",")[:1])
            assert legal.legal.complete == ("," not in turn)
            await mover.do("game.turn", game_id=game_id, ply=ply, turn=turn)
        end = await two.game(game_id, lambda state: state.result is not None)
        assert end.result is not None
        assert re.search(r"\d+ connected stones? against \d+", end.result.message)
    await asyncio.to_thread(check_records, house, tmp_path, played)


def check_records(house: House, data: Path, played: list[str]) -> None:
    records = ("-m", "bot", "records")
    said = house.python(*records, "verify", "--data", str(data))
    assert said.startswith("1 games, 1 replay as recorded")
    sgf = house.python(*records, "export", "--format", "sgf", "--data", str(data))
    assert sgf.startswith("(;FF[4]GM[1004]")
    assert re.findall(r"^;[BW]\[([^]]+)\]", sgf, re.MULTILINE) == played
