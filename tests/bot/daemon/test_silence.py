"""A server that has stopped answering: reconnect, restart, call a person, in that order."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import cast

import pytest
from structlog.testing import capture_logs

from bot.daemon.identity import Identity
from bot.daemon.journal import OpenWork
from bot.daemon.settings import Settings
from bot.daemon.silence import LOOK_S, SilencePatience, SilenceWatch
from bot.daemon.status import IdentityStatus
from bot.daemon.supervisor import Supervisor
from tests.fakes.platform import FakePlatform
from tests.fakes.time import FakeTime
from tests.fakes.waiting import eventually

PATIENCE = SilencePatience(reconnect_s=60, restart_s=300, alarm_s=900)


class SilentPlatform(FakePlatform):
    """It was heard at `heard_at` for the last time."""

    def __init__(self, time: FakeTime) -> None:
        super().__init__()
        self._time = time
        self.heard_at = time.monotonic()

    @property
    def overdue_s(self) -> float:
        return self._time.monotonic() - self.heard_at

    @overdue_s.setter
    def overdue_s(self, _: float) -> None: ...


class Watched:
    """An identity that only runs; `steps` are the steps that were taken, with their times."""

    label = "arena"

    def __init__(self, time: FakeTime) -> None:
        self._time = time
        self.platform = SilentPlatform(time)
        self.status = IdentityStatus()
        self.runs = 0

    def silence_watch(self) -> SilenceWatch:
        return SilenceWatch(self.platform, self.status, PATIENCE, self._time)

    async def run(self) -> None:
        self.runs += 1
        await asyncio.Event().wait()


@pytest.fixture
def time() -> FakeTime:
    return FakeTime()


async def no_work() -> list[OpenWork]:
    return []


@asynccontextmanager
async def supervised(time: FakeTime) -> AsyncIterator[tuple[Watched, Supervisor]]:
    watched = Watched(time)
    supervisor = Supervisor([cast("Identity", watched)], {}, [], no_work, time, drain_s=1)
    running = asyncio.create_task(supervisor.run(asyncio.Event()))
    try:
        await eventually(lambda: watched.runs == 1)
        yield watched, supervisor
    finally:
        running.cancel()
        await asyncio.wait({running})


async def test_first_it_reconnects_then_restarts_then_calls_a_person(time: FakeTime) -> None:
    with capture_logs() as logs:
        async with supervised(time) as (watched, supervisor):
            await time.advance(59)
            assert watched.platform.calls == []
            await time.advance(2)
            assert watched.platform.calls == [("reconnect",)]
            await time.advance(235)
            assert watched.runs == 1
            await time.advance(10)
            assert watched.runs == 2
            await time.advance(590)
            assert (await supervisor.status()).alarms == 0
            await time.advance(10)
            status = await supervisor.status()
    assert status.alarms == 1
    assert "reconnecting and restarting did not help" in (status.platforms[0].alarm or "")
    assert [(line["event"], line.get("step")) for line in logs] == [
        ("platform_silent", "reconnect"),
        ("platform_silent", "restart"),
        ("alarm", None),
    ]
    assert logs[-1]["log_level"] == "error"


async def test_a_server_that_answers_again_ends_the_alarm_and_the_steps_start_over(
    time: FakeTime,
) -> None:
    with capture_logs() as logs:
        async with supervised(time) as (watched, supervisor):
            await time.advance(920)
            assert (await supervisor.status()).alarms == 1
            watched.platform.heard_at = time.monotonic()
            await time.advance(LOOK_S)
            assert (await supervisor.status()).alarms == 0
            await time.advance(65)
    assert len(watched.platform.named("reconnect")) == 2
    assert "platform_heard_again" in [line["event"] for line in logs]


async def test_while_the_silence_lasts_it_is_restarted_again_and_again(time: FakeTime) -> None:
    async with supervised(time) as (watched, _):
        await time.advance(920)
        assert watched.runs == 2
        await time.advance(910)
        assert watched.runs == 3
        await time.advance(910)
        assert watched.runs == 4


async def test_after_an_hour_in_which_the_process_stood_still_the_steps_keep_their_distances(
    time: FakeTime,
) -> None:
    async with supervised(time) as (watched, supervisor):
        await time.jump(3600)
        assert watched.platform.calls == [("reconnect",)]
        assert watched.runs == 1
        await time.advance(200)
        assert watched.runs == 1
        await time.advance(45)
        assert watched.runs == 2
        await time.advance(550)
        assert (await supervisor.status()).alarms == 0
        await time.advance(60)
        assert (await supervisor.status()).alarms == 1


async def test_a_server_that_is_heard_in_time_is_left_alone(time: FakeTime) -> None:
    async with supervised(time) as (watched, _):
        for _ in range(100):
            await time.advance(50)
            watched.platform.heard_at = time.monotonic()
    assert (watched.platform.calls, watched.runs) == ([], 1)


@pytest.mark.parametrize("kind", ["arena", "abstract_play"])
def test_the_steps_must_be_in_order(kind: str) -> None:
    own = {"arena": {"url": "http://127.0.0.1:1"}, "abstract_play": {"client_id": "x"}}[kind]
    table = {"kind": kind, "engine": "search", **own, "restart_after_s": 30}
    with pytest.raises(ValueError, match="must not decrease in this order"):
        Settings.model_validate({"platforms": [table]})
