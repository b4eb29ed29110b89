"""The platform's calls over real sockets: what is answered, and what is not even read."""

import asyncio
from collections.abc import AsyncIterator, Mapping
from contextlib import AsyncExitStack
from dataclasses import dataclass, field
from pathlib import Path

import aiohttp
import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey
from structlog.testing import capture_logs

from bot.errors import HostError
from bot.guests.abstract_play import webhooks
from bot.guests.abstract_play.messages import MAX_WEBHOOK_BYTES, ChallengeNotice, MoveNotice
from bot.guests.abstract_play.rehearsal.credentials import Signer
from bot.guests.abstract_play.store import Notice, Store
from bot.guests.abstract_play.webhooks import serve_webhooks
from tests.bot.guests.abstract_play import bodies
from tests.bot.guests.abstract_play.signing import new_signer, signed
from tests.fakes.locked import locked
from tests.fakes.time import FakeTime

NOTICE = bodies.notice()
ACCEPTED, NOTED = bodies.text(bodies.challenge(challengers=["7b1e"])), bodies.text(NOTICE)


@dataclass
class Keys:
    current: Ed25519PublicKey
    doubts: int = 0

    def doubt(self) -> None:
        self.doubts += 1


@dataclass
class Daemon:
    """Keeps notices in the store as the bot does; takes challenges while `takes`."""

    store: Store
    time: FakeTime
    takes: bool = True
    challenges: list[ChallengeNotice] = field(default_factory=list)
    notices: list[MoveNotice] = field(default_factory=list)
    hangs: asyncio.Event | None = None
    bug: Exception | None = None

    async def challenge(self, challenge: ChallengeNotice) -> bool:
        self.challenges.append(challenge)
        return self.takes

    async def notice(self, notice: MoveNotice) -> None:
        if self.bug is not None:
            raise self.bug
        if self.hangs is not None:
            await self.hangs.wait()
        told = Notice(notice.game_id, notice.meta_game, notice.plies, self.time.wall())
        await self.store.note(told)
        self.notices.append(notice)


class Endpoint:
    """The address and the platform's side of it."""

    def __init__(self, address: str, daemon: Daemon, keys: Keys, signer: Signer) -> None:
        self.address = address
        self.daemon = daemon
        self.keys = keys
        self.signer = signer
        self.now = daemon.time.wall

    async def call(
        self,
        body: bytes,
        headers: Mapping[str, str] | None = None,
        *,
        method: str = "POST",
        path: str = "/",
    ) -> int:
        """Signed unless headers are given."""
        ours = signed(self.signer, body, self.now()) if headers is None else headers
        async with (
            aiohttp.ClientSession() as session,
            session.request(
                method, self.address + path, data=body, headers=ours, allow_redirects=False
            ) as response,
        ):
            await response.read()
            return response.status

    async def raw(self, *parts: bytes) -> int:
        """The status of what is answered to these bytes, after which no more come."""
        host, port = self.address.removeprefix("http://").split(":")
        reader, writer = await asyncio.open_connection(host, int(port))
        for part in parts:
            writer.write(part)
        line = await reader.readline()
        writer.close()
        return int(line.split()[1])

    def head(self, headers: Mapping[str, str], *more: str) -> bytes:
        lines = ["POST / HTTP/1.1", "Host: bot", *more]
        lines += [f"{name}: {value}" for name, value in headers.items()]
        return "\r\n".join([*lines, "", ""]).encode()


@pytest.fixture
def time() -> FakeTime:
    return FakeTime()


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "store.db"


@pytest.fixture
async def stack() -> AsyncIterator[AsyncExitStack]:
    async with AsyncExitStack() as stack:
        yield stack


async def opened(stack: AsyncExitStack, path: Path, time: FakeTime) -> Endpoint:
    signer = new_signer()
    store = await stack.enter_async_context(Store.opened(path, time))
    daemon, keys = Daemon(store, time), Keys(signer.public)
    serving = serve_webhooks("127.0.0.1", 0, daemon, keys, store, time)
    return Endpoint(await stack.enter_async_context(serving), daemon, keys, signer)


@pytest.fixture
async def endpoint(stack: AsyncExitStack, path: Path, time: FakeTime) -> Endpoint:
    return await opened(stack, path, time)


# ---- what is asked -----------------------------------------------------------------------------


