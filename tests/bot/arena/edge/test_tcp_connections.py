"""The book of TCP connections: room for everybody, and deadlines. Real ones: test_listener."""

import asyncio

import pytest
from structlog.testing import capture_logs

from bot.arena.edge.descriptors import DescriptorLimits
from bot.arena.edge.tcp import ANSWER_S, TcpConnection, TcpConnections
from bot.arena.http.addresses import Proxies
from bot.arena.settings import ConnectionLimits
from bot.runtime.throttled_log import ThrottledLog
from tests.fakes.sweeper import FakeSweeper
from tests.fakes.time import FakeTime

ONE, TWO, PROXY = "192.0.2.1", "192.0.2.2", "10.0.0.1"
LIMITS = ConnectionLimits(sockets_per_address=2, request_s=10, keep_alive_s=15)


class FakeTransport(asyncio.Transport):
    def get_write_buffer_size(self) -> int:
        return 0

    def __init__(self) -> None:
        super().__init__()
        self.is_aborted = False

    def abort(self) -> None:
        self.is_aborted = True


class Book:
    """A book of up to ten connections, four from one address."""

    def __init__(self) -> None:
        self.time = FakeTime()
        sweeper = FakeSweeper(self.time)
        self.book = TcpConnections(
            LIMITS, DescriptorLimits(10, 7), Proxies(["10.0.0.0/8"]), ThrottledLog(sweeper), sweeper
        )

    def open(self, peer: str) -> TcpConnection | None:
        entry = self.book.admit(peer)
        if entry is not None:
            entry.transport = FakeTransport()
        return entry

    def opened(self, peer: str) -> TcpConnection:
        entry = self.open(peer)
        assert entry is not None
        return entry

    def busy(self, peer: str) -> TcpConnection:
        entry = self.opened(peer)
        self.book.asked(entry)
        return entry

    def after(self, seconds: float) -> None:
        self.time.lapse(seconds)
        self.book.sweep(self.time.monotonic())


@pytest.fixture
def book() -> Book:
    return Book()


def is_closed(entry: TcpConnection) -> bool:
    assert isinstance(entry.transport, FakeTransport)
    return entry.transport.is_aborted


def test_a_request_has_a_deadline_from_the_first_moment(book: Book) -> None:
    slow = book.opened(ONE)
    book.after(9.9)
    assert not is_closed(slow)
    book.after(0.2)
    assert is_closed(slow)
    assert book.book.count == 0


def test_an_answer_has_to_be_fetched_and_then_another_request_may_come(book: Book) -> None:
    entry = book.busy(ONE)
    book.after(ANSWER_S - 1)
    book.book.answered(entry)
    book.after(14)
    assert not is_closed(entry)
    book.book.asked(entry)
    book.after(ANSWER_S - 1)
    assert not is_closed(entry)
    book.after(2)
    assert is_closed(entry)


def test_a_socket_has_no_deadline_here(book: Book) -> None:
    entry = book.busy(ONE)
    book.book.became_socket(entry, "9.9.9.9")
    book.after(1_000_000)
    assert not is_closed(entry)
    assert not book.book.sweep(book.time.monotonic()), "nothing to wait for"


def test_each_address_has_its_own_limit_of_connections(book: Book) -> None:
    for _ in range(4):
        book.busy(ONE)
    assert book.open(ONE) is None
    assert book.open(TWO) is not None
    assert book.book.count == 5


def test_a_connection_that_ends_makes_room(book: Book) -> None:
    entries = [book.busy(ONE) for _ in range(4)]
    book.book.remove(entries[0])
    book.book.remove(entries[0])
    assert book.open(ONE) is not None
    assert book.open(ONE) is None


def test_an_ipv6_subscriber_has_one_address(book: Book) -> None:
    for number in range(4):
        book.busy(f"2001:db8:1:2::{number}")
    assert book.open("2001:db8:1:2:ffff::1") is None
    assert book.open("2001:db8:1:3::1") is not None


def test_at_the_limit_of_an_address_its_longest_waiting_connection_is_closed(book: Book) -> None:
    first, second, third, fourth = (book.opened(ONE) for _ in range(4))
    book.book.asked(first)
    assert book.open(ONE) is None, "all of them have only just come"
    book.after(1)
    assert book.open(ONE) is not None
    assert [is_closed(each) for each in (first, second, third, fourth)] == [
        False,
        True,
        False,
        False,
    ]


def test_when_the_server_is_full_the_longest_waiting_connection_is_closed(book: Book) -> None:
    silent = [book.opened(f"192.0.2.{number}") for number in range(10)]
    assert book.open(ONE) is None
    book.after(1)
    assert book.open("198.51.100.1") is not None
    assert [is_closed(each) for each in silent] == [True] + [False] * 9


def test_busy_connections_are_never_closed_to_make_room(book: Book) -> None:
    busy = [book.busy(f"192.0.2.{number}") for number in range(10)]
    book.after(5)
    assert book.open("198.51.100.1") is None
    assert not any(is_closed(each) for each in busy)


def test_a_trusted_proxy_may_have_all_there_are(book: Book) -> None:
    for _ in range(10):
        book.busy(PROXY)
    assert book.open(PROXY) is None


def test_a_connection_that_is_closed_before_it_is_open_stays_closed(book: Book) -> None:
    entry = book.book.admit(ONE)
    assert entry is not None
    book.after(11)
    assert entry.is_cut


def test_refusals_make_one_line_and_then_a_count(book: Book) -> None:
    with capture_logs() as lines:
        for _ in range(4):
            book.busy(ONE)
        for _ in range(100):
            book.open(ONE)
    [line] = lines
    assert (line["event"], line["address"]) == ("connection_refused", ONE)
