"""The games and clocks that this arena offers."""

from dataclasses import dataclass

import engine
from bot import wire
from bot.arena.model import referee
from bot.arena.model.refusals import Refused


@dataclass(frozen=True)
class Menu:
    """The games that players may start, and the clocks that pages suggest."""

    games: tuple[engine.GameInfo, ...]
    clocks: tuple[str, ...]

    def settled(self, setup: wire.OfferedSetup) -> wire.GameSetup:
        """The complete setup, with defaults filled in. Raises Refused if it is not offered."""
        chosen = referee.settled(setup)
        offered = [info.name for info in self.games]
        if chosen.game not in offered:
            known = ", ".join(offered)
            raise Refused("unknown_game", f"{chosen.game} is not offered here; known: {known}.")
        return chosen
