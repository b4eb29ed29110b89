"""docs/arena-protocol.md and docs/arena-tournaments.md say what is so."""

import asyncio
import json
import re
import shutil
import sys
from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from typing import Any, get_args

import jsonschema
import pytest
from playwright._impl._driver import compute_driver_executable
from pydantic import BaseModel

from bot import wire
from bot.arena.edge.socket_server import TRANSPORT_BYTES
from bot.arena.games import referee
from bot.arena.players.accounts import issue_token
from bot.arena.players.hosts import issue_key
from bot.arena.server import running_arena
from bot.arena.settings import ArenaSettings
from bot.arena.web.page_bundle import FOLDER
from bot.wire.schema import events_schema
from tests.bot.arena.hall import games, hall
from tests.bot.arena.table import settings
from tests.fakes.arena_client import ArenaClient, connected

DOCS = Path(__file__).parents[3] / "docs"
PROTOCOL = (DOCS / "arena-protocol.md").read_text()
TOURNAMENTS = (DOCS / "arena-tournaments.md").read_text()
OPERATORS = (DOCS / "running-an-arena.md").read_text()
TEXT = PROTOCOL + TOURNAMENTS
EXAMPLES = re.findall(r"```json (\w+)\n(.*?)```", TEXT, re.DOTALL)


def texts(name: str) -> list[str]:
    """The examples of one message."""
    return [text for known, text in EXAMPLES if known == name]


EVERY_EXAMPLE = pytest.mark.parametrize(
    ("name", "text"), EXAMPLES, ids=[name for name, _ in EXAMPLES]
)
SCHEMA = events_schema()
SENT = {wire.Credentials.__name__} | {model.__name__ for model, _ in wire.CLIENT_EVENTS.values()}


def validator_of(name: str) -> jsonschema.Draft202012Validator:
    return jsonschema.Draft202012Validator({**SCHEMA, "$ref": f"#/$defs/{name}"})


@EVERY_EXAMPLE
def test_every_example_is_a_message_as_the_schema_describes_it(name: str, text: str) -> None:
    model = getattr(wire, name)
    assert issubclass(model, BaseModel)
    model.model_validate_json(text)
    validator_of(name).validate(json.loads(text))


def with_more(value: Any) -> Any:
    """A message with one more field in every object of fixed fields."""
    if isinstance(value, list):
        return [with_more(each) for each in value]
    if not isinstance(value, dict):
        return value
    more = {key: with_more(each) for key, each in value.items()}
    of_maps = [{"0-0"}, {"5-3"}, {"captures"}, {"buchholz"}, {"kind", "rounds"}]
    is_map = not value or any(names <= value.keys() for names in of_maps)
    return more if is_map else {**more, "added_later": {"a": 1}}


@EVERY_EXAMPLE
def test_fields_may_be_added_to_what_the_server_sends_and_to_nothing_else(
    name: str, text: str
) -> None:
    more = with_more(json.loads(text))
    assert validator_of(name).is_valid(more) == (name not in SENT)
    if name not in SENT:
        assert wire.read(getattr(wire, name), more) == getattr(wire, name).model_validate_json(text)


def test_reasons_and_codes_may_be_added() -> None:
    examples = dict(EXAMPLES)
    result = {**json.loads(examples["Result"]), "reason": "adjudication"}
    refusal = {**json.loads(examples["Refusal"]), "code": "new_code"}
    assert validator_of("Result").is_valid(result)
    assert validator_of("Refusal").is_valid(refusal)
    assert wire.read(wire.Result, result).reason == "adjudication"


def test_every_json_block_names_its_message() -> None:
    assert TEXT.count("```json") == len(EXAMPLES)


def test_the_settled_setup_of_the_page_is_the_answer_to_its_challenge() -> None:
    asked = [wire.CreateChallenge.model_validate_json(text) for text in texts("CreateChallenge")]
    [answered] = [wire.GameSetup.model_validate_json(text) for text in texts("GameSetup")]
    assert referee.settled(asked[-1].setup) == answered


def test_every_event_and_every_code_is_there() -> None:
    for event in [*wire.CLIENT_EVENTS, *wire.SERVER_EVENTS]:
        assert f"`{event}`" in TEXT, event
    for code, meaning in wire.REFUSAL_CODES.items():
        again = wire.REPEATABLE_CODES.get(code, "no")
        assert f"| `{code}` | {meaning} | {again} |\n" in TEXT, code
    for code, meaning in wire.CHALLENGE_CODES.items():
        assert f"` | `{code}` | {meaning} |\n" in TEXT, code


