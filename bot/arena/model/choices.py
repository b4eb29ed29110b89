"""What a player may choose next, as messages say it."""

from functools import lru_cache

import engine
from bot import wire
from bot.arena.model.refusals import sentence


@lru_cache(maxsize=512)
def legal_view(position: engine.Position, chosen: tuple[str, ...]) -> wire.LegalView:
    """Which steps may follow `chosen`, and why not the others."""
    found = position.choices(chosen)
    return wire.LegalView(
        ply=len(position.turns),
        legal=list(found.legal),
        illegal={step: _as_message(why.rule, why.reason) for step, why in found.illegal.items()},
        complete=found.complete,
        may_pass=found.may_pass,
        captured=list(found.captured),
    )


@lru_cache(maxsize=512)
def _as_message(rule: str, reason: str) -> wire.Illegal:
    """Where a turn is a single stone, one reason stands for all cells."""
    return wire.Illegal(rule=rule, message=sentence(reason))
