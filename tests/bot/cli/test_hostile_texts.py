"""Texts of engines and servers on a terminal: commands print them, and no terminal obeys them."""

import asyncio
import re
import sys
from pathlib import Path

import pytest

from bot.daemon.inspection import Inspection
from bot.daemon.journal import JOURNAL, WorkKey, open_journal
from bot.runtime.health import DaemonStatus, EngineStatus, GameStatus, PlatformStatus, UnreadGame
from tests.bot.cli.commands import Bluestone, Outcome

EVIL = "\x1b[2J\x1b]0;owned\x07\x9b31m\u202e\rGneiss"
"""Clears the screen, sets the title, rings, changes the colour, turns the direction of writing."""
OWN_CODES = re.compile(r"\r?\x1b\[(?:[0-9;]*m|2K|1A|\?25[lh])")
"""Colours, weights and the line of progress of the command itself."""
ENGINE = f"""
import sys
evil = {EVIL!r}
for line in sys.stdin:
    word = line.split()[0]
    if word == "ugi":
        print("id name", evil, "\\nid author", evil)
        print("option name Hash type string default", evil)
        print("ugiok", flush=True)
    elif word == "isready":
        print("readyok", flush=True)
    elif word == "go":
        print(evil, file=sys.stderr, flush=True)
        print("info string", evil)
        print("info nodes 5 winrate 0.5 pv", evil)
        print("bestmove", evil, flush=True)
    elif word == "quit":
        break
"""


@pytest.fixture
def _colours(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.setenv("TERM", "xterm")


@pytest.fixture
def program(tmp_path: Path) -> str:
    file = tmp_path / "engine.py"
    file.write_text(ENGINE)
    return f"{sys.executable} {file}"


def assert_harmless(outcome: Outcome) -> None:
    shown = OWN_CODES.sub("", outcome.out + outcome.err)
    assert {each for each in shown if not each.isprintable()} <= {"\n"}


@pytest.mark.parametrize(
    "words", [("match", "--games", "2", "random"), ("play", "--engine")], ids=["match", "play"]
)
def test_the_last_words_of_an_engine_cannot_steer_a_terminal(
    bluestone: Bluestone, tmp_path: Path, words: tuple[str, ...]
) -> None:
    """Its stderr is part of the message when it does not start."""
    file = tmp_path / "engine.py"
    file.write_text(f"import sys\nprint({EVIL!r}, file=sys.stderr)")
    ended = bluestone(*words, f"{sys.executable} {file}", "--board", "pent-3")
    assert "Gneiss" in ended.err
    assert_harmless(ended)


@pytest.mark.usefixtures("_colours")
def test_an_engine_cannot_steer_the_terminal_of_a_person(
    bluestone: Bluestone, program: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    typed = iter(["0-0", "resign"])
    monkeypatch.setattr("builtins.input", lambda _: next(typed))
    played = bluestone("play", "--board", "pent-3", "--engine", program, "--time", "1")
    assert "Gneiss plays" in played.out
    assert_harmless(played)


async def give_up(data: Path) -> None:
    async with open_journal(data / JOURNAL) as journal:
        await journal.accept(WorkKey(EVIL, EVIL, 4))
        await journal.give_up(WorkKey(EVIL, EVIL, 4), EVIL)


@pytest.fixture
def config(tmp_path: Path) -> Path:
    file = tmp_path / "bot.toml"
    file.write_text(f'[daemon]\ndata = "{tmp_path}"\n')
    asyncio.run(give_up(tmp_path))
    return file


@pytest.mark.usefixtures("_colours")
def test_a_server_cannot_steer_the_terminal_by_what_the_journal_has(
    bluestone: Bluestone, config: Path
) -> None:
    shown = bluestone("status", "--config", config)
    assert "Gneiss" in shown.out
    assert_harmless(shown)


@pytest.mark.usefixtures("_colours")
def test_a_server_cannot_steer_the_terminal_of_status(
    bluestone: Bluestone, config: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    game = GameStatus(
        game_id=EVIL,
        opponent=EVIL,
        game="bluestone",
        board="pent-6",
        ply=1,
        seat=1,
        to_play=1,
        deadline_s=1.0,
        our_turn_for_s=1.0,
    )
    platform = PlatformStatus(
        name="arena",
        bot=EVIL,
        connected=False,
        problem=EVIL,
        refused=EVIL,
        last_event_age_s=1.0,
        games=[game],
        unread=[UnreadGame(game_id=EVIL, why=EVIL)],
    )
    engine = EngineStatus(
        name=EVIL, healthy=False, alive=0, size=1, failures={EVIL: 1}, last_failure=EVIL
    )
    status = DaemonStatus(
        draining=False, problems=[EVIL], alarms=1, platforms=[platform], engines=[engine], work=[]
    )

    async def answers(*_: object) -> Inspection:
        return Inspection(status, None, [])

    monkeypatch.setattr("bot.cli.status.inspect", answers)
    shown = bluestone("status", "--config", config)
    assert "Gneiss" in shown.out
    assert_harmless(shown)
