"""One timer pings all connections, and ends those that do not answer."""

import asyncio

import pytest

from bot.arena.edge.pings import Pings
from tests.fakes.waiting import eventually

INTERVAL_S, TIMEOUT_S = 0.04, 0.02


class Connection:
    def __init__(self, answers: int) -> None:
        self.answers = answers
        self.pings = 0
        self.closed = False
        self.awaits_pong = False

    def ping(self) -> None:
        self.pings += 1
        if self.pings <= self.answers:
            asyncio.get_running_loop().call_soon(self._pong)

    def _pong(self) -> None:
        self.awaits_pong = False

    def miss_pong(self) -> None:
        self.closed = True


@pytest.mark.parametrize("answers", [0, 3])
async def test_the_first_ping_without_an_answer_is_the_last(answers: int) -> None:
    pings, connection = Pings(INTERVAL_S, TIMEOUT_S), Connection(answers)
    pings.add(connection)
    await eventually(lambda: connection.closed)
    assert connection.pings == answers + 1


async def test_many_are_pinged_at_one_moment() -> None:
    pings, both = Pings(INTERVAL_S, TIMEOUT_S), [Connection(10**6), Connection(10**6)]
    for connection in both:
        pings.add(connection)
    await eventually(lambda: both[0].pings == 3)
    assert both[1].pings == 3
    pings.stop()


async def test_a_closed_connection_is_forgotten() -> None:
    pings, connection, other = Pings(INTERVAL_S, TIMEOUT_S), Connection(1), Connection(3)
    pings.add(connection)
    pings.add(other)
    connection.closed = True
    await eventually(lambda: other.closed)
    assert connection.pings == 0