async def test_availability_needs_no_signature(endpoint: Endpoint) -> None:
    for headers in (None, {}, {"X-Signature": "nonsense"}):
        assert await endpoint.call(b"", headers, method="GET", path="/any/path?at=all") == 200
    async with aiohttp.ClientSession() as session, session.get(endpoint.address) as response:
        assert await response.json() == {"operational": True}
        assert response.headers["Connection"] == "close"


async def test_a_challenge_is_accepted_or_declined(endpoint: Endpoint) -> None:
    assert await endpoint.call(ACCEPTED, path="/webhook") == 200
    endpoint.daemon.takes = False
    assert await endpoint.call(ACCEPTED) == 400
    assert [each.challengers for each in endpoint.daemon.challenges] == [("7b1e",)] * 2


async def test_a_notice_is_on_the_disk_when_it_is_acknowledged(
    endpoint: Endpoint, path: Path, time: FakeTime
) -> None:
    assert await endpoint.call(NOTED) == 202
    async with Store.opened(path) as other:
        assert await other.open_notices() == [Notice("c0ffee00", "bluestone", 3, time.wall())]


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"[]",
        b"{",
        b"\xff\xfe",
        b"null",
        bodies.text({**NOTICE, "verb": "resign"}),
        bodies.text({key: value for key, value in NOTICE.items() if key != "verb"}),
        bodies.text({key: value for key, value in NOTICE.items() if key != "gameid"}),
        bodies.text({**NOTICE, "moves": "3-2"}),
        b"[" * 60_000,
    ],
)
async def test_a_signed_call_without_meaning_is_a_bad_request(
    endpoint: Endpoint, body: bytes
) -> None:
    assert await endpoint.call(body) == 400
    assert (endpoint.daemon.challenges, endpoint.daemon.notices) == ([], [])


@pytest.mark.parametrize("method", ["PUT", "DELETE", "PATCH", "OPTIONS"])
async def test_other_methods_mean_nothing(endpoint: Endpoint, method: str) -> None:
    assert await endpoint.call(NOTED, method=method) == 405
    assert endpoint.daemon.notices == []


@pytest.mark.parametrize("target", ["//", "/a/", "/a//b/../c", "/%2e%2e/", "/?x=http://elsewhere"])
@pytest.mark.parametrize("method", ["GET", "POST"])
async def test_nothing_is_ever_redirected(endpoint: Endpoint, method: str, target: str) -> None:
    status = await endpoint.call(b"" if method == "GET" else NOTED, method=method, path=target)
    assert status == (200 if method == "GET" else 202)


# ---- who asks ----------------------------------------------------------------------------------


async def test_unsigned_calls_are_refused_before_they_are_understood(endpoint: Endpoint) -> None:
    for body in (NOTED, ACCEPTED, b"no json"):
        assert await endpoint.call(body, {}) == 401
    assert endpoint.keys.doubts == 0


async def test_a_wrong_signature_makes_the_key_doubtful(endpoint: Endpoint) -> None:
    headers = signed(endpoint.signer, NOTED, endpoint.now())
    assert await endpoint.call(NOTED + b" ", headers) == 401
    assert endpoint.keys.doubts == 1


@pytest.mark.parametrize(("off_s", "status"), [(-301, 401), (-300, 202), (300, 202), (301, 401)])
async def test_calls_are_fresh_for_five_minutes(
    endpoint: Endpoint, off_s: int, status: int
) -> None:
    headers = signed(endpoint.signer, NOTED, endpoint.now(), off_s=off_s)
    assert await endpoint.call(NOTED, headers) == status


async def test_a_call_that_is_made_again_is_refused_also_after_a_restart(
    path: Path, time: FakeTime
) -> None:
    async with AsyncExitStack() as stack:
        endpoint = await opened(stack, path, time)
        headers = signed(endpoint.signer, ACCEPTED, endpoint.now())
        assert await endpoint.call(ACCEPTED, headers) == 200
        assert await endpoint.call(ACCEPTED, headers) == 401
    await time.advance(299)
    async with AsyncExitStack() as stack:
        endpoint = await opened(stack, path, time)
        assert await endpoint.call(ACCEPTED, headers) == 401
        assert endpoint.daemon.challenges == []


