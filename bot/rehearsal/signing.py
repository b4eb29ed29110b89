"""The platform's signature under each call, and its public key as it is published."""

import base64
import random
import textwrap
from typing import Final

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

_KIND: Final = b"ssh-ed25519"
_LINE: Final = 70


class Signer:
    """A key of its own, made from `rng` so that a rehearsal can be repeated."""

    def __init__(self, rng: random.Random) -> None:
        self._rng = rng
        self._key = Ed25519PrivateKey.from_private_bytes(rng.randbytes(32))

    def headers(self, body: bytes, now: int) -> dict[str, str]:
        """What goes with a body that leaves at `now`."""
        timestamp, nonce = str(now // 1000), f"{self._rng.getrandbits(128):032x}"
        signature = self._key.sign(f"{timestamp}.{nonce}.".encode() + body)
        return {
            "Content-Type": "application/json",
            "X-Signature-Timestamp": timestamp,
            "X-Signature-Nonce": nonce,
            "X-Signature": base64.b64encode(signature).decode(),
        }

    @property
    def ssh2_block(self) -> str:
        """The public key as the platform publishes it."""
        raw = self._key.public_key().public_bytes(Encoding.Raw, PublicFormat.Raw)
        blob = b"".join(len(part).to_bytes(4, "big") + part for part in (_KIND, raw))
        lines = textwrap.wrap(base64.b64encode(blob).decode(), _LINE)
        return "\n".join(
            (
                "---- BEGIN SSH2 PUBLIC KEY ----",
                'Comment: "Abstract Play stand-in"',
                *lines,
                "---- END SSH2 PUBLIC KEY ----",
                "",
            )
        )
