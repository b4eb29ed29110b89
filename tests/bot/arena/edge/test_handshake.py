"""Where connections ask to become sockets."""

import asyncio
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from urllib.parse import urlsplit

import aiohttp
import pytest
from structlog.testing import capture_logs

from bot.arena.edge.handshake import FOREIGN_PAGE, ONLY_WEBSOCKET, Origins
from bot.arena.edge.open_sockets import TOO_MANY_OF_ADDRESS, NotAdmitted, OpenSocket, Sockets
from bot.arena.http.addresses import HttpCaller
from bot.arena.server import running_arena
from bot.arena.settings import ConnectionLimits
from bot.runtime.throttled_log import ThrottledLog
from tests.bot.arena.table import settings
from tests.fakes.raw_socket import PATH, http_from, knock, raw_socket
from tests.fakes.sweeper import FakeSweeper
from tests.fakes.time import FakeTime

ORIGINS = Origins(["https://friend.example"], ["Play.Example.org", "box"])


def asked(host: str, scheme: str = "http", is_forwarded_by_stranger: bool = False) -> HttpCaller:
    return HttpCaller("127.0.0.1", scheme, host, is_forwarded_by_stranger)


@pytest.mark.parametrize(
    ("origin", "caller"),
    [
        (None, asked("anything")),
        ("https://friend.example", asked("127.0.0.1:8765")),
        ("http://127.0.0.1:8765", asked("127.0.0.1:8765")),
        ("http://192.168.1.5:8765", asked("192.168.1.5:8765")),
        ("http://[::1]:8765", asked("[::1]:8765")),
        ("http://localhost:8765", asked("LOCALHOST:8765")),
        ("http://box:8765", asked("box:8765")),
        ("https://play.example.org", asked("play.example.org", "https")),
        ("https://play.example.org", asked("play.example.org.:443", "https")),
    ],
)
def test_pages_that_may_connect(origin: str | None, caller: HttpCaller) -> None:
    assert ORIGINS.setting_against(origin, caller) is None


@pytest.mark.parametrize(
    ("origin", "caller", "setting"),
    [
        ("http://rebound.example:8765", asked("rebound.example:8765"), "hosts"),
        ("http://rebound.example", asked("rebound.example"), "hosts"),
        ("https://evil.example", asked("127.0.0.1:8765"), "allowed_origins"),
        ("http://localhost:3000", asked("localhost:8765"), "allowed_origins"),
        ("null", asked("127.0.0.1:8765"), "allowed_origins"),
        ("http://[::1", asked("127.0.0.1:8765"), "allowed_origins"),
        ("http://localhost:99999", asked("localhost:99999"), "allowed_origins"),
        ("file://", asked(""), "allowed_origins"),
        ("https://play.example.org", asked("play.example.org"), "trusted_proxies"),
        (
            "https://play.example.org",
            asked("127.0.0.1:8765", is_forwarded_by_stranger=True),
            "trusted_proxies",
        ),
    ],
)
def test_refused_pages_and_the_setting_that_would_admit_them(
    origin: str, caller: HttpCaller, setting: str
) -> None:
    assert ORIGINS.setting_against(origin, caller) == setting


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
        self.sockets = Sockets(limits, 10, ThrottledLog(self.sweeper), self.sweeper)
        self._stack = stack

    def open(self, address: str) -> OpenSocket:
        transport = FakeTransport(lambda: self.aborted.append(address))
        return self._stack.enter_context(self.sockets.opened(address, transport))

    def refused(self, address: str) -> tuple[int, str]:
        with pytest.raises(NotAdmitted) as caught:
            self.open(address)
        return caught.value.status, caught.value.code

    def after(self, seconds: float) -> bool:
        self.time.lapse(seconds)
        return self.sockets.sweep(self.time.monotonic())


@pytest.fixture
def crowd() -> Iterator[Crowd]:
    with ExitStack() as stack:
        yield Crowd(stack)


def test_an_address_has_a_limit_of_sockets_and_regains_one_that_closes(crowd: Crowd) -> None:
    for _ in range(4):
        crowd.open("a")
    with ExitStack() as stack:
        stack.enter_context(crowd.sockets.opened("a", FakeTransport(lambda: None)))
        assert crowd.refused("a") == (429, "too_many")
        crowd.open("b")
    assert crowd.sockets.count == 5
    crowd.open("a")


def test_the_last_places_are_for_addresses_with_few_connections(crowd: Crowd) -> None:
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


def test_a_socket_without_a_login_is_closed(crowd: Crowd) -> None:
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


@pytest.fixture
async def url(tmp_path: Path) -> AsyncIterator[str]:
    async with running_arena(settings(tmp_path)) as address:
        yield address


