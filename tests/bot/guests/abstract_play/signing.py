"""Calls as the platform signs them."""

import random
from datetime import datetime

from bot.guests.abstract_play.rehearsal.credentials import Signer
from tests.fakes.time import EPOCH


def new_signer(seed: int = 7) -> Signer:
    return Signer(random.Random(seed))


def signed(
    signer: Signer,
    body: bytes,
    at: datetime = EPOCH,
    *,
    nonce: str | None = None,
    off_s: float = 0,
) -> dict[str, str]:
    """The headers of a call that is made `off_s` seconds after `at`."""
    return signer.headers(body, round((at.timestamp() + off_s) * 1000), nonce)
