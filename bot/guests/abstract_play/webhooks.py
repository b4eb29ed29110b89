"""The address that Abstract Play calls: calls are authenticated, parsed, handled and answered.

The platform reads only the status: 200 accepts a challenge, 202 means that a notice is committed to
disk. It waits for 30 s. It follows redirects, and this server sends none.
"""

import asyncio
from collections import Counter
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from datetime import datetime
from typing import Final, Protocol

import structlog
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

from bot.errors import HostError, PeerError
from bot.guests.abstract_play.messages import (
    MAX_WEBHOOK_BYTES,
    ChallengeNotice,
    MoveNotice,
    webhook_body,
)
from bot.guests.abstract_play.signatures import Nonces, Unsigned, check
from bot.guests.abstract_play.store import Store
from bot.runtime.listening import CannotListen, address_of, bound
from bot.runtime.one_call_server import Call, CallLimits, CallReply, one_call_server
from bot.time_source import TimeSource

PERIOD_S: Final = 60.0

log = structlog.get_logger()


class Refusals:
    """Logs refused calls: one line per minute and code, with the number of calls since the last
    line.
    """

    def __init__(self, time_source: TimeSource) -> None:
        self._time = time_source
        self._logged_at: dict[str, float] = {}
        self._held: Counter[str] = Counter()

    def note(self, status: int, code: str, why: str) -> None:
        """Log a refused call, or count it.

        `code` must be one of our own codes, to limit their number.
        """
        now = self._time.monotonic()
        logged_at = self._logged_at.get(code)
        if logged_at is not None and now - logged_at < PERIOD_S:
            self._held[code] += 1
            return
        self._logged_at[code] = now
        log.warning("call_refused", status=status, code=code, why=why, more=self._held.pop(code, 0))


LIMITS: Final = CallLimits(body=MAX_WEBHOOK_BYTES)
OBEY_S: Final = 20.0
"""The time limit for handling a call, well below the platform's 30 s."""


class Handler(Protocol):
    """Handles calls from the platform."""

    async def challenge(self, challenge: ChallengeNotice) -> bool:
        """Returns whether the challenge is accepted. Raises HostError if the disk fails."""

    async def notice(self, notice: MoveNotice) -> None:
        """Returns after the commit to disk. Raises HostError if the disk fails."""


class Keys(Protocol):
    """The part of a `KeySource` that is used here."""

    @property
    def current(self) -> Ed25519PublicKey: ...

    def doubt(self) -> None:
        """Record a wrong signature."""


class _Refused(PeerError):
    def __init__(self, status: int, code: str, message: str) -> None:
        super().__init__(code, message)
        self.status = status


class Webhooks:
    """Answers all calls. `refused` gets status, code and reason of each refused call."""

    def __init__(
        self,
        handler: Handler,
        keys: Keys,
        store: Store,
        nonces: Nonces,
        time_source: TimeSource,
        refused: Callable[[int, str, str], None],
    ) -> None:
        self._handler = handler
        self._keys = keys
        self._store = store
        self._nonces = nonces
        self._time = time_source
        self._refused = refused

    async def answer(self, call: Call) -> CallReply:
        """Raises nothing."""
        if call.method in ("GET", "HEAD"):
            return CallReply(200, {"operational": True})
        try:
            return CallReply(await self._status(call), {})
        except _Refused as refusal:
            self._refused(refusal.status, refusal.code, refusal.message)
            body = {"code": refusal.code, "message": refusal.message}
            return CallReply(refusal.status, body)
        except Exception:
            log.exception("call_not_answered")
            return CallReply(500, {"code": "internal_error", "message": "see the log"})

    async def _status(self, call: Call) -> int:
        if call.method != "POST":
            raise _Refused(405, "wrong_method", "only GET and POST are supported")
        now = self._time.wall()
        nonce = self._nonce(call, now)
        try:
            message = webhook_body(call.body)
        except ValueError as error:
            raise _Refused(400, "unknown_call", str(error)) from error
        try:
            async with asyncio.timeout(OBEY_S):
                await self._store.keep_nonce(nonce, now)
                return await self._obey(message)
        except (HostError, TimeoutError) as error:
            self._nonces.give_back(nonce)
            why = str(error) or f"handling took longer than {OBEY_S:g} s"
            raise _Refused(503, "not_written", why) from error

    def _nonce(self, call: Call, now: datetime) -> str:
        try:
            return check(call.headers, call.body, self._keys.current, now, self._nonces)
        except Unsigned as error:
            if error.code == "bad_signature":
                self._keys.doubt()
            raise _Refused(401, error.code, error.message) from error

    async def _obey(self, message: ChallengeNotice | MoveNotice) -> int:
        if isinstance(message, ChallengeNotice):
            return 200 if await self._handler.challenge(message) else 400
        await self._handler.notice(message)
        return 202


@asynccontextmanager
async def serve_webhooks(
    host: str,
    port: int,
    handler: Handler,
    keys: Keys,
    store: Store,
    time_source: TimeSource,
    limits: CallLimits = LIMITS,
) -> AsyncIterator[str]:
    """Serve webhook calls until the end of the block; yields the address.

    Raises CannotListen, PortInUse if the port is in use, HostError if the store cannot be read.
    """
    refusals = Refusals(time_source)
    nonces = Nonces(await store.nonces())
    webhooks = Webhooks(handler, keys, store, nonces, time_source, refusals.note)
    try:
        listening = bound(host, port)
    except CannotListen as error:
        raise type(error)(f"listen_port: {error}") from error
    address = address_of(listening)
    async with one_call_server(listening, webhooks.answer, limits, refusals.note):
        log.info("webhooks", address=address)
        yield address
