"""What `make check` says of the page's scripts."""

import asyncio
import os
import shutil
import subprocess
import sysconfig
from pathlib import Path
from typing import Final

import aiohttp
import pytest

from bot.arena.server import running_arena
from bot.arena.web.page_bundle import FOLDER
from tests.bot.arena.table import settings
from tests.skipping import skip

ROOT = Path(__file__).parents[4]
SCRIPTS = Path("bot/arena/web/js")
REPORT_PAGE = Path("bot/matches/report/page.js")
TESTS = Path("tests/page")
BESIDE = (Path("lab/ahead"), Path("tools/npm"), Path("tests/tools/npm"))
"""The folders with other programs that use the page's scripts."""


def checked(folder: Path, program: Path, *, strictly: bool = False) -> tuple[int, str]:
    """The exit status of the check in that folder, and what it says."""
    environment = {**os.environ, "BLUESTONE_SKIP_NOTHING": str(int(strictly)), "NO_COLOR": "1"}
    outcome = subprocess.run(
        ["sh", ROOT / "tools" / "check_scripts.sh", program],
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    return outcome.returncode, outcome.stdout + outcome.stderr


@pytest.fixture(scope="module")
def deno() -> Path:
    program = Path(sysconfig.get_path("scripts")) / "deno"
    if not program.exists():
        skip("there is no deno here: the page's scripts are not checked")
    return program


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    """The scripts, for a test to spoil."""
    shutil.copytree(FOLDER, tmp_path / SCRIPTS.parent)
    shutil.copy(ROOT / "deno.json", tmp_path)
    (tmp_path / REPORT_PAGE).parent.mkdir(parents=True)
    shutil.copy(ROOT / REPORT_PAGE, tmp_path / REPORT_PAGE)
    for folder in (TESTS, *BESIDE):
        shutil.copytree(ROOT / folder, tmp_path / folder)
    return tmp_path


PLAYS: Final = {"engine/thinker.js", "local/browser.js"}
"""The scripts that make an engine for play, and its own one; `local/arena.js` refuses hints."""
SHOW_WHAT_THEY_GET: Final = {
    "game/evaluation_view.js",  # from evaluation.js, which asks
    "puzzles/panel.js",  # chances of searches that were checked when the puzzle was made
    "shared/sentences.js",
}


def test_every_script_that_lets_an_engine_help_asks_whether_it_may() -> None:
    texts = texts_of_scripts()
    helping = {name for name, text in texts.items() if "new Thinker(" in text} - PLAYS
    assert helping
    assert {name for name in helping if "helpRefusal(" not in texts[name]} == set()


def test_every_script_that_shows_a_chance_leaves_out_those_without_a_playout() -> None:
    texts = texts_of_scripts()
    showing = {name for name, text in texts.items() if "percent(" in text} - SHOW_WHAT_THEY_GET
    assert showing
    assert {name for name in showing if "chances.js" not in texts[name]} == set()


def texts_of_scripts() -> dict[str, str]:
    """The page's scripts by their paths."""
    return {
        file.relative_to(FOLDER / "js").as_posix(): file.read_text(encoding="utf-8")
        for file in FOLDER.rglob("js/**/*.js")
    }


def test_the_scripts_are_in_order(deno: Path) -> None:
    status, words = checked(ROOT, deno)
    assert status == 0, words


def test_misspelt_names_are_found(deno: Path, copy: Path) -> None:
    lines = {
        "'plys'": "export const plies = (/** @type {GameState} */ game) => game.plys;",
        "'gameid'": 'export const watch = () => to.request("game.watch", { gameid: "g" });',
        "'legl'": 'export const ask = async () => (await to.request("game.legal", GAME)).legl;',
        '"game.act"': 'export const act = () => to.request("game.act", GAME);',
        "'you'": "to.lobby.on((lobby) => lobby.you);",
        "'valeu'": 'export const typed = find(document, "input", HTMLInputElement).valeu;',
        "'Deno'": "export const deno = () => Deno.version;",  # known to the tests only
        "'Game'": "export const old = (/** @type {Game} */ game) => game;",
    }
    head = [
        f'import {{ Connection }} from "{module(copy, "connection.js")}";',
        f'import {{ find }} from "{module(copy, "dom.js")}";',
        "",
        f'/** @import {{ GameState }} from "{module(copy, "wire.d.ts")}" */',
        "",
        'const GAME = { game_id: "g" };',
        "const to = new Connection();",
    ]
    status, words = spoilt(copy, deno, [*head, *lines.values()])
    assert status != 0
    assert [word for word in lines if word not in words] == []
    assert f"Found {len(lines)} errors." in words


@pytest.mark.parametrize(
    ("line", "complaint"),
    [
        ("export const same = (/** @type {string} */ one) => one == null;", "eqeqeq"),
        ("export const  spaced = 1;", "not formatted"),
    ],
)
def test_unformatted_code_is_found(deno: Path, copy: Path, line: str, complaint: str) -> None:
    status, words = spoilt(copy, deno, [line])
    assert status != 0
    assert complaint in words


async def test_http_answers_have_the_types_that_the_scripts_expect(
    deno: Path, copy: Path, tmp_path: Path
) -> None:
    answers = {
        "games": ("AnsweredGames", "/api/games"),
        "blue": ("RawBoard", "/api/boards/bluestone/pent-3"),
        "stars": ("RawBoard", "/api/boards/stargazers/stars-39"),
        "plane": ("RawBoard", "/api/boards/hexo/plane"),
    }
    lines = [
        "// deno-fmt-ignore-file",
        f'/** @import {{ AnsweredGames, RawBoard }} from "{module(copy, "api.js")}" */',
    ]
    arena = running_arena(settings(tmp_path / "arena"))
    async with arena as url, aiohttp.ClientSession(url) as http:
        for name, (kind, path) in answers.items():
            async with http.get(path) as response:
                lines.append(f"/** @type {{{kind}}} */")
                lines.append(f"export const {name} = {await response.text()};")
    status, words = await asyncio.to_thread(spoilt, copy, deno, lines)
    assert status == 0, words


def module(copy: Path, name: str) -> str:
    """How a script beside all others imports that one."""
    [file] = (copy / SCRIPTS).rglob(name)
    return f"./{file.relative_to(copy / SCRIPTS).as_posix()}"


def spoilt(copy: Path, deno: Path, lines: list[str]) -> tuple[int, str]:
    """What the check says when there is such a script too."""
    (copy / SCRIPTS / "spoilt.js").write_text("\n".join([*lines, ""]))
    return checked(copy, deno)


def test_a_missing_program_is_reported_in_one_line(tmp_path: Path) -> None:
    status, words = checked(ROOT, tmp_path / "deno")
    assert status == 0
    assert words.count("\n") == 1
    assert "NOT CHECKED" in words


def test_where_nothing_may_be_skipped_the_program_has_to_be_there(tmp_path: Path) -> None:
    status, words = checked(ROOT, tmp_path / "deno", strictly=True)
    assert status == 1
    assert "cannot be checked" in words
