"""What clients send: their credentials, and the payload of each of their events."""

from typing import Annotated, Literal

from pydantic import AfterValidator, Field

from bot.json_values import TextOrWhole, TrueOrFalse
from bot.runtime.names import cleaned
from bot.wire.base import FromClient, Id, Level, Message, Name, NewName, Ply, Sentence, Turn, Word
from bot.wire.clocks import OfferedClock
from bot.wire.games import TurnInfo

EngineName = Annotated[str, Field(max_length=60), AfterValidator(cleaned)]


class Credentials(FromClient):
    """The `auth` of the Socket.IO connection: a bot's token, a guest's key, or neither."""

    token: Annotated[str, Field(max_length=100)] | None = None
    guest_key: Annotated[str, Field(max_length=100)] | None = None
    name: NewName | None = Field(None, description="the name that a guest would like")
    engine: EngineName | None = Field(None, description="what a bot plays with, for people to see")
    level: Level | None = Field(None, description="how strong a bot plays, from 1 to 10")
    events: Literal["new"] | None = Field(
        None, description="`new`: events `change` instead of whole games while they are played"
    )


class OfferedSetup(Message):
    """What a player would like to play. Board, rules and options that are left out are at the
    game's own default. A `GameSetup` that the server has sent may be sent as it is.
    """

    game: Word = "bluestone"
    board: Word | None = None
    rules: Word | None = None
    options: dict[Word, TextOrWhole] = Field(default_factory=dict, max_length=8)
    clock: OfferedClock
    rated: TrueOrFalse = False


class CreateChallenge(FromClient):
    """Offer a game. A seat names its player; `null` is open to anybody; both seats may name
    others, who then both have to accept (a person who wants to watch two bots).
    `random_seats` lets the server draw who has which seat when the game begins.
    """

    setup: OfferedSetup
    seats: tuple[Name | None, Name | None]
    random_seats: TrueOrFalse = False


class AcceptChallenge(FromClient):
    challenge_id: Id


class DeclineChallenge(FromClient):
    """Turn a challenge down, with a code for programs and a sentence for people."""

    challenge_id: Id
    code: Word
    message: Annotated[Sentence, AfterValidator(cleaned)]


class CancelChallenge(FromClient):
    challenge_id: Id


class PlayTurn(FromClient):
    """Play `turn` as ply `ply` (0 for the first turn of the game).

    Sending the same ply and turn again is answered like the first time.
    """

    game_id: Id
    ply: Ply
    turn: Turn
    info: TurnInfo | None = None


class GameAction(FromClient):
    """Resign, abort (before both have played), or offer, accept, decline a draw."""

    game_id: Id
    action: Literal["resign", "abort", "offer_draw", "accept_draw", "decline_draw"]


class WatchGame(FromClient):
    """Follow a game's `game` events; players of a game follow it anyway."""

    game_id: Id
    follow: TrueOrFalse = True


class AskGame(FromClient):
    """Ask for the whole state of a game."""

    game_id: Id


class AskPosition(FromClient):
    """The position after `ply` turns of a game; null for the last one."""

    game_id: Id
    ply: Ply | None = None


class AskLegal(FromClient):
    """Which steps the player to move may choose now, after those in `chosen`.

    With `ply` the answer is about that ply, or a refusal if another is next. A step is a cell;
    where players own several kinds of stones, the digit of the kind before it.
    """

    game_id: Id
    ply: Ply | None = None
    chosen: Annotated[list[Word], Field(max_length=2)] = Field(default_factory=list)


class AskState(FromClient):
    """Ask for the `Welcome` again: everything that concerns this client."""
