"""The address that Abstract Play calls: who calls, what it says, and what we answer.

The platform reads nothing but the status: 200 accepts a challenge, 202 means that a notice is on
our disk. It waits for 30 s, and follows redirects: there are none.
"""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Final, Protocol

import structlog
from aiohttp import web
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

from bot.errors import HostError, PeerError
from bot.platforms.abstract_play.messages import (
    MAX_WEBHOOK_BYTES,
    Challenge,
    MoveNotice,
    webhook_body,
)
from bot.platforms.abstract_play.refusals import Refusals
from bot.platforms.abstract_play.signatures import Nonces, Unsigned, check
from bot.platforms.abstract_play.store import Store
from bot.runtime.listening import address_of, bound
from bot.runtime.one_call_server import one_call_server
from bot.time_source import TimeSource

BODY_S: Final = 5.0
"""For a body to come."""
OBEY_S: Final = 20.0
"""For what a call asks for: well before the platform gives up."""

log = structlog.get_logger()


class Handler(Protocol):
    """What is done with calls from the platform."""

    async def challenge(self, challenge: Challenge) -> bool:
        """Whether it is accepted. Raises HostError if that cannot be written down."""

    async def notice(self, notice: MoveNotice) -> None:
        """Returns once it is on the disk. Raises HostError if it cannot be."""


class Keys(Protocol):
    """What of a `KeySource` is used."""

    @property
    def current(self) -> Ed25519PublicKey: ...

    def doubt(self) -> None:
        """A call had a wrong signature."""


class _Refused(PeerError):
    def __init__(self, status: int, code: str, message: str) -> None:
        super().__init__(code, message)
        self.status = status


class Webhooks:
    """Answers calls, and counts those that it refuses."""

    def __init__(
        self, handler: Handler, keys: Keys, store: Store, nonces: Nonces, time_source: TimeSource
    ) -> None:
        self.refusals = Refusals(time_source)
        self._handler = handler
        self._keys = keys
        self._store = store
        self._nonces = nonces
        self._time = time_source

    async def answer(self, request: web.BaseRequest) -> web.Response:
        """Raises nothing."""
        if request.method in ("GET", "HEAD"):
            return web.json_response({"operational": True})
        try:
            return web.json_response({}, status=await self._status(request))
        except _Refused as refusal:
            self.refusals.note(refusal.status, refusal.code, refusal.message)
            body = {"code": refusal.code, "message": refusal.message}
            return web.json_response(body, status=refusal.status)
        except Exception:
            log.exception("call_not_answered")
            return web.json_response({"code": "internal_error"}, status=500)

    async def _status(self, request: web.BaseRequest) -> int:
        if request.method != "POST":
            raise _Refused(405, "wrong_method", "only GET and POST mean anything here")
        body = await _body(request)
        nonce = self._nonce(request, body)
        try:
            call = webhook_body(body)
        except ValueError as error:
            raise _Refused(400, "unknown_call", str(error)) from error
        try:
            async with asyncio.timeout(OBEY_S):
                await self._store.keep_nonce(nonce, self._time.wall())
                return await self._obey(call)
        except (HostError, TimeoutError) as error:
            self._nonces.give_back(nonce)
            why = str(error) or f"it took longer than {OBEY_S:g} s"
            raise _Refused(503, "not_written", why) from error

    def _nonce(self, request: web.BaseRequest, body: bytes) -> str:
        try:
            return check(request.headers, body, self._keys.current, self._time.wall(), self._nonces)
        except Unsigned as error:
            if error.code == "bad_signature":
                self._keys.doubt()
            raise _Refused(401, error.code, error.message) from error

    async def _obey(self, call: Challenge | MoveNotice) -> int:
        if isinstance(call, Challenge):
            return 200 if await self._handler.challenge(call) else 400
        await self._handler.notice(call)
        return 202


async def _body(request: web.BaseRequest) -> bytes:
    """As it came. Raises _Refused for one that is too long, before it is read to its end."""
    if (request.content_length or 0) > MAX_WEBHOOK_BYTES:
        raise _Refused(413, "too_long", f"a body has {MAX_WEBHOOK_BYTES} bytes at most")
    if request.headers.get("Expect", "").lower() == "100-continue":
        await request.writer.write(b"HTTP/1.1 100 Continue\r\n\r\n")
        request.writer.output_size = 0
    body = bytearray()
    try:
        async with asyncio.timeout(BODY_S):
            async for part in request.content.iter_any():
                body += part
                if len(body) > MAX_WEBHOOK_BYTES:
                    raise _Refused(413, "too_long", f"a body has {MAX_WEBHOOK_BYTES} bytes at most")
    except TimeoutError:
        raise _Refused(408, "too_slow", f"the body did not come in {BODY_S:g} s") from None
    except (web.RequestPayloadError, ConnectionError) as error:
        raise _Refused(400, "broken_body", "the body broke off") from error
    return bytes(body)


@asynccontextmanager
async def serve_webhooks(
    host: str, port: int, handler: Handler, keys: Keys, store: Store, time_source: TimeSource
) -> AsyncIterator[str]:
    """Answer calls at the address that it gives, for as long as the context lasts.

    Raises HostError if the port is taken, or the store cannot be read.
    """
    webhooks = Webhooks(handler, keys, store, Nonces(await store.nonces()), time_source)
    try:
        listening = bound(host, port)
    except HostError as error:
        raise HostError(f"listen: {error}") from error
    address = address_of(listening)
    async with one_call_server(listening, webhooks.answer, webhooks.refusals.malformed):
        log.info("webhooks", address=address)
        yield address
