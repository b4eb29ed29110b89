"""Conditional turns: planned while the opponent thinks, and played by the server."""

import random
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from bot import wire
from bot.arena.server import running_arena
from tests.bot.arena.table import Table, settings, table
from tests.fakes.arena_client import connected
from tests.fakes.time import FakeTime
from tests.fakes.waiting import answered

DEADLINE_S = 20
DAYS = {"kind": "correspondence", "initial_s": 86400, "increment_s": 86400, "maximum_s": 172800}
FIRST, SECOND, THIRD = "0-0", "2-0,2-2", "2-4,2-6"


@asynccontextmanager
async def slow(folder: Path, **changes: Any) -> AsyncIterator[Table]:
    async with table(folder, **{"clock": DAYS, **changes}) as t:
        yield t


async def plan(t: Table, ply: int, *lines: str) -> None:
    """Ben's plan; each line has its turns separated by spaces."""
    wanted = [line.split() for line in lines]
    done = await t.two.do("game.plan", game_id=t.game_id, ply=ply, lines=wanted)
    assert done.lines == wanted


async def plans_of(t: Table) -> Any:
    """What the arena keeps of Ben's plan."""
    return await t.two.do("game.plans", game_id=t.game_id)


async def test_a_planned_answer_is_played_at_once_and_goes_on(tmp_path: Path) -> None:
    async with slow(tmp_path) as t:
        await plan(t, 0, f"{FIRST} {SECOND} {THIRD} pass", f"{THIRD.split(',')[0]} {SECOND}")
        await t.play(0, FIRST)
        state = await t.both_see(lambda state: len(state.turns) == 2)
        info = state.turns[1].info
        assert (state.turns[1].turn, info and info.source) == (SECOND, "conditional")
        await t.play(2, THIRD)
        state = await t.both_see(lambda state: len(state.turns) == 4)
        assert state.turns[3].turn == "pass"
        assert (await t.two.do("game.plans", game_id=t.game_id)).ply == 0


async def test_a_plan_is_private_and_dropped_when_it_does_not_match(tmp_path: Path) -> None:
    async with slow(tmp_path) as t, connected(t.url, name="Cleo") as cleo:
        await plan(t, 0, f"{FIRST} {SECOND}")
        assert (await t.one.do("game.plans", game_id=t.game_id)).lines == []
        assert await cleo.refused("game.plans", game_id=t.game_id) == "not_a_player"
        await t.play(0, "2-0")
        await t.two.game(t.game_id, lambda state: len(state.turns) >= 1)
        await t.play(1, "pass")
        # It is dropped in the background.
        await answered(lambda: plans_of(t), lambda plans: not plans.lines)


async def test_the_order_of_the_two_stones_of_a_turn_does_not_matter(tmp_path: Path) -> None:
    swapped = ",".join(reversed(THIRD.split(",")))
    async with slow(tmp_path) as t:
        await plan(t, 0, f"{FIRST} {SECOND} {THIRD} pass")
        await t.play(0, FIRST)
        await t.both_see(lambda state: len(state.turns) == 2)
        await t.play(2, swapped)
        state = await t.both_see(lambda state: len(state.turns) == 4)
    assert [played.turn for played in state.turns] == [FIRST, SECOND, swapped, "pass"]


async def test_lines_that_differ_only_in_the_order_of_stones_are_the_same(tmp_path: Path) -> None:
    swapped = ",".join(reversed(THIRD.split(",")))
    begun, reverse = [FIRST, SECOND], [FIRST, ",".join(reversed(SECOND.split(",")))]
    async with slow(tmp_path) as t:
        asked = {"game_id": t.game_id, "ply": 0}
        same = [[*begun, THIRD, "pass"], [*reverse, swapped, "pass"]]
        assert (await t.two.do("game.plan", **asked, lines=same)).lines == same
        unclear = [[*begun, THIRD, "pass"], [*reverse, swapped, "1-1,2-5"]]
        assert await t.two.refused("game.plan", **asked, lines=unclear) == "invalid"


@pytest.mark.parametrize(
    ("lines", "code"),
    [
        ([["0-0"]], "invalid"),
        ([["0-0", "0-0"]], "illegal_turn"),
        ([["0-0", "2-0,2-2", "2-4,2-6"]], "invalid"),
        ([["0-0", "2-0,2-2"], ["0-0", "2-4,2-6"]], "invalid"),
        ([["0-0", "2-0,2-2"]] * 11, "invalid"),
    ],
)
async def test_a_plan_is_checked(tmp_path: Path, lines: list[list[str]], code: str) -> None:
    async with slow(tmp_path) as t:
        asked = {"game_id": t.game_id, "ply": 0, "lines": lines}
        assert await t.two.refused("game.plan", **asked) == code
        own = {**asked, "lines": [["0-0", "2-0,2-2"]]}
        assert await t.one.refused("game.plan", **own) == "not_planned"
        assert await t.two.refused("game.plan", **{**own, "ply": 1}) == "stale_ply"


async def test_a_plan_is_deleted_with_the_end_of_its_game(tmp_path: Path) -> None:
    async with slow(tmp_path) as t:
        await plan(t, 0, f"{FIRST} {SECOND}")
        await t.one.do("game.action", game_id=t.game_id, action="abort")
        await t.two.game(t.game_id, lambda state: state.result is not None)
        # It is deleted soon after the end is announced.
        await answered(lambda: plans_of(t), lambda plans: not plans.lines)


async def test_live_games_have_no_plans(tmp_path: Path) -> None:
    async with table(tmp_path) as t:
        asked = {"game_id": t.game_id, "ply": 0, "lines": [[FIRST, SECOND]]}
        assert await t.two.refused("game.plan", **asked) == "not_planned"


async def test_a_takeback_ends_a_plan(tmp_path: Path) -> None:
    async with slow(tmp_path) as t:
        await plan(t, 0, f"{FIRST} {SECOND} {THIRD} pass")
        await t.play(0, FIRST)
        await t.both_see(lambda state: len(state.turns) == 2)
        await t.one.do("game.action", game_id=t.game_id, action="ask_takeback")
        await t.two.do("game.action", game_id=t.game_id, action="accept_takeback")
        assert (await t.two.do("game.plans", game_id=t.game_id)).lines == []
        await t.one.do("game.turn", game_id=t.game_id, ply=0, turn=FIRST, takebacks=1)
        state = (await t.two.do("game.state", game_id=t.game_id)).game
    assert [played.turn for played in state.turns] == [FIRST]


async def test_a_plan_survives_a_restart(tmp_path: Path) -> None:
    time = FakeTime()
    async with table(tmp_path, time, clock=DAYS) as t:
        keys = [client.all_of(wire.Welcome)[0].guest_key for client in (t.one, t.two)]
        await plan(t, 0, f"{FIRST} {SECOND}")
    async with (
        running_arena(settings(tmp_path), time, random.Random(1)) as url,
        connected(url, guest_key=keys[0]) as one,
    ):
        await one.do("game.turn", game_id=t.game_id, ply=0, turn=FIRST)
        state = await one.game(t.game_id, lambda state: len(state.turns) >= 2)
        assert state.turns[1].turn == SECOND
