"""Strangers do not fill the log."""

import math
from collections.abc import AsyncIterator

import pytest
from structlog.testing import capture_logs

from bot.runtime.sweeper import Sweeper
from bot.runtime.throttled_log import MOST_ADDRESSES, OTHERS, ThrottledLog
from tests.fakes.time import FakeTime


@pytest.fixture
def time() -> FakeTime:
    return FakeTime()


@pytest.fixture
async def throttled_log(time: FakeTime) -> AsyncIterator[ThrottledLog]:
    sweeper = Sweeper(time)
    yield ThrottledLog(sweeper)
    await sweeper.close()


async def test_the_first_lines_are_written_and_the_others_counted(
    throttled_log: ThrottledLog, time: FakeTime
) -> None:
    with capture_logs() as lines:
        for _ in range(100):
            throttled_log.note("login_refused", "192.0.2.1", lines=3, code="bad_token")
        throttled_log.note("login_refused", "192.0.2.2", lines=3, code="bad_token")
        await time.advance(59)
        assert len(lines) == 4
        await time.advance(2)
    assert [line["address"] for line in lines] == ["192.0.2.1"] * 3 + ["192.0.2.2", "192.0.2.1"]
    assert (lines[0]["code"], lines[-1]["more"], lines[-1]["seconds"]) == ("bad_token", 97, 60)


async def test_repeated_events_are_logged_once_a_minute(
    throttled_log: ThrottledLog, time: FakeTime
) -> None:
    with capture_logs() as lines:
        for _ in range(600):
            throttled_log.note("refused", "192.0.2.1")
            await time.advance(0.5)
        await time.advance(200)
    assert 5 <= len(lines) <= 7
    assert sum(line.get("more", 1) for line in lines) == 600
    assert time.sleepers == 0


async def test_after_a_quiet_time_the_next_event_is_logged_at_once(
    throttled_log: ThrottledLog, time: FakeTime
) -> None:
    with capture_logs() as lines:
        throttled_log.note("refused", "192.0.2.1")
        await time.advance(120)
        throttled_log.note("refused", "192.0.2.1")
    assert ["more" in line for line in lines] == [False, False]


async def test_a_crowd_of_addresses_is_counted_together(throttled_log: ThrottledLog) -> None:
    with capture_logs() as lines:
        for number in range(MOST_ADDRESSES + 500):
            throttled_log.note("refused", str(number))
        throttled_log.sweep(math.inf)
    assert len(lines) == MOST_ADDRESSES + 2
    assert [line.get("more") for line in lines if line["address"] == OTHERS] == [None, 499]
