"""What the page is told about positions: what turns change, notes; and whether claims are true."""

from collections.abc import Iterator, Sequence
from typing import Any

import engine
from bot.records.model import score_lists
from tools.lessons.finding import found_cells, gazed
from tools.lessons.source import Claims, Notes


class FalseLesson(ValueError):
    """A lesson says something that the engine does not confirm."""


def frames_of(position: engine.Position, turns: Sequence[str]) -> Iterator[dict[str, Any]]:
    """What each of some turns changes."""
    for turn in turns:
        position = position.play(turn)
        yield frame_of(position)


def frame_of(after: engine.Position) -> dict[str, Any]:
    """What the last turn has changed."""
    frame: dict[str, Any] = {"seat": 3 - after.to_play if not after.over else _mover(after)}
    frame["put"] = [] if after.turns[-1] == "pass" else after.turns[-1].split(",")
    if gone := _gone(after):
        frame["gone"] = gone
    if after.marks:
        frame["marks"] = after.marks
    frame["scores"] = score_lists(after)
    return frame


def _gone(after: engine.Position) -> list[str]:
    """The cells that the last turn has cleared, with its own stone if that was captured at once."""
    kept = {*after.stones, *after.captured}
    placed = [each.cell for each in after.game.placements(after.turns[-1])]
    return [*after.captured, *(cell for cell in placed if cell not in kept)]


def _mover(after: engine.Position) -> int:
    return 1 if len(after.turns) % 2 else 2


def noted(name: str, notes: Notes) -> dict[str, Any]:
    """Notes under a name; nothing if there are none."""
    made: dict[str, Any] = {}
    for style in ("cells", "good", "bad", "group", "rays"):
        if text := getattr(notes, style):
            made[style] = text.split()
    if notes.arrows:
        made["arrows"] = [arrow.split(">") for arrow in notes.arrows]
    if notes.labels:
        made["labels"] = notes.labels
    return {name: made} if made else {}


def check(where: str, claims: Claims, position: engine.Position) -> None:
    """Raise FalseLesson unless all that is claimed about a position is true."""
    for name, known, wanted in _claimed(claims, position):
        if known != wanted:
            raise FalseLesson(f"{where}: {name} is {known}, not {wanted}")


def is_true(claims: Claims, position: engine.Position) -> bool:
    """Return whether something is claimed of an answer, and is true of this position too."""
    claimed = list(_claimed(claims, position))
    return bool(claimed) and all(known == wanted for _, known, wanted in claimed)


def _claimed(claims: Claims, position: engine.Position) -> Iterator[tuple[str, object, object]]:
    """Each claim: its name, what is true, and what is claimed."""
    known: dict[str, object] = {
        "captured": set(position.captured),
        "scores": tuple(
            list(each) if isinstance(each, tuple) else each for each in position.scores
        ),
        "winner": position.winner,
        "is_over": position.over,
        "uninspired": {cell for cell, mark in position.marks.items() if mark == "uninspired"},
        "closed": set(found_cells(position, "closed")) if claims.closed else set(),
        "stars": {cell: gazed(position, cell) for cell in claims.stars or ()},
    }
    for name, claim in claims:
        if claim is not None:
            yield name, known[name], set(claim.split()) if isinstance(claim, str) else claim
