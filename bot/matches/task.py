"""The task to play one game, and its report: plain data that can be sent to other machines."""

import hashlib
from typing import Annotated, Final, Self

from pydantic import Field, model_validator

from bot.engines.spec import EngineSpec
from bot.records.model import GameRecord
from bot.tournaments.conduct import HostConduct
from bot.tournaments.events import Finished, Voided, Why
from bot.tournaments.model import FrozenModel, GameResult, Limit, MatchSetup, ScheduledGame
from bot.tournaments.repeats import fingerprint

MOST_SEED: Final = 2**31 - 1
"""The largest value of the option Seed."""


class GameTask(FrozenModel):
    """The task to play a game of a tournament. `engines` are those of its two seats.

    If the engines search by nodes, the same task gives the same game again.
    """

    tournament: Annotated[str, Field(min_length=1, max_length=60)]
    seed: int
    scheduled: ScheduledGame
    setup: MatchSetup
    engines: tuple[EngineSpec, EngineSpec]
    conduct: HostConduct = HostConduct()
    own_limits: tuple[Limit | None, Limit | None] = (None, None)
    """The limits of seats that differ from the setup's limit, for a handicap."""

    def limit(self, seat: int) -> Limit:
        """The limit of the turns of seat 1 or 2."""
        return self.own_limits[seat - 1] or self.setup.limit

    @property
    def number(self) -> int:
        return self.scheduled.number

    @property
    def game_id(self) -> str:
        return f"{self.tournament}-{self.number}"

    def engine_seed(self, seat: int) -> int:
        """The seed for the engine of seat 1 or 2. It differs in every game of every tournament."""
        text = f"{self.seed}/{self.number}/{seat}"
        return 1 + int.from_bytes(hashlib.sha256(text.encode()).digest()[:8]) % MOST_SEED


class GameReport(FrozenModel):
    """The report of a game: either a result with its record, or why the game is void."""

    game: Annotated[int, Field(ge=1)]
    result: GameResult | None = None
    record: GameRecord | None = None
    void: Why | None = None

    @model_validator(mode="after")
    def _one_of_both(self) -> Self:
        if (self.void is None) == (self.result is None or self.record is None):
            raise ValueError(
                "a report needs either a result and a record, or a reason why it is void"
            )
        event = self.event()
        if isinstance(event, Finished) and event.record and not event.is_of(event.record):
            raise ValueError("the result of a report must be that of its record")
        return self

    def event(self) -> Finished | Voided:
        """The event that the host writes to the ledger."""
        if self.void is not None:
            return Voided(game=self.game, why=self.void)
        assert self.result is not None
        assert self.record is not None
        return Finished(
            game=self.game,
            game_id=self.record.id,
            result=self.result,
            plies=len(self.record.turns),
            fingerprint=fingerprint_of(self.record),
            record=self.record,
        )


def fingerprint_of(record: GameRecord) -> str:
    """A hash that is equal for games with the same turns, by any players."""
    turns = [each.turn for each in record.turns]
    return fingerprint(record.game, record.board, record.rules, record.options, turns)
