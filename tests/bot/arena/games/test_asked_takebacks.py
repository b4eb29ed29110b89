"""Turns that are taken back, as clients of every kind see it."""

from pathlib import Path

from bot import wire
from tests.bot.arena.table import Table, table
from tests.fakes.arena_client import ArenaClient, connected

TURNS = ["0-0", "2-0,2-2", "2-4,2-6"]


async def play_all(t: Table, first: int = 0) -> None:
    for ply, turn in enumerate(TURNS[first:], first):
        await t.play(ply, turn)
    await t.both_see(lambda state: len(state.turns) == len(TURNS))


async def act(t: Table, client: ArenaClient, action: str, **known: int) -> wire.GameState:
    done: wire.GameDone = await client.do("game.action", game_id=t.game_id, action=action, **known)
    return done.game


async def test_a_request_is_seen_granted_and_the_ply_played_again(tmp_path: Path) -> None:
    async with table(tmp_path) as t, connected(t.url, name="Cleo", events="new") as watcher:
        await play_all(t)
        await watcher.do("game.watch", game_id=t.game_id)
        asked = await act(t, t.two, "ask_takeback", ply=3, takebacks=0)
        assert asked.takeback_offer == 2
        change = await watcher.wait_for(wire.GameChange, lambda each: each.takeback_offer == 2)
        assert change.turn is None
        granted = await act(t, t.one, "accept_takeback")
        assert [played.turn for played in granted.turns] == TURNS[:1]
        for client in (t.one, t.two, watcher):
            state = await client.game(t.game_id, lambda state: state.takebacks == 1)
            assert (len(state.turns), state.takeback_offer, state.to_play) == (1, None, 2)
            assert state.revision > asked.revision
        await t.play(1, "2-4,2-6")
        change = await watcher.wait_for(wire.GameChange, lambda each: each.turn is not None)
        assert change.follows == granted.digest


async def test_a_turn_for_an_earlier_list_is_not_played(tmp_path: Path) -> None:
    async with table(tmp_path) as t:
        await play_all(t)
        await act(t, t.one, "ask_takeback")
        await act(t, t.two, "accept_takeback")
        late = {"game_id": t.game_id, "ply": 2, "turn": TURNS[2]}
        assert await t.one.refused("game.turn", **late, takebacks=0) == "stale_ply"
        ask = {"game_id": t.game_id, "action": "ask_takeback", "ply": 3}
        assert await t.one.refused("game.action", **ask) == "stale_ply"
        done = await t.one.do("game.turn", **late, takebacks=1)
        again = await t.one.do("game.turn", **late, takebacks=1)
    assert (done.duplicate, again.duplicate) == (False, True)


async def test_a_takeback_is_declined_by_word_or_by_a_turn(tmp_path: Path) -> None:
    async with table(tmp_path) as t:
        await play_all(t)
        await act(t, t.one, "ask_takeback")
        assert (await act(t, t.two, "decline_takeback")).takeback_offer is None
        refused = {"game_id": t.game_id, "action": "ask_takeback"}
        assert await t.one.refused("game.action", **refused) == "too_soon"
        await t.play(3, "pass")
        await act(t, t.one, "ask_takeback")
        await t.play(4, "pass")
        accept = {"game_id": t.game_id, "action": "accept_takeback"}
        assert await t.two.refused("game.action", **accept) in {"no_takeback_asked", "game_over"}
