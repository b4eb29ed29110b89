"""The games that run in this process: each change is committed, then announced, one at a time.

Problem. Turns, actions, connections and deadlines change the same game concurrently. No player may
see a turn that a crash takes back. No player may lose clock time to a slow disk. A repeated turn,
which a client sends when an acknowledgement is lost, must not be played twice.

Idea. Every change takes the same way, `change`, under the lock of its game:

1. `settle(now)`: time acts first, as of the moment when the request arrived.
2. `step(game)` returns the new game, or raises Refused, which changes nothing.
3. The new game is committed to the disk. Only then it replaces the old one in memory.
4. Its alarm is set, its log line is written, listeners are called.
5. It is announced to players and watchers; after that the caller acknowledges the request.

So an announcement or acknowledgement always describes a stored game. A crash between 3 and 5 is
repaired by the client: it reconnects, gets the whole game, and a repeated turn is recognised by its
ply (`is_repeated`). The next player's time starts when the commit is finished (`_commit`), so the
disk costs no player time. If the disk cannot be written, `save` waits, the store reports it, and
`pause` stops the arena's clock until writing works again.

Changes of connections alone are not stored: after a restart all players are disconnected. They are
announced with a `sub_revision`, so that clients can still order states.

Rejected:

- Announce first and commit meanwhile: a crash takes back a turn that the opponent has answered.
- One lock for all games: a commit would make all games wait; with a lock per game, the writer
  gathers the turns of many games into one transaction.
- A queue and a task per game: the same order, but each game would cost a task for its whole life,
  and errors would have to find their way back to the request.
"""

import asyncio
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from itertools import islice

import structlog
from pydantic import BaseModel

from bot.arena.announcer import Announcer
from bot.arena.arena_clock import ArenaClock
from bot.arena.games.copies import replaced
from bot.arena.games.finished_games import FinishedGames
from bot.arena.games.game import Game
from bot.arena.games.game_store import GameStore
from bot.arena.games.game_views import GameNews, log_end, log_takeback, log_turn
from bot.arena.metrics import ArenaMetrics
from bot.arena.players.presence import Presence
from bot.arena.refusals import OwnerReplaced, unavailable
from bot.runtime.alarms import Alarms

log = structlog.get_logger()


@dataclass
class _RunningGame:
    """A running game and the lock under which it changes."""

    game: Game
    lock: asyncio.Lock = field(default_factory=asyncio.Lock)


