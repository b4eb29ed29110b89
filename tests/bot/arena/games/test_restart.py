"""Games go on after the server was stopped, or died."""

import asyncio
import random
import shutil
import sqlite3
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, closing
from pathlib import Path

import pytest
from structlog.testing import capture_logs

from bot import wire
from bot.arena.games.archive import FILE_NAME
from bot.arena.server import running_arena
from bot.arena.store.sqlite_database import FILE_NAME as DATABASE
from bot.records.jsonl import read_records
from bot.records.model import GameRecord
from tests.bot.arena.table import Table, begin, settings, table
from tests.fakes.arena_client import ArenaClient, connected
from tests.fakes.time import FakeTime


@asynccontextmanager
async def again(
    folder: Path, time: FakeTime, keys: list[str | None]
) -> AsyncIterator[list[ArenaClient]]:
    """The arena started once more, with the same guests."""
    async with (
        running_arena(settings(folder), time, random.Random(1)) as url,
        connected(url, guest_key=keys[0]) as one,
        connected(url, guest_key=keys[1]) as two,
    ):
        yield [one, two]


def keys_of(t: Table) -> list[str | None]:
    return [client.all_of(wire.Welcome)[0].guest_key for client in (t.one, t.two)]


async def test_a_game_continues_and_the_downtime_is_charged_to_no_player(tmp_path: Path) -> None:
    time = FakeTime()
    async with table(tmp_path, time) as t:
        for ply, turn in enumerate(["0-0", "2-0,2-2"]):
            await t.play(ply, turn)
        await time.advance(30)
        keys, before = keys_of(t), await t.one.game(t.game_id)
    await time.advance(1000)
    async with again(tmp_path, time, keys) as (one, two):
        after = one.all_of(wire.Welcome)[0].games[0]
        assert [played.turn for played in after.turns] == ["0-0", "2-0,2-2"]
        assert after.revision > before.revision
        await time.advance(10)
        done = await one.do("game.turn", game_id=t.game_id, ply=2, turn="2-4,2-6")
        assert not done.duplicate
        state = await two.game(t.game_id, lambda state: len(state.turns) >= 3)
        assert state.turns[2].time_ms == 40_000


async def test_acknowledged_turns_survive_a_crash(tmp_path: Path) -> None:
    time, crashed = FakeTime(), tmp_path / "crashed"
    async with table(tmp_path / "first", time) as t:
        await t.play(0, "0-0")
        keys = keys_of(t)
        # What the disk holds at this moment is what a killed server would find.
        shutil.copytree(tmp_path / "first", crashed)
    async with again(crashed, time, keys) as (one, _two):
        done = await one.do("game.turn", game_id=t.game_id, ply=0, turn="0-0")
        assert done.duplicate
        welcome = one.all_of(wire.Welcome)[0]
        assert [len(game.turns) for game in welcome.games] == [1]


async def test_a_player_who_does_not_return_after_a_restart_loses(tmp_path: Path) -> None:
    time = FakeTime()
    async with table(tmp_path, time) as t:
        for ply, turn in enumerate(["0-0", "2-0,2-2"]):
            await t.play(ply, turn)
        keys = keys_of(t)
    async with (
        running_arena(settings(tmp_path), time, random.Random(1)) as url,
        connected(url, guest_key=keys[1]) as two,
    ):
        await time.advance(69)
        assert (await two.do("game.watch", game_id=t.game_id)).game.state == "playing"
        await time.advance(2)
        state = await two.game(t.game_id, lambda state: state.state == "finished")
    assert state.result is not None
    assert (state.result.winner, state.result.reason) == (2, "abandonment")


async def test_a_finished_game_is_still_there(tmp_path: Path) -> None:
    time = FakeTime()
    async with table(tmp_path, time) as t:
        await t.play(0, "0-0")
        await t.one.do("game.action", game_id=t.game_id, action="resign")
        keys = keys_of(t)
    async with again(tmp_path, time, keys) as (one, _two):
        state = (await one.do("game.watch", game_id=t.game_id)).game
        lobby = await one.wait_for(wire.Lobby)
    assert state.result is not None
    assert state.result.reason == "resignation"
    assert [summary.game_id for summary in lobby.games] == [t.game_id]


