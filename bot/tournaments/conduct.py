"""The conduct of games: how the host ends them early, and how late a turn may come."""

from typing import Annotated

from pydantic import Field

from bot.tournaments.model import FrozenModel

Turns = Annotated[int, Field(ge=1, le=1000)]
Chance = Annotated[float, Field(gt=0, lt=1)]


class Resignation(FrozenModel):
    """A player resigns whose last `turns` evaluations were all at most `below`.

    The rule applies from ply `min_ply` on, as do the two others.
    """

    below: Chance = 0.02
    turns: Turns = 4
    min_ply: Annotated[int, Field(ge=0)] = 20


class DrawAgreement(FrozenModel):
    """A draw if the last `turns` evaluations of both players were within `margin` of one half."""

    margin: Chance = 0.02
    turns: Turns = 8
    min_ply: Annotated[int, Field(ge=0)] = 40


class Adjudication(FrozenModel):
    """A win if both engines, in their last `turns` turns, and the host give it at least `sure`."""

    sure: Chance = 0.98
    turns: Turns = 4
    min_ply: Annotated[int, Field(ge=0)] = 20


class HostConduct(FrozenModel):
    """The rules of a host. A rule that is None is off. Times are in milliseconds."""

    resign: Resignation | None = None
    agree: DrawAgreement | None = None
    adjudicate: Adjudication | None = None
    most_turns: Annotated[int, Field(ge=1, le=100_000)] | None = None
    """A game is a draw after this many turns of both players."""
    margin_ms: Annotated[int, Field(ge=0, le=60_000)] = 100
    """How late a turn may come by the host's clock before it loses on time.

    Host and engines share their cores with other programs. With three times as many busy processes
    as cores, turns of punctual engines were measured up to 60 ms late.
    """
    restart: bool = False
    """Whether each game has new engine processes, which remember nothing of earlier games."""
    patience_ms: Annotated[int, Field(ge=100, le=3_600_000)] = 600_000
    """How long an engine may take for a turn without a clock; after that it has stalled."""
