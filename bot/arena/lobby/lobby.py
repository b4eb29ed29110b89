"""The lobby: the content of the front page, and the moments at which it is sent."""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Sequence
from typing import Final

from bot import wire
from bot.arena.announcer import Announcer
from bot.arena.games.all_games import AllGames
from bot.arena.games.maintenance import MaintenanceMode
from bot.arena.games.preparation import Preparation
from bot.arena.games.rated_play import RatedPlay
from bot.arena.lobby.challenge import Challenge
from bot.arena.lobby.challenge_service import Challenges
from bot.arena.players.presence import Presence
from bot.runtime.alarms import Alarms
from bot.time_source import TimeSource

SHOWN_PLAYERS: Final = 200
SHOWN_CHALLENGES: Final = 100
SHOWN_RUNNING: Final = 30
SHOWN_FINISHED: Final = 20
SHOWN_TOURNAMENTS: Final = 20
NEWS_DELAY_S: Final = 0.25
NEWS_DELAY_EACH_S: Final = 0.001
"""Added for each connection, so that a crowd that connects does not multiply the events."""
TURNS_DELAY_S: Final = 5.0


class Lobby:
    """Follows challenges, games and players. The lobby is sent to all soon after a change."""

    def __init__(
        self,
        presence: Presence,
        challenges: Challenges,
        games: AllGames,
        preparation: Preparation,
        announcer: Announcer,
        time: TimeSource,
        rated_play: RatedPlay,
        mode: MaintenanceMode,
    ) -> None:
        self._presence = presence
        self._challenges = challenges
        self._games = games
        self._preparation = preparation
        self._announcer = announcer
        self._time = time
        self._rated_play = rated_play
        self._mode = mode
        self._alarms = Alarms(time)
        self._finished: list[wire.GameSummary] = []
        self._finished_changed = True
        self._shown: wire.Lobby | None = None
        self._revision = 0
        self._news_at: float | None = None
        self.is_hidden: Callable[[str], bool] = lambda _name: False
        """Whether an account analyses games instead of playing."""
        self.tournaments: Callable[[], Sequence[wire.TournamentSummary]] = lambda: ()
        """The tournaments that are not over, the newest first."""

    async def open(self) -> None:
        """Read the finished games."""
        # Greater than every revision of an earlier run, and of another process.
        self._revision += round(self._time.wall().timestamp() * 1000)
        await self._load_finished()

    async def close(self) -> None:
        await self._alarms.close()

    def view(self) -> wire.Lobby:
        """Return the lobby as it was last sent if it will be sent again soon, else the
        present one.
        """
        if self._shown is None or self._news_at is None:
            self._shown = self._current()
        return self._shown

    def _current(self) -> wire.Lobby:
        public = _by_turns(filter(self._is_shown, self._challenges.public))
        return wire.Lobby(
            revision=self._revision,
            players=[self._rated_play.ratings.shown(each) for each in self._players()],
            challenges=[each.as_message() for each in public[:SHOWN_CHALLENGES]],
            games=[*self._games.summaries(SHOWN_RUNNING), *self._finished],
            warming=self._preparation.warming,
            tournaments=list(self.tournaments()[:SHOWN_TOURNAMENTS]),
            maintenance=self._mode.planned,
        )

    def _players(self) -> list[wire.Player]:
        shown = [each for each in self._presence.players if not self.is_hidden(each.name)]
        return shown[:SHOWN_PLAYERS]

    def _is_shown(self, challenge: Challenge) -> bool:
        return self._presence.is_here(challenge.creator.name)

    def player_came_or_left(self, _name: str) -> None:
        self.changed()

    def player_renamed(self, _former: str, player: wire.Player) -> None:
        if self._presence.is_here(player.name):
            self.changed()
        if player.kind == "guest":  # the account was erased, and has another name in its games
            self.game_changed(is_news=True)

    def game_changed(self, is_news: bool) -> None:
        """Send the lobby after a change of a game; a turn is less urgent than a start or an end."""
        self._finished_changed |= is_news
        self.changed(is_news)

    def changed(self, is_news: bool = True) -> None:
        """Send the lobby to all connections soon."""
        self._revision += 1
        delay = NEWS_DELAY_S if is_news else TURNS_DELAY_S
        crowd = self._presence.connection_count
        at = self._time.monotonic() + delay + crowd * NEWS_DELAY_EACH_S
        if self._news_at is None or at < self._news_at:
            self._news_at = at
            self._alarms.set("news", at, self._publish)

    async def _publish(self) -> None:
        self._news_at = None
        await self._load_finished()
        await self._rated_play.ratings.read(self._players())
        await self._games.look_at(SHOWN_RUNNING)
        self._shown = self._current()
        await self._announcer.lobby(self._shown)

    async def _load_finished(self) -> None:
        if not self._finished_changed:
            return
        self._finished_changed = False
        self._finished = await self._games.finished_summaries(SHOWN_FINISHED)


def _by_turns(challenges: Iterable[Challenge]) -> list[Challenge]:
    """Return the newest challenge of each creator, then the second newest of each, and so on.

    So no player can fill the whole list.
    """
    seen: Counter[str] = Counter()
    rounds: defaultdict[int, list[Challenge]] = defaultdict(list)
    oldest_first = sorted(challenges, key=lambda each: each.created_at)
    for challenge in reversed(oldest_first):
        rounds[seen[challenge.creator.name]].append(challenge)
        seen[challenge.creator.name] += 1
    return [challenge for each in rounds.values() for challenge in each]