@pytest.mark.parametrize(
    ("method", "path"),
    [
        ("GET", "/socket.io/?EIO=4&transport=polling"),
        ("GET", "/socket.io/?EIO=4"),
        ("GET", PATH),
        ("POST", "/socket.io/?EIO=4&transport=polling&sid=none"),
        ("POST", PATH),
        ("OPTIONS", "/socket.io/?EIO=4&transport=polling"),
    ],
)
async def test_a_request_that_is_not_a_websocket_is_refused_with_the_transport_to_use(
    url: str, method: str, path: str
) -> None:
    async with aiohttp.ClientSession() as http, http.request(method, url + path) as response:
        answer = await response.json()
    assert (response.status, answer["code"]) == (400, "websocket_only")
    assert "`websocket`" in answer["message"]


@pytest.mark.parametrize("method", ["GET", "POST"])
async def test_a_plain_request_is_refused_with_the_reason_of_a_websocket(
    tmp_path: Path, method: str
) -> None:
    limits = ConnectionLimits(sockets_per_address=1)
    async with (
        running_arena(settings(tmp_path, connections=limits)) as url,
        http_from("127.0.0.1") as http,
        http_from("127.0.0.2") as elsewhere,
        raw_socket(url),
    ):
        answers = []
        for asking, headers in (
            (http, {}),
            (elsewhere, {}),
            (http, {"Origin": "https://evil.example"}),
        ):
            async with asking.request(method, f"{url}/socket.io/", headers=headers) as response:
                refusal = await response.json()
                answers.append((response.status, refusal["code"], refusal["message"]))
    assert answers == [
        (429, "too_many", TOO_MANY_OF_ADDRESS),
        (400, "websocket_only", ONLY_WEBSOCKET),
        (403, "origin", FOREIGN_PAGE),
    ]


async def test_a_post_whose_body_never_comes_is_answered_at_once(url: str) -> None:
    address = urlsplit(url)
    reader, writer = await asyncio.open_connection(address.hostname, address.port)
    head = "POST /socket.io/?EIO=4&transport=polling&sid=x HTTP/1.1\r\nHost: x\r\n"
    writer.write(f"{head}Content-Length: 100000000\r\n\r\n".encode())
    async with asyncio.timeout(5):
        assert b" 400 " in await reader.readline()
    writer.close()
    await writer.wait_closed()


@pytest.mark.parametrize(
    "headers",
    [
        {"Sec-WebSocket-Key": "short"},
        {"Sec-WebSocket-Key": "é"},
        {"Sec-WebSocket-Version": "1"},
        {"Connection": "keep-alive"},
    ],
)
async def test_an_invalid_handshake_leaves_no_socket_behind(
    url: str, headers: dict[str, str]
) -> None:
    status, answer = await knock(url, headers)
    assert (status, answer["code"]) == (400, "websocket_only")


@pytest.mark.parametrize(
    ("origin", "host", "status"),
    [
        ("", None, 101),
        ("same", None, 101),
        ("https://friend.example", None, 101),
        ("https://evil.example", None, 403),
        ("http://rebound.example", "rebound.example", 403),
        ("http://known.example", "known.example", 101),
    ],
)
async def test_a_page_connects_only_from_a_name_that_is_known(
    tmp_path: Path, origin: str, host: str | None, status: int
) -> None:
    known = settings(tmp_path, allowed_origins=["https://friend.example"], hosts=["known.example"])
    async with running_arena(known) as url:
        headers = {"Origin": url if origin == "same" else origin} if origin else {}
        if host is not None:
            headers["Host"] = host
        assert (await knock(url, headers))[0] == status


async def test_the_log_names_the_setting_once(url: str) -> None:
    headers = {"Origin": "http://rebound.example", "Host": "rebound.example"}
    with capture_logs() as lines:
        for _ in range(3):
            assert (await knock(url, headers))[1]["code"] == "origin"
    [line] = [line for line in lines if line["event"] == "origin_refused"]
    assert (line["setting"], line["origin"]) == ("hosts", "http://rebound.example")


async def test_forwarded_headers_of_strangers_open_nothing(url: str) -> None:
    headers = {
        "Origin": "https://evil.example",
        "X-Forwarded-Host": "evil.example",
        "X-Forwarded-Proto": "https",
    }
    assert (await knock(url, headers))[0] == 403


async def test_a_trusted_proxy_forwards_the_origin_of_the_page(tmp_path: Path) -> None:
    behind = settings(tmp_path, trusted_proxies=["127.0.0.1"], hosts=["play.example.org"])
    headers = {
        "Origin": "https://play.example.org",
        "X-Forwarded-For": "203.0.113.7",
        "X-Forwarded-Proto": "https",
        "X-Forwarded-Host": "play.example.org",
    }
    async with running_arena(behind) as url:
        assert (await knock(url, headers))[0] == 101
        async with raw_socket(url, headers) as socket:
            assert (await socket.log_in()).startswith("40")
