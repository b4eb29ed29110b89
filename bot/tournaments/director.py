"""What is due in a tournament, as events; the same again for a host that is started again."""

from collections.abc import Callable, Collection, Iterator
from typing import Final

from bot.tournaments.events import Ended, Event, Stopped
from bot.tournaments.formats.base import Format, ReasonedFormat
from bot.tournaments.schedule import Schedule
from bot.tournaments.state import VOIDS_IN_A_ROW, Tournament

StopRule = Callable[[Tournament], str | None]
"""Why a tournament is over before all is played, as a sequential test says; None while it is not.
"""
ALL_GAMES_PLAYED: Final = "all games are played"


class Director:
    """Asks a format, and turns its answers into events; holds nothing of its own."""

    def __init__(self, form: Format, schedule: Schedule, stop_rule: StopRule | None = None) -> None:
        self._format = form
        self._schedule = schedule
        self._stop_rule = stop_rule

    def due(self, tournament: Tournament, free: Collection[str] = ()) -> list[Event]:
        """What has to be written down and applied now; [] if nothing.

        Ask again when that is done, until nothing is due: one answer may make another due. `free`
        are the players who can begin a game now, without those that were paired since.
        """
        if tournament.paused is not None or tournament.ended is not None:
            return []
        if stopped := list[Event](_stopped(tournament)):
            return stopped
        why = self._stop_rule(tournament) if self._stop_rule is not None else None
        if why is not None:
            return [Ended(why=why)]
        draw = self._format.due(tournament, free)
        if draw is not None and (draw.pairs or draw.byes):
            return [self._schedule.paired(tournament, draw)]
        return [Ended(why=self._why_over(tournament))] if self._format.is_over(tournament) else []

    def _why_over(self, tournament: Tournament) -> str:
        form = self._format
        why = form.why_over(tournament) if isinstance(form, ReasonedFormat) else None
        return why or ALL_GAMES_PLAYED


def _stopped(tournament: Tournament) -> Iterator[Stopped]:
    why = f"{VOIDS_IN_A_ROW} games in a row counted for nothing"
    for pairing in tournament.failing():
        yield Stopped(pairing=pairing.number, why=why)
