"""Authenticates calls from Abstract Play: an Ed25519 signature over their bytes, fresh,
and unused.
"""

import base64
import binascii
import re
from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Final

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

from bot.errors import PeerError

TIMESTAMP: Final = "X-Signature-Timestamp"
NONCE: Final = "X-Signature-Nonce"
SIGNATURE: Final = "X-Signature"
MOST_OFF_S: Final = 300.0
REMEMBERED: Final = timedelta(minutes=10)
"""Twice as long as a call is fresh, because its timestamp may be ahead of our clock."""

_DECIMAL: Final = re.compile(r"[0-9]{1,15}", re.ASCII)
# No dots: an attacker could move the border between the nonce and a body that contains dots, and
# replay a signed call with a new nonce.
_OPAQUE: Final = re.compile(r"[!-\-/-~]{1,128}", re.ASCII)


class Unsigned(PeerError):
    """A call that is not from the platform, too old or too new, or replayed."""


class Nonces:
    """The nonces of the last ten minutes; `seen` are those from before a restart."""

    def __init__(self, seen: Mapping[str, datetime]) -> None:
        self._taken = dict(seen)

    def __len__(self) -> int:
        return len(self._taken)

    def take(self, nonce: str, now: datetime) -> bool:
        """Use a nonce, and return whether it is new."""
        self._forget(now)
        if nonce in self._taken:
            return False
        self._taken[nonce] = now
        return True

    def give_back(self, nonce: str) -> None:
        """Forget a nonce: the call failed, and may be repeated unchanged."""
        self._taken.pop(nonce, None)

    def _forget(self, now: datetime) -> None:
        """Forget old nonces. After the clock was set back, some stay a little longer."""
        while self._taken:
            oldest = next(iter(self._taken))
            if now - self._taken[oldest] <= REMEMBERED:
                return
            del self._taken[oldest]


def check(
    headers: Mapping[str, str],
    body: bytes,
    key: Ed25519PublicKey,
    now: datetime,
    nonces: Nonces,
) -> str:
    """Check a signed call, use its nonce, and return the nonce.

    `headers` must ignore case. Raises Unsigned. A forged call uses no nonce, so an attacker cannot
    use up the nonces of the platform.
    """
    timestamp, nonce, signature = (_header(headers, name) for name in (TIMESTAMP, NONCE, SIGNATURE))
    _check_freshness(timestamp, now)
    if not _OPAQUE.fullmatch(nonce):
        raise Unsigned(
            "bad_nonce", f"{NONCE} must have 1 to 128 characters, without blanks and dots"
        )
    _check_signature(signature, f"{timestamp}.{nonce}.".encode() + body, key)
    if not nonces.take(nonce, now):
        raise Unsigned("replayed", "this call was made before")
    return nonce


def _header(headers: Mapping[str, str], name: str) -> str:
    value = headers.get(name)
    if value is None:
        raise Unsigned("unsigned", f"the header {name} is missing")
    return value


def _check_freshness(timestamp: str, now: datetime) -> None:
    if not _DECIMAL.fullmatch(timestamp):
        raise Unsigned("bad_timestamp", f"{TIMESTAMP} must be Unix seconds in digits")
    off_s = now.timestamp() - int(timestamp)
    if abs(off_s) > MOST_OFF_S:
        way = "behind" if off_s > 0 else "ahead of"
        raise Unsigned("stale", f"{TIMESTAMP} is {abs(off_s):.0f} s {way} the clock here")


def _check_signature(text: str, message: bytes, key: Ed25519PublicKey) -> None:
    try:
        key.verify(base64.b64decode(text, validate=True), message)
    except (InvalidSignature, binascii.Error, ValueError):
        raise Unsigned("bad_signature", "the signature is not the platform's") from None
