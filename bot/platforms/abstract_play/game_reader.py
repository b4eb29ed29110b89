"""Reading games: those that a notice names at once, and all of them in a regular sweep."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Final

import structlog

from bot.errors import HostError, PeerError
from bot.platforms.abstract_play.client import Api
from bot.platforms.abstract_play.facts import META_GAMES, NotOurs, facts_of
from bot.platforms.abstract_play.messages import GameRecord, ListedGame
from bot.platforms.base import GameFacts, GameGone, NotNow
from bot.runtime.bounded import BoundedMemory
from bot.time_source import TimeSource

# Games that want to be read soon, because a notice told of them.
#
# A notice can be older than the game, and the first read older than the notice: so the game is
# read until it shows what was told, a few times, and then by the next sweep. Source: the protocol
# page of Abstract Play, "What bites", 1 and 3.

WAITS_S: Final = (0.0, 1.0, 5.0, 30.0)
"""Before each read, at least: the platform may want a longer pause."""
AT_ONCE: Final = 4
"""Reads at the same time: many notices may come together, and the platform is slow."""

log = structlog.get_logger()


class Attention:
    """One task a game, however often it is told of; they end with the group of tasks."""

    def __init__(
        self,
        read: Callable[[str], Awaitable[GameFacts]],
        time: TimeSource,
        tasks: asyncio.TaskGroup,
    ) -> None:
        self._read = read
        self._time = time
        self._tasks = tasks
        self._wanted: dict[str, int] = {}
        self._room = asyncio.Semaphore(AT_ONCE)

    def want(self, game_id: str, plies: int) -> None:
        """Read a game that has so many plies, or more."""
        is_new = game_id not in self._wanted
        self._wanted[game_id] = max(plies, self._wanted.get(game_id, 0))
        if is_new:
            self._tasks.create_task(self._look(game_id))

    async def _look(self, game_id: str) -> None:
        try:
            seen, plies = False, -1
            while not seen and self._wanted[game_id] != plies:  # there was another notice
                plies = self._wanted[game_id]
                seen = await self._read_until_shown(game_id)
            if not seen:
                log.warning("notice_not_seen", game=game_id, plies=plies)
        finally:
            del self._wanted[game_id]

    async def _read_until_shown(self, game_id: str) -> bool:
        pause_s = 0.0
        for wait_s in WAITS_S:
            if wait_s:
                await self._time.sleep(max(wait_s, pause_s))
            try:
                facts = await self._read_in_turn(game_id)
            except (NotOurs, GameGone) as error:
                log.info("game_unread", game=game_id, why=error.message)
                return True
            except (PeerError, HostError) as error:
                pause_s = error.retry_after_s if isinstance(error, NotNow) else 0.0
                log.info("game_unread", game=game_id, why=str(error))
            else:
                pause_s = 0.0
                if _shows(facts, self._wanted[game_id]):
                    return True
        return False

    async def _read_in_turn(self, game_id: str) -> GameFacts:
        async with self._room:
            return await self._read(game_id)


def _shows(facts: GameFacts, plies: int) -> bool:
    """Whether the game is where the notice saw it, with us to move, or further."""
    is_due = facts.ply == plies and facts.our_turn
    return facts.outcome is not None or facts.ply > plies or is_due


REMEMBERED: Final = 5000
LATE_S: Final = 120.0
"""A read that is older than one before it is so by seconds."""

Tell = Callable[[GameFacts, bool], Awaitable[None]]
"""Gives the daemon facts; true for those that were asked for."""


class GameReader:
    """Knows of which kind each game is, and how far it was seen.

    A read may be older than one before it: such a one is told to nobody, unless the game stays so.
    """

    def __init__(
        self,
        api: Api,
        account: str,
        time: TimeSource,
        tell: Tell,
        gone: Callable[[str], Awaitable[None]],
    ) -> None:
        self._api = api
        self._account = account
        self._time = time
        self._tell = tell
        self._gone = gone
        self._kinds: dict[str, str] = {}
        self._plies: BoundedMemory[str, int] = BoundedMemory(REMEMBERED)
        self._shorter_since: dict[str, float] = {}

    def knows(self, game_id: str, meta_game: str) -> None:
        """Of which kind a game is."""
        self._kinds[game_id] = meta_game

    def kind_of(self, game_id: str) -> str:
        """Raises GameGone for a game of which nobody has told."""
        if game_id not in self._kinds:
            raise GameGone("unknown_game", f"the platform has never told of game {game_id}")
        return self._kinds[game_id]

    def ply_of(self, game_id: str) -> int:
        """How far a game was seen, 0 if it was not."""
        return self._plies.get(game_id) or 0

    def has_seen(self, game_id: str) -> bool:
        return game_id in self._plies

    async def read(self, game_id: str) -> GameFacts:
        """The game as it stands, which the daemon has been told when this returns.

        Raises NoAnswer, NotNow and GameGone.
        """
        try:
            record = await self._api.game(self.kind_of(game_id), game_id)
        except GameGone:
            await self._gone(game_id)
            raise
        return await self.take(record, asked=True)

    async def take(self, record: GameRecord, *, asked: bool) -> GameFacts:
        """A record that came with an answer. Raises PeerError if we cannot play it."""
        try:
            facts = facts_of(record, self._account, self._time)
        except NotOurs as error:
            if not record.over:
                raise
            await self._gone(record.id)
            raise GameGone(error.code, f"{error.message}, and is over") from error
        before = self.ply_of(facts.game_id)
        if facts.ply < before and not self._stays_shorter(facts.game_id):
            log.info("game_read_late", game=facts.game_id, ply=facts.ply, seen=before)
            return facts
        if facts.ply < before:
            log.warning("game_went_back", game=facts.game_id, ply=facts.ply, seen=before)
        self._shorter_since.pop(facts.game_id, None)
        self._plies.put(facts.game_id, facts.ply)
        await self._tell(facts, asked)
        return facts

    def _stays_shorter(self, game_id: str) -> bool:
        """Nothing is locked there: what was written at the same time may have undone a turn."""
        now = self._time.monotonic()
        return now - self._shorter_since.setdefault(game_id, now) >= LATE_S


# Looking through all our games, for turns and ends of which nobody has told.
#
# The public list may leave games out, without a sign: so each that we hold to be running is read,
# unless the list shows that nothing has happened. Source: the protocol page of Abstract Play,
# "What bites", 1, 2 and 8.

READS: Final = 3
"""So often a game is asked for in one sweep: in a pause all after it would fail, too."""


@dataclass(frozen=True, slots=True)
class Listing:
    """Our games that seem to run: None for those that the public list does not show."""

    games: Mapping[str, ListedGame | None]


class Sweep:
    """`account` is our id on the platform."""

    def __init__(self, api: Api, reader: GameReader, account: str, time: TimeSource) -> None:
        self._api = api
        self._reader = reader
        self._account = account
        self._time = time
        self._unplayable: dict[str, ListedGame | None] = {}
        """With what the list showed of each when it was read."""

    async def listed(self) -> dict[str, ListedGame]:
        """Our games as the public list has them. Raises NoAnswer and NotNow."""
        found = {}
        for kind in META_GAMES:
            for game in await self._api.games(kind):
                if any(player.id == self._account for player in game.players):
                    self._reader.knows(game.id, kind)
                    found[game.id] = game
        return found

    async def read_through(self, listing: Listing, *, everything: bool) -> dict[str, PeerError]:
        """Read all, or what may have changed.

        Returns those that cannot be read, each with why: they are left for next time.
        """
        unread = {}
        for game_id, listed in sorted(listing.games.items()):
            if everything or self._may_have_changed(game_id, listed):
                try:
                    await self._read(game_id)
                except PeerError as error:
                    log.warning("game_unread", game=game_id, code=error.code, why=error.message)
                    if not isinstance(error, GameGone):
                        unread[game_id] = error
                    if isinstance(error, NotOurs):
                        self._unplayable[game_id] = listed
                else:
                    self._unplayable.pop(game_id, None)
        return unread

    async def _read(self, game_id: str) -> None:
        """Raises PeerError."""
        for _ in range(READS - 1):
            try:
                await self._reader.read(game_id)
            except NotNow as error:
                await self._time.sleep(error.retry_after_s)
            else:
                return
        await self._reader.read(game_id)

    def _may_have_changed(self, game_id: str, listed: ListedGame | None) -> bool:
        """Since it was read last; of a turn that is ours the daemon knows then."""
        if game_id in self._unplayable:
            before = self._unplayable[game_id]
            return None not in (listed, before) and listed != before
        if listed is None or not self._reader.has_seen(game_id):
            return True
        return listed.plies != self._reader.ply_of(game_id)
