"""The log: one line a turn and a game, and no secrets."""

from pathlib import Path

from structlog.testing import capture_logs

from bot import wire
from bot.arena.players.accounts import issue_token
from tests.bot.arena.table import begin, table
from tests.fakes.arena_client import connected


async def test_one_line_a_turn_and_one_a_game(tmp_path: Path) -> None:
    with capture_logs() as lines:
        async with table(tmp_path) as t:
            await t.play(0, "0-0")
            await t.play(0, "0-0")
            await t.play(1, "pass")
            await t.one.do("game.action", game_id=t.game_id, action="resign")
    turns = [line for line in lines if line["event"] == "turn"]
    [game] = [line for line in lines if line["event"] == "game"]
    assert [(line["game"], line["ply"], line["player"], line["turn"]) for line in turns] == [
        (t.game_id, 0, "Anna", "0-0"),
        (t.game_id, 1, "Ben", "pass"),
    ]
    assert (game["reason"], game["winner"], game["plies"]) == ("resignation", 2, 2)
    assert (game["platform"], game["players"]) == ("arena", ["Anna", "Ben"])


async def test_no_secret_is_logged(tmp_path: Path) -> None:
    token = await issue_token(tmp_path, "robot")
    with capture_logs() as lines:
        async with table(tmp_path) as t, connected(t.url, token=token) as robot:
            keys = [client.all_of(wire.Welcome)[0].guest_key for client in (t.one, t.two)]
            await begin(t.one, robot)
            await t.one.ask("state", token=token)
            await t.one.ask_raw("state", {"v": token})
            await t.one.ask_raw(token, {"v": 1})
    text = repr(lines)
    assert len(lines) > 10
    for secret in keys:
        assert secret is not None
        assert secret not in text
    assert token[:10] not in text