def test_every_reason_of_a_result_is_there() -> None:
    for reason in get_args(wire.ResultReason):
        assert f"| `{reason}` | " in TEXT, reason


def test_the_bounds_of_clocks_are_those_of_the_schema() -> None:
    union = SCHEMA["$defs"]["OfferedSetup"]["properties"]["clock"]["discriminator"]["mapping"]
    in_one_line = " ".join(PROTOCOL.split())
    for kind, place in union.items():
        fields = SCHEMA["$defs"][place.rsplit("/", 1)[-1]]["properties"]
        shown = ", ".join(
            f"`{name}` {field['minimum']:,} to {field['maximum']:,}"
            for name, field in fields.items()
            if name != "kind"
        )
        assert f"- `{kind}`: {shown or 'no fields'}. " in in_one_line, shown


def test_every_request_has_an_example() -> None:
    shown = {name for name, _ in EXAMPLES}
    requests = {model.__name__ for model, _ in wire.CLIENT_EVENTS.values()} - {"AskState"}
    assert requests <= shown
    assert {model.__name__ for model in wire.SERVER_EVENTS.values()} <= shown


def test_the_limits_are_the_usual_settings(tmp_path: Path) -> None:
    limits = ArenaSettings(data=tmp_path)
    connections, play = limits.connections, limits.play
    assert f"| one message | {wire.MAX_MESSAGE_BYTES:,} bytes; " in OPERATORS
    assert f"above {TRANSPORT_BYTES:,} bytes" in OPERATORS
    assert f"| {connections.messages_per_s:g} per second" in OPERATORS
    assert f"bursts of {connections.messages_burst};" in OPERATORS
    assert f"| {play.person_games} per person, {play.bot_games} per bot |" in OPERATORS
    assert f"| WebSockets | {connections.connections:,} in total, " in OPERATORS
    assert f" {connections.sockets_per_address} per address, " in OPERATORS
    assert f" {connections.connections_per_player} per player |" in OPERATORS
    assert connections.newcomers_share == 1 / 5
    reserved = round(connections.connections * connections.newcomers_share)
    assert f"the last {reserved:,} WebSockets" in OPERATORS
    request = f"{connections.request_s:g} s for its head, {connections.request_s:g} s for its body"
    assert request in OPERATORS
    assert f"closed after {connections.keep_alive_s:g} s |" in OPERATORS
    assert f"| one in {1 / connections.failed_logins_per_s:g} s, " in OPERATORS
    assert f"bursts of {connections.failed_logins_burst}; known" in OPERATORS
    assert f"WebSocket | {connections.login_s:g} s |" in OPERATORS


def test_the_limits_that_clients_meet_most_are_on_their_page(tmp_path: Path) -> None:
    limits = ArenaSettings(data=tmp_path)
    per_s, factor = limits.connections.messages_per_s, limits.connections.bot_factor
    text = " ".join(PROTOCOL.partition("## Limits")[2].split())
    assert f"at most {wire.MAX_MESSAGE_BYTES:,} bytes" in text
    assert f"{per_s:g} messages per second (a bot {per_s * factor:g})" in text
    assert f"{limits.play.person_games} running games (a bot {limits.play.bot_games})" in text


def python_bot(folder: Path) -> list[str]:
    """The command that runs the Python bot of the page."""
    [bot] = re.findall(r"```python\n(.*?)```", PROTOCOL, re.DOTALL)
    script = folder / "bot.py"
    script.write_text(bot)
    return [sys.executable, str(script)]


def javascript_bot(folder: Path) -> list[str]:
    """The command that runs the JavaScript bot of the page, with the client that the arena serves.

    Playwright brings a Node.js that has WebSocket built in, which that client for browsers needs.
    """
    [bot] = re.findall(r"```js\n(.*?)```", PROTOCOL, re.DOTALL)
    package = folder / "node_modules" / "socket.io-client"
    package.mkdir(parents=True)
    (package / "package.json").write_text('{"type": "module", "main": "index.js"}')
    shutil.copy(FOLDER / "vendor" / "socket.io.esm.min.js", package / "index.js")
    script = folder / "bot.mjs"
    script.write_text(bot)
    node, _ = compute_driver_executable()
    return [str(node), str(script)]


