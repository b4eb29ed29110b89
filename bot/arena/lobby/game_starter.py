"""Starts games: from an accepted challenge to its game, and checks before a start."""

import asyncio
import random
from collections.abc import Iterable, Sequence
from contextlib import AbstractAsyncContextManager, AbstractContextManager, nullcontext
from weakref import WeakValueDictionary

from bot import wire
from bot.arena.games.all_games import AllGames
from bot.arena.games.maintenance import MaintenanceMode
from bot.arena.games.preparation import Preparation
from bot.arena.games.rated_play import RatedPlay
from bot.arena.lobby.challenge import Challenge
from bot.arena.lobby.game_quotas import Beginner, Beginning, GameQuotas
from bot.arena.players.accounts import Accounts
from bot.arena.players.presence import Presence
from bot.arena.refusals import Refused, unavailable


class GameStarter:
    """Starts games, and checks whether a player may have another one."""

    def __init__(
        self,
        games: AllGames,
        accounts: Accounts,
        presence: Presence,
        preparation: Preparation,
        quotas: GameQuotas,
        rng: random.Random,
        rated_play: RatedPlay,
        mode: MaintenanceMode,
    ) -> None:
        self._games = games
        self._accounts = accounts
        self._presence = presence
        self._preparation = preparation
        self.quotas = quotas
        self._rng = rng
        self._rated_play = rated_play
        self._mode = mode
        self._locks: WeakValueDictionary[frozenset[str], asyncio.Lock] = WeakValueDictionary()

    @property
    def is_closed(self) -> bool:
        """Whether no game may start, because of maintenance."""
        return self._mode.is_on

    def check_open(self) -> None:
        """Raises Refused while no game may start, because of maintenance."""
        self._mode.check()

    def check_disk(self) -> None:
        """Raises Refused while the database cannot be written."""
        if self._games.is_paused:
            raise unavailable()

    def check_game(self, game: str) -> None:
        """Raises Refused while the rules of the game are not compiled."""
        self._preparation.check(game)

    def check_room(self, player: wire.Player) -> None:
        """Raises Refused if the player has as many running games as allowed."""
        self.quotas.check_room(player)

    def places(
        self, players: Sequence[wire.Player], beginners: Sequence[Beginner] = ()
    ) -> AbstractContextManager[Beginning]:
        """See `GameQuotas.places`."""
        return self.quotas.places(players, beginners)

    def check_here(self, creator: wire.Player) -> None:
        """Raises Refused while the creator of a private challenge is not connected."""
        if not self._presence.is_here(creator.name):
            words = f"{creator.name} is not connected at the moment. Try again a little later."
            raise Refused("creator_away", words)

    async def start(
        self, challenge: Challenge, players: Sequence[wire.Player], beginning: Beginning
    ) -> Challenge:
        """Start the game of a challenge; the seats are as agreed, or drawn at random.

        `beginning` has the places of the game. Returns the challenge with the game's id. Raises
        Refused.
        """
        one, two = players
        if challenge.random_seats and self._rng.random() < 1 / 2:
            one, two = two, one
        setup = challenge.setup
        async with self._lock_of(setup, one, two):
            await self.check_pair(setup, one, two)
            seated = await self.seated(setup, one), await self.seated(setup, two)
            game = await self._games.start(setup, seated)
        beginning.game_id = game.game_id
        return challenge.started(game.game_id)

    def _lock_of(
        self, setup: wire.GameSetup, one: wire.Player, two: wire.Player
    ) -> AbstractAsyncContextManager[object]:
        """Lets one rated game of a pair start at a time, because they are counted before."""
        if not setup.rated:
            return nullcontext()
        return self._locks.setdefault(frozenset((one.name, two.name)), asyncio.Lock())

    async def check_pair(self, setup: wire.GameSetup, one: wire.Player, two: wire.Player) -> None:
        """Raises Refused if `setup` is rated and the pair has played enough rated games."""
        if not setup.rated:
            return
        setups = self._games.setups_of(one.name)
        running = [
            game_id
            for game_id, players in self._games.players_of(one.name).items()
            if two.name in {player.name for player in players} and setups[game_id].rated
        ]
        await self._rated_play.ratings.check_pair(one, two, running)

    async def check_rated(self, setup: wire.GameSetup, player: wire.Player) -> wire.Player:
        """The player as their account is now.

        Raises Refused if `setup` is rated and they may not play rated games.
        """
        return await self._rated_play.ratings.admitted(player) if setup.rated else player

    async def seated(self, setup: wire.GameSetup, player: wire.Player) -> wire.Player:
        """The player with their rating, as a challenge or a game with that setup shows them.

        Raises Refused as `check_rated`.
        """
        admitted = await self.check_rated(setup, player)
        return await self._rated_play.ratings.seated(admitted, setup.game)

    async def players(self, names: Iterable[str | None]) -> list[wire.Player]:
        """Players as connected now; from the accounts, if they have just disconnected."""
        return [
            self._presence.player(name) or await self._accounts.find(name)
            for name in names
            if name is not None
        ]
