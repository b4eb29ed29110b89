"""Checks of the network: the clock, and the public address with its proxy, seen from a client.

The checks of the proxy do not verify its certificate, which is the subject of the check `tls`. They
send no secret.
"""

import asyncio
import ssl
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from email.utils import parsedate_to_datetime
from ipaddress import ip_address
from typing import Final
from urllib.parse import SplitResult, urlsplit

import aiohttp
import orjson
from aiohttp.connector import Connection
from aiohttp.tracing import Trace
from cryptography import x509

from bot.doctor.examination import Case, DoctorFinding, fail, ok, warn
from bot.doctor.machine import synchronisation
from bot.time_source import SystemTime

ANSWER_S: Final = 10.0
ANSWER_BYTES: Final = 1 << 20
SOON: Final = timedelta(days=14)
SMALL_SKEW_S: Final = 2.0
GREAT_SKEW_S: Final = 60.0
OTHER_LOOPBACK: Final = "127.0.0.2"
"""Where this machine comes from if the proxy runs here too, so that the two can be told apart."""
INVENTED: Final = "192.0.2.1"
"""An address that belongs to nobody (RFC 5737)."""
HANDSHAKE: Final = {
    "Connection": "Upgrade",
    "Upgrade": "websocket",
    "Sec-WebSocket-Version": "13",
    "Sec-WebSocket-Key": "Ymx1ZXN0b25lLWRvY3Rvcg==",
}
PROXY_PAGE: Final = "see docs/running-an-arena.md, Behind a proxy"
SYNCHRONISE: Final = (
    "find out which of the two is wrong (`date -u`), and synchronise it with a time server, "
    "such as by chrony"
)


# ---- the clock -------------------------------------------------------------------------------


async def clock(case: Case) -> AsyncIterator[DoctorFinding]:
    yield synchronisation()
    for url in case.servers:
        try:
            answer = await _get(url, "/")
        except _NoAnswer as error:
            yield warn(f"{url}: its time is not known: {error}", "see the checks tls and proxy")
            continue
        try:
            theirs = parsedate_to_datetime(answer.headers["Date"])
        except (KeyError, ValueError):
            yield ok(f"{url}: its answers have no date")
            continue
        yield _skew(url, answer, theirs)


def _skew(url: str, answer: "_Answer", theirs: datetime) -> DoctorFinding:
    """The header has whole seconds, and was written between question and answer."""
    least = (answer.asked_at - theirs).total_seconds() - 1
    most = (answer.came_at - theirs).total_seconds()
    skew = max(least, 0.0) + min(most, 0.0)
    if abs(skew) <= SMALL_SKEW_S:
        return ok(f"{url}: its clock and ours agree")
    text = f"this clock is {abs(skew):,.0f} s {'ahead of' if skew > 0 else 'behind'} that of {url}"
    is_great = abs(skew) > GREAT_SKEW_S
    return fail(text, SYNCHRONISE) if is_great else warn(text, SYNCHRONISE)


# ---- TLS -------------------------------------------------------------------------------------


async def tls(case: Case) -> AsyncIterator[DoctorFinding]:
    if case.public_url is None:
        return
    url = urlsplit(case.public_url)
    if url.scheme not in {"https", "wss"}:
        advice = "put a proxy with a certificate in front of the arena, and use https://"
        yield warn(f"{case.public_url}: is not encrypted", advice)
        return
    host, port = url.hostname or "", url.port or 443
    refusal = None
    try:
        await _certificate(host, port, ssl.create_default_context())
    except ssl.SSLCertVerificationError as error:
        refusal = error.verify_message
    except (OSError, TimeoutError) as error:
        yield fail(f"{host}:{port}: no TLS connection: {str(error) or 'no answer'}", PROXY_PAGE)
        return
    try:
        found = x509.load_der_x509_certificate(await _certificate(host, port, unverified()))
    except (OSError, TimeoutError, ValueError) as error:
        yield fail(f"{host}:{port}: {refusal or error}", "install a valid certificate")
        return
    yield _validity(host, found, refusal)


def _validity(host: str, found: x509.Certificate, refusal: str | None) -> DoctorFinding:
    ends = found.not_valid_after_utc
    left = ends - datetime.now(UTC)
    until = f"{ends:%Y-%m-%d}"
    if left < timedelta(0):
        return fail(f"{host}: the certificate expired on {until}", "renew it, by the proxy's tool")
    if refusal is not None:
        text = f"{host}: browsers refuse the certificate: {refusal}"
        return fail(text, f"install a certificate for {host} of a known authority")
    text = f"{host}: the certificate is valid until {until} ({left.days} days)"
    return ok(text) if left > SOON else warn(text, "renew it, and find out why that was not done")


