"""The chat of a game: lines between its two players, and reports to the operator."""

from datetime import datetime
from typing import Annotated, Final, Literal

from pydantic import AfterValidator, Field

from bot.json_values import TrueOrFalse
from bot.runtime.names import cleaned
from bot.wire.base import FromClient, FromServer, Id, Message, Seat, Sentence

MAX_TEXT: Final = 140

Preset = Literal[
    "hello",
    "good_luck",
    "well_played",
    "good_game",
    "thanks",
    "sorry",
    "wait",
    "bye",
]
"""Lines with a meaning that each client shows in its own language."""
ChatText = Annotated[str, Field(min_length=1, max_length=MAX_TEXT), AfterValidator(cleaned)]


class SendChat(FromClient):
    """Say something to the opponent: exactly one of a preset, a text, and `open`.

    A text is accepted while both players have sent `open` with `true`; `false` closes it again.
    """

    game_id: Id
    preset: Preset | None = None
    text: ChatText | None = None
    open: TrueOrFalse | None = None


class AskChat(FromClient):
    """Request the lines of a game; only its players can read them."""

    game_id: Id


class ReportPlayer(FromClient):
    """Report the opponent to the operator, who gets the latest lines of the chat too."""

    game_id: Id
    reason: Annotated[Sentence, AfterValidator(cleaned)]


class ChatLine(Message):
    """A line of a chat, as it is stored."""

    id: Id
    seat: Seat = Field(description="who said it")
    kind: str = Field(description="preset, text, open or closed; servers may add others")
    body: str = Field(description="the word of a preset, or a text; empty otherwise")
    at: datetime


class Chat(FromServer):
    """A new line, sent to both players of a game."""

    game_id: Id
    line: ChatLine
