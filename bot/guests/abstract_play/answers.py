"""The meaning of the answer to a submitted move, which its HTTP status seldom shows.

Only `played` and `not played` settle a move. The platform sends both in an envelope with its own
status. Source: the protocol page of Abstract Play, "Bot to platform".
"""

import json
from dataclasses import dataclass
from enum import Enum
from http import HTTPStatus
from typing import Final

from pydantic_core import from_json

from bot.guests.abstract_play.messages import GameRecord, game_record

LONGEST_MESSAGE: Final = 300


class Verdict(Enum):
    """The state of a move. `READ_THE_GAME` and `LATER` leave open whether it was played.

    `NEW_TOKEN`: it was not played, because the platform did not accept the token. `NOT_SENT`: it
    was not played, because it never left this machine.
    """

    PLAYED = "played"
    NOT_PLAYED = "not_played"
    READ_THE_GAME = "read_the_game"
    NEW_TOKEN = "new_token"  # noqa: S105
    LATER = "later"
    NOT_SENT = "not_sent"


@dataclass(frozen=True, slots=True)
class Conclusion:
    """A verdict with its details. `message` is for the log only.

    `record` is the game after the move, if the answer contains it. `retry_after_s` is the pause
    that the platform requests, if any.
    """

    verdict: Verdict
    message: str = ""
    record: GameRecord | None = None
    retry_after_s: float | None = None


def conclusion(status: int, body: bytes, retry_after_s: float | None = None) -> Conclusion:
    """Return the conclusion from an answer with that HTTP status."""
    match status:
        case HTTPStatus.OK:
            return _inside(body)
        case HTTPStatus.BAD_REQUEST | HTTPStatus.UNSUPPORTED_MEDIA_TYPE:
            verdict = Verdict.NOT_PLAYED
        case HTTPStatus.UNAUTHORIZED:
            verdict = Verdict.NEW_TOKEN
        case HTTPStatus.TOO_MANY_REQUESTS:
            verdict = Verdict.LATER
        case _:
            verdict = Verdict.READ_THE_GAME
    return Conclusion(verdict, f"HTTP {status}: {message_in(body)}", retry_after_s=retry_after_s)


def message_in(body: bytes) -> str:
    """Return the error message in a body, or the start of the body, as one short line."""
    return _message(_json(body), body.decode("utf-8", "replace"))


def _inside(body: bytes) -> Conclusion:
    """Read the envelope. It is missing if the platform's program crashed, or a proxy removed it."""
    envelope = _json(body)
    if not isinstance(envelope, dict) or "statusCode" not in envelope:
        record = _record(body)
        if record is not None:
            return Conclusion(Verdict.PLAYED, record=record)
        text = body.decode("utf-8", "replace")
        return Conclusion(Verdict.READ_THE_GAME, f"no status: {_message(envelope, text)}")
    status, inner = envelope["statusCode"], envelope.get("body")
    if not isinstance(inner, str):  # in case the platform stops wrapping it
        inner = json.dumps(inner)
    if isinstance(status, bool):
        status = None
    match status:
        case HTTPStatus.OK:
            return Conclusion(Verdict.PLAYED, record=_record(inner))
        case HTTPStatus.BAD_REQUEST | HTTPStatus.INTERNAL_SERVER_ERROR:
            verdict = Verdict.NOT_PLAYED
        case _:
            verdict = Verdict.READ_THE_GAME
    return Conclusion(verdict, f"status {str(status)[:20]}: {_message(_json(inner), inner)}")


def _record(text: bytes | str) -> GameRecord | None:
    try:
        return game_record(text)
    except ValueError:
        return None


def _json(text: bytes | str) -> object:
    try:
        return from_json(text)
    except ValueError:
        return None


def _message(value: object, text: str) -> str:
    said: object = None
    if isinstance(value, dict):
        said = value.get("message") or value.get("errorMessage")
    shown = (said if isinstance(said, str) else text)[:LONGEST_MESSAGE]
    return " ".join("".join(each if each.isprintable() else " " for each in shown).split())
