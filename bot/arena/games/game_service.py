"""What players, other services and other processes ask of the arena's games.

`GamesInPlay` has the running games, and the way in which each change is stored and announced.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from bot import wire
from bot.arena.arena_clock import ArenaClock
from bot.arena.games import takebacks
from bot.arena.games.finished_games import FinishedGames
from bot.arena.games.game import Game
from bot.arena.games.game_start import new_game
from bot.arena.games.game_store import GameStore
from bot.arena.games.game_views import log_start, state_of, summary_of
from bot.arena.games.games_in_play import GamesInPlay
from bot.arena.metrics import ArenaMetrics
from bot.arena.players.presence import Presence
from bot.arena.refusals import Refused
from bot.arena.settings import Allowances
from bot.arena.store.ids import new_id
from bot.runtime.workers import Workers


@dataclass(frozen=True)
class RemoteBeginning:
    """How a process starts a game for another one: its id, and the duty of the hall that asks."""

    game_id: str
    hall: tuple[str, int] | None = None


class Games:
    """Starts games, applies turns and actions, and shows games."""

    def __init__(
        self,
        playing: GamesInPlay,
        store: GameStore,
        finished: FinishedGames,
        presence: Presence,
        allowances: Allowances,
        clock: ArenaClock,
        metrics: ArenaMetrics,
        workers: Workers,
    ) -> None:
        self.playing = playing
        self._workers = workers
        self._store = store
        self._finished = finished
        self._presence = presence
        self._allowances = allowances
        self._clock = clock
        self._metrics = metrics
        self._starting: set[str] = set()

    @property
    def is_paused(self) -> bool:
        """Whether all clocks are paused, because the database cannot be written."""
        return self._clock.is_paused

    # ---- what players do -------------------------------------------------------------------

    async def start(
        self,
        setup: wire.GameSetup,
        players: tuple[wire.Player, wire.Player],
        place: wire.TournamentPlace | None = None,
        opening: Sequence[str] = (),
        beginning: RemoteBeginning | None = None,
    ) -> wire.GameState:
        """Start a game between two players; in a tournament at its `place`, after an `opening`.

        Raises Replaced if the hall that asks for it by `beginning` has moved meanwhile.
        """
        wall, now = self._clock.wall(), self._clock.monotonic()
        beginning = beginning or RemoteBeginning(new_id())
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
        self.playing.adopt(game)
        log_start(game)
        self._metrics.games_started.inc(setup.game)
        self.playing.announce(game_id)
        self.playing.notify(is_news=True)
        return self._state(game)

    async def take_over(self, game: Game) -> None:
        """Add a running game that another process had, with the players who are connected."""
        self.playing.adopt(game)
        now = self._clock.monotonic()
        for player in game.players:
            await self.playing.change(game.game_id, self._presence_step(player.name, now), now)
        self.playing.announce(game.game_id)

    def owns(self, game_id: str) -> bool:
        """Return whether a game runs in this process."""
        return self.playing.get(game_id) is not None

    @property
    def ids(self) -> list[str]:
        """The ids of the games that run in this process, or are being started."""
        return [*self.playing.ids, *self._starting]

    async def play(self, name: str, message: wire.PlayTurn, arrived: float) -> wire.TurnDone:
        """Play a turn that arrived at `arrived`; a repeated one changes nothing. Raises Refused."""

        def step(game: Game) -> Game:
            seat = game.seat_of(name)
            takebacks.check_known(game, None, message.takebacks)
            if game.is_repeated(seat, message.ply, message.turn):
                return game
            return game.play(seat, message.ply, message.turn, arrived, message.info)

        before, after = await self.playing.change(message.game_id, step, arrived)
        if after.ply > before.ply and after.thinking_since is not None:
            # `thinking_since` is the moment of the commit, and now the players have the turn.
            self._metrics.turn_commit.observe(after.thinking_since - arrived)
            self._metrics.turn_broadcast.observe(self._clock.monotonic() - after.thinking_since)
        return wire.TurnDone(
            game_id=message.game_id, ply=message.ply, duplicate=after.ply == before.ply
        )

    async def act(self, name: str, message: wire.GameAction) -> wire.GameState:
        """Carry out an action of a player, such as to resign. Raises Refused."""
        now, replayed = self._clock.monotonic(), await self._replayed(name, message)

        def step(game: Game) -> Game:
            seat = game.seat_of(name)
            takebacks.check_known(game, message.ply, message.takebacks)
            takebacks.check_replayed(game, seat, message.action, replayed)
            return takebacks.acted(game, seat, message.action, now, replayed)

        _, game = await self.playing.change(message.game_id, step, now)
        return self._state(game)

    async def _replayed(self, name: str, message: wire.GameAction) -> takebacks.Earlier | None:
        """The position after a takeback, from a thread, so that no turn waits for a long replay."""
        game = self.playing.get(message.game_id)
        if game is None or "takeback" not in message.action:
            return None
        seat = game.seat_of(name)
        return await self._workers.run(takebacks.earlier_position, game, seat, message.action)

    async def pass_on_queue(self, name: str, message: wire.ReportQueue) -> None:
        """Tell both players how long a bot's turn waits; stores nothing. Raises Refused."""
        game = self.playing.get(message.game_id)
        if game is None or game.result is not None:
            raise Refused("game_over", "The game has ended.")
        seat = game.seat_of(name)
        if game.players[seat - 1].kind != "bot":
            raise Refused("invalid", "Only a bot has a queue.")
        if (message.ply, seat) != (game.ply, game.to_play):
            raise Refused("stale_ply", f"Ply {message.ply} is not your next ply.")
        queue = wire.Queue(game_id=game.game_id, ply=game.ply, before=message.before)
        self.playing.tell("queue", queue, [player.name for player in game.players])

    async def abort_by_operator(self, game_id: str, why: str) -> wire.Result:
        """See `AllGames`."""
        now = self._clock.monotonic()
        _, game = await self.playing.change(
            game_id, lambda game: game.aborted_by_operator(why, now), now
        )
        assert game.result is not None
        return game.result

    async def note_hint(
        self, game_id: str, name: str, setup: wire.AnalysisSetup, turns: Sequence[str]
    ) -> None:
        """See `AllGames`."""
        now = self._clock.monotonic()
        await self.playing.change(
            game_id, lambda game: takebacks.hinted(game, game.seat_of(name), setup, turns), now
        )

    async def note_spectators(self, game_id: str, count: int) -> None:
        """Announce how many spectators a game of this process has, if that is new."""
        game = self.playing.get(game_id)
        if game is not None and game.spectators != count:
            now = self._clock.monotonic()
            await self.playing.change(game_id, lambda game: _with_spectators(game, count), now)

    async def player_came_or_left(self, name: str) -> None:
        """Record in a player's games that they got their first connection or lost their
        last one.
        """
        now = self._clock.monotonic()
        for game in self.playing.of_player(name):
            await self.playing.change(game.game_id, self._presence_step(name, now), now)

    def _presence_step(self, name: str, now: float) -> Callable[[Game], Game]:
        # Presence is read later, because the player may come or go before the step runs.
        return lambda game: _with_presence(game, name, self._presence.is_here(name), now)

    # ---- what others see -------------------------------------------------------------------

    async def state(self, game_id: str) -> wire.GameState:
        """A game, running or finished. Raises Refused if the id is unknown."""
        return self._state(await self.find(game_id))

    def of_player(self, name: str) -> list[wire.GameState]:
        """The running games of a player, oldest first."""
        return [self._state(game) for game in self.playing.of_player(name)]

    def count_of(self, name: str) -> int:
        return len(self.playing.of_player(name))

    def setups_of(self, name: str) -> Mapping[str, wire.GameSetup]:
        """See `AllGames`."""
        return {game.game_id: game.setup for game in self.playing.of_player(name)}

    def players_of(self, name: str) -> Mapping[str, tuple[wire.Player, wire.Player]]:
        """See `AllGames`."""
        return {game.game_id: game.players for game in self.playing.of_player(name)}

    def summaries(self, limit: int) -> list[wire.GameSummary]:
        """At most `limit` of the running games, the newest first."""
        return [summary_of(game) for game in self.playing.newest(limit)]

    async def look_at(self, limit: int) -> None:
        """See `AllGames`: the games are in memory."""

    async def finished_summaries(self, limit: int) -> list[wire.GameSummary]:
        """At most `limit` of the finished games, the last one first."""
        return await self._finished.summaries(limit)

    async def find(self, game_id: str) -> Game:
        """A game, running or finished. Raises Refused if the id is unknown."""
        return self.playing.get(game_id) or await self._finished.find(game_id)

    async def ended(self, game_id: str) -> Game | None:
        """See `AllGames`."""
        game = await self.find(game_id)
        return None if game.result is None else game

    def _state(self, game: Game) -> wire.GameState:
        return state_of(game, self._presence, self._clock)


def _with_spectators(game: Game, count: int) -> Game:
    """The game with that many spectators; unchanged if it has ended meanwhile."""
    return game if game.result is not None else replace(game, spectators=count)


def _with_presence(game: Game, name: str, is_here: bool, now: float) -> Game:
    seat = game.seat_of(name)
    return game.connected(seat, now) if is_here else game.disconnected(seat, now)
