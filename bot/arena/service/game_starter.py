"""Starts games: from an accepted challenge to its game, and checks before a start."""

import random

from bot import wire
from bot.arena.model.challenge import Challenge
from bot.arena.model.refusals import Refused, unavailable
from bot.arena.service.all_games import AllGames
from bot.arena.service.preparation import Preparation
from bot.arena.service.presence import Presence
from bot.arena.service.rating_service import Ratings
from bot.arena.settings import LobbyLimits
from bot.arena.store.accounts import Accounts


class GameStarter:
    """Starts games, and checks whether a player may have another one."""

    def __init__(
        self,
        games: AllGames,
        accounts: Accounts,
        presence: Presence,
        preparation: Preparation,
        limits: LobbyLimits,
        rng: random.Random,
        ratings: Ratings,
    ) -> None:
        self._games = games
        self._accounts = accounts
        self._presence = presence
        self._preparation = preparation
        self._limits = limits
        self._rng = rng
        self._ratings = ratings

    def check_disk(self) -> None:
        """Raises Refused while the database cannot be written."""
        if self._games.is_paused:
            raise unavailable()

    def check_game(self, game: str) -> None:
        """Raises Refused while the rules of the game are not compiled."""
        self._preparation.check(game)

    def check_room(self, player: wire.Player) -> None:
        """Raises Refused if the player has as many running games as allowed."""
        limits = self._limits
        most = limits.bot_games if player.kind == "bot" else limits.person_games
        if self._games.count_of(player.name) >= most:
            raise Refused("too_many", f"{player.name} plays {most} games already.")

    def check_here(self, creator: wire.Player) -> None:
        """Raises Refused while the creator of a private challenge is not connected."""
        if not self._presence.is_here(creator.name):
            words = f"{creator.name} is not connected at the moment. Try again a little later."
            raise Refused("creator_away", words)

    async def start(self, challenge: Challenge) -> Challenge:
        """Start the game of a challenge; the seats are as agreed, or drawn at random.

        Returns the challenge with the game's id. Raises Refused.
        """
        one, two = [await self._player(name) for name in challenge.takers if name is not None]
        for player in (one, two):
            self.check_room(player)
        if challenge.random_seats and self._rng.random() < 1 / 2:
            one, two = two, one
        setup = challenge.setup
        seated = await self.seated(setup, one), await self.seated(setup, two)
        game = await self._games.start(setup, seated)
        return challenge.started(game.game_id)

    async def check_rated(self, setup: wire.GameSetup, player: wire.Player) -> wire.Player:
        """The player as their account is now.

        Raises Refused if `setup` is rated and they may not play rated games.
        """
        return await self._ratings.admitted(player) if setup.rated else player

    async def seated(self, setup: wire.GameSetup, player: wire.Player) -> wire.Player:
        """The player with their rating, as a challenge or a game with that setup shows them.

        Raises Refused as `check_rated`.
        """
        return await self._ratings.seated(await self.check_rated(setup, player), setup.game)

    async def _player(self, name: str) -> wire.Player:
        """A player as connected now; from the accounts, if they have just disconnected."""
        return self._presence.player(name) or await self._accounts.find(name)