async def _certificate(host: str, port: int, context: ssl.SSLContext) -> bytes:
    async with asyncio.timeout(ANSWER_S):
        _, writer = await asyncio.open_connection(host, port, ssl=context)
        try:
            connection = writer.get_extra_info("ssl_object")
            return bytes(connection.getpeercert(binary_form=True))
        finally:
            _abort(writer.transport)
            with suppress(OSError):
                await writer.wait_closed()


def unverified() -> ssl.SSLContext:
    context = ssl.create_default_context()
    context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    return context


# ---- the proxy -------------------------------------------------------------------------------


async def proxy(case: Case) -> AsyncIterator[DoctorFinding]:
    """Ask the arena through its public address from where, and by which name, it was asked."""
    if case.public_url is None:
        return
    url = case.public_url
    try:
        answer = await _get(url, "/api/caller")
        invented = await _get(url, "/api/caller", {"X-Forwarded-For": INVENTED})
        seen, after = _caller(answer.body), _caller(invented.body)
    except _NoAnswer as error:
        yield fail(f"{url}: {error}", f"start the arena and the proxy; {PROXY_PAGE}")
        return
    if seen is None or after is None:
        text = f"{url}: no arena of this version answers (status {answer.status})"
        yield fail(text, f"let the proxy pass everything to the arena; {PROXY_PAGE}")
        return
    own_address = await _own_address(urlsplit(url))
    problems = list(_forwarding(urlsplit(url), own_address, seen, after))
    for problem in problems:
        yield problem
    if not problems:
        yield ok(f"{url}: the arena sees the client's address, {seen.address}")


@dataclass(frozen=True, slots=True)
class _Caller:
    """What the arena says of a request: see docs/arena-protocol.md, HTTP."""

    address: str
    scheme: str
    host: str
    forwarded: str


def _caller(body: bytes) -> _Caller | None:
    try:
        found = orjson.loads(body)
        return _Caller(
            **{key: str(found[key]) for key in ("address", "scheme", "host", "forwarded")}
        )
    except (ValueError, KeyError, TypeError):
        return None


def _forwarding(
    url: SplitResult, own_address: str | None, seen: _Caller, after: _Caller
) -> Iterator[DoctorFinding]:
    scheme = _scheme(url)
    if seen.forwarded == "untrusted":
        advice = f"add the proxy's address to `trusted_proxies`, and restart; {PROXY_PAGE}"
        yield fail("the arena does not trust the proxy, so all visitors count as one", advice)
        return
    is_direct = scheme == "http" and own_address in {None, seen.address}
    if after.address == INVENTED:
        text = "the proxy passes on an X-Forwarded-For that the client has invented"
        yield fail(text, f"let the proxy add the client's address to it; {PROXY_PAGE}")
    elif seen.forwarded == "none" and not is_direct:
        text = f"the proxy sends no X-Forwarded-For, so all visitors count as {seen.address}"
        yield fail(text, f"set this header in the proxy; {PROXY_PAGE}")
    if seen.scheme != scheme:
        text = f"the proxy does not say that the client uses {scheme}, so pages cannot connect"
        yield fail(text, f"set X-Forwarded-Proto in the proxy; {PROXY_PAGE}")
    if _name(seen.host) != (url.hostname or ""):
        text = f"the arena is asked as {seen.host} instead of {url.hostname}"
        yield fail(text, f"set X-Forwarded-Host in the proxy; {PROXY_PAGE}")


def _name(host: str) -> str:
    return urlsplit(f"//{host}").hostname or ""


