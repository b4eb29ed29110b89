"""What the arena does with messages that it cannot accept: a code, a sentence, and no harm."""

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import aiohttp
import pytest

import engine
from bot import wire
from bot.arena.games.referee import game_of
from tests.bot.arena.table import Table, setup, table
from tests.fakes.arena_client import connected


@pytest.fixture
async def t(tmp_path: Path) -> AsyncIterator[Table]:
    async with table(tmp_path) as running:
        yield running


async def code_of(t: Table, event: str, *data: Any) -> str:
    answer = wire.Refusal.model_validate(await t.one.ask_raw(event, *data))
    assert answer.message
    return answer.code


@pytest.mark.parametrize("data", [(), ("text",), (5,), ([],), (None,), ({"v": 1}, {"v": 1})])
async def test_an_argument_that_is_not_an_object(t: Table, data: tuple[Any, ...]) -> None:
    assert await code_of(t, "game.turn", *data) == "not_json"


@pytest.mark.parametrize(
    ("fields", "says"),
    [
        ({}, "`v` is missing; the number 1 is needed."),
        ({"v": None}, "`v` is null; the number 1 is needed."),
        ({"v": "1"}, '`v` is the text "1"; the number 1 is needed.'),
        ({"v": "1" * 30}, f'`v` is the text "{"1" * 20}…"; the number 1 is needed.'),
        ({"v": True}, "`v` is true; the number 1 is needed."),
        ({"v": [1]}, "`v` is a list; the number 1 is needed."),
        ({"v": {"v": 1}}, "`v` is an object; the number 1 is needed."),
        ({"v": 0}, "`v` asks for version 0; this server speaks 1."),
        ({"v": 2}, "`v` asks for version 2; this server speaks 1."),
        ({"v": 1.5}, "`v` asks for version 1.5; this server speaks 1."),
    ],
)
async def test_another_version(t: Table, fields: dict[str, Any], says: str) -> None:
    answer = await t.one.ask_raw("state", fields)
    assert (answer["code"], answer["message"]) == ("wrong_version", says)


async def test_a_version_with_a_point_is_the_same_number(t: Table) -> None:
    assert (await t.one.ask_raw("state", {"v": 1.0}))["ok"]


@pytest.mark.parametrize("ply", ["0", True, 0.5, None, [0]])
async def test_a_number_of_another_type_is_not_taken(t: Table, ply: object) -> None:
    answer = await t.one.ask("game.turn", game_id=t.game_id, ply=ply, turn="0-0")
    assert answer["code"] == "invalid"
    assert answer["message"].startswith("ply: ")
    await t.play(0, "0-0")


@pytest.mark.parametrize(
    "event", ["game.move", "connect", "disconnect", "incoming", "*", "welcome"]
)
async def test_an_event_that_does_not_exist(t: Table, event: str) -> None:
    assert await code_of(t, event, {"v": 1}) == "unknown_event"
    await t.play(0, "0-0")


async def test_a_message_that_is_too_long(t: Table) -> None:
    message = {"v": 1, "game_id": t.game_id, "ply": 0, "turn": "x" * wire.MAX_MESSAGE_BYTES}
    assert await code_of(t, "game.turn", message) == "too_long"


async def test_a_field_that_is_missing_or_unknown_is_named(t: Table) -> None:
    answer = await t.one.ask("game.turn", game_id=t.game_id, ply=-1, move="0-0")
    assert answer["code"] == "invalid"
    assert all(field in answer["message"] for field in ("ply", "turn", "move"))


async def test_a_misspelt_field_is_refused_with_the_likely_one(t: Table) -> None:
    settings = {"name": "Cup", "games_a_pairing": 2, "setups": [{"clokc": "60+1"}]}
    answer = await t.one.ask("tournament.create", settings=settings)
    assert answer["message"] == (
        "settings.setups.0.clock: it is missing; "
        "settings.setups.0.clokc: unknown field; did you mean 'clock'?; "
        "settings.games_a_pairing: unknown field; did you mean 'games_per_pairing'?"
    )


async def test_a_turn_that_is_not_legal_names_the_rule(t: Table) -> None:
    await t.play(0, "0-0")
    answer = await t.two.ask("game.turn", game_id=t.game_id, ply=1, turn="0-0,2-2")
    assert (answer["code"], answer["rule"]) == ("illegal_turn", "occupied")
    assert "0-0" in answer["message"]


@pytest.mark.parametrize(
    ("turn", "rule"),
    [
        ("1a1,2b2", "occupied"),
        ("1b2,1c3", "same-colour"),
        ("1b2,2b2", "same-cell"),
        ("b2", "malformed"),
        ("1z9", "unknown-cell"),
        ("pass", "malformed"),
    ],
)
async def test_a_turn_that_the_blooms_forbid(tmp_path: Path, turn: str, rule: str) -> None:
    async with table(tmp_path, game="blooms", board="hexhex-4") as t:
        await t.play(0, "1a1")
        answer = await t.two.ask("game.turn", game_id=t.game_id, ply=1, turn=turn)
        assert (answer["code"], answer["rule"]) == ("illegal_turn", rule)
        assert answer["message"].endswith(".")
        await t.play(1, "2b2,1c3")
        assert (await t.play(1, "1c3, 2B2")).duplicate