class GamesInPlay:
    """The running games of this process, with their alarms, and the way in which they change.

    `on_change` is called after each change; its argument says whether a game started or ended.
    `on_start` is called with each game that starts or is taken over, and `on_end` with each game
    that has ended.
    """

    def __init__(
        self,
        store: GameStore,
        finished: FinishedGames,
        announcer: Announcer,
        presence: Presence,
        clock: ArenaClock,
        metrics: ArenaMetrics,
    ) -> None:
        self._store = store
        self._finished = finished
        self._announcer = announcer
        self._presence = presence
        self._clock = clock
        self._metrics = metrics
        self._alarms = Alarms(clock)
        self._running: dict[str, _RunningGame] = {}
        self.on_change: list[Callable[[bool], None]] = []
        self.on_start: list[Callable[[Game], None]] = []
        self.on_end: list[Callable[[Game], None]] = []
        self.on_turn: list[Callable[[Game], None]] = []
        """Called with a game after each turn, unless it has ended."""
        self.on_news: list[Callable[[Game], None]] = []
        """Called with a game right before it is announced."""

    async def close(self) -> None:
        await self._alarms.close()

    # ---- which games run -------------------------------------------------------------------

    def get(self, game_id: str) -> Game | None:
        """A running game; None if it has ended, or does not run in this process."""
        running = self._running.get(game_id)
        return None if running is None else running.game

    def of_player(self, name: str) -> list[Game]:
        """The games of a player, oldest first."""
        return [
            running.game
            for running in self._running.values()
            if any(player.name == name for player in running.game.players)
        ]

    def newest(self, limit: int) -> list[Game]:
        """At most `limit` games, the newest first."""
        return [running.game for running in islice(reversed(self._running.values()), limit)]

    def names_in(self, game_id: str) -> tuple[str, ...]:
        """The names of the players of a game; empty if it does not run in this process."""
        game = self.get(game_id)
        return () if game is None else tuple(player.name for player in game.players)

    @property
    def ids(self) -> list[str]:
        return list(self._running)

    @property
    def count(self) -> int:
        return len(self._running)

    def count_by_game(self) -> dict[str, int]:
        """The number of running games by game; games without one are missing."""
        return Counter(running.game.setup.game for running in self._running.values())

    @property
    def alarm_failures(self) -> int:
        return self._alarms.failures

    # ---- games that come and go ------------------------------------------------------------

    def adopt(self, game: Game) -> None:
        """Add a running game that is stored already, and set its alarm."""
        self._running[game.game_id] = _RunningGame(game)
        self._set_alarm(game)
        for listener in self.on_start:
            listener(game)

    def announce(self, game_id: str) -> None:
        """Announce the whole state of a game, if it runs."""
        if (game := self.get(game_id)) is not None:
            self._announce(game)

    def drop_all(self) -> None:
        """Forget all running games: other processes continue them."""
        for running in list(self._running.values()):
            self._drop(running)

    def _drop(self, running: _RunningGame) -> None:
        """Forget a game that another process owns now; that process announces it."""
        game = running.game
        if self._running.get(game.game_id) is running:
            log.info("game_given_up", game=game.game_id, epoch=game.epoch)
            self._alarms.clear(game.game_id)
            del self._running[game.game_id]

    # ---- a disk that cannot be written -----------------------------------------------------

    def pause(self) -> None:
        """Pause all clocks until `resume`, and announce that."""
        self._clock.pause()
        self.announce_all_soon()

    def resume(self) -> None:
        self._clock.resume()
        self.announce_all_soon()

    def tell(self, event: str, message: BaseModel, names: Sequence[str]) -> None:
        """Send an event that is no state of a game to players."""
        self._announcer.tell(event, message, names)

    def announce_all_soon(self) -> None:
        """Announce all running games soon, because their clocks did not just run."""
        self._alarms.set("clocks", self._clock.monotonic(), self._announce_all)

    async def _announce_all(self) -> None:
        for running in list(self._running.values()):
            old = running.game
            running.game = replaced(old, sub_revision=old.sub_revision + 1)
            self._announce(running.game, old)

    # ---- changes ---------------------------------------------------------------------------

    async def change(
        self, game_id: str, step: Callable[[Game], Game], now: float
    ) -> tuple[Game, Game]:
        """Let time act, then apply `step`; returns the game before and after the step.

        A finished game stays as it is: `step` must refuse it or return it. Raises Refused.
        """
        running = self._running.get(game_id)
        if running is None:
            game = await self._finished.find(game_id)
            return game, step(game)
        async with running.lock:
            try:
                await self._commit(running, running.game.settle(now))
                before = running.game
                await self._commit(running, step(before))
            except OwnerReplaced:
                self._drop(running)
                raise unavailable() from None
            return before, running.game

    async def _settle(self, game_id: str) -> None:
        await self.change(game_id, lambda game: game, self._clock.monotonic())

    async def _commit(self, running: _RunningGame, game: Game) -> None:
        old = running.game
        if game is old:
            return
        if game.result is not None:
            game = replaced(game, ended_at=self._clock.wall())
        if not _must_be_saved(old, game):
            game = replaced(game, sub_revision=old.sub_revision + 1)
        else:
            # The turn may have arrived long ago, and waited for a new owner of the game.
            since = game.thinking_since if game.ply == old.ply else self._clock.monotonic()
            revision = old.revision + 1
            game = replaced(game, revision=revision, sub_revision=0, thinking_since=since)
            if game.result is None:
                await self._store.save(old, game, None)
            else:
                await self._finished.save(old, game)
        if game.ply != old.ply:
            # The next player's time starts after the commit.
            game = replaced(game, thinking_since=self._clock.monotonic())
        running.game = game
        self._after_commit(old, game)
        self._announce(game, old)

    def _announce(self, game: Game, old: Game | None = None) -> None:
        for listener in self.on_news:
            listener(game)
        self._announcer.game(GameNews(game, self._presence, self._clock, old))

    def _after_commit(self, old: Game, game: Game) -> None:
        if game.ply > old.ply:
            log_turn(game)
            self._metrics.turns.inc(game.setup.game)
        elif game.ply < old.ply:
            log_takeback(old, game)
        if game.result is None:
            self._set_alarm(game)
            for heard in self.on_turn if game.ply > old.ply else ():
                heard(game)
        else:
            log_end(game)
            self._metrics.games_finished.inc(game.setup.game, game.result.reason)
            self._alarms.clear(game.game_id)
            del self._running[game.game_id]
            self._finished.keep(game)
            for listener in self.on_end:
                listener(game)
        self.notify(is_news=game.result is not None)

    def notify(self, *, is_news: bool) -> None:
        """Call the listeners of `on_change`."""
        for listener in self.on_change:
            listener(is_news)

    def _set_alarm(self, game: Game) -> None:
        deadline = game.deadline()
        if deadline is None:
            self._alarms.clear(game.game_id)
        else:
            self._alarms.set(game.game_id, deadline, lambda: self._settle(game.game_id))


def _must_be_saved(old: Game, new: Game) -> bool:
    """Return whether more changed than the players' connections."""
    return (
        new.ply != old.ply
        or new.result != old.result
        or new.draw_offer != old.draw_offer
        or new.takeback_offer != old.takeback_offer
        or new.abort_offer != old.abort_offer
        or new.hints != old.hints
        or new.thinking_since != old.thinking_since
    )
