"""Computes the `Choices` of a turn that a player has begun to compose.

One call of the kernel lists all legal steps. Each other step is tried as part of a turn, because
the refusal of that turn contains the reason. For occupied cells, and after the only stone of a
single-stone turn, the reason is known without a trial.
"""

from collections.abc import Sequence

from engine.errors import Refusal
from engine.games.board_turns import BoardTurns
from engine.games.choices import Choices
from engine.kernel.generic import PASS, Record


def choices_after(game: BoardTurns, before: Record, chosen: Sequence[str]) -> Choices:
    """Return the steps that may follow in a turn.

    Args:
        game: The mechanics of the game.
        before: The state at the start of the turn.
        chosen: The steps chosen so far, in lower case.
    """
    state, names = game.copy_of(before), game.step_names
    codes = _following(game, state, chosen)
    legal = tuple(names[code] for code in codes if code >= 0)
    listed = set(legal)
    after = _played(game, before, chosen) if chosen else None
    complete = after is not None and not isinstance(after, Refusal)
    captured: tuple[str, ...] = ()
    if complete or state["step"] == 1:  # in mid-turn: the captures of its first stone
        captured = _cells_cleared(game, before, after if complete else state)
    known: dict[str, Refusal] = {}
    if not chosen:
        known = _occupied(game, before, captured)
    elif len(chosen) == 1 and chosen[0] in names and (codes or complete):
        known = _one_stone(game, before, chosen[0]) | _occupied(game, before, captured)
    return Choices(
        legal=legal,
        illegal={
            step: known.get(step) or _why_not(game, before, (*chosen, step))
            for step in names
            if step not in listed
        },
        complete=complete,
        may_pass=PASS in codes,
        captured=captured,
    )


def _following(game: BoardTurns, state: Record, chosen: Sequence[str]) -> list[int]:
    """Play the chosen steps in `state` and return the codes of the legal next steps.

    The list is empty if the chosen steps are illegal or end the turn.
    """
    for place, step in enumerate(chosen):
        turn_ended = place > 0 and state["step"] == 0
        if turn_ended or step not in game.step_names:
            return []
        if not game.try_step(state, game.step_names.index(step)):
            return []
    return [] if chosen and state["step"] == 0 else game.steps(state)


def _cells_cleared(game: BoardTurns, before: Record, after: Record) -> tuple[str, ...]:
    return tuple(game.board.cells[cell] for cell in game.rules.captured(before, after))


def _occupied(game: BoardTurns, before: Record, captured: Sequence[str]) -> dict[str, Refusal]:
    """Return the refusals for the cells that were occupied before the turn and still are."""
    cells = game.board.cells
    taken = {cells[cell] for cell, _, _ in game.rules.stones(before)}.difference(captured)
    return {
        step: game.why_illegal(before, before, (code,))
        for code, (step, cell) in enumerate(zip(game.step_names, game.step_cells, strict=True))
        if cell in taken
    }


def _one_stone(game: BoardTurns, before: Record, first: str) -> dict[str, Refusal]:
    """Return the refusals of a second stone if the turn must be a single stone, else nothing.

    If a second stone on the same cell is refused as `one-stone`, so is one on any empty cell.
    """
    found = _why_not(game, before, (first, first))
    if found.rule != "one-stone":
        return {}
    places = zip(game.step_names, game.step_cells, strict=True)
    return {step: Refusal(found.rule, found.reason, cell) for step, cell in places}


def _why_not(game: BoardTurns, before: Record, steps: Sequence[str]) -> Refusal:
    after = _played(game, before, steps)
    assert isinstance(after, Refusal), f"the kernel and the rules disagree about {steps}"
    return after


def _played(game: BoardTurns, before: Record, steps: Sequence[str]) -> Record | Refusal:
    return game.play_turn(before, game.rules.canonical(",".join(steps)))
