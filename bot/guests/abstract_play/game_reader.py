"""Reads games: those that a notice names at once, and all of them in a regular sweep."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Final

import structlog

from bot.errors import HostError, PeerError
from bot.guests.abstract_play.client import Api
from bot.guests.abstract_play.facts import META_GAMES, NotOurs, facts_of
from bot.guests.abstract_play.messages import GameRecord, ListedGame
from bot.platforms.base import GameFacts, GameGone, NotNow
from bot.runtime.bounded import BoundedMemory
from bot.time_source import TimeSource

# Games with a notice. A notice can be older than the game, and the first read older than the
# notice. So the game is read a few times until it shows the notice's ply, and then by the sweep.
# Source: the protocol page of Abstract Play, "What bites", 1 and 3.

WAITS_S: Final = (0.0, 1.0, 5.0, 30.0)
"""The shortest wait before each read; the platform may ask for a longer pause."""
AT_ONCE: Final = 4
"""Concurrent reads, if many notices arrive together."""

log = structlog.get_logger()


class Attention:
    """Reads games that have notices: one task per game, however many notices it gets."""

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
        """Read a game until it shows that many plies, or more."""
        is_new = game_id not in self._wanted
        self._wanted[game_id] = max(plies, self._wanted.get(game_id, 0))
        if is_new:
            self._tasks.create_task(self._look(game_id))

    async def _look(self, game_id: str) -> None:
        try:
            seen, plies = False, -1
            while not seen and self._wanted[game_id] != plies:  # another notice arrived
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
    """Return whether the game has reached the notice's ply with us to move, or has passed it."""
    is_due = facts.ply == plies and facts.our_turn
    return facts.outcome is not None or facts.ply > plies or is_due


REMEMBERED_BYTES: Final = 3_000_000
LATE_S: Final = 120.0
"""Seconds after which a read with fewer plies than before is not merely outdated."""

Deliver = Callable[[GameFacts, bool], Awaitable[None]]
"""Pass facts to the daemon; the flag is true for facts that were requested."""


class GameReader:
    """Reads games and passes them to the daemon. Knows each game's kind and number of plies.

    A read may be older than the one before it. Such a read is dropped, unless the game stays so.
    """

    def __init__(
        self,
        api: Api,
        account: str,
        time: TimeSource,
        deliver: Deliver,
        gone: Callable[[str], Awaitable[None]],
    ) -> None:
        self._api = api
        self._account = account
        self._time = time
        self._deliver = deliver
        self._gone = gone
        self._kinds: BoundedMemory[str, str] = BoundedMemory(REMEMBERED_BYTES)
        self._plies: BoundedMemory[str, int] = BoundedMemory(REMEMBERED_BYTES)
        self._shorter_since: dict[str, float] = {}

    def knows(self, game_id: str, meta_game: str) -> None:
        """Store the kind of a game. Each list that has the game stores it again."""
        self._kinds.put(game_id, meta_game)

    def kind_of(self, game_id: str) -> str:
        """Raises GameGone for a game that neither a notice nor the list has named."""
        if game_id not in self._kinds:
            raise GameGone("unknown_game", f"the platform has never named game {game_id}")
        return self._kinds[game_id]

    def ply_of(self, game_id: str) -> int:
        """Return the number of plies when a game was last read; 0 if it was never read."""
        return self._plies.get(game_id) or 0

    def has_seen(self, game_id: str) -> bool:
        return game_id in self._plies

    async def read(self, game_id: str) -> GameFacts:
        """Read the game and pass it to the daemon. Raises NoAnswer, NotNow and GameGone."""
        try:
            record = await self._api.game(self.kind_of(game_id), game_id)
        except GameGone:
            await self._gone(game_id)
            raise
        return await self.take(record, asked=True)

    async def take(self, record: GameRecord, *, asked: bool) -> GameFacts:
        """Pass a record to the daemon. Raises PeerError if we cannot play the game."""
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
        await self._deliver(facts, asked)
        return facts

    def _stays_shorter(self, game_id: str) -> bool:
        """Return whether a game with fewer plies than before has been so for long.

        The platform locks nothing: two writes at the same time may undo a turn.
        """
        now = self._time.monotonic()
        return now - self._shorter_since.setdefault(game_id, now) >= LATE_S


# The sweep finds turns and ends of games without a notice. The public list may be incomplete, and
# does not say so. So every game that we believe to be running is read, unless the list shows that
# nothing has happened. Source: the protocol page of Abstract Play, "What bites", 1, 2 and 8.

READS: Final = 3
"""Attempts to read a game in one sweep: during a pause all later games would fail as well."""


@dataclass(frozen=True, slots=True)
class Listing:
    """Our games that seem to run: None for those that the public list does not show."""

    games: Mapping[str, ListedGame | None]


class Sweep:
    """Reads all our games that may have changed. `account` is our id on the platform."""

    def __init__(self, api: Api, reader: GameReader, account: str, time: TimeSource) -> None:
        self._api = api
        self._reader = reader
        self._account = account
        self._time = time
        self._unplayable: dict[str, ListedGame | None] = {}
        """Games that we cannot play, with the entry of the list when each was read."""

    async def listed(self) -> dict[str, ListedGame]:
        """Return our games as the public list has them. Raises NoAnswer and NotNow."""
        found = {}
        for kind in META_GAMES:
            for game in await self._api.games(kind):
                if any(player.id == self._account for player in game.players):
                    self._reader.knows(game.id, kind)
                    found[game.id] = game
        return found

    async def read_through(self, listing: Listing, *, everything: bool) -> dict[str, PeerError]:
        """Read every game, or those that may have changed.

        Returns the games that cannot be read, each with its error; the next sweep tries again.
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
        """Return whether the game may have changed since it was last read."""
        if game_id in self._unplayable:
            before = self._unplayable[game_id]
            return None not in (listed, before) and listed != before
        if listed is None or not self._reader.has_seen(game_id):
            return True
        return listed.plies != self._reader.ply_of(game_id)
