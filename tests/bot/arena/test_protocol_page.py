"""docs/arena-protocol.md says what is so."""

import asyncio
import re
import sys
from pathlib import Path

import pytest
from pydantic import BaseModel

from bot import wire
from bot.arena.accounts import issue_token
from bot.arena.server import TRANSPORT_BYTES, running_arena
from bot.arena.settings import ArenaSettings
from tests.bot.arena.table import settings
from tests.fakes.arena_client import connected

PAGE = Path(__file__).parents[3] / "docs" / "arena-protocol.md"
TEXT = PAGE.read_text()
EXAMPLES = re.findall(r"```json (\w+)\n(.*?)```", TEXT, re.DOTALL)


@pytest.mark.parametrize(("name", "text"), EXAMPLES, ids=[name for name, _ in EXAMPLES])
def test_every_example_is_a_message(name: str, text: str) -> None:
    model = getattr(wire, name)
    assert issubclass(model, BaseModel)
    model.model_validate_json(text)


def test_every_json_block_names_its_message() -> None:
    assert TEXT.count("```json") == len(EXAMPLES)


def test_every_event_and_every_code_is_there() -> None:
    for event in [*wire.CLIENT_EVENTS, *wire.SERVER_EVENTS]:
        assert f"`{event}`" in TEXT, event
    for code, meaning in wire.REFUSAL_CODES.items():
        assert f"| `{code}` | {meaning} |" in TEXT, code


def test_every_request_has_an_example() -> None:
    shown = {name for name, _ in EXAMPLES}
    requests = {model.__name__ for model, _ in wire.CLIENT_EVENTS.values()} - {"AskState"}
    assert requests <= shown
    assert {model.__name__ for model in wire.SERVER_EVENTS.values()} <= shown


def test_the_limits_are_the_usual_settings(tmp_path: Path) -> None:
    limits = ArenaSettings(data=tmp_path)
    assert f"| {wire.MAX_MESSAGE_BYTES:,} bytes; " in TEXT
    assert f"beyond {TRANSPORT_BYTES:,} bytes" in TEXT
    assert f"| {limits.connections.messages_per_s:g} a second" in TEXT
    assert f"bursts of {limits.connections.messages_burst};" in TEXT
    assert f"| {limits.play.person_games}; bots {limits.play.bot_games} |" in TEXT


async def test_the_bot_of_the_page_plays_a_game_against_itself(tmp_path: Path) -> None:
    [bot] = re.findall(r"```python\n(.*?)```", TEXT, re.DOTALL)
    assert len(bot.splitlines()) < 60
    script = tmp_path / "bot.py"
    script.write_text(bot)
    async with running_arena(settings(tmp_path / "data")) as url, connected(url) as person:
        programs = [
            await asyncio.create_subprocess_exec(
                sys.executable, str(script), url, await issue_token(tmp_path / "data", name)
            )
            for name in ("left", "right")
        ]
        try:
            await person.wait_for(wire.Lobby, lambda lobby: len(lobby.players) == 3)
            done = await person.do(
                "challenge.create",
                setup={"board": "pent-3", "clock": {"kind": "none"}},
                seats=["left", "right"],
            )
            started = await person.wait_for(
                wire.Challenge,
                lambda challenge: (
                    challenge.challenge_id == done.challenge.challenge_id
                    and challenge.game_id is not None
                ),
            )
            await person.do("game.watch", game_id=started.game_id)
            state = await person.game(str(started.game_id), lambda state: state.state == "finished")
        finally:
            for program in programs:
                program.kill()
                await program.wait()
    assert state.result is not None
    assert state.result.reason == "played_out"
