"""Looking through all our games, for turns and ends of which nobody has told.

The public list may leave games out, without a sign: so each that we hold to be running is read,
unless the list shows that nothing has happened. Source: the protocol page of Abstract Play, "What
bites", 1, 2 and 8.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

import structlog

from bot.errors import PeerError
from bot.platforms.abstract_play.client import Api
from bot.platforms.abstract_play.facts import META_GAMES, NotOurs
from bot.platforms.abstract_play.messages import ListedGame
from bot.platforms.abstract_play.reader import GameReader
from bot.platforms.base import GameGone, NotNow
from bot.time_source import TimeSource

READS: Final = 3
"""So often a game is asked for in one sweep: in a pause all after it would fail, too."""

log = structlog.get_logger()


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
