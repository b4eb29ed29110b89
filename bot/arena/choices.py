"""What a player may choose next while he puts a turn together, stone by stone.

A choice is a step as `engine.Game.step_names` writes it: a cell, with the digit of the stone's kind
before it in games whose players own several kinds. The kernel is asked once for all that is legal;
only what is not is tried as a turn, because its refusal has the reason. Where stones stand, and
where a turn is a single stone, the reason is known without a trial.
"""

from functools import lru_cache
from typing import Final

import numpy as np

import engine
from bot import wire
from bot.arena.refusals import sentence
from engine.rules import calls
from engine.rules.kernel import PASS, Record
from engine.rules.refusal import Refusal

PASS_AND_STOP: Final = 2
"""The codes that the kernel may list besides the placements."""


@lru_cache(maxsize=512)
def legal_view(position: engine.Position, chosen: tuple[str, ...]) -> wire.LegalView:
    """Which steps may follow `chosen`, and why not the others."""
    game, state = position.game, position.record()
    chosen = tuple(step.lower() for step in chosen)
    codes = _following(game, state, chosen)
    legal = dict.fromkeys(game.step_names[code] for code in codes if code >= 0)
    whole = _captured_by(position, chosen)
    captured = _cleared_so_far(position, state) if whole is None else list(whole)
    known: dict[str, wire.Illegal] = {}
    if not chosen:
        known = _occupied(position, captured)
    elif chosen[0] in game.step_names and len(chosen) == 1 and (codes or whole is not None):
        known = _one_stone(position, chosen[0]) | _occupied(position, captured)
    return wire.LegalView(
        ply=len(position.turns),
        legal=list(legal),
        illegal={
            step: known.get(step) or _why_not(position, (*chosen, step))
            for step in game.step_names
            if step not in legal
        },
        complete=whole is not None,
        may_pass=PASS in codes,
        captured=captured,
    )


def _following(game: engine.Game, state: Record, chosen: tuple[str, ...]) -> list[int]:
    """What the kernel lists after the chosen steps, which are played in `state`.

    Nothing, if they are not legal or if the turn ends with them.
    """
    for place, step in enumerate(chosen):
        turn_ended = place > 0 and state["step"] == 0
        known = step in game.step_names
        if turn_ended or not known:
            return []
        if not calls.try_step(game.record, state, game.step_names.index(step)):
            return []
    if chosen and state["step"] == 0:
        return []
    out = np.empty(len(game.step_names) + PASS_AND_STOP, np.int16)
    count = calls.legal_steps(game.record, state, out)
    codes: list[int] = out[:count].tolist()
    return codes


def _captured_by(position: engine.Position, chosen: tuple[str, ...]) -> tuple[str, ...] | None:
    """The cells that a turn clears; None if it is no legal turn."""
    try:
        return position.play(",".join(chosen)).captured if chosen else None
    except engine.IllegalTurn:
        return None


def _cleared_so_far(position: engine.Position, state: Record) -> list[str]:
    """The cells that the first stone of a turn clears before the second is placed."""
    game = position.game
    if state["step"] == 0:
        return []
    return [game.board.cells[cell] for cell in game.adapter.captured(position.record(), state)]


def _occupied(position: engine.Position, captured: list[str]) -> dict[str, wire.Illegal]:
    """The stones that stand where they stood before the turn: no first or second stone is tried."""
    game, before = position.game, position.record()
    taken = position.stones.keys() - set(captured)
    return {
        step: _as_message(
            game.adapter.why_illegal(game.board, game.record, before, before, (code,))
        )
        for code, step in enumerate(game.step_names)
        if game.placements(step)[0].cell in taken
    }


def _one_stone(position: engine.Position, first: str) -> dict[str, wire.Illegal]:
    """If not even the same cell again is refused for another reason, no empty cell is."""
    reason = _why_not(position, (first, first))
    return dict.fromkeys(position.game.step_names, reason) if reason.rule == "one-stone" else {}


def _why_not(position: engine.Position, steps: tuple[str, ...]) -> wire.Illegal:
    try:
        position.play(",".join(steps))
    except engine.IllegalTurn as error:
        return _as_message(error)
    raise AssertionError(f"the kernel and the rules disagree about {steps}")


def _as_message(reason: engine.IllegalTurn | Refusal) -> wire.Illegal:
    return wire.Illegal(rule=reason.rule, message=sentence(reason.reason))
