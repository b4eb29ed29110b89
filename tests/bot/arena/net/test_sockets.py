"""How many WebSockets there may be, and from whom. Real ones: test_crowds."""

import asyncio
from collections.abc import Callable, Iterator
from contextlib import ExitStack

import pytest
from structlog.testing import capture_logs

from bot.arena.net.quiet_log import QuietLog
from bot.arena.net.sockets import NotAdmitted, OpenSocket, Sockets
from bot.arena.settings import ConnectionLimits
from tests.fakes.sweeper import FakeSweeper
from tests.fakes.time import FakeTime


class FakeTransport(asyncio.Transport):
    def __init__(self, on_abort: Callable[[], None]) -> None:
        super().__init__()
        self._on_abort = on_abort

    def abort(self) -> None:
        self._on_abort()


class Crowd:
    """Sockets for ten, of which two are kept for newcomers; five from one address."""

    def __init__(self, stack: ExitStack) -> None:
        self.time = FakeTime()
        self.aborted: list[str] = []
        self.sweeper = FakeSweeper(self.time)
        limits = ConnectionLimits(sockets_per_address=5, newcomers_share=0.2, login_s=10)
        self.sockets = Sockets(limits, 10, QuietLog(self.sweeper), self.sweeper)
        self._stack = stack

    def open(self, address: str) -> OpenSocket:
        transport = FakeTransport(lambda: self.aborted.append(address))
        return self._stack.enter_context(self.sockets.opened(object(), address, transport))

    def refused(self, address: str) -> tuple[int, str]:
        with pytest.raises(NotAdmitted) as caught:
            self.open(address)
        return caught.value.status, caught.value.code

    def after(self, seconds: float) -> bool:
        self.time._now += seconds
        return self.sockets.sweep(self.time.monotonic())


@pytest.fixture
def crowd() -> Iterator[Crowd]:
    with ExitStack() as stack:
        yield Crowd(stack)


def test_an_address_has_so_many_and_gets_one_back_when_one_ends(crowd: Crowd) -> None:
    for _ in range(4):
        crowd.open("a")
    with ExitStack() as stack:
        stack.enter_context(crowd.sockets.opened(1, "a", FakeTransport(lambda: None)))
        assert crowd.refused("a") == (429, "too_many")
        crowd.open("b")
    assert crowd.sockets.count == 5
    crowd.open("a")


def test_the_last_places_are_for_those_who_have_hardly_any(crowd: Crowd) -> None:
    for address in "aaaaabbb":
        crowd.open(address)
    assert crowd.refused("b") == (503, "too_many")
    crowd.open("c")
    crowd.open("c")
    assert crowd.refused("d") == (503, "too_many")
    assert (crowd.sockets.count, crowd.sockets.address_count) == (10, 3)


def test_players_with_several_connections_do_not_get_them_either(crowd: Crowd) -> None:
    assert not crowd.sockets.is_closed_to(5)
    for address in "aaaaabbb":
        crowd.open(address)
    assert [crowd.sockets.is_closed_to(held) for held in (0, 1, 2)] == [False, False, True]


def test_who_does_not_ask_to_log_in_is_closed(crowd: Crowd) -> None:
    crowd.open("a")
    asking, here = crowd.open("b"), crowd.open("c")
    asking.is_asking = True
    crowd.sockets.logged_in(here, "connection")
    assert crowd.after(9.9)
    assert crowd.aborted == []
    crowd.after(0.2)
    crowd.after(1)
    assert crowd.aborted == ["a"], "once"


def test_a_login_that_was_given_up_has_to_be_followed_by_another(crowd: Crowd) -> None:
    socket = crowd.open("a")
    crowd.sockets.logged_in(socket, "connection")
    assert not crowd.after(100), "nothing to wait for"
    wakings = crowd.sweeper.wakings
    crowd.sockets.logged_out(socket)
    assert crowd.sweeper.wakings == wakings + 1
    crowd.after(9.9)
    assert crowd.aborted == []
    assert not crowd.after(0.2), "nothing to wait for once it is closed"
    assert crowd.aborted == ["a"]


def test_refusals_make_one_line_and_then_a_count(crowd: Crowd) -> None:
    for _ in range(5):
        crowd.open("a")
    with capture_logs() as lines:
        for _ in range(50):
            crowd.refused("a")
    assert [(line["event"], line["address"]) for line in lines] == [("socket_refused", "a")]