async def test_a_record_that_a_crash_kept_from_the_file_is_added(tmp_path: Path) -> None:
    async with table(tmp_path) as t:
        await t.one.do("game.action", game_id=t.game_id, action="resign")
    (tmp_path / FILE_NAME).write_bytes(b'{"format":"bluestone-rec')
    async with running_arena(settings(tmp_path)):
        pass
    records = [line for line in read_records(tmp_path / FILE_NAME) if isinstance(line, GameRecord)]
    assert [record.id for record in records] == [t.game_id]
    assert (tmp_path / DATABASE).exists()


def signs_of_life(folder: Path) -> float:
    """The moment of the last one, on the arena's clock."""
    with closing(sqlite3.connect(folder / DATABASE)) as database:
        row = database.execute("SELECT value FROM facts WHERE name = 'clock_s'").fetchone()
    return 0.0 if row is None else float(row[0])


async def later_sign(time: FakeTime, folder: Path, at: float) -> float:
    """Let time pass until a sign of life is on the disk that is as late as that."""
    while (sign := signs_of_life(folder)) < at:
        await time.advance(1)
        await asyncio.sleep(0.02)  # the disk has a clock of its own
    return sign


@pytest.mark.parametrize("step_s", [3600, -3600])
async def test_setting_the_wall_clock_changes_no_players_time(
    tmp_path: Path, step_s: float
) -> None:
    time, crashed = FakeTime(), tmp_path / "crashed"
    async with table(tmp_path / "first", time) as t:
        for ply, turn in enumerate(["0-0", "2-0,2-2"]):
            await t.play(ply, turn)
        began = time.monotonic()
        sign = await later_sign(time, tmp_path / "first", 20)
        time.step_wall(step_s)
        await later_sign(time, tmp_path / "first", sign + 2)
        thought_ms, keys = (time.monotonic() - began) * 1000, keys_of(t)
        shutil.copytree(tmp_path / "first", crashed)
    async with again(crashed, time, keys) as (one, _two):
        [game] = one.all_of(wire.Welcome)[0].games
    left_ms = game.clocks.players[0].main_ms
    assert left_ms is not None
    assert 300_000 - thought_ms <= left_ms <= 300_000 - 20_000


async def test_one_unreadable_turn_costs_one_game(tmp_path: Path) -> None:
    time = FakeTime()
    async with table(tmp_path, time) as t:
        await t.play(0, "0-0")
        other = await begin(t.one, t.two)
        keys = keys_of(t)
    with closing(sqlite3.connect(tmp_path / DATABASE)) as database, database:
        changed = database.execute(
            "UPDATE turns SET played = '{' WHERE game_id = ?", (t.game_id,)
        ).rowcount
    assert changed == 1
    with capture_logs() as lines:
        async with again(tmp_path, time, keys) as (one, _two):
            welcome = one.all_of(wire.Welcome)[0]
    assert [game.game_id for game in welcome.games] == [other]
    [line] = [line for line in lines if line["event"] == "game_not_restored"]
    assert line["game"] == t.game_id


async def test_a_draw_offer_declined_by_a_turn_stays_declined(tmp_path: Path) -> None:
    time = FakeTime()
    async with table(tmp_path, time) as t:
        await t.play(0, "0-0")
        await t.one.do("game.action", game_id=t.game_id, action="offer_draw")
        await t.play(1, "2-0,2-2")
        keys, before = keys_of(t), await t.one.game(t.game_id, lambda state: len(state.turns) >= 2)
    async with again(tmp_path, time, keys) as (one, _two):
        [game] = one.all_of(wire.Welcome)[0].games
    assert (before.draw_offer, game.draw_offer) == (None, None)
    assert [played.turn for played in game.turns] == ["0-0", "2-0,2-2"]
