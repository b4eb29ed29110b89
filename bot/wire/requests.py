"""The messages of clients: credentials, and the content of each request."""

from typing import Annotated, Literal

from pydantic import AfterValidator, Field

from bot.json_values import TextOrWhole, TrueOrFalse
from bot.runtime.names import cleaned
from bot.wire.base import (
    FromClient,
    Id,
    Level,
    Message,
    Name,
    NewName,
    Ply,
    Sentence,
    Step,
    Turn,
    Word,
)
from bot.wire.clocks import OfferedClock
from bot.wire.games import TurnInfo

Action = Literal[
    "resign",
    "abort",
    "offer_draw",
    "accept_draw",
    "decline_draw",
    "ask_takeback",
    "accept_takeback",
    "decline_takeback",
    "offer_abort",
    "accept_abort",
    "decline_abort",
]
EngineName = Annotated[str, Field(max_length=60), AfterValidator(cleaned)]


class Credentials(FromClient):
    """The `auth` of the Socket.IO connection: a bot's token, a guest's key, or neither."""

    token: Annotated[str, Field(max_length=100)] | None = None
    guest_key: Annotated[str, Field(max_length=100)] | None = None
    name: NewName | None = Field(None, description="the name that a guest wants")
    engine: EngineName | None = Field(None, description="the engine of a bot, for people to see")
    level: Level | None = Field(None, description="the strength that a bot declares, from 1 to 10")
    events: Literal["new"] | None = Field(
        None, description="`new`: get `change` events instead of whole games while games are played"
    )


class OfferedSetup(Message):
    """A setup that a player offers. Omitted boards, rules and options are the game's defaults.

    A client may send a `GameSetup` of the server as it is.
    """

    game: Word = "bluestone"
    board: Word | None = None
    rules: Word | None = None
    options: dict[Word, TextOrWhole] = Field(default_factory=dict, max_length=8)
    clock: OfferedClock
    rated: TrueOrFalse = False


class CreateChallenge(FromClient):
    """Offer a game. A seat holds a player's name, or `null` for any player.

    If both seats name other players, both must accept; so a person can watch two bots play. With
    `random_seats` the server draws the seats when the game starts. A `private` challenge has a free
    seat and is listed nowhere: the creator gives its id to another player.
    """

    setup: OfferedSetup
    seats: tuple[Name | None, Name | None]
    random_seats: TrueOrFalse = False
    private: TrueOrFalse = False


class AskChallenge(FromClient):
    """Request an open challenge by its id, which is the secret of a private one."""

    challenge_id: Id


class AcceptChallenge(FromClient):
    challenge_id: Id


class DeclineChallenge(FromClient):
    """Decline a challenge, with a code for programs and a sentence for people."""

    challenge_id: Id
    code: Word
    message: Annotated[Sentence, AfterValidator(cleaned)]


class CancelChallenge(FromClient):
    challenge_id: Id


class PlayTurn(FromClient):
    """Play `turn` as ply `ply`. The first turn of a game is ply 0.

    Sending the same turn for the same ply again is safe; the answer then has `duplicate`. With
    `takebacks`, the number in the state for which the turn was chosen, that is also safe if turns
    are taken back meanwhile: the turn is then refused as `stale_ply`.
    """

    game_id: Id
    ply: Ply
    turn: Turn
    takebacks: Ply | None = None
    info: TurnInfo | None = None


class GameAction(FromClient):
    """Resign, abort (before both have played), offer, accept or decline a draw, ask to take one's
    last turn back, accept or decline that, or offer to abort, accept or decline that.

    With `ply` and `takebacks`, those of the state for which a player acts, an action is refused as
    `stale_ply` if the game has changed. A client needs them to repeat `ask_takeback` safely.
    """

    game_id: Id
    action: Action
    ply: Ply | None = None
    takebacks: Ply | None = None


class WatchGame(FromClient):
    """Subscribe to a game's `game` events. A game's players get them without a request."""

    game_id: Id
    follow: TrueOrFalse = True


class AskGame(FromClient):
    """Request the whole state of a game."""

    game_id: Id


class AskPosition(FromClient):
    """Request the position after `ply` turns of a game; null means the last position."""

    game_id: Id
    ply: Ply | None = None


class AskLegal(FromClient):
    """Request the steps that the player to move may choose after those in `chosen`.

    If `ply` is given and another ply is next, the request is refused. A step is a cell. If players
    own several kinds of stones, the digit of the kind comes before the cell.
    """

    game_id: Id
    ply: Ply | None = None
    chosen: Annotated[list[Step], Field(max_length=2)] = Field(default_factory=list)
    about: Step | None = Field(
        None, description="a step that the answer must explain in `illegal` if it is not legal"
    )


class AskState(FromClient):
    """Request the `Welcome` again: everything that concerns this client."""
