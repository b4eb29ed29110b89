"""The legal next steps of a turn, and the reasons why other steps are illegal."""

from collections.abc import Mapping
from dataclasses import dataclass

from engine.errors import Refusal


@dataclass(frozen=True)
class Choices:
    """The steps that may follow in a turn that a player has begun to compose.

    On a fixed board each step of `Game.step_names` is either in `legal` or in `illegal`. On an
    unbounded board `illegal` names the occupied cells; all other steps are out of range.
    """

    legal: tuple[str, ...]
    """The steps that may come next."""
    illegal: Mapping[str, Refusal]
    """Other steps, with the reason why they may not come next."""
    complete: bool
    """True if the steps chosen so far are a legal turn."""
    may_pass: bool
    """True if the turn may be a pass; False once a stone is chosen."""
    captured: tuple[str, ...]
    """The cells whose stones the chosen steps capture, in the order of `Board.cells`."""
