"""What time does to a game: real sockets, a clock turned by hand."""

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from bot import wire
from tests.bot.arena.table import Table, table
from tests.fakes.time import FakeTime

FIRST = ["0-0", "2-0,2-2"]


@pytest.fixture
def time() -> FakeTime:
    return FakeTime()


@pytest.fixture
async def t(tmp_path: Path, time: FakeTime) -> AsyncIterator[Table]:
    async with table(tmp_path, time) as running:
        yield running


async def play_first(t: Table) -> None:
    for ply, turn in enumerate(FIRST):
        await t.play(ply, turn)


async def ending(t: Table) -> tuple[Any, str]:
    state = await t.both_see(lambda state: state.state == "finished")
    assert state.result is not None
    return state.result.winner, state.result.reason


async def test_a_flag_falls(t: Table, time: FakeTime) -> None:
    await play_first(t)
    await time.advance(300)
    assert await ending(t) == (2, "time_forfeit")
    state = await t.one.game(t.game_id)
    assert state.clocks.players[0].flagged


async def test_a_turn_after_the_flag_loses(tmp_path: Path, time: FakeTime) -> None:
    async with table(tmp_path, time) as t:
        await play_first(t)
        await time.advance(299.5)
        # No sleeper is woken: the turn itself has to notice that time is up.
        time.lapse(1)
        code = await t.one.refused("game.turn", game_id=t.game_id, ply=2, turn="2-4,2-6")
        assert code == "game_over"
        assert await ending(t) == (2, "time_forfeit")


async def test_time_in_which_the_arena_was_stopped_is_charged_to_no_player(
    t: Table, time: FakeTime
) -> None:
    """As by SIGSTOP: the turn that waited is read before anything that slept is woken."""
    await play_first(t)
    await time.advance(20)
    time.lapse(3600)
    await t.play(2, "2-4,2-6")
    state = await t.one.game(t.game_id, lambda state: len(state.turns) >= 3)
    assert 20_000 <= (state.turns[2].time_ms or 0) <= 21_000


async def test_players_get_the_clocks_after_the_arena_was_stopped(t: Table, time: FakeTime) -> None:
    await play_first(t)
    await t.both_see(lambda state: len(state.turns) == 2)
    t.one.events.clear()
    await time.jump(3600)
    state = await t.one.game(t.game_id)
    assert (state.clocks.players[0].main_ms or 0) >= 299_000


async def test_thinking_is_charged_and_the_increment_given(t: Table, time: FakeTime) -> None:
    await play_first(t)
    await time.advance(12.5)
    await t.play(2, "2-4,2-6")
    state = await t.one.game(t.game_id, lambda state: len(state.turns) >= 3)
    assert state.turns[2].time_ms == 12_500
    assert state.turns[2].clock.main_ms == 300_000 - 12_500 + 5_000
    assert state.clocks.running == 2


async def test_first_turns_cost_no_clock(t: Table, time: FakeTime) -> None:
    await time.advance(20)
    watching = await t.one.do("game.watch", game_id=t.game_id)
    assert watching.game.clocks.running is None
    assert watching.game.clocks.first_turn_ms == 40_000
    await t.play(0, "0-0")
    state = await t.one.game(t.game_id, lambda state: len(state.turns) >= 1)
    assert state.turns[0].time_ms == 20_000
    assert state.turns[0].clock.main_ms == 300_000


async def test_a_first_turn_that_does_not_come_aborts_the_game(t: Table, time: FakeTime) -> None:
    await t.play(0, "0-0")
    await time.advance(60)
    assert await ending(t) == (None, "aborted")


async def test_a_player_who_stays_disconnected_loses(t: Table, time: FakeTime) -> None:
    await play_first(t)
    await t.one.close()
    await t.two.game(t.game_id, lambda state: state.connected == (False, True))
    await time.advance(60)
    state = await t.two.game(t.game_id, lambda state: state.state == "finished")
    assert state.result == wire.Result(
        winner=2, reason="abandonment", message="Anna left the game."
    )


async def test_a_player_who_reconnects_in_time_continues(t: Table, time: FakeTime) -> None:
    await play_first(t)
    key = t.one.all_of(wire.Welcome)[0].guest_key
    await t.one.close()
    await t.two.game(t.game_id, lambda state: state.connected == (False, True))
    await time.advance(40)
    welcome = await t.one.connect(t.url, {"v": 1, "guest_key": key})
    assert [game.game_id for game in welcome.games] == [t.game_id]
    assert welcome.games[0].clocks.players[0].main_ms == 260_000
    await time.advance(40)
    await t.play(2, "2-4,2-6")


async def test_the_player_who_waits_may_be_disconnected(t: Table, time: FakeTime) -> None:
    await play_first(t)
    await t.two.close()
    await t.one.game(t.game_id, lambda state: state.connected == (True, False))
    await time.advance(120)
    await t.one.do("game.turn", game_id=t.game_id, ply=2, turn="2-4,2-6")


async def test_untimed_games_wait_for_ever(tmp_path: Path, time: FakeTime) -> None:
    async with table(tmp_path, time, clock={"kind": "none"}) as t:
        await t.play(0, "0-0")
        await t.two.close()
        await t.one.game(t.game_id, lambda state: state.connected == (True, False))
        await time.advance(600)
        done = await t.one.do("game.watch", game_id=t.game_id)
    assert done.game.state == "playing"
    assert done.game.clocks.players[1].main_ms is None


async def test_correspondence_clocks_run_from_the_start(tmp_path: Path, time: FakeTime) -> None:
    days = {"kind": "correspondence", "initial_s": 3600, "increment_s": 0, "maximum_s": 3600}
    async with table(tmp_path, time, clock=days) as t:
        await t.one.close()
        await t.two.game(t.game_id, lambda state: state.connected == (False, True))
        await time.advance(3599)
        assert (await t.two.do("game.watch", game_id=t.game_id)).game.state == "playing"
        await time.advance(1)
        state = await t.two.game(t.game_id, lambda state: state.state == "finished")
    assert state.result is not None
    assert state.result.reason == "time_forfeit"
