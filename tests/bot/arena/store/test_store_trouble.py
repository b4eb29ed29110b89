"""A disk that cannot be written: nobody pays for it with their time, and everybody is told."""

import asyncio
import sqlite3
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, closing, contextmanager
from pathlib import Path

import aiohttp
import pytest
from structlog.testing import capture_logs

from bot import wire
from bot.arena.edge import gateway, requests
from bot.arena.store.sqlite_database import FILE_NAME
from tests.bot.arena.table import Table, refusal, table
from tests.fakes.arena_client import connected
from tests.fakes.time import FakeTime

CLOCK = {"kind": "fischer", "initial_s": 12, "increment_s": 0}
STANDS_S = 3
"""Longer than a player has left."""


@pytest.fixture
def patient(monkeypatch: pytest.MonkeyPatch) -> None:
    """Requests wait for longer than the clocks stand."""
    monkeypatch.setattr(requests, "ANSWER_S", 2 * STANDS_S)


@contextmanager
def locked(folder: Path) -> Iterator[None]:
    """Another program holds the database, as `sqlite3 arena.db` with a transaction open does."""
    with closing(sqlite3.connect(folder / FILE_NAME, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        yield


@asynccontextmanager
async def begun(folder: Path, time: FakeTime) -> AsyncIterator[Table]:
    async with table(folder, time, clock=CLOCK) as t:
        for ply, turn in enumerate(["0-0", "2-0,2-2"]):
            await t.play(ply, turn)
        yield t


async def standing(t: Table) -> wire.GameState:
    return await t.both_see(lambda state: state.clocks.running is None and len(state.turns) >= 2)


@pytest.mark.usefixtures("patient")
async def test_a_turn_that_arrived_is_played_when_the_disk_is_back(tmp_path: Path) -> None:
    time = FakeTime()
    async with begun(tmp_path, time) as t:
        await time.advance(10)
        with locked(tmp_path):
            turn = asyncio.create_task(t.play(2, "2-4,2-6"))
            await standing(t)
            await time.advance(STANDS_S)
        assert not (await turn).duplicate
        state = await t.both_see(lambda state: len(state.turns) == 3)
    assert state.result is None
    assert state.turns[2].time_ms == 10_000
    assert state.clocks.running == 2


@pytest.mark.usefixtures("patient")
async def test_while_clocks_stand_no_flag_falls(tmp_path: Path) -> None:
    time = FakeTime()
    async with begun(tmp_path, time) as t:
        await time.advance(10)
        with locked(tmp_path):
            # Any write shows that the disk is away.
            offer = asyncio.create_task(
                t.two.ask("game.action", game_id=t.game_id, action="offer_draw")
            )
            await standing(t)
            await time.advance(STANDS_S)
        assert (await offer)["ok"]
        state = await t.both_see(lambda state: state.clocks.running == 1)
        assert state.clocks.players[0].main_ms == 2_000
        await time.advance(1)
        assert not (await t.play(2, "2-4,2-6")).duplicate


async def test_a_request_that_waits_too_long_is_refused_with_retry_later(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with begun(tmp_path, FakeTime()) as t:
        monkeypatch.setattr(requests, "ANSWER_S", 0.05)
        ask = {"game_id": t.game_id, "ply": 2, "turn": "2-4,2-6"}
        with locked(tmp_path):
            assert await t.one.refused("game.turn", **ask) == "unavailable"
            await standing(t)
            # Once it is known, nobody waits any more.
            monkeypatch.setattr(requests, "ANSWER_S", 1000)
            refusal = wire.Refusal.model_validate(await t.one.ask("game.turn", **ask))
            assert (refusal.code, refusal.retry_after_ms) == ("unavailable", 1000)
        await t.both_see(lambda state: len(state.turns) == 3)
        assert (await t.one.do("game.turn", **ask)).duplicate


@pytest.mark.usefixtures("patient")
async def test_health_and_the_log_tell_it_once(tmp_path: Path) -> None:
    time = FakeTime()
    with capture_logs() as lines:
        async with begun(tmp_path, time) as t, aiohttp.ClientSession(t.url) as http:
            with locked(tmp_path):
                turn = asyncio.create_task(t.play(2, "2-4,2-6"))
                await standing(t)
                await time.advance(STANDS_S)
                for _ in range(10):
                    ask = {"game_id": t.game_id, "ply": 2, "turn": "2-4,2-6"}
                    assert await t.one.refused("game.turn", **ask) == "unavailable"
                async with http.get("/healthz") as response:
                    assert response.status == 503
                    assert "cannot be written" in (await response.json())["status"]
            await turn
            async with http.get("/healthz") as response:
                assert response.status == 200
    troubles = [line["log_level"] for line in lines if line["event"].startswith("store_")]
    assert troubles == ["error", "warning"]
    assert not [line for line in lines if line["event"] == "refused"]


async def test_the_arena_ends_although_the_disk_is_away(tmp_path: Path) -> None:
    time = FakeTime()
    async with begun(tmp_path, time) as t:
        lock = sqlite3.connect(tmp_path / FILE_NAME, isolation_level=None)
        lock.execute("BEGIN IMMEDIATE")
        turn = asyncio.create_task(t.one.ask("game.turn", game_id=t.game_id, ply=2, turn="2-4,2-6"))
        await standing(t)
        turn.cancel()
    lock.close()


async def test_known_players_log_in_and_new_ones_are_refused_with_retry_later(
    tmp_path: Path,
) -> None:
    async with begun(tmp_path, FakeTime()) as t:
        key = t.one.all_of(wire.Welcome)[0].guest_key
        with locked(tmp_path):
            turn = asyncio.create_task(t.play(2, "2-4,2-6"))
            await standing(t)
            async with connected(t.url, guest_key=key) as tab:
                assert tab.all_of(wire.Welcome)[0].you.name == "Anna"
            assert (await refusal(t.url, {"v": 1})).code == "unavailable"
        await turn


async def test_a_login_does_not_wait_for_the_disk_for_ever(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(gateway, "ANSWER_S", 0.05)
    async with begun(tmp_path, FakeTime()) as t:
        with locked(tmp_path):
            refused = await refusal(t.url, {"v": 1})
    assert (refused.code, refused.retry_after_ms) == ("unavailable", 1000)
