"""One game to be played, and what came of it: plain data, so that it can be sent elsewhere."""

import hashlib
from typing import Annotated, Final, Self

from pydantic import Field, model_validator

from bot.engines.spec import EngineSpec
from bot.records.model import GameRecord
from bot.tournaments.conduct import Conduct
from bot.tournaments.events import Finished, Voided, Why
from bot.tournaments.model import FrozenModel, Limit, Result, ScheduledGame, Setup
from bot.tournaments.repeats import fingerprint

MOST_SEED: Final = 2**31 - 1
"""Engines take no more for the option Seed."""


class GameTask(FrozenModel):
    """A game of a tournament; the engines are those of its seats, and played again it is the same
    game, if they search by nodes.
    """

    tournament: Annotated[str, Field(min_length=1, max_length=60)]
    seed: int
    scheduled: ScheduledGame
    setup: Setup
    engines: tuple[EngineSpec, EngineSpec]
    conduct: Conduct = Conduct()
    own_limits: tuple[Limit | None, Limit | None] = (None, None)
    """Of the seats that have a limit other than the setup's, for a handicap."""

    def limit(self, seat: int) -> Limit:
        """What the turns of seat 1 or 2 may take."""
        return self.own_limits[seat - 1] or self.setup.limit

    @property
    def number(self) -> int:
        return self.scheduled.number

    @property
    def game_id(self) -> str:
        return f"{self.tournament}-{self.number}"

    def engine_seed(self, seat: int) -> int:
        """The random numbers of seat 1 or 2, other ones in every game of every tournament."""
        text = f"{self.seed}/{self.number}/{seat}"
        return 1 + int.from_bytes(hashlib.sha256(text.encode()).digest()[:8]) % MOST_SEED


class GameReport(FrozenModel):
    """What came of a game: a result with the record of it, or why it counts for nothing."""

    game: Annotated[int, Field(ge=1)]
    result: Result | None = None
    record: GameRecord | None = None
    void: Why | None = None

    @model_validator(mode="after")
    def _one_of_both(self) -> Self:
        if (self.void is None) == (self.result is None or self.record is None):
            raise ValueError("a report has either a result and a record, or says why it is void")
        event = self.event()
        if isinstance(event, Finished) and event.record and not event.is_of(event.record):
            raise ValueError("the result of a report is that of its record")
        return self

    def event(self) -> Finished | Voided:
        """What a host writes down."""
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
    """The same for games of the same turns, whoever played them."""
    turns = [each.turn for each in record.turns]
    return fingerprint(record.game, record.board, record.rules, record.options, turns)
