"""The platform's side of its calls: a key of its own, and headers made with it."""

import base64
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from itertools import count

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey

from tests.fakes.time import EPOCH

CHALLENGE = {
    "verb": "challenge",
    "metaGame": "bluestone",
    "variants": ["size-8"],
    "clockStart": 48,
    "clockInc": 12,
    "clockMax": 96,
    "challengers": ["7b1e"],
}
NOTICE = {
    "verb": "move",
    "metaGame": "bluestone",
    "variants": ["size-8"],
    "gameid": "c0ffee00",
    "clockCurr": 41,
    "numPlayers": 2,
    "moves": [["3-2", "pass"], ["0-0,5-3"]],
}


def as_bytes(body: Mapping[str, object]) -> bytes:
    return json.dumps(body).encode()


@dataclass
class Signer:
    """Signs as the platform does; nonces count up."""

    key: Ed25519PrivateKey = field(
        default_factory=lambda: Ed25519PrivateKey.from_private_bytes(b"7" * 32)
    )
    nonces: "count[int]" = field(default_factory=lambda: count(1))

    @property
    def public(self) -> Ed25519PublicKey:
        return self.key.public_key()

    def headers(
        self, body: bytes, at: datetime = EPOCH, *, nonce: str | None = None, off_s: float = 0
    ) -> dict[str, str]:
        """For a call that is made `off_s` seconds after `at`."""
        timestamp = f"{at.timestamp() + off_s:.0f}"
        nonce = f"{next(self.nonces):032x}" if nonce is None else nonce
        signature = self.key.sign(f"{timestamp}.{nonce}.".encode() + body)
        return {
            "X-Signature-Timestamp": timestamp,
            "X-Signature-Nonce": nonce,
            "X-Signature": base64.b64encode(signature).decode(),
            "Content-Type": "application/json",
        }
