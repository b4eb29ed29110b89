"""Games that a person has played on their own device, against a bot of the page."""

from typing import Annotated

from pydantic import Field

from bot.json_values import IS_NUMBER, TrueOrFalse
from bot.wire.analysis import MOST_TURNS, AnalysisSetup
from bot.wire.base import FromClient, Id, Level, Ply, Seat, Turn
from bot.wire.tournaments import Moment

Milliseconds = Annotated[int, Field(ge=0, le=2**40), IS_NUMBER]


class AddGame(FromClient):
    """Add a finished game, played on this device against a bot of the page, to one's own games.

    The server replays it, and finds its result. Sending it again is safe: the same `local_id` of
    the same player is one game. `resigned`: the player gave up before the game was played out.
    """

    local_id: Id = Field(description="the id that the game has on the device")
    setup: AnalysisSetup
    seat: Annotated[Seat, IS_NUMBER] = Field(
        description="that of the player; the bot has the other one"
    )
    level: Level = Field(description="that of the bot")
    turns: Annotated[list[Turn], Field(min_length=1, max_length=MOST_TURNS)]
    times_ms: Annotated[list[Milliseconds], Field(max_length=MOST_TURNS)] = Field(
        default_factory=list,
        description="the thinking time of each turn, by the clock of the device; 0 if left out",
    )
    resigned: TrueOrFalse = False
    takebacks: Ply = 0
    hints: Ply = 0
    started_at: Moment
    ended_at: Moment
