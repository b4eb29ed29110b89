"""Calls to a bot's webhook as the platform makes them, byte by byte.

Written from the protocol's page, without the bot's code.
"""

import base64
import secrets
from collections.abc import Callable, Mapping
from dataclasses import dataclass

import orjson
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey


@dataclass(frozen=True)
class Signed:
    """Headers and body of a call that the platform could have made."""

    timestamp: str
    nonce: str
    signature: str
    body: bytes

    @property
    def headers(self) -> dict[str, str]:
        return {
            "X-Signature-Timestamp": self.timestamp,
            "X-Signature-Nonce": self.nonce,
            "X-Signature": self.signature,
            "Content-Type": "application/json",
        }


class Caller:
    """Signs as the platform does; `now` returns Unix seconds."""

    def __init__(self, key: Ed25519PrivateKey, now: Callable[[], float]) -> None:
        self._key = key
        self._now = now

    def signed(self, body: bytes, off_s: int = 0) -> Signed:
        timestamp = str(int(self._now()) + off_s)
        nonce = secrets.token_hex(16)  # two callers with one seed would repeat each other's nonces
        signature = self._key.sign(f"{timestamp}.{nonce}.".encode() + body)
        return Signed(timestamp, nonce, base64.b64encode(signature).decode(), body)


def challenge(challenger: str) -> bytes:
    return orjson.dumps(
        {
            "verb": "challenge",
            "metaGame": "bluestone",
            "variants": ["size-8"],
            "clockStart": 48,
            "clockInc": 12,
            "clockMax": 96,
            "challengers": [challenger],
        }
    )


def notice(game: str, rounds: int) -> bytes:
    return orjson.dumps(
        {
            "verb": "move",
            "metaGame": "bluestone",
            "variants": [],
            "gameid": game,
            "clockCurr": 41,
            "numPlayers": 2,
            "moves": [["3-2,4-4", "0-0,5-3"]] * rounds,
        }
    )


def wire(
    headers: Mapping[str, str],
    body: bytes,
    *,
    method: str = "POST",
    length: int | str | None = None,
    chunked: bool = False,
) -> bytes:
    """Return the bytes of an HTTP call; `length` is its Content-Length, by default the
    correct one.
    """
    said = len(body) if length is None else length
    size = "Transfer-Encoding: chunked" if chunked else f"Content-Length: {said}"
    lines = [f"{method} /webhook HTTP/1.1", "Host: bot", size]
    lines += [f"{name}: {value}" for name, value in headers.items()]
    head = "\r\n".join([*lines, "", ""]).encode()
    return head + (f"{len(body):x}\r\n".encode() + body + b"\r\n" if chunked else body)
