"""Openings that are made: random turns of which a judge says that they are fair."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Final

import engine
from bot.matches.adjudication import Opinion
from bot.tournaments.openings import Line, candidates

FAIR_WITHIN: Final = 0.1
"""How far from one half the first player's chance may be."""
PATIENCE: Final = 40
"""So many candidates in a row without a fair one, and what counts as fair is widened."""
WIDER_BY: Final = 0.05


@dataclass(frozen=True)
class Opening:
    """`chance` is the first player's, as the search saw it."""

    turns: Line
    chance: float


@dataclass
class Search:
    """How far the search for openings has come; `within` is how far from one half is still fair."""

    wanted: int
    within: float
    found: list[Opening] = field(default_factory=list)
    tried: int = 0

    @property
    def is_complete(self) -> bool:
        """Whether as many as were wanted have been found; there may not be so many."""
        return len(self.found) >= self.wanted


async def made_openings(
    game: engine.Game,
    plies: int,
    count: int,
    seed: int,
    judge: Opinion,
    on_progress: Callable[[Search], None] = lambda _: None,
    within: float = FAIR_WITHIN,
) -> Search:
    """Random legal turns to that ply, the same for the same seed if the judge's answers are.

    No two lead to the same stones, and the judge sees neither side ahead. Where fair ones are hard
    to find, `within` grows by 0.05 at a time, and the best of those that were tried come first.
    Raises HostError where the judge fails.
    """
    search, spare, in_vain = Search(count, within), list[Opening](), 0
    for position in candidates(game, plies, seed):
        if search.is_complete:
            break
        opening = Opening(position.turns, await judge.chance(position))
        search.tried += 1
        if _is_fair(opening, search.within):
            search.found.append(opening)
            in_vain = 0
        else:
            spare.append(opening)
            in_vain += 1
        if in_vain >= PATIENCE:
            in_vain = 0
            _widen(search, spare)
        on_progress(search)
    while not search.is_complete and spare:
        _widen(search, spare)
    on_progress(search)
    return search


def _is_fair(opening: Opening, within: float) -> bool:
    return abs(opening.chance - 0.5) <= within + 1e-9


def _widen(search: Search, spare: list[Opening]) -> None:
    """Let more be fair, and take what is so now, the fairest first."""
    search.within = round(search.within + WIDER_BY, 4)
    spare.sort(key=lambda opening: abs(opening.chance - 0.5))
    while spare and not search.is_complete and _is_fair(spare[0], search.within):
        search.found.append(spare.pop(0))
