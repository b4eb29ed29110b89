"""A push service with one browser: it checks signatures, and decrypts what comes."""

import asyncio
import base64
import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import http_ece
import orjson
from aiohttp import web
from aiohttp.test_utils import TestServer
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import ec
from py_vapid import Vapid02

DEADLINE_S = 20


class PushService:
    """`status` is its answer. `received` has the messages, `topics` their topics."""

    def __init__(self) -> None:
        self.status = 201
        self.received: asyncio.Queue[dict[str, Any]] = asyncio.Queue()
        self.topics: list[str] = []
        self.url = ""
        self._key = ec.generate_private_key(ec.SECP256R1())
        self._auth = os.urandom(16)

    def subscription(self, name: str = "browser") -> dict[str, str]:
        """What the browser sends to the arena."""
        point = self._key.public_key().public_bytes(
            serialization.Encoding.X962, serialization.PublicFormat.UncompressedPoint
        )
        return {
            "endpoint": f"{self.url}/push/{name}",
            "p256dh": base64.urlsafe_b64encode(point).rstrip(b"=").decode(),
            "auth": base64.urlsafe_b64encode(self._auth).rstrip(b"=").decode(),
        }

    async def next(self) -> dict[str, Any]:
        """The next message."""
        return await asyncio.wait_for(self.received.get(), DEADLINE_S)

    async def take(self, request: web.Request) -> web.Response:
        assert Vapid02.verify(request.headers["Authorization"])
        assert int(request.headers["TTL"]) > 0
        body = http_ece.decrypt(await request.read(), private_key=self._key, auth_secret=self._auth)
        self.topics.append(request.headers["Topic"])
        self.received.put_nowait({"name": request.match_info["name"], **orjson.loads(body)})
        return web.Response(status=self.status)


@asynccontextmanager
async def push_service() -> AsyncIterator[PushService]:
    service = PushService()
    app = web.Application()
    app.router.add_post("/push/{name}", service.take)
    async with TestServer(app) as server:
        service.url = str(server.make_url("")).rstrip("/")
        yield service
