"""Calls that the platform never made: each has to be refused with 401, and to have no effect."""

import base64
import random
from collections.abc import Callable
from typing import Final

from bot.rehearsal.signing import Signer

OFF_MS: Final = 400_000
"""The signature is good for 300 s in either direction."""

Headers = dict[str, str]
Forged = tuple[Headers, bytes]


def forgery(signer: Signer, body: bytes, now: int, rng: random.Random) -> Forged:
    """A call that looks like one with that body, and is none."""
    made: Callable[[Signer, bytes, int], Forged] = rng.choice(
        (_unsigned, _altered, _too_old, _too_early, _of_another, _no_number)
    )
    return made(signer, body, now)


def _unsigned(_signer: Signer, body: bytes, _now: int) -> Forged:
    return {"Content-Type": "application/json"}, body


def _altered(signer: Signer, body: bytes, now: int) -> Forged:
    return signer.headers(body, now), body.replace(b"{", b"{ ", 1)


def _too_old(signer: Signer, body: bytes, now: int) -> Forged:
    return signer.headers(body, now - OFF_MS), body


def _too_early(signer: Signer, body: bytes, now: int) -> Forged:
    return signer.headers(body, now + OFF_MS), body


def _of_another(signer: Signer, body: bytes, now: int) -> Forged:
    signature = base64.b64encode(bytes(64)).decode()
    return {**signer.headers(body, now), "X-Signature": signature}, body


def _no_number(signer: Signer, body: bytes, now: int) -> Forged:
    return {**signer.headers(body, now), "X-Signature-Timestamp": "now"}, body
