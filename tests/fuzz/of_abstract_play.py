"""What a bot gets from Abstract Play."""

from base64 import b64encode
from datetime import UTC, datetime
from typing import Final

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from multidict import CIMultiDict

from bot.errors import PeerError
from bot.guests.abstract_play import facts as abstract_play
from bot.guests.abstract_play.answers import conclusion
from bot.guests.abstract_play.keys import public_key_of
from bot.guests.abstract_play.messages import (
    ChallengeNotice,
    game_answer,
    listed_games,
    webhook_body,
)
from bot.guests.abstract_play.signatures import NONCE, SIGNATURE, TIMESTAMP, Nonces, check
from bot.platforms.base import NoAnswer
from bot.time_source import SystemTime
from tests.fuzz.target import JSON_WORDS, Target, text_of

NOW: Final = datetime(2026, 11, 1, tzinfo=UTC)
KEY: Final = Ed25519PrivateKey.from_private_bytes(bytes(range(32)))


def _webhook(data: bytes) -> None:
    """A call of Abstract Play: three headers, an empty line, and the body.

    The header SIGN is replaced by a valid signature, so that bodies are read too.
    """
    head, _, body = data.partition(b"\n\n")
    values = [line.decode("latin-1") for line in head.split(b"\n")]
    headers = CIMultiDict(zip((TIMESTAMP, NONCE, SIGNATURE), values, strict=False))
    if headers.get(SIGNATURE) == "SIGN":
        signed = f"{headers[TIMESTAMP]}.{headers[NONCE]}.".encode() + body
        headers[SIGNATURE] = b64encode(KEY.sign(signed)).decode()
    check(headers, body, KEY.public_key(), NOW, Nonces({}))
    message = webhook_body(body)
    if isinstance(message, ChallengeNotice):
        abstract_play.setup_of_challenge(message)


def _platform_answer(data: bytes) -> None:
    """An answer of Abstract Play: a list of games, a game, or the answer to a move."""
    kind, body = data[:1], data[1:]
    if kind == b"l":
        listed_games(body)
    elif kind == b"g":
        abstract_play.facts_of(game_answer(body), "bot", SystemTime())
    else:
        found = conclusion(int.from_bytes(data[1:2]) + 200, data[2:])
        if found.record is not None:
            abstract_play.facts_of(found.record, "bot", SystemTime())


def _key(data: bytes) -> None:
    public_key_of(text_of(data))


TARGETS: Final = (
    Target("webhook", _webhook, (PeerError, ValueError), JSON_WORDS),
    Target("platform-answer", _platform_answer, (PeerError, ValueError, NoAnswer), JSON_WORDS),
    Target("platform-key", _key, (ValueError,)),
)