async def test_a_turn_that_the_stars_forbid(tmp_path: Path) -> None:
    async with table(tmp_path, game="stargazers", board="stars-39") as t:
        await t.play(0, "i6")
        for turn, rule in [("f5,m2", "star"), ("m2", "two-stones"), ("pass", "malformed")]:
            answer = await t.two.ask("game.turn", game_id=t.game_id, ply=1, turn=turn)
            assert (answer["code"], answer["rule"]) == ("illegal_turn", rule)
        turns = engine.play_out(game_of((await t.one.game(t.game_id)).setup), seed=3).turns
        for ply, turn in enumerate(turns[1:-1], start=1):
            await t.play(ply, turn)
        mover = t.two if len(turns) % 2 == 0 else t.one
        last = len(turns) - 1
        [dark, *_] = [
            cell
            for cell, why in (await mover.do("game.legal", game_id=t.game_id)).legal.illegal.items()
            if why.rule == "uninspired-cell"
        ]
        answer = await mover.ask("game.turn", game_id=t.game_id, ply=last, turn=f"{dark},{dark}")
        assert answer["rule"] == "uninspired-cell"
        assert answer["message"].startswith(f"A stone on {dark} would not be inspired")


async def test_a_turn_out_of_turn(t: Table) -> None:
    assert await t.two.refused("game.turn", game_id=t.game_id, ply=0, turn="0-0") == "not_your_turn"


@pytest.mark.parametrize(("ply", "turn"), [(0, "1-0"), (3, "2-2,2-4")])
async def test_a_ply_that_is_played_or_not_reached(t: Table, ply: int, turn: str) -> None:
    await t.play(0, "0-0")
    client = t.one if ply == 0 else t.two
    assert await client.refused("game.turn", game_id=t.game_id, ply=ply, turn=turn) == "stale_ply"


async def test_a_repeated_turn_is_answered_as_before_and_played_once(t: Table) -> None:
    first = await t.play(0, "0-0")
    again = await t.play(0, " 0-0 ")
    await t.play(1, "2-0,2-2")
    later = await t.play(0, "0-0")
    assert [first.duplicate, again.duplicate, later.duplicate] == [False, True, True]
    state = await t.one.game(t.game_id, lambda state: len(state.turns) >= 2)
    assert [played.turn for played in state.turns] == ["0-0", "2-0,2-2"]


async def test_the_last_turn_of_a_game_may_be_repeated_too(t: Table) -> None:
    await t.play(0, "pass")
    await t.play(1, "pass")
    assert (await t.play(1, "pass")).duplicate


async def test_a_game_between_others(t: Table) -> None:
    async with connected(t.url) as stranger:
        turn = await stranger.refused("game.turn", game_id=t.game_id, ply=0, turn="0-0")
        action = await stranger.refused("game.action", game_id=t.game_id, action="resign")
    assert (turn, action) == ("not_a_player", "not_a_player")


@pytest.mark.parametrize("event", ["game.watch", "game.position", "game.legal"])
async def test_a_game_that_does_not_exist(t: Table, event: str) -> None:
    assert await t.one.refused(event, game_id="nothing") == "unknown_game_id"


@pytest.mark.parametrize(
    "change",
    [
        {"game": "chess"},
        {"board": "pent-99"},
        {"board": "hexhex"},
        {"rules": "house"},
        {"options": {"captures": "7"}},
        {"game": "blooms"},
        {"game": "stargazers", "board": "hexhex-5"},
        {"game": "blooms", "board": "hexhex-5", "rules": "ludii"},
        {"options": {"board": "pent-6"}},
    ],
)
async def test_something_that_cannot_be_played(t: Table, change: dict[str, Any]) -> None:
    answer = await t.one.ask("challenge.create", setup=setup(**change), seats=["Anna", None])
    assert answer["code"] == "unknown_game"
    assert answer["message"].startswith("Unknown")


@pytest.mark.parametrize(
    ("choice", "says"),
    [
        (
            {"game": "blooms", "board": "hexhex-5", "options": {"captures": "0"}},
            "Captures takes a whole number from 1 to 1000, not '0'.",
        ),
        (
            {"game": "stargazers", "board": "stars-39", "options": {"protocol": "212"}},
            "Protocol takes one of 122, alternating, not '212'.",
        ),
    ],
)
async def test_an_option_with_a_value_that_it_does_not_take(
    t: Table, choice: dict[str, Any], says: str
) -> None:
    answer = await t.one.ask("challenge.create", setup=setup(**choice), seats=["Anna", None])
    assert (answer["code"], answer["message"]) == ("unknown_game", says)


