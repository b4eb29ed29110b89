"""Two players who agree to end a game without a result, as clients of every kind see it."""

import json
import random
from pathlib import Path

from bot import wire
from bot.arena.games.archive import FILE_NAME
from bot.arena.server import running_arena
from tests.bot.arena.table import Table, settings, table
from tests.fakes.arena_client import ArenaClient, connected
from tests.fakes.time import FakeTime

TURNS = ["0-0", "2-0,2-2", "2-4,2-6"]


async def play_all(t: Table) -> None:
    for ply, turn in enumerate(TURNS):
        await t.play(ply, turn)
    await t.both_see(lambda state: len(state.turns) == len(TURNS))


async def act(t: Table, client: ArenaClient, action: str) -> wire.GameState:
    done: wire.GameDone = await client.do("game.action", game_id=t.game_id, action=action)
    return done.game


async def test_an_offer_is_seen_and_accepted_and_the_game_has_no_result(tmp_path: Path) -> None:
    async with table(tmp_path) as t, connected(t.url, name="Cleo", events="new") as watcher:
        await play_all(t)
        await watcher.do("game.watch", game_id=t.game_id)
        assert await t.one.refused("game.action", game_id=t.game_id, action="abort") == "too_late"
        offered = await act(t, t.one, "offer_abort")
        assert (offered.abort_offer, offered.state) == (1, "playing")
        change = await watcher.wait_for(wire.GameChange, lambda each: each.abort_offer == 1)
        assert (change.turn, change.revision) == (None, offered.revision)
        await t.two.game(t.game_id, lambda state: state.abort_offer == 1)
        await act(t, t.two, "accept_abort")
        message = "Both players agreed to abort the game."
        for client in (t.one, t.two, watcher):
            state = await client.game(t.game_id, lambda state: state.state == "finished")
            assert state.result == wire.Result(winner=None, reason="aborted", message=message)
            assert ([each.turn for each in state.turns], state.abort_offer) == (TURNS, None)
    # The record is written after the end of the game is announced, and before the arena has closed.
    [line] = (tmp_path / FILE_NAME).read_text().splitlines()
    assert json.loads(line)["result"] == {
        "winner": None,
        "reason": "aborted",
        "message": message,
    }


async def test_an_offer_is_declined_by_word_or_by_a_turn(tmp_path: Path) -> None:
    async with table(tmp_path) as t:
        await play_all(t)
        await act(t, t.one, "offer_abort")
        assert (await act(t, t.two, "decline_abort")).abort_offer is None
        offer, accept = (
            {"game_id": t.game_id, "action": action} for action in ("offer_abort", "accept_abort")
        )
        assert await t.one.refused("game.action", **offer) == "too_soon"
        await act(t, t.two, "offer_abort")
        await t.play(3, "pass")
        await t.both_see(lambda state: len(state.turns) == 4 and state.abort_offer is None)
        assert await t.one.refused("game.action", **accept) == "no_abort_offer"


async def test_an_offer_is_still_open_after_a_restart(tmp_path: Path) -> None:
    time = FakeTime()
    async with table(tmp_path, time) as t:
        await play_all(t)
        await act(t, t.one, "offer_abort")
        key = t.two.all_of(wire.Welcome)[0].guest_key
    async with (
        running_arena(settings(tmp_path), time, random.Random(1)) as url,
        connected(url, guest_key=key) as two,
    ):
        [game] = two.all_of(wire.Welcome)[0].games
        assert (game.abort_offer, len(game.turns)) == (1, len(TURNS))
        accept = {"game_id": game.game_id, "action": "accept_abort"}
        ended: wire.GameDone = await two.do("game.action", **accept)
    assert ended.game.result is not None
    assert ended.game.result.reason == "aborted"


async def test_an_offer_that_a_turn_ended_is_not_open_after_a_restart(tmp_path: Path) -> None:
    time = FakeTime()
    async with table(tmp_path, time) as t:
        await play_all(t)
        await act(t, t.one, "offer_abort")
        await t.play(3, "pass")
        key = t.two.all_of(wire.Welcome)[0].guest_key
    async with (
        running_arena(settings(tmp_path), time, random.Random(1)) as url,
        connected(url, guest_key=key) as two,
    ):
        [game] = two.all_of(wire.Welcome)[0].games
    assert (game.abort_offer, len(game.turns)) == (None, 4)
