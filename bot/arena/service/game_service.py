"""The arena's games: each change is committed, then announced, one at a time per game.

Problem. Turns, actions, connections and deadlines change the same game concurrently. No player may
see a turn that a crash takes back. No player may lose clock time to a slow disk. A repeated turn,
which a client sends when an acknowledgement is lost, must not be played twice.

Idea. Every change takes the same way, `_change`, under the lock of its game:

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
from dataclasses import dataclass, field, replace
from itertools import islice

import structlog

import engine
from bot import wire
from bot.arena.metrics import ArenaMetrics
from bot.arena.model import takebacks
from bot.arena.model.game import Game
from bot.arena.model.game_start import new_game
from bot.arena.model.refusals import Refused, Replaced, unavailable
from bot.arena.service.alarms import Alarms
from bot.arena.service.announcer import Announcer
from bot.arena.service.arena_clock import ArenaClock
from bot.arena.service.finished_games import FinishedGames
from bot.arena.service.game_views import (
    log_end,
    log_start,
    log_takeback,
    log_turn,
    state_of,
    summary_of,
)
from bot.arena.service.presence import Presence
from bot.arena.settings import Allowances
from bot.arena.store.game_store import GameStore
from bot.arena.store.schema import new_id

log = structlog.get_logger()


@dataclass(frozen=True)
class Beginning:
    """How a process starts a game for another one: its id, and the duty of the hall that asks."""

    game_id: str
    hall: tuple[str, int] | None = None


@dataclass
class _RunningGame:
    """A running game and the lock under which it changes."""

    game: Game
    lock: asyncio.Lock = field(default_factory=asyncio.Lock)


class Games:
    """Starts games, applies turns and actions, and lets time act.

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
        allowances: Allowances,
        clock: ArenaClock,
        metrics: ArenaMetrics,
    ) -> None:
        self._metrics = metrics
        self._store = store
        self._finished = finished
        self._announcer = announcer
        self._presence = presence
        self._allowances = allowances
        self._clock = clock
        self._alarms = Alarms(clock)
        self._running: dict[str, _RunningGame] = {}
        self._starting: set[str] = set()
        self.on_change: list[Callable[[bool], None]] = []
        self.on_start: list[Callable[[Game], None]] = []
        self.on_end: list[Callable[[Game], None]] = []
        self.on_turn: list[Callable[[Game], None]] = []
        """Called with a game after each turn, unless it has ended."""

    async def close(self) -> None:
        await self._alarms.close()

    # ---- a disk that cannot be written -----------------------------------------------------

    @property
    def is_paused(self) -> bool:
        """Whether all clocks are paused, because the database cannot be written."""
        return self._clock.is_paused

    def pause(self) -> None:
        """Pause all clocks until `resume`, and announce that."""
        self._clock.pause()
        self.announce_all_soon()

    def resume(self) -> None:
        self._clock.resume()
        self.announce_all_soon()

    def announce_all_soon(self) -> None:
        """Announce all running games soon, because their clocks did not just run."""
        self._alarms.set("clocks", self._clock.monotonic(), self._announce_all)

    async def _announce_all(self) -> None:
        for running in list(self._running.values()):
            old = running.game
            running.game = replace(old, sub_revision=old.sub_revision + 1)
            await self._announce(old, running.game)

    # ---- what players do -------------------------------------------------------------------

    async def start(
        self,
        setup: wire.GameSetup,
        players: tuple[wire.Player, wire.Player],
        place: wire.TournamentPlace | None = None,
        opening: Sequence[str] = (),
        beginning: Beginning | None = None,
    ) -> wire.GameState:
        """Start a game between two players; in a tournament at its `place`, after an `opening`.

        Raises Replaced if the hall that asks for it by `beginning` has moved meanwhile.
        """
        wall, now = self._clock.wall(), self._clock.monotonic()
        beginning = beginning or Beginning(new_id())
        game_id, hall = beginning.game_id, beginning.hall
        game = new_game(game_id, setup, players, self._allowances, wall, now, place, opening)
        if self._store.owner is not None:
            game = replace(game, epoch=1)
        self._starting.add(game_id)
        try:
            is_here = await self._store.begin(game, hall)
        finally:
            self._starting.discard(game_id)
        if not is_here:  # the hall did not hear that another process has begun it
            return self._state(game)
        for player in players:
            game = _with_presence(game, player.name, self._presence.is_here(player.name), now)
        self.adopt(game)
        log_start(game)
        self._metrics.games_started.inc(setup.game)
        await self._announcer.game(self._state(game))
        self._notify(is_news=True)
        return self._state(game)

    def adopt(self, game: Game) -> None:
        """Add a running game that is stored already, and set its alarm."""
        self._running[game.game_id] = _RunningGame(game)
        self._set_alarm(game)
        for listener in self.on_start:
            listener(game)

    async def take_over(self, game: Game) -> None:
        """Add a running game that another process had, with the players who are connected."""
        self.adopt(game)
        now = self._clock.monotonic()
        for player in game.players:
            await self._change(game.game_id, self._presence_step(player.name, now), now)
        running = self._running.get(game.game_id)
        if running is not None:
            await self._announcer.game(self._state(running.game))

    def drop_all(self) -> None:
        """Forget all running games: other processes continue them."""
        for running in list(self._running.values()):
            self._drop(running)

    def owns(self, game_id: str) -> bool:
        """Return whether a game runs in this process."""
        return game_id in self._running

    @property
    def ids(self) -> list[str]:
        """The ids of the games that run in this process, or are being started."""
        return [*self._running, *self._starting]

    async def play(self, name: str, message: wire.PlayTurn, arrived: float) -> wire.TurnDone:
        """Play a turn that arrived at `arrived`; a repeated one changes nothing. Raises Refused."""

        def step(game: Game) -> Game:
            seat = game.seat_of(name)
            takebacks.check_known(game, None, message.takebacks)
            if game.is_repeated(seat, message.ply, message.turn):
                return game
            return game.play(seat, message.ply, message.turn, arrived, message.info)

        before, after = await self._change(message.game_id, step, arrived)
        if after.ply > before.ply and after.thinking_since is not None:
            # `thinking_since` is the moment of the commit, and now the players have the turn.
            self._metrics.turn_commit.observe(after.thinking_since - arrived)
            self._metrics.turn_broadcast.observe(self._clock.monotonic() - after.thinking_since)
        return wire.TurnDone(
            game_id=message.game_id, ply=message.ply, duplicate=after.ply == before.ply
        )

    async def act(self, name: str, message: wire.GameAction) -> wire.GameState:
        """Carry out an action of a player, such as to resign. Raises Refused."""
        now = self._clock.monotonic()

        def step(game: Game) -> Game:
            seat = game.seat_of(name)
            takebacks.check_known(game, message.ply, message.takebacks)
            return takebacks.acted(game, seat, message.action, now)

        _, game = await self._change(message.game_id, step, now)
        return self._state(game)

    async def abort_by_operator(self, game_id: str, why: str) -> wire.Result:
        """See `AllGames`."""
        now = self._clock.monotonic()
        _, game = await self._change(game_id, lambda game: game.aborted_by_operator(why, now), now)
        assert game.result is not None
        return game.result

    async def note_hint(self, game_id: str, name: str, turns: Sequence[str]) -> None:
        """See `AllGames`."""
        now = self._clock.monotonic()
        await self._change(
            game_id, lambda game: takebacks.hinted(game, game.seat_of(name), turns), now
        )

    async def note_spectators(self, game_id: str, count: int) -> None:
        """Announce how many spectators a game of this process has, if that is new."""
        running = self._running.get(game_id)
        if running is not None and running.game.spectators != count:
            now = self._clock.monotonic()
            await self._change(game_id, lambda game: _with_spectators(game, count), now)

    def names_in(self, game_id: str) -> tuple[str, ...]:
        """The names of the players of a running game of this process; none if it has none."""
        running = self._running.get(game_id)
        return () if running is None else tuple(each.name for each in running.game.players)

    async def player_came_or_left(self, name: str) -> None:
        """Record in a player's games that they got their first connection or lost their
        last one.
        """
        now = self._clock.monotonic()
        for game_id in self._ids_of(name):
            await self._change(game_id, self._presence_step(name, now), now)

    def _presence_step(self, name: str, now: float) -> Callable[[Game], Game]:
        # Presence is read later, because the player may come or go before the step runs.
        return lambda game: _with_presence(game, name, self._presence.is_here(name), now)

    # ---- what others see -------------------------------------------------------------------

    async def state(self, game_id: str) -> wire.GameState:
        """A game, running or finished. Raises Refused if the id is unknown."""
        return self._state(await self.find(game_id))

    async def position(self, game_id: str, ply: int | None = None) -> engine.Position:
        """The position after `ply` turns, by default the last one. Raises Refused."""
        game = await self.find(game_id)
        if ply is None or ply == game.ply:
            return game.position
        if ply > game.ply:
            raise Refused("stale_ply", f"Ply {ply} is not reached yet: the game is at {game.ply}.")
        return game.position.game.replay(game.position.turns[:ply])

    def of_player(self, name: str) -> list[wire.GameState]:
        """The running games of a player, oldest first."""
        return [self._state(self._running[game_id].game) for game_id in self._ids_of(name)]

    def count_of(self, name: str) -> int:
        return len(self._ids_of(name))

    def setups_of(self, name: str) -> list[wire.GameSetup]:
        """The setups of a player's running games."""
        return [self._running[game_id].game.setup for game_id in self._ids_of(name)]

    @property
    def count(self) -> int:
        return len(self._running)

    def count_by_game(self) -> dict[str, int]:
        """The number of running games by game; games without one are missing."""
        return Counter(running.game.setup.game for running in self._running.values())

    @property
    def alarm_failures(self) -> int:
        return self._alarms.failures

    def summaries(self, limit: int) -> list[wire.GameSummary]:
        """At most `limit` of the running games, the newest first."""
        newest = islice(reversed(self._running.values()), limit)
        return [summary_of(running.game) for running in newest]

    async def look_at(self, limit: int) -> None:
        """See `AllGames`: the games are in memory."""

    async def finished_summaries(self, limit: int) -> list[wire.GameSummary]:
        """At most `limit` of the finished games, the last one first."""
        return await self._finished.summaries(limit)

    def _ids_of(self, name: str) -> list[str]:
        return [
            game_id
            for game_id, running in self._running.items()
            if any(player.name == name for player in running.game.players)
        ]

    # ---- changes ---------------------------------------------------------------------------

    async def _change(
        self, game_id: str, step: Callable[[Game], Game], now: float
    ) -> tuple[Game, Game]:
        """Let time act, then apply `step`; returns the game before and after the step."""
        running = self._running.get(game_id)
        if running is None:
            game = await self.find(game_id)
            return game, step(game)
        async with running.lock:
            try:
                await self._commit(running, running.game.settle(now))
                before = running.game
                await self._commit(running, step(before))
            except Replaced:
                self._drop(running)
                raise unavailable() from None
            return before, running.game

    def _drop(self, running: _RunningGame) -> None:
        """Forget a game that another process owns now; that process announces it."""
        game = running.game
        if self._running.get(game.game_id) is running:
            log.info("game_given_up", game=game.game_id, epoch=game.epoch)
            self._alarms.clear(game.game_id)
            del self._running[game.game_id]

    async def _settle(self, game_id: str) -> None:
        await self._change(game_id, lambda game: game, self._clock.monotonic())

    async def _commit(self, running: _RunningGame, game: Game) -> None:
        old = running.game
        if game is old:
            return
        if game.result is not None:
            game = replace(game, ended_at=self._clock.wall())
        if not _must_be_saved(old, game):
            game = replace(game, sub_revision=old.sub_revision + 1)
        else:
            game = replace(game, revision=old.revision + 1, sub_revision=0)
            if game.ply != old.ply:
                # The turn may have arrived long ago, and waited for a new owner of the game.
                game = replace(game, thinking_since=self._clock.monotonic())
            if game.result is None:
                await self._store.save(old, game, None)
            else:
                await self._finished.save(old, game)
        if game.ply != old.ply:
            # The next player's time starts after the commit.
            game = replace(game, thinking_since=self._clock.monotonic())
        running.game = game
        self._after_commit(old, game)
        await self._announce(old, game)

    async def _announce(self, old: Game, game: Game) -> None:
        state = self._state(game)
        is_whole = game.result is not None or game.ply < old.ply
        change = None if is_whole else wire.change_between(old.view, old.digest, state)
        await self._announcer.game(state, change)

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
        self._notify(is_news=game.result is not None)

    def _notify(self, *, is_news: bool) -> None:
        for listener in self.on_change:
            listener(is_news)

    def _set_alarm(self, game: Game) -> None:
        deadline = game.deadline()
        if deadline is None:
            self._alarms.clear(game.game_id)
        else:
            self._alarms.set(game.game_id, deadline, lambda: self._settle(game.game_id))

    async def ended(self, game_id: str) -> Game | None:
        """See `AllGames`."""
        game = await self.find(game_id)
        return None if game.result is None else game

    async def find(self, game_id: str) -> Game:
        """A game, running or finished. Raises Refused if the id is unknown."""
        if game_id in self._running:
            return self._running[game_id].game
        return await self._finished.find(game_id)

    def _state(self, game: Game) -> wire.GameState:
        return state_of(game, self._presence, self._clock)


def _with_spectators(game: Game, count: int) -> Game:
    """The game with that many spectators; unchanged if it has ended meanwhile."""
    return game if game.result is not None else replace(game, spectators=count)


def _with_presence(game: Game, name: str, is_here: bool, now: float) -> Game:
    seat = game.seat_of(name)
    return game.connected(seat, now) if is_here else game.disconnected(seat, now)


def _must_be_saved(old: Game, new: Game) -> bool:
    """Return whether more changed than the players' connections."""
    return (
        new.ply != old.ply
        or new.result != old.result
        or new.draw_offer != old.draw_offer
        or new.takeback_offer != old.takeback_offer
        or new.hints != old.hints
        or new.thinking_since != old.thinking_since
    )
