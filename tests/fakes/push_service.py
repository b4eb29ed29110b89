"""A push service with one browser: it checks signatures, and decrypts what comes."""

import asyncio
import base64
import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import orjson
from aiohttp import web
from aiohttp.test_utils import TestServer
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.asymmetric.utils import encode_dss_signature
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.kdf.hkdf import HKDF

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
        return {
            "endpoint": f"{self.url}/push/{name}",
            "p256dh": in_base64(point(self._key.public_key())),
            "auth": in_base64(self._auth),
        }

    async def next(self) -> dict[str, Any]:
        """The next message."""
        return await asyncio.wait_for(self.received.get(), DEADLINE_S)

    async def take(self, request: web.Request) -> web.Response:
        assert verified(request.headers["Authorization"])["aud"] == self.url
        assert int(request.headers["TTL"]) > 0
        assert request.headers["Content-Encoding"] == "aes128gcm"
        body = decrypted(await request.read(), self._key, self._auth)
        self.topics.append(request.headers["Topic"])
        self.received.put_nowait({"name": request.match_info["name"], **orjson.loads(body)})
        return web.Response(status=self.status)


def verified(authorization: str) -> dict[str, Any]:
    """Return the claims of a header `Authorization` (RFC 8292). Raises InvalidSignature."""
    scheme, _, rest = authorization.partition(" ")
    fields = dict(field.split("=", 1) for field in rest.split(","))
    head, claims, signature = fields["t"].split(".")
    assert scheme == "vapid"
    assert orjson.loads(from_base64(head))["alg"] == "ES256"
    raw = from_base64(signature)
    pair = (int.from_bytes(raw[:32], "big"), int.from_bytes(raw[32:], "big"))
    key = ec.EllipticCurvePublicKey.from_encoded_point(ec.SECP256R1(), from_base64(fields["k"]))
    signed = f"{head}.{claims}".encode()
    key.verify(encode_dss_signature(*pair), signed, ec.ECDSA(hashes.SHA256()))
    return dict(orjson.loads(from_base64(claims)))


def decrypted(body: bytes, key: ec.EllipticCurvePrivateKey, auth: bytes) -> bytes:
    """Return the message of one record, as a browser reads it (RFC 8188 and 8291)."""
    salt, size, count = body[:16], int.from_bytes(body[16:20], "big"), body[20]
    sender, record = body[21 : 21 + count], body[21 + count :]
    assert len(record) <= size
    shared = key.exchange(
        ec.ECDH(), ec.EllipticCurvePublicKey.from_encoded_point(ec.SECP256R1(), sender)
    )

    def derived(secret: bytes, salted: bytes, info: bytes, length: int) -> bytes:
        return HKDF(hashes.SHA256(), length, salted, info).derive(secret)

    info = b"WebPush: info\0" + point(key.public_key()) + sender
    secret = derived(shared, auth, info, 32)
    cipher = AESGCM(derived(secret, salt, b"Content-Encoding: aes128gcm\0", 16))
    nonce = derived(secret, salt, b"Content-Encoding: nonce\0", 12)
    message, delimiter, padding = cipher.decrypt(nonce, record, None).rpartition(b"\x02")
    assert delimiter
    assert not padding.strip(b"\0")
    return message


def point(key: ec.EllipticCurvePublicKey) -> bytes:
    """Return a public key as browsers write it."""
    return key.public_bytes(
        serialization.Encoding.X962, serialization.PublicFormat.UncompressedPoint
    )


def in_base64(data: bytes) -> str:
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


def from_base64(text: str) -> bytes:
    return base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))


@asynccontextmanager
async def push_service() -> AsyncIterator[PushService]:
    service = PushService()
    app = web.Application()
    app.router.add_post("/push/{name}", service.take)
    async with TestServer(app) as server:
        service.url = str(server.make_url("")).rstrip("/")
        yield service
