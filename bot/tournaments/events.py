"""The events of a tournament. A host writes each to disk before it counts."""

from typing import Annotated, Any, Literal

from pydantic import Field, TypeAdapter

from bot.records.model import GameRecord
from bot.tournaments.model import (
    Bye,
    Entrant,
    FrozenModel,
    GameResult,
    MatchSetup,
    Name,
    Number,
    Pairing,
)

Why = Annotated[str, Field(min_length=1, max_length=500)]


class Began(FrozenModel):
    """The first event. `settings` is the whole settings file, so that a changed file is noticed."""

    kind: Literal["began"] = "began"
    name: Name
    entrants: tuple[Entrant, ...]
    setups: Annotated[tuple[MatchSetup, ...], Field(min_length=1)]
    seed: int
    settings: dict[str, Any]
    software: str
    paired_by: str | None = None
    """The pairing system, its edition and the program; None if the format has no editions."""
    machine: str | None = None
    """Processor, cores, Python and system of the host; None if the host does not record them."""
    programs: dict[str, str] = Field(default_factory=dict)
    """A hash of each engine's program, by the player's name; empty if the host records none."""


class Paired(FrozenModel):
    """New pairings with their games. The numbers continue those of the earlier pairings."""

    kind: Literal["paired"] = "paired"
    pairings: tuple[Pairing, ...]
    byes: tuple[Bye, ...] = ()


class Finished(FrozenModel):
    """A game ended with a result.

    `fingerprint` is the same for games with the same turns. `record` is None if the host keeps the
    record in a store of its own.
    """

    kind: Literal["finished"] = "finished"
    game: Number
    game_id: str
    result: GameResult
    plies: Annotated[int, Field(ge=0)]
    fingerprint: str
    record: GameRecord | None = None

    def is_of(self, record: GameRecord) -> bool:
        """Whether the record has this result and this number of turns."""
        ended, result = record.result, self.result
        return (
            ended is not None
            and (ended.winner, ended.reason) == (result.winner, result.reason)
            and len(record.turns) == self.plies
        )


class Voided(FrozenModel):
    """A game does not count, and will be played again under the same number."""

    kind: Literal["voided"] = "voided"
    game: Number
    why: Why


class Stopped(FrozenModel):
    """The remaining games of a pairing are cancelled."""

    kind: Literal["stopped"] = "stopped"
    pairing: Number
    why: Why


class Entered(FrozenModel):
    """A player entered after the beginning."""

    kind: Literal["entered"] = "entered"
    entrant: Entrant


class Withdrew(FrozenModel):
    """A player left, and is not paired again."""

    kind: Literal["withdrew"] = "withdrew"
    player: Name
    why: Why


class Replaced(FrozenModel):
    """The host replaced the result of a game, or gave one to an unplayed game."""

    kind: Literal["replaced"] = "replaced"
    game: Number
    winner: Literal[1, 2] | None
    why: Why


class Paused(FrozenModel):
    """No game begins until `Resumed`."""

    kind: Literal["paused"] = "paused"
    why: Why


class Resumed(FrozenModel):
    """Games begin again."""

    kind: Literal["resumed"] = "resumed"


class Ended(FrozenModel):
    """The tournament is over: nothing more is paired."""

    kind: Literal["ended"] = "ended"
    why: Why


Event = Annotated[
    Began
    | Paired
    | Finished
    | Voided
    | Stopped
    | Entered
    | Withdrew
    | Replaced
    | Paused
    | Resumed
    | Ended,
    Field(discriminator="kind"),
]
ANY_EVENT: TypeAdapter[Event] = TypeAdapter(Event)