async def test_of_two_equal_calls_at_once_one_counts(endpoint: Endpoint) -> None:
    headers = signed(endpoint.signer, NOTED, endpoint.now())
    statuses = await asyncio.gather(*(endpoint.call(NOTED, headers) for _ in range(8)))
    assert sorted(statuses) == [202, *[401] * 7]


# ---- how much ----------------------------------------------------------------------------------


def padded(length: int) -> bytes:
    return NOTED + b" " * (length - len(NOTED))


async def test_a_body_may_be_as_long_as_a_game(endpoint: Endpoint) -> None:
    assert await endpoint.call(padded(MAX_WEBHOOK_BYTES)) == 202
    assert await endpoint.call(padded(MAX_WEBHOOK_BYTES + 1)) == 413


async def test_a_body_that_is_announced_as_too_long_is_not_read(endpoint: Endpoint) -> None:
    length = f"Content-Length: {MAX_WEBHOOK_BYTES + 1}"
    assert await endpoint.raw(endpoint.head({}, length)) == 413


async def test_a_body_that_does_not_say_its_length_is_read_no_further_than_allowed(
    endpoint: Endpoint,
) -> None:
    body = padded(MAX_WEBHOOK_BYTES + 1)
    head = endpoint.head(
        signed(endpoint.signer, body, endpoint.now()), "Transfer-Encoding: chunked"
    )
    chunk = f"{len(body):x}\r\n".encode() + body + b"\r\n"
    assert await endpoint.raw(head, chunk) == 413  # the last chunk never comes
    whole = padded(MAX_WEBHOOK_BYTES)
    head = endpoint.head(
        signed(endpoint.signer, whole, endpoint.now()), "Transfer-Encoding: chunked"
    )
    chunk = f"{len(whole):x}\r\n".encode() + whole + b"\r\n0\r\n\r\n"
    assert await endpoint.raw(head, chunk) == 202


async def test_length_comes_before_signature(endpoint: Endpoint) -> None:
    assert await endpoint.call(b"x" * (MAX_WEBHOOK_BYTES + 1), {}) == 413


async def test_strangers_do_not_fill_the_log(endpoint: Endpoint, time: FakeTime) -> None:
    with capture_logs() as log:
        for _ in range(5):
            assert await endpoint.call(NOTED, {}) == 401
            assert await endpoint.call(b"x" * (MAX_WEBHOOK_BYTES + 1), {}) == 413
            assert await endpoint.raw(b"POST / HTTP/1.1\r\nContent-Length: x\r\n\r\n") == 400
        assert [line["code"] for line in log] == ["unsigned", "too_long", "no_http"]
        await time.advance(60)
        assert await endpoint.call(NOTED, {}) == 401
    assert (log[-1]["code"], log[-1]["more"]) == ("unsigned", 4)


# ---- what goes wrong here ----------------------------------------------------------------------


async def test_nothing_is_acknowledged_that_cannot_be_written(
    endpoint: Endpoint, path: Path
) -> None:
    headers = signed(endpoint.signer, NOTED, endpoint.now())
    with locked(path):
        assert await endpoint.call(NOTED, headers) == 503
        assert await endpoint.call(ACCEPTED) == 503
    assert (endpoint.daemon.challenges, endpoint.daemon.notices) == ([], [])
    assert await endpoint.call(NOTED, headers) == 202


async def test_a_notice_that_takes_too_long_is_not_acknowledged(
    endpoint: Endpoint, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(webhooks, "OBEY_S", 0.05)
    endpoint.daemon.hangs = asyncio.Event()
    assert await endpoint.call(NOTED) == 503


async def test_a_mistake_of_ours_costs_one_call(endpoint: Endpoint) -> None:
    endpoint.daemon.bug = ZeroDivisionError("a bug")
    with capture_logs() as log:
        assert await endpoint.call(NOTED) == 500
    assert [line["event"] for line in log] == ["call_not_answered"]
    endpoint.daemon.bug = None
    assert await endpoint.call(NOTED) == 202


async def test_a_port_in_use_is_named(endpoint: Endpoint, time: FakeTime) -> None:
    port = int(endpoint.address.rpartition(":")[2])
    daemon = endpoint.daemon
    with pytest.raises(HostError, match=rf"^listen_port: port {port} on 127\.0\.0\.1 is in use"):
        async with serve_webhooks("127.0.0.1", port, daemon, endpoint.keys, daemon.store, time):
            pass
