"""Sends one notification to a browser's push service (RFC 8030).

The address comes from the browser, so a stranger may name any: a request goes only to a public
address, over TLS, without redirects, with a deadline, and its answer is not shown to anybody.
"""

import asyncio
import ipaddress
import re
import socket
from collections.abc import Mapping
from typing import Final
from urllib.parse import urlsplit

import aiohttp
from aiohttp.abc import AbstractResolver, ResolveResult
from aiohttp.resolver import ThreadedResolver

from bot.arena.push.push_store import Subscription
from bot.arena.push.web_push import VapidKey, encrypted
from bot.arena.settings import PushSettings
from bot.errors import PeerError
from bot.runtime.http_client import NoResponse, fetch
from bot.time_source import TimeSource

DEADLINE_S: Final = 10.0
ANSWER_BYTES: Final = 10_000
GONE: Final = frozenset({404, 410})
ACCEPTED: Final = range(200, 300)
KEPT_S: Final = 86_400
"""How long a push service keeps a notification for a browser that is off."""
CLAIM_S: Final = 12 * 3_600
HOST_NAME: Final = re.compile(
    r"(?:[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?\.)+[a-z](?:[a-z0-9-]{0,61}[a-z0-9])?\.?"
)
"""A name with a dot. The last part has a letter first: 127.1 and 0x7f.1 are addresses. A literal
address never matches: nothing resolves it, so its address would not be checked again."""
UNICAST: Final = ipaddress.IPv6Network("2000::/3")
SIX_TO_FOUR: Final = ipaddress.IPv6Network("2002::/16")


class SubscriptionGone(PeerError):
    """The browser has ended its subscription."""

    def __init__(self) -> None:
        super().__init__("subscription_gone", "the browser has ended its subscription")


class PublicResolver(AbstractResolver):
    """Finds only addresses of the public internet."""

    def __init__(self, inner: AbstractResolver | None = None) -> None:
        self._inner = inner or ThreadedResolver()

    async def resolve(
        self, host: str, port: int = 0, family: socket.AddressFamily = socket.AF_INET
    ) -> list[ResolveResult]:
        found = await self._inner.resolve(host, port, family)
        public = [each for each in found if _is_public(each["host"])]
        if not public:
            raise OSError(f"{host} has no public address")
        return public

    async def close(self) -> None:
        await self._inner.close()


def _is_public(host: str) -> bool:
    """Return whether an address is one of the public internet, and has no other one within."""
    address = ipaddress.ip_address(host)
    if isinstance(address, ipaddress.IPv4Address):
        return address.is_global and not address.is_multicast
    return address.is_global and address in UNICAST and address not in SIX_TO_FOUR


def is_allowed(endpoint: str, settings: PushSettings) -> bool:
    """Return whether a browser may name this address: a name, over TLS."""
    if settings.private_services:
        return True
    try:
        parts = urlsplit(endpoint)
        host, port = parts.hostname or "", parts.port
    except ValueError:
        return False
    return parts.scheme == "https" and HOST_NAME.fullmatch(host) is not None and port in {None, 443}


class PushSender:
    """Encrypts, signs and sends notifications, once it is open."""

    def __init__(self, settings: PushSettings, subject: str, time: TimeSource) -> None:
        """`subject` says who runs the arena."""
        self._settings = settings
        self._subject = subject
        self._time = time
        self._key: VapidKey | None = None
        self._session: aiohttp.ClientSession | None = None

    def open(self, private_key: str) -> None:
        """Sign all requests with this key, as `VapidKey` reads it."""
        self._key = VapidKey(private_key)

    @property
    def key(self) -> str:
        """The public key with which browsers subscribe."""
        assert self._key is not None
        return self._key.public

    async def close(self) -> None:
        if self._session is not None:
            await self._session.close()

    async def send(self, to: Subscription, message: bytes, topic: str) -> None:
        """Send a message of at most 3,000 bytes; a later one of the same topic replaces it.

        Raises SubscriptionGone if the browser is not to be asked again, PeerError if the service
        did not accept it.
        """
        try:
            body, headers = await asyncio.to_thread(self._prepared, to, message)
        except ValueError as error:
            raise SubscriptionGone from error  # these are no keys of a browser
        response = await fetch(
            self._opened(),
            "POST",
            to.endpoint,
            deadline_s=DEADLINE_S,
            limit=ANSWER_BYTES,
            body=body,
            headers={**headers, "TTL": str(KEPT_S), "Topic": topic, "Urgency": "high"},
        )
        if response.status in GONE:
            raise SubscriptionGone
        if response.status not in ACCEPTED:
            raise NoResponse(f"the push service answered with status {response.status}")

    def _prepared(self, to: Subscription, message: bytes) -> tuple[bytes, Mapping[str, str]]:
        assert self._key is not None
        expires = int(self._time.wall().timestamp()) + CLAIM_S
        signed = self._key.authorization(to.endpoint, self._subject, expires)
        body = encrypted(message, to.p256dh, to.auth)
        return body, {"Content-Encoding": "aes128gcm", "Authorization": signed}

    def _opened(self) -> aiohttp.ClientSession:
        if self._session is None:
            resolver = None if self._settings.private_services else PublicResolver()
            self._session = aiohttp.ClientSession(
                connector=aiohttp.TCPConnector(resolver=resolver, limit_per_host=4),
                headers={"Accept-Encoding": "identity"},
                timeout=aiohttp.ClientTimeout(total=None),
                cookie_jar=aiohttp.DummyCookieJar(),
                auto_decompress=False,
            )
        return self._session
