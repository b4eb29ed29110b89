"""Games that a person has played on their own device, added to their games on the arena.

Problem. Such a game has one player of the arena, and nobody saw it being played: the person may
have thought of it. It must look like any other game of theirs, and count for nothing else.

Idea. The rules replay it, and a `Game` finds its result in the words of every other game. The bot
of the page is an account for each level that nobody can sign in to, find by its name, or challenge.
Its name says what it is wherever the game is shown. The id of the game follows from the player and
from the id on the device, so that a second copy finds the first one.

Rejected: a column for the origin of a game, which every list and file would have to ask for; the
bots of the arena as opponents, because anybody could write games for them; values of the bot's
search, which nobody can check.
"""

import hashlib
from dataclasses import replace
from datetime import UTC, datetime
from functools import partial
from itertools import chain, repeat
from typing import Final

from bot import wire
from bot.arena.games import referee
from bot.arena.games.finished_games import FinishedGames
from bot.arena.games.game import Game
from bot.arena.games.game_start import new_game
from bot.arena.games.game_store import GameStore
from bot.arena.games.preparation import Preparation
from bot.arena.lobby.game_quotas import Beginner, GameQuotas
from bot.arena.refusals import ASK_AGAIN_S, UNAVAILABLE, Refused
from bot.arena.request_table import Caller
from bot.arena.settings import Allowances
from bot.arena.store.connection import Connection
from bot.arena.store.database import as_text
from bot.arena.store.ids import id_from
from bot.runtime.rate_limit import AddressBuckets
from bot.runtime.workers import Workers
from bot.time_controls import Untimed
from bot.time_source import TimeSource

PLATFORM: Final = "page"
"""Of their records, as of those that the page makes."""
BOT: Final = "local-bot-{level}"
"""The id of the bot of a level; the page knows the players of a device by the first word."""
BOT_NAME: Final = "Level {level} on device"
A_DAY: Final = 200
"""Games that one player may add in a day: as many as a browser keeps."""
DAY_S: Final = 86_400
EARLIEST: Final = datetime(2020, 1, 1, tzinfo=UTC)
"""There were no such games before. Clocks of devices may say so."""
BUCKETS_BYTES: Final = 1_000_000

_NAME: Final = "SELECT name FROM accounts WHERE id = ?"
# No name looks like the id, which has a dash: so none is taken, and no name finds the bot.
_BOT: Final = """
INSERT INTO accounts (id, name, skeleton, kind, created_at, seen_at) VALUES (?, ?, ?, 'bot', ?, ?)
ON CONFLICT (id) DO NOTHING"""


class AddedGames:
    """Carries out the request `game.add`."""

    def __init__(
        self,
        finished: FinishedGames,
        store: GameStore,
        menu: referee.Menu,
        preparation: Preparation,
        quotas: GameQuotas,
        allowances: Allowances,
        workers: Workers,
        time: TimeSource,
    ) -> None:
        self._finished = finished
        self._store = store
        self._menu = menu
        self._preparation = preparation
        self._quotas = quotas
        self._allowances = allowances
        self._workers = workers
        self._time = time
        self._buckets = AddressBuckets(A_DAY / DAY_S, A_DAY, time, BUCKETS_BYTES)

    async def add(self, caller: Caller, message: wire.AddGame) -> wire.GameAdded:
        """Store a game of the caller, unless it was added before. Raises Refused."""
        player, game_id = caller.player, _id_of(caller.player, message.local_id)
        if await self._store.record(game_id) is not None:
            return wire.GameAdded(game_id=game_id, duplicate=True)
        self._check_day(player)
        with self._quotas.places([], [Beginner(player, caller.address)]) as beginning:
            game = await self._played(game_id, player, message)
            prepare = partial(_prepare, player, message.level, self._time.wall())
            is_new = await self._finished.add(game, PLATFORM, prepare)
            if is_new:
                beginning.game_id = game_id
        return wire.GameAdded(game_id=game_id, duplicate=not is_new)

    def _check_day(self, player: wire.Player) -> None:
        bucket = self._buckets.of(str(player.id))
        if not bucket.take():
            words = f"A player may add {A_DAY} games in a day."
            raise Refused("too_many", words, retry_after_s=bucket.wait_s)

    async def _played(self, game_id: str, player: wire.Player, message: wire.AddGame) -> Game:
        """The game to its end. Raises Refused if the rules or the menu do not allow it."""
        offered = wire.OfferedSetup(**message.setup.model_dump(), clock=Untimed())
        # In a thread too: the rules for new options of a game take tens of milliseconds.
        setup = await self._workers.run(self._menu.settled, offered)
        self._preparation.check(setup.game)
        ended = max(EARLIEST, min(message.ended_at, self._time.wall()))
        begun = new_game(
            game_id,
            setup,
            _seated(player, message),
            self._allowances,
            max(EARLIEST, min(message.started_at, ended)),
            0.0,
        )
        return await self._workers.run(_played_out, begun, message, ended)


def _id_of(player: wire.Player, local_id: str) -> str:
    """The id of a person's game, whenever it is added. Raises Refused for a bot."""
    if player.id is None or player.kind == "bot":
        raise Refused("not_a_person", "Only people play on devices of their own.")
    return id_from(hashlib.sha256(f"{player.id} {local_id}".encode()).digest())


def _seated(player: wire.Player, message: wire.AddGame) -> tuple[wire.Player, wire.Player]:
    person = player.model_copy(update={"ratings": {}})
    bot = wire.Player(
        id=BOT.format(level=message.level),
        name=BOT_NAME.format(level=message.level),
        kind="bot",
        engine=f"Bluestone, level {message.level}",
        level=message.level,
    )
    return (person, bot) if message.seat == 1 else (bot, person)


def _played_out(game: Game, message: wire.AddGame, ended: datetime) -> Game:
    """Play all turns; call this in a thread. Raises Refused.

    Games of pages of version 1.0.0 go on after an early end.
    """
    now = 0.0
    times_ms = chain(message.times_ms, repeat(0))
    for ply, (turn, time_ms) in enumerate(zip(message.turns, times_ms, strict=False)):
        now += time_ms / 1000
        if game.result is not None and not game.position.over:
            game = replace(game, result=None)
        game = game.play(game.to_play, ply, turn, now)
    if message.resigned:
        game = game.act(message.seat, "resign", now)
    if game.result is None:
        raise Refused("not_now", "The game has not ended yet.")
    noted = replace(game, takebacks=message.takebacks, hints=message.hints)
    return replace(noted, thinking_since=None, ended_at=ended)


def _prepare(player: wire.Player, level: int, now: datetime, connection: Connection) -> None:
    """Make the account of the bot. Raises Refused if the player has another name by now.

    An account that is erased gets its neutral name first, and then its games do.
    """
    row = connection.execute(_NAME, (player.id,)).fetchone()
    if row is None or row["name"] != player.name:
        raise Refused(UNAVAILABLE, "Your name is being changed.", retry_after_s=ASK_AGAIN_S)
    bot, at = BOT.format(level=level), as_text(now)
    connection.execute(_BOT, (bot, BOT_NAME.format(level=level), bot, at, at))
