"""Starts games: from an accepted challenge to its game, and checks before a start."""

import random

from bot import wire
from bot.arena.model.challenge import Challenge
from bot.arena.model.refusals import Refused, unavailable
from bot.arena.service.all_games import AllGames
from bot.arena.service.preparation import Preparation
from bot.arena.service.presence import Presence
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
    ) -> None:
        self._games = games
        self._accounts = accounts
        self._presence = presence
        self._preparation = preparation
        self._limits = limits
        self._rng = rng

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

    async def start(self, challenge: Challenge) -> Challenge:
        """Start the game of a challenge; the seats are as agreed, or drawn at random.

        Returns the challenge with the game's id. Raises Refused.
        """
        one, two = [await self._player(name) for name in challenge.takers if name is not None]
        for player in (one, two):
            self.check_room(player)
        if challenge.random_seats and self._rng.random() < 1 / 2:
            one, two = two, one
        game = await self._games.start(challenge.setup, (one, two))
        return challenge.started(game.game_id)

    async def _player(self, name: str) -> wire.Player:
        """A player as connected now; from the accounts, if they have just disconnected."""
        return self._presence.player(name) or await self._accounts.find(name)
