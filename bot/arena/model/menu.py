"""What this arena offers to those who want to play."""

from dataclasses import dataclass

import engine
from bot import wire
from bot.arena.model import referee
from bot.arena.model.refusals import Refused


@dataclass(frozen=True)
class Menu:
    """The games that may be played, and the clocks that pages suggest."""

    games: tuple[engine.GameInfo, ...]
    clocks: tuple[str, ...]

    def settled(self, setup: wire.OfferedSetup) -> wire.GameSetup:
        """What will be played, with everything said; Refused if it is not on the menu."""
        chosen = referee.settled(setup)
        offered = [info.name for info in self.games]
        if chosen.game not in offered:
            known = ", ".join(offered)
            raise Refused("unknown_game", f"{chosen.game} is not played here; known: {known}.")
        return chosen
