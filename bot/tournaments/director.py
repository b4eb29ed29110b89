"""The director decides which events of a tournament are due."""

from collections.abc import Callable, Collection, Iterator
from typing import Final

from bot.tournaments.events import Ended, Event, Stopped
from bot.tournaments.formats.base import Format, ReasonedFormat
from bot.tournaments.schedule import Schedule
from bot.tournaments.state import VOIDS_IN_A_ROW, Tournament

StopRule = Callable[[Tournament], str | None]
"""Returns why a tournament ends before all games are played; None while it continues. A sequential
test is such a rule.
"""
ALL_GAMES_PLAYED: Final = "all games are played"


class Director:
    """Asks a format for pairings and turns them into events.

    It has no state of its own, so a restarted host gets the same answers.
    """

    def __init__(self, form: Format, schedule: Schedule, stop_rule: StopRule | None = None) -> None:
        self._format = form
        self._schedule = schedule
        self._stop_rule = stop_rule

    def due(self, tournament: Tournament, free: Collection[str] = ()) -> list[Event]:
        """The events to write to disk and to apply now; [] if there are none.

        The caller asks again until nothing is due, because one event may make another one due.
        `free` are the players who can begin a game now; formats with rounds ignore them.
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