async def test_an_unplayable_clock_is_refused(t: Table) -> None:
    clock = {"kind": "absolute", "initial_s": 1e-9}
    answer = await t.one.ask("challenge.create", setup=setup(clock=clock), seats=["Anna", None])
    assert answer["code"] == "invalid"
    assert answer["message"].startswith("setup.clock.absolute.initial_s: Input should be greater")


@pytest.mark.parametrize(
    ("ply", "says"),
    [(0, "Ply 0 is not the next ply: that is 1."), (2, "Ply 2 is not the next ply: that is 1.")],
)
async def test_what_is_legal_at_another_ply(t: Table, ply: int, says: str) -> None:
    await t.play(0, "0-0")
    answer = await t.two.ask("game.legal", game_id=t.game_id, ply=ply)
    assert (answer["code"], answer["message"]) == ("stale_ply", says)
    for fields in ({}, {"ply": None}, {"ply": 1}):
        assert (await t.two.do("game.legal", game_id=t.game_id, **fields)).legal.ply == 1


async def test_what_is_legal_after_the_end(t: Table) -> None:
    await t.play(0, "0-0")
    await t.two.do("game.action", game_id=t.game_id, action="resign")
    for fields in ({}, {"ply": 1}):
        answer = await t.one.ask("game.legal", game_id=t.game_id, **fields)
        assert answer["code"] == "game_over"
        assert answer["message"] == "The game has ended: Ben resigned."


async def test_without_an_acknowledgement_the_refusal_is_an_event(t: Table) -> None:
    await t.one.tell_raw("game.turn", "rubbish")
    problem = await t.one.wait_for(wire.Problem)
    assert problem.code == "not_json"


RUBBISH = [
    "42[",
    '42"',
    "42{}",
    "42[]",
    "42[1]",
    "42[null,{}]",
    '42["game.turn",{"v":1',
    '42["game.turn",{"v":NaN}]',
    "42" + "[" * 5000,
    '451-["game.turn",{"_placeholder":true,"num":0}]',
    "43[]",
    "44{}",
    "49",
    "4",
    '42["\\ud800",{}]',
]


@pytest.mark.parametrize("text", RUBBISH, ids=range(len(RUBBISH)))
async def test_rubbish_on_the_wire_is_answered_and_the_connection_lives(
    t: Table, text: str
) -> None:
    address = t.url.replace("http", "ws") + "/socket.io/?EIO=4&transport=websocket"
    async with aiohttp.ClientSession() as session, session.ws_connect(address) as socket:
        await socket.receive_str()
        await socket.send_str('40{"v":1}')
        assert (await socket.receive_str()).startswith("40")
        await socket.send_str(text)
        await socket.send_str('427["state",{"v":1}]')
        answers: list[str] = []
        while not answers or not answers[-1].startswith("437"):
            answers.append(await socket.receive_str(timeout=20))
        assert '"ok":true' in answers[-1]
        assert any(answer.startswith('42["problem"') for answer in answers)
    await t.play(0, "0-0")


async def test_an_invalid_message_with_an_acknowledgement_is_answered(t: Table) -> None:
    address = t.url.replace("http", "ws") + "/socket.io/?EIO=4&transport=websocket"
    async with aiohttp.ClientSession() as session, session.ws_connect(address) as socket:
        await socket.receive_str()
        await socket.send_str('40{"v":1}')
        await socket.send_str('425["game.turn",{"v":1,]')
        answer = ""
        while not answer.startswith("435"):
            answer = await socket.receive_str(timeout=20)
        assert '"code":"not_json"' in answer


@pytest.mark.parametrize(
    ("game", "board", "answered"),
    [("bluestone", "hexhex-11", 3), ("bluestone", "pent-3", 10), ("hexo", "plane", 3)],
)
async def test_what_may_be_chosen_on_a_large_board_counts_as_four_messages(
    tmp_path: Path, game: str, board: str, answered: int
) -> None:
    few = {"messages_per_s": 0.01, "messages_burst": 12}  # the acceptance has taken two
    async with table(tmp_path, connections=few, game=game, board=board) as t:
        for _ in range(answered):
            await t.two.do("game.legal", game_id=t.game_id)
        answer = await t.two.ask("game.legal", game_id=t.game_id)
        assert answer["code"] == "rate_limited"
        assert 0 < answer["retry_after_ms"] <= 400_000


async def test_a_flood_is_refused_and_others_play_on(tmp_path: Path) -> None:
    slow = {"messages_per_s": 0.01}
    async with table(tmp_path, connections=slow) as t, connected(t.url) as flooder:
        codes = set()
        for _ in range(100):
            await flooder.tell_raw("state", {"v": 1})
        problem = await flooder.wait_for(wire.Problem)
        codes.add(problem.code)
        assert codes == {"rate_limited"}
        answer = await flooder.ask("state")
        assert answer["code"] == "rate_limited"
        assert 0 < answer["retry_after_ms"] <= 100_000
        await t.play(0, "0-0")
