"""Games that a person has played on their own device, against a bot of the page."""

from datetime import UTC, datetime
from typing import Annotated, Final, Self

from pydantic import AfterValidator, AwareDatetime, Field, model_validator

from bot.json_values import IS_NUMBER, TrueOrFalse
from bot.wire.analysis import MOST_TURNS, AnalysisSetup
from bot.wire.base import FromClient, Id, Level, Ply, Seat, Turn

EARLIEST: Final = datetime(2020, 1, 1, tzinfo=UTC)
Milliseconds = Annotated[int, Field(ge=0, le=2**40), IS_NUMBER]


def _in_the_calendar(moment: datetime) -> datetime:
    if moment < EARLIEST:
        raise ValueError(f"there were no such games before {EARLIEST.year}")
    return moment


Moment = Annotated[AwareDatetime, AfterValidator(_in_the_calendar)]


class AddGame(FromClient):
    """Add a finished game, played on this device against a bot of the page, to one's own games.

    The server replays it, and finds its result. Sending it again is safe: the same `local_id` of
    the same player is one game. `resigned`: the player gave up before the game was played out.
    """

    local_id: Id = Field(description="the id that the game has on the device")
    setup: AnalysisSetup
    seat: Seat = Field(description="that of the player; the bot has the other one")
    level: Level = Field(description="that of the bot")
    turns: Annotated[list[Turn], Field(min_length=1, max_length=MOST_TURNS)]
    times_ms: Annotated[list[Milliseconds], Field(max_length=MOST_TURNS)] = Field(
        description="the thinking time of each turn, by the clock of the device"
    )
    resigned: TrueOrFalse = False
    takebacks: Ply = 0
    hints: Ply = 0
    started_at: Moment
    ended_at: Moment

    @model_validator(mode="after")
    def _check_times(self) -> Self:
        if len(self.times_ms) != len(self.turns):
            raise ValueError("times_ms needs one number for each turn")
        return self
