"""All that can happen in a tournament: what a host writes down before it counts."""

from typing import Annotated, Any, Literal

from pydantic import Field, TypeAdapter

from bot.records.model import GameRecord
from bot.tournaments.model import Bye, Entrant, FrozenModel, Name, Number, Pairing, Result, Setup

Why = Annotated[str, Field(min_length=1, max_length=500)]


class Began(FrozenModel):
    """Always the first; `settings` is the whole file, so that another one is noticed."""

    kind: Literal["began"] = "began"
    name: Name
    entrants: tuple[Entrant, ...]
    setups: Annotated[tuple[Setup, ...], Field(min_length=1)]
    seed: int
    settings: dict[str, Any]
    software: str
    paired_by: str | None = None
    """The pairing system, its edition and the program; None for formats without editions."""
    machine: str | None = None
    """Processor, cores, Python and system of the host; None where they are not recorded."""


class Paired(FrozenModel):
    """Games that are to be played, numbered on from those before."""

    kind: Literal["paired"] = "paired"
    pairings: tuple[Pairing, ...]
    byes: tuple[Bye, ...] = ()


class Finished(FrozenModel):
    """`fingerprint` is the same for games of the same turns; the host's store has the record where
    it is not here.
    """

    kind: Literal["finished"] = "finished"
    game: Number
    game_id: str
    result: Result
    plies: Annotated[int, Field(ge=0)]
    fingerprint: str
    record: GameRecord | None = None

    def is_of(self, record: GameRecord) -> bool:
        """Whether the record has this result, after as many turns."""
        ended, result = record.result, self.result
        return (
            ended is not None
            and (ended.winner, ended.reason) == (result.winner, result.reason)
            and len(record.turns) == self.plies
        )


class Voided(FrozenModel):
    """A game that counts for nothing, and is played again under its number."""

    kind: Literal["voided"] = "voided"
    game: Number
    why: Why


class Stopped(FrozenModel):
    """What a pairing has not played by now is not played."""

    kind: Literal["stopped"] = "stopped"
    pairing: Number
    why: Why


class Entered(FrozenModel):
    """Somebody who came after the beginning."""

    kind: Literal["entered"] = "entered"
    entrant: Entrant


class Withdrew(FrozenModel):
    kind: Literal["withdrew"] = "withdrew"
    player: Name
    why: Why


class Replaced(FrozenModel):
    """A result that the host puts in place of what there was."""

    kind: Literal["replaced"] = "replaced"
    game: Number
    winner: Literal[1, 2] | None
    why: Why


class Paused(FrozenModel):
    """No game is begun until it is resumed."""

    kind: Literal["paused"] = "paused"
    why: Why


class Resumed(FrozenModel):
    kind: Literal["resumed"] = "resumed"


class Ended(FrozenModel):
    """Nothing is paired any more."""

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
