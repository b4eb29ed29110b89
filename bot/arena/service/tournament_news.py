"""Who hears of tournaments, and how often: the more hear of it, and the longer it is, the rarer."""

from typing import Final

from bot.arena.model.tournament import HostedTournament
from bot.arena.service.alarms import Alarms
from bot.arena.service.announcer import Announcer
from bot.arena.service.tournament_views import TournamentViews
from bot.time_source import TimeSource

DELAY_S: Final = 0.25
LEAST_S: Final = 1.0
MOST_S: Final = 15.0
BYTES_PER_S: Final = 4_000_000
"""So much at most goes to the spectators of one tournament, as far as MOST_S allows."""
SHARE: Final = 0.02
"""Of the server's time that goes into states for these spectators, in the same way: standings of
twenty thousand games take a fifth of a second, in which no turn is answered.
"""


class TournamentNews:
    """Tells those who follow a tournament of its changes, gathered."""

    def __init__(self, views: TournamentViews, announcer: Announcer, time: TimeSource) -> None:
        self._views = views
        self._announcer = announcer
        self._time = time
        self._alarms = Alarms(time)
        self._next_at: dict[str, float] = {}
        self._awaited: set[str] = set()

    async def close(self) -> None:
        await self._alarms.close()

    def changed(self, hosted: HostedTournament, _is_news: bool) -> None:
        known_as = hosted.tournament_id
        if known_as in self._awaited or not self._announcer.followers(known_as):
            return
        self._awaited.add(known_as)
        at = max(self._time.monotonic() + DELAY_S, self._next_at.get(known_as, 0.0))
        self._alarms.set(known_as, at, lambda: self._tell(hosted))

    async def _tell(self, hosted: HostedTournament) -> None:
        known_as = hosted.tournament_id
        self._awaited.discard(known_as)
        began = self._time.monotonic()
        state = self._views.state(hosted)
        took_s = self._time.monotonic() - began
        size = await self._announcer.tournament(state)
        sending_s = size * self._announcer.followers(known_as) / BYTES_PER_S
        pause_s = max(LEAST_S, sending_s, took_s / SHARE)
        if hosted.is_over:
            self._next_at.pop(known_as, None)
        else:
            now = self._time.monotonic()
            self._next_at[known_as] = now + min(pause_s, MOST_S)
