"""What is new in a game, for clients that log in with `"events": "new"`, over real sockets."""

import asyncio
from pathlib import Path
from typing import Any

import pytest

import engine
from bot import wire
from bot.arena.games.referee import game_of
from bot.platforms.arena.states import GameStates
from tests.bot.arena.table import begin, table
from tests.fakes.arena_client import ArenaClient, connected
from tests.fakes.raw_socket import raw_socket
from tests.fakes.time import FakeTime

NEW: dict[str, Any] = {"events": "new"}
MOST_BYTES = 1500


def put_together(client: ArenaClient, whole: wire.GameState) -> wire.GameState:
    """The state to which a client's events lead; raises MissedChange if one is missing.

    A change from before `whole` may come late from another process; it makes a client ask again.
    """
    states, last = GameStates(), whole
    states.sent(whole)
    for _, message in client.events:
        if isinstance(message, wire.GameChange) and message.revision <= whole.revision:
            continue
        if isinstance(message, wire.GameState):
            last = states.sent(message) or last
        elif isinstance(message, wire.GameChange):
            last = states.changed(message) or last
    return last


def long_info(turns: list[str]) -> dict[str, Any]:
    """As much as an engine may say of a turn."""
    pv = (turns * 40)[:40]
    return {"value": 0.123456789012, "visits": 2**53, "pv": pv, "source": "a" * 20}


@pytest.mark.parametrize("board", ["pent-6", "hexhex-11"])
async def test_a_turn_takes_few_bytes_at_any_length_of_a_game(tmp_path: Path, board: str) -> None:
    async with (
        table(tmp_path, board=board, connections={"messages_burst": 1000}) as t,
        connected(t.url, **NEW) as new,
        connected(t.url) as whole,
    ):
        first = (await new.do("game.watch", game_id=t.game_id)).game
        await whole.do("game.watch", game_id=t.game_id)
        turns = engine.play_out(game_of(first.setup), seed=3).turns
        for ply, turn in enumerate(turns):
            mover = t.two if ply % 2 else t.one
            info = long_info(sorted(turns, key=len)[-40:])
            await mover.do("game.turn", game_id=t.game_id, ply=ply, turn=turn, info=info)
        end = await new.game(t.game_id, lambda state: state.result is not None)
        seen = await whole.game(t.game_id, lambda state: state.result is not None)
    assert end == seen
    changes = new.all_of(wire.GameChange)
    # Apart from those with the number of spectators.
    assert len([each for each in changes if each.turn]) == len(turns) - 1, "the end is whole"
    assert max(len(change.model_dump_json()) for change in changes) <= MOST_BYTES
    assert not whole.all_of(wire.GameChange)
    plies = {len(state.turns) for state in whole.all_of(wire.GameState)}
    assert plies - {0} == set(range(1, len(turns) + 1))


async def test_a_player_gets_every_change_that_is_not_a_turn(tmp_path: Path) -> None:
    async with table(tmp_path, FakeTime()) as t, connected(t.url, **NEW) as new:
        first = (await new.do("game.watch", game_id=t.game_id)).game
        await t.play(0, "0-0")
        await t.play(1, "2-0,2-2")
        await t.one.do("game.action", game_id=t.game_id, action="offer_draw")
        await t.two.close()
        await new.wait_for(wire.GameChange, lambda change: not change.connected[1])
        known = put_together(new, first)
        now = (await new.do("game.state", game_id=t.game_id)).game
        assert (known.draw_offer, known.connected) == (1, (True, False))
        assert known.model_copy(update={"server_time": now.server_time}) == now
        await t.one.do("game.action", game_id=t.game_id, action="resign")
        end = await new.game(t.game_id, lambda state: state.result is not None)
        assert put_together(new, first) == end


async def test_players_get_the_first_state_whole_and_then_changes(tmp_path: Path) -> None:
    async with (
        table(tmp_path) as t,
        connected(t.url, name="Carl", **NEW) as carl,
        connected(t.url, name="Dora") as dora,
    ):
        game_id = await begin(carl, dora)
        await carl.do("game.turn", game_id=game_id, ply=0, turn="0-0")
        change = await carl.wait_for(wire.GameChange)
        after = await dora.game(game_id, lambda state: len(state.turns) >= 1)
        assert change.turn == after.turns[0]
        assert change.digest == after.digest
        assert put_together(carl, carl.all_of(wire.GameState)[0]) == after


async def test_a_client_that_joins_in_the_middle_continues_from_the_answer(tmp_path: Path) -> None:
    async with table(tmp_path, board="pent-6") as t, connected(t.url, **NEW) as new:
        turns = engine.play_out(engine.game("bluestone", "pent-6"), seed=3).turns[:20]

        async def play() -> None:
            for ply, turn in enumerate(turns):
                await t.play(ply, turn)

        playing = asyncio.create_task(play())
        await t.one.game(t.game_id, lambda state: len(state.turns) > 5)
        answer = (await new.do("game.watch", game_id=t.game_id)).game
        await playing
        await new.wait_for(wire.GameChange, lambda change: change.ply >= len(turns))
        end = (await new.do("game.state", game_id=t.game_id)).game
        assert [turn.turn for turn in put_together(new, answer).turns] == list(turns)
        assert put_together(new, answer).digest == end.digest


async def test_an_unknown_form_of_events_is_refused(tmp_path: Path) -> None:
    async with table(tmp_path) as t, raw_socket(t.url) as socket:
        answer = await socket.log_in(events="newest")
        assert '"code":"invalid"' in answer
        assert "events" in answer