async def websocket(case: Case) -> AsyncIterator[DoctorFinding]:
    """Open a WebSocket as a page of the public address would, and close it."""
    if case.public_url is None:
        return
    url = urlsplit(case.public_url)
    scheme = _scheme(url)
    headers = {**HANDSHAKE, "Origin": f"{scheme}://{url.netloc}"}
    try:
        answer = await _get(case.public_url, "/socket.io/?EIO=4&transport=websocket", headers)
    except _NoAnswer as error:
        yield fail(f"{case.public_url}: {error}", f"start the arena and the proxy; {PROXY_PAGE}")
        return
    code = _code(answer.body)
    if answer.status == 101:
        yield ok(f"{case.public_url}: a page can connect")
    elif code == "websocket_only":
        text = (
            "the proxy does not pass on the WebSocket handshake (the headers Upgrade, Connection)"
        )
        yield fail(text, f"let it pass on both; {PROXY_PAGE}")
    elif code == "origin":
        text = f"the arena refuses pages of {headers['Origin']}"
        advice = f"correct what the check proxy found; if that is ok, add {url.hostname} to `hosts`"
        yield fail(text, f"{advice}; the arena's log line origin_refused names the setting")
    else:
        text = f"{case.public_url}: no WebSocket: status {answer.status} {code}".rstrip()
        yield fail(text, PROXY_PAGE)


def _code(body: bytes) -> str:
    try:
        return str(orjson.loads(body)["code"])
    except (ValueError, KeyError, TypeError):
        return ""


# ---- requests --------------------------------------------------------------------------------


class _NoAnswer(Exception):
    """No answer came; the text says why."""


@dataclass(frozen=True, slots=True)
class _Answer:
    status: int
    headers: dict[str, str]
    body: bytes
    asked_at: datetime
    came_at: datetime


async def _get(base: str, path: str, headers: dict[str, str] | None = None) -> _Answer:
    """Raises _NoAnswer."""
    url = urlsplit(base)
    time = SystemTime()
    asked_at = time.wall()
    try:
        async with (
            asyncio.timeout(ANSWER_S),
            _session(url) as session,
            session.get(
                f"{_scheme(url)}://{url.netloc}{url.path.rstrip('/')}{path}",
                headers=headers,
                allow_redirects=False,
            ) as response,
        ):
            came_at = time.wall()
            body = b"" if response.status == 101 else await _body(response)
            found = {name.title(): value for name, value in response.headers.items()}
            return _Answer(response.status, found, body, asked_at, came_at)
    except TimeoutError as error:
        raise _NoAnswer(f"no answer within {ANSWER_S:g} s") from error
    except (aiohttp.ClientError, OSError, ValueError) as error:
        raise _NoAnswer(f"no answer: {error}") from error


async def _body(response: aiohttp.ClientResponse) -> bytes:
    """The answer may come in pieces."""
    body = bytearray()
    async for piece in response.content.iter_any():
        body += piece
        if len(body) > ANSWER_BYTES:
            break
    return bytes(body)


class _Connector(aiohttp.TCPConnector):
    """Ends its connections at once: the event loop ends before a server has agreed to the end."""

    _opened: tuple[asyncio.Transport, ...] = ()

    async def connect(
        self,
        req: aiohttp.ClientRequest,
        traces: list[Trace],
        timeout: aiohttp.ClientTimeout,  # noqa: ASYNC109 - aiohttp's own
    ) -> Connection:
        connection = await super().connect(req, traces, timeout)
        if connection.transport is not None:
            self._opened += (connection.transport,)
        return connection

    async def end(self) -> None:
        for transport in self._opened:
            _abort(transport)
        await asyncio.sleep(0)  # in which the loop closes them


def _abort(transport: asyncio.WriteTransport) -> None:
    """End a connection at once, also one that is closed already."""
    # Before Python 3.11.4, a TLS connection that was closed twice has lost what it would abort.
    with suppress(AttributeError):
        transport.abort()


@asynccontextmanager
async def _session(url: SplitResult) -> AsyncIterator[aiohttp.ClientSession]:
    own = await _own_address(url)
    here = None if own is None else (own, 0)
    connector = _Connector(ssl=unverified(), local_addr=here, force_close=True)
    try:
        async with aiohttp.ClientSession(connector=connector) as session:
            yield session
    finally:
        await connector.end()


async def _own_address(url: SplitResult) -> str | None:
    """Return from where this machine asks that address; None if the system chooses it.

    A name may lead to this machine too, by /etc/hosts.
    """
    try:
        found = await asyncio.get_running_loop().getaddrinfo(url.hostname, None)
    except OSError:
        return None
    addresses = [ip_address(str(each[4][0]).partition("%")[0]) for each in found]
    is_here = all(each.is_loopback for each in addresses)
    has_ipv4 = any(each.version == 4 for each in addresses)
    return OTHER_LOOPBACK if is_here and has_ipv4 else None


def _scheme(url: SplitResult) -> str:
    return {"wss": "https", "ws": "http"}.get(url.scheme, url.scheme)
