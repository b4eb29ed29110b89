"""Conditional turns of a correspondence game: "if the opponent plays X, I play Y"."""

from typing import Annotated, Final

from pydantic import Field

from bot.wire.base import FromClient, Id, Ply, Turn

MOST_PLANNED_LINES: Final = 10
MOST_PLANNED_TURNS: Final = 6

PlannedLine = Annotated[list[Turn], Field(min_length=2, max_length=MOST_PLANNED_TURNS)]
"""Turns of the opponent and of the player by turns, the opponent's first."""
PlannedLines = Annotated[list[PlannedLine], Field(max_length=MOST_PLANNED_LINES)]


class PlanTurns(FromClient):
    """Replace the player's conditional turns of a game while the opponent is to move.

    Each line begins with a turn of the opponent at `ply`, and ends with one of the player. An empty
    list removes them.
    """

    game_id: Id
    ply: Ply
    takebacks: Ply = 0
    lines: PlannedLines


class AskPlan(FromClient):
    """Request the player's own conditional turns of a game; nobody else can."""

    game_id: Id
