"""What may be chosen next, and why not the rest."""

from collections.abc import Mapping
from dataclasses import dataclass

from engine.games.refusal import Refusal


@dataclass(frozen=True)
class Choices:
    """What a player may choose next while they put a turn together, step by step.

    A step is written as in `Game.step_names`. Each is either in `legal` or, with the reason for
    which the turn would be refused, in `illegal`. `complete` is whether the steps chosen so far are
    a legal turn, `captured` the cells that they clear, in canonical order.
    """

    legal: tuple[str, ...]
    illegal: Mapping[str, Refusal]
    complete: bool
    may_pass: bool
    captured: tuple[str, ...]