BOTS = [python_bot, javascript_bot]
HOSTED_GAMES = 2
HOSTED_S = 120.0


@pytest.mark.parametrize("made", BOTS)
def test_a_bot_of_the_page_is_short(made: Callable[[Path], list[str]], tmp_path: Path) -> None:
    assert len(Path(made(tmp_path)[-1]).read_text().splitlines()) < 70


@pytest.mark.parametrize(("one", "two"), [BOTS, BOTS[::-1]], ids=["python", "javascript"])
async def test_the_bots_of_the_page_play_a_game_against_each_other(
    one: Callable[[Path], list[str]], two: Callable[[Path], list[str]], tmp_path: Path
) -> None:
    commands = {"left": one(tmp_path), "right": two(tmp_path)}
    data = tmp_path / "data"
    async with AsyncExitStack() as stack:
        url = await stack.enter_async_context(running_arena(settings(data)))
        person = await stack.enter_async_context(connected(url))
        for name, command in commands.items():
            await stack.enter_async_context(running(*command, url, await issue_token(data, name)))
        await person.wait_for(wire.Lobby, lambda lobby: len(lobby.players) == 3)
        state = await whole_game(person)
    assert state.result is not None
    assert state.result.reason == "played_out"


async def test_the_bots_of_the_page_play_a_tournament(tmp_path: Path) -> None:
    commands = {"left": python_bot(tmp_path), "right": javascript_bot(tmp_path)}
    async with hall(tmp_path / "data", ()) as h:
        for name, command in commands.items():
            token = await issue_token(tmp_path / "data", name)
            await h.stack.enter_async_context(running(*command, h.url, token))
        pair = {"games_per_pairing": 2, "openings": "random:3"}
        await h.create(format={"kind": "round-robin"}, no_show_s=300, **pair)
        await h.until(lambda state: len(state.entrants) == len(commands))
        await h.do("start")
        state = await h.until(lambda state: state.state == "over")
    assert [game.reason for game in games(state)] == ["played_out"] * 2


async def test_the_host_of_the_page_makes_and_starts_a_tournament_and_shows_its_standings(
    tmp_path: Path,
) -> None:
    [program] = re.findall(r"```python\n(.*?)```", TOURNAMENTS, re.DOTALL)
    script = tmp_path / "host.py"
    script.write_text(program)
    commands = {"left": python_bot(tmp_path), "right": javascript_bot(tmp_path)}
    data = tmp_path / "data"
    async with AsyncExitStack() as stack:
        url = await stack.enter_async_context(running_arena(settings(data)))
        for name, command in commands.items():
            await stack.enter_async_context(running(*command, url, await issue_token(data, name)))
        key = await issue_key(data, "Hanna")
        host = await asyncio.create_subprocess_exec(
            *(sys.executable, str(script), url, key), stdout=asyncio.subprocess.PIPE
        )
        said, _ = await asyncio.wait_for(host.communicate(), HOSTED_S)
    first, *rows = said.decode().splitlines()
    assert host.returncode == 0
    assert re.fullmatch(rf"{url}/tournament/[\w-]+ waits for two bots", first)
    assert sorted(row.split()[1] for row in rows) == sorted(commands)
    assert sum(float(row.split()[2]) for row in rows) == HOSTED_GAMES


@asynccontextmanager
async def running(*command: str) -> AsyncIterator[None]:
    """A program for as long as it is needed."""
    program = await asyncio.create_subprocess_exec(*command)
    try:
        yield
    finally:
        program.kill()
        await program.wait()


async def whole_game(person: ArenaClient) -> wire.GameState:
    """A game between the two bots that the person watches to its end."""
    done = await person.do(
        "challenge.create",
        setup={"board": "pent-3", "clock": {"kind": "none"}},
        seats=["left", "right"],
    )
    started = await person.wait_for(
        wire.Challenge,
        lambda challenge: (
            challenge.challenge_id == done.challenge.challenge_id and challenge.game_id is not None
        ),
    )
    await person.do("game.watch", game_id=started.game_id)
    return await person.game(str(started.game_id), lambda state: state.state == "finished")
