"""Which steps may follow in a turn, and why the others may not."""

from collections.abc import Mapping
from dataclasses import dataclass

from engine.games.refusal import Refusal


@dataclass(frozen=True)
class Choices:
    """Which steps may follow in a turn that a player is putting together.

    Each step of `Game.step_names` is either in `legal` or in `illegal`.
    """

    legal: tuple[str, ...]
    """The steps that may come next."""
    illegal: Mapping[str, Refusal]
    """Every other step, with the reason why it may not come next."""
    complete: bool
    """True if the steps chosen so far are a legal turn."""
    may_pass: bool
    """True if the turn may be a pass; False once a stone is chosen."""
    captured: tuple[str, ...]
    """The cells that the steps chosen so far clear, in the order of `Board.cells`."""
