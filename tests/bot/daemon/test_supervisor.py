"""The supervisor: who fails is begun again, soon if it had run well."""

import asyncio
from pathlib import Path
from typing import cast

import pytest

from bot.daemon.identity import Identity
from bot.daemon.journal import OpenWork, WorkKey, open_journal
from bot.daemon.status import IdentityStatus
from bot.daemon.supervisor import STEADY_S, Supervisor
from bot.errors import HostError
from bot.platforms.base import GameChanged
from bot.runtime.listening import PortInUse
from tests.bot.daemon.desk import Desk
from tests.fakes.platform import FakePlatform, facts
from tests.fakes.time import FakeTime
from tests.fakes.waiting import eventually


async def test_the_status_has_deadlines_and_open_work(desk: Desk) -> None:
    async with desk.open():
        await desk.tell(GameChanged(facts()))
        await desk.until("submit")
        await desk.time.advance(10)
        supervisor = Supervisor(
            [desk.identity], {}, [], desk.journal.open_work, desk.time, drain_s=1
        )
        status = await supervisor.status()
    (platform,), (work,) = status.platforms, status.work
    (game,) = platform.games
    assert (game.seat, game.to_play, game.deadline_s, game.our_turn_for_s) == (1, 1, 290.0, 10.0)
    assert (game.game, game.board) == ("bluestone", "pent-4")
    assert (work.platform, work.game_id, work.ply) == ("fake", "g1", 0)
    assert (work.state, work.for_s) == ("submitted", 10.0)
    assert status.alarms == 0


async def test_alarms_survive_a_restart_and_end_when_the_game_continues(tmp_path: Path) -> None:
    key, file, time = WorkKey("fake", "g1", 0), tmp_path / "journal.db", FakeTime()
    async with open_journal(file, time) as journal:
        await journal.accept(key)
        await journal.give_up(key, "the server refuses every legal turn")
    async with open_journal(file, time) as journal:
        supervisor = Supervisor([], {}, [], journal.open_work, time, drain_s=1)
        assert (await supervisor.status()).alarms == 1
        await journal.confirm("fake", "g1", plies=1)
        assert (await supervisor.status()).alarms == 0


async def test_a_file_of_a_platform_that_cannot_be_written_is_a_problem(desk: Desk) -> None:
    async with desk.open():
        supervisor = Supervisor(
            [desk.identity], {}, [], desk.journal.open_work, desk.time, drain_s=1
        )
        assert (await supervisor.status()).ready
        desk.platform.problems = ["store: cannot be written: disk full"]
        status = await supervisor.status()
    assert status.problems == ["fake: store: cannot be written: disk full"]
    assert not status.ready


async def test_a_journal_that_cannot_be_read_is_a_problem_of_the_status() -> None:
    async def unreadable() -> list[OpenWork]:
        raise HostError("the journal cannot be read: disk I/O error")

    supervisor = Supervisor([], {}, [], unreadable, FakeTime(), drain_s=1)
    status = await supervisor.status()
    assert (status.problems, status.work) == (["the journal cannot be read: disk I/O error"], [])


class Fragile:
    """An identity that fails when it is told to."""

    label = "arena"
    platform = FakePlatform()

    def __init__(self, time: FakeTime, error: Exception | None = None) -> None:
        self.status = IdentityStatus()
        self.began: list[float] = []
        self.error = error or RuntimeError("a bug")
        self._time = time
        self._failure = asyncio.Event()

    def silence_watch(self) -> "Fragile":
        return self

    async def until_restart(self) -> None:
        await asyncio.Event().wait()

    async def run(self) -> None:
        self.began.append(self._time.monotonic())
        await self._failure.wait()
        self._failure.clear()
        raise ExceptionGroup("what a task group raises", [self.error])

    def break_down(self) -> None:
        self._failure.set()

    async def fail(self) -> float:
        """Seconds until it is begun again."""
        times, now = len(self.began), self._time.monotonic()
        self.break_down()
        await eventually(lambda: self._time.sleepers > 0)
        while len(self.began) == times:
            await self._time.advance(0.5)
        return self.began[-1] - now


async def no_work() -> list[OpenWork]:
    return []


async def test_a_port_that_is_taken_at_the_start_ends_the_daemon() -> None:
    time = FakeTime()
    taken = PortInUse("listen_port: port 8780 on 127.0.0.1 is in use")
    fragile, sound = Fragile(time, taken), Fragile(time)
    both = [cast("Identity", each) for each in (sound, fragile)]
    running = asyncio.create_task(
        Supervisor(both, {}, [], no_work, time, drain_s=1).run(asyncio.Event())
    )
    await eventually(lambda: bool(fragile.began))
    fragile.break_down()
    with pytest.raises(
        HostError, match=r"^arena: listen_port: port 8780 on 127\.0\.0\.1 is in use"
    ):
        await running
    assert len(fragile.began) == 1


async def test_a_port_that_is_taken_later_is_waited_for() -> None:
    time = FakeTime()
    fragile = Fragile(time)
    supervisor = Supervisor([cast("Identity", fragile)], {}, [], no_work, time, drain_s=1)
    running = asyncio.create_task(supervisor.run(asyncio.Event()))
    try:
        await eventually(lambda: bool(fragile.began))
        await fragile.fail()
        fragile.error = PortInUse("listen_port: port 8780 on 127.0.0.1 is in use")
        await fragile.fail()
        assert len(fragile.began) == 3
        (platform,) = (await supervisor.status()).platforms
        assert platform.why_not_ready == f"arena is not connected: {fragile.error}"
    finally:
        running.cancel()
        await asyncio.wait({running})


async def test_the_waits_grow_and_are_reset_after_a_steady_run() -> None:
    time = FakeTime()
    fragile = Fragile(time)
    supervisor = Supervisor([cast("Identity", fragile)], {}, [], no_work, time, drain_s=1)
    running = asyncio.create_task(supervisor.run(asyncio.Event()))
    try:
        await eventually(lambda: bool(fragile.began))
        waits = [await fragile.fail() for _ in range(10)]
        assert waits[-1] > 100 * waits[0]
        assert max(waits) <= 300
        await time.advance(STEADY_S)
        assert await fragile.fail() <= 1
    finally:
        running.cancel()
        await asyncio.wait({running})
