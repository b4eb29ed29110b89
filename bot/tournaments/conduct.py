"""How games of a tournament are ended by those who look on: what a host is told about it."""

from typing import Annotated

from pydantic import Field

from bot.tournaments.model import FrozenModel

Turns = Annotated[int, Field(ge=1, le=1000)]
Chance = Annotated[float, Field(gt=0, lt=1)]


class Resignation(FrozenModel):
    """Who saw a chance to win of at most `below` so many turns in a row resigns."""

    below: Chance = 0.02
    turns: Turns = 4
    min_ply: Annotated[int, Field(ge=0)] = 20


class DrawAgreement(FrozenModel):
    """Both gave themselves a chance within `margin` of one half so many turns in a row."""

    margin: Chance = 0.02
    turns: Turns = 8
    min_ply: Annotated[int, Field(ge=0)] = 40


class Adjudication(FrozenModel):
    """Both engines saw the same winner, with at least `sure`, so many turns in a row, and the host
    does so too.
    """

    sure: Chance = 0.98
    turns: Turns = 4
    min_ply: Annotated[int, Field(ge=0)] = 20


class Conduct(FrozenModel):
    """What is None does not happen. Times are in milliseconds."""

    resign: Resignation | None = None
    agree: DrawAgreement | None = None
    adjudicate: Adjudication | None = None
    most_turns: Annotated[int, Field(ge=1, le=100_000)] | None = None
    """A game that goes on for so many turns of both is a draw."""
    margin_ms: Annotated[int, Field(ge=0, le=60_000)] = 100
    """How late a turn may come by the host's clock before it loses on time.

    Host and engines share their cores with whatever else runs: where that is three times as much as
    there are cores, turns of engines that keep to their time come up to 60 ms late.
    """
    patience_ms: Annotated[int, Field(ge=100, le=3_600_000)] = 600_000
    """How long an engine may take for a turn that no clock limits before it has stalled."""
