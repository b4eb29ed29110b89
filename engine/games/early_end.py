"""The end of a game whose winner can no longer change, before a rule of play ends it."""

from dataclasses import dataclass


@dataclass(frozen=True)
class EarlyEnd:
    """Why a game may end early, or has ended early: a player is sure to have the better score.

    In Stargazers both numbers count uninspired stones.
    """

    winner: int
    """The player who wins, 1 or 2."""
    assured: int
    """What the winner is sure of: how many stones of the loser stay uninspired at least."""
    potential: int
    """What the loser can reach: how many stones of the winner can be uninspired at most."""
