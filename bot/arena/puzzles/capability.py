"""Puzzles as a capability of the arena."""

from typing import Final

from bot.arena.capability import Capability, Core, Part
from bot.arena.http.costs import Cost
from bot.arena.puzzles.puzzle_service import Puzzles
from bot.arena.puzzles.puzzle_store import PuzzleStore
from bot.arena.request_table import Request, of_player


def open_puzzles(core: Core) -> Part:
    """Offer the shipped puzzles of the games that this arena offers."""
    offered = [info.name for info in core.settings.offered]
    store = PuzzleStore(core.database)
    puzzles = Puzzles(store, core.preparation, offered, core.workers, core.time, core.rng)
    return Part(
        requests=[
            Request("puzzle.ask", of_player(puzzles.ask), Cost(2, is_question=True)),
            Request("puzzle.try", of_player(puzzles.answer), Cost(2)),
        ]
    )


PUZZLES: Final = Capability("puzzles", open_puzzles)
