"""Tournaments of an arena: those that the bot enters, and those in which games may start."""

from collections.abc import Sequence
from fnmatch import fnmatchcase
from typing import Final

from bot import wire

GOING_ON: Final = frozenset({"running", "paused"})
TO_COME: Final = frozenset({"waiting", "open", "closed"})


class Entries:
    """Follows the server's states. `names` are patterns of tournaments that the bot enters."""

    def __init__(self, names: Sequence[str]) -> None:
        self._names = names
        self._entered: dict[str, wire.TournamentPhase] = {}
        self._asked: set[str] = set()

    def welcomed(self, ours: Sequence[wire.TournamentSummary]) -> None:
        """Replace the known tournaments by those that we have entered."""
        self._entered = {each.tournament_id: each.state for each in ours}
        self._asked.clear()

    def seen(self, current: Sequence[wire.TournamentSummary]) -> None:
        """Take the tournaments of the lobby. One of ours that is missing there is over."""
        phases = {each.tournament_id: each.state for each in current}
        self._asked &= phases.keys()
        self._entered = {
            tournament_id: phases[tournament_id]
            for tournament_id in self._entered
            if tournament_id in phases
        }

    def wanted(self, current: Sequence[wire.TournamentSummary]) -> list[str]:
        """Return the tournaments to enter now. Each is returned once."""
        found = [
            each.tournament_id
            for each in current
            if each.is_open
            and each.admits != "people"
            and each.tournament_id not in {*self._entered, *self._asked}
            and any(fnmatchcase(each.name.lower(), name.lower()) for name in self._names)
        ]
        self._asked.update(found)
        return found

    def entered(self, state: wire.TournamentState) -> None:
        self._entered[state.tournament_id] = state.state

    def left(self, tournament_id: str) -> None:
        self._entered.pop(tournament_id, None)

    def stop(self) -> list[str]:
        """Enter no more tournaments, and return those of ours that have not started."""
        self._names = ()
        return [tournament_id for tournament_id, phase in self._entered.items() if phase in TO_COME]

    @property
    def going_on(self) -> int:
        """The number of our tournaments in which a game may start at any time."""
        return sum(phase in GOING_ON for phase in self._entered.values())
