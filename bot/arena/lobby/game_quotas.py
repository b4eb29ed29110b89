"""How many games a player may have, and how many the people at one address may begin.

Problem. A guest costs nothing to make. Guests of one address must neither begin games without end
nor take every place at the bots, while a school behind one address still plays.

Idea. The process that has the hall begins all games, so it counts them there, in memory:

- A game takes its *places* before the first wait of its start, and holds them until the game runs
  or has failed. So any number of requests at once cannot exceed a limit.
- Each beginning takes a token from the bucket of the address, one bucket for people without an
  account and one for those with one.
- Guests of one address hold a few places at each bot. A guest who plays no bot yet may take one
  of `FIRST_GAMES` more, so that newcomers at a crowded address find a game. Together that is less
  than a bundled bot has places, so that each level is free for other addresses.

Rejected: addresses in the database. The counts of a running process are enough, and addresses are
kept nowhere. After a restart the buckets are full, and running games count for no address.
"""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Final

from bot import wire
from bot.arena.games.all_games import AllGames
from bot.arena.refusals import Refused
from bot.arena.settings import LobbyLimits
from bot.runtime.bounded import BoundedMemory
from bot.runtime.token_bucket import BUCKET_BYTES, TokenBucket
from bot.time_source import TimeSource

FIRST_GAMES: Final = 3
"""Places at each bot that only guests without another game against a bot may take."""
HOUR_S: Final = 3600.0
BUCKETS_BYTES: Final = 4_000_000
GAMES_BYTES: Final = 16_000_000
"""Places of about 20,000 running games."""


class OverQuota(Refused):
    """A person or their address is at a limit. `name` is that person."""

    def __init__(
        self,
        name: str,
        message: str,
        retry_after_s: float | None = None,
        instead: str | None = None,
    ) -> None:
        super().__init__("too_many", message, retry_after_s=retry_after_s, instead=instead)
        self.name = name


@dataclass(frozen=True)
class Beginner:
    """A person who begins a game, and their address as limits count it; empty if not known."""

    player: wire.Player
    origin: str

    @property
    def is_guest(self) -> bool:
        """Whether the person has no account."""
        return not self.player.registered


@dataclass(eq=False)
class Beginning:
    """A game that is being started. `game_id` is None until it runs."""

    players: Sequence[wire.Player]
    guests_at: frozenset[str]
    game_id: str | None = None


class GameQuotas:
    """Reserves the places of games that begin, and counts beginnings by address."""

    def __init__(self, games: AllGames, limits: LobbyLimits, time: TimeSource) -> None:
        self._games = games
        self._limits = limits
        self._time = time
        self._beginning: list[Beginning] = []
        self._guests_at: BoundedMemory[str, frozenset[str]] = BoundedMemory(GAMES_BYTES)
        self._buckets: BoundedMemory[tuple[str, bool], TokenBucket] = BoundedMemory(
            BUCKETS_BYTES, lambda _: BUCKET_BYTES
        )

    # ---- before a game -----------------------------------------------------------------------

    def check_room(self, player: wire.Player) -> None:
        """Raises Refused if the player has as many games as allowed, beginning ones included."""
        limits = self._limits
        most = limits.bot_games if player.kind == "bot" else limits.person_games
        beginning = sum(player.name in _names(each) for each in self._beginning)
        if self._games.count_of(player.name) + beginning >= most:
            raise Refused("too_many", f"{player.name} plays {most} games already.")

    def check_may_begin(self, beginner: Beginner) -> None:
        """Raises OverQuota if the address has begun as many games as allowed."""
        if beginner.origin and (wait_s := self._bucket(beginner).wait_s) > 0:
            name = beginner.player.name
            who = "guests" if beginner.is_guest else "players"
            message = f"There were too many new games of {who} at the address of {name}."
            raise OverQuota(name, message, wait_s)

    def check_bot(self, beginner: Beginner, bot: wire.Player, *, plays: bool, more: int) -> None:
        """Raises OverQuota if guests of the address hold as many places at the bot as allowed.

        `plays`: whether the beginner is the bot's opponent. `more`: places that they will hold.
        """
        if not (beginner.is_guest and beginner.origin):
            return
        most = self._limits.guest_games_per_bot
        if plays and not self._plays_a_bot(beginner.player.name):
            most += FIRST_GAMES
        if self._held(bot.name, beginner.origin) + more >= most:
            message = f"Guests at your address play {bot.name} already: finish a game first."
            raise OverQuota(beginner.player.name, message)

    def has_place(self, beginner: Beginner, bot: wire.Player) -> bool:
        """Return whether the beginner may play that bot now."""
        try:
            self.check_room(bot)
            self.check_bot(beginner, bot, plays=True, more=0)
        except Refused:
            return False
        return True

    # ---- while a game begins -------------------------------------------------------------------

    @contextmanager
    def places(
        self, players: Sequence[wire.Player], beginners: Sequence[Beginner] = ()
    ) -> Iterator[Beginning]:
        """Hold the places of a game while it begins; it sets `game_id` once the game runs.

        Raises Refused at once if a player or a beginner is at a limit.
        """
        for player in players:
            self.check_room(player)
        for beginner in beginners:
            self.check_may_begin(beginner)
            plays = any(each.name == beginner.player.name for each in players)
            for bot in players:
                if bot.kind == "bot":
                    self.check_bot(beginner, bot, plays=plays, more=0)
        charged = {(each.origin, each.is_guest): each for each in beginners if each.origin}
        for each in charged.values():
            self._bucket(each).take()
        guests = frozenset(each.origin for each in charged.values() if each.is_guest)
        beginning = Beginning(players, guests)
        self._beginning.append(beginning)
        try:
            yield beginning
        finally:
            self._beginning.remove(beginning)
            if beginning.game_id is None:
                for each in charged.values():
                    self._bucket(each).give_back()
            elif guests:
                self._guests_at.put(beginning.game_id, guests)

    # ---- counts ------------------------------------------------------------------------------

    def _held(self, bot: str, origin: str) -> int:
        """How many places at the bot the guests of an address hold."""
        running = sum(
            origin in (self._guests_at.get(game_id) or ())
            for game_id in self._games.players_of(bot)
        )
        return running + sum(
            bot in _names(each) and origin in each.guests_at for each in self._beginning
        )

    def _plays_a_bot(self, name: str) -> bool:
        running = [*self._games.players_of(name).values()]
        beginning = [each.players for each in self._beginning if name in _names(each)]
        return any(each.kind == "bot" for players in (*running, *beginning) for each in players)

    def _bucket(self, beginner: Beginner) -> TokenBucket:
        limits, key = self._limits, (beginner.origin, beginner.is_guest)
        hourly = limits.guest_games_per_hour if beginner.is_guest else limits.account_games_per_hour
        bucket = self._buckets.get(key) or TokenBucket(hourly / HOUR_S, hourly, self._time)
        self._buckets.put(key, bucket)
        return bucket


def _names(beginning: Beginning) -> list[str]:
    return [player.name for player in beginning.players]
