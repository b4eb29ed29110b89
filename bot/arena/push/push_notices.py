"""Notifies players who are away that it is their turn.

It hears of every change of a game that is announced. A turn is news
for the player to move if that player was not connected when it arrived. The notification waits a
little, because a page that is loaded again is back at once. A notification is a convenience: a
restart of the arena loses those that wait.
"""

from typing import Final, Protocol

import orjson
import structlog

from bot import wire
from bot.arena.push.push_sender import SubscriptionGone, is_allowed
from bot.arena.push.push_store import PushStore, Subscription
from bot.arena.refusals import Refused
from bot.arena.settings import PushSettings
from bot.errors import PeerError
from bot.runtime.alarms import Alarms
from bot.runtime.bounded import BoundedMemory
from bot.time_source import TimeSource

REMEMBERED_BYTES: Final = 8_000_000
"""For what the players of about 20,000 games have seen."""

log = structlog.get_logger()


class Sender(Protocol):
    """Sends a notification."""

    async def send(self, to: Subscription, message: bytes, topic: str) -> None:
        """See `PushSender.send`."""


class PushNotices:
    """Decides which players get which notifications, and stores their browsers."""

    def __init__(
        self, settings: PushSettings, store: PushStore, sender: Sender, time: TimeSource
    ) -> None:
        self._settings = settings
        self._store = store
        self._sender = sender
        self._time = time
        self._alarms = Alarms(time)
        self._known: BoundedMemory[str, int] = BoundedMemory(REMEMBERED_BYTES)

    async def close(self) -> None:
        await self._alarms.close()

    async def subscribe(self, player: wire.Player, message: wire.Subscribe) -> None:
        """Add a browser of the player that gets notifications. Raises Refused."""
        if player.id is None or player.kind == "bot" or not self._settings.enabled:
            raise Refused("not_now", "This server sends no notifications to you.")
        if not is_allowed(message.endpoint, self._settings):
            raise Refused("invalid", "The address of the push service is not allowed.")
        found = Subscription(message.endpoint, message.p256dh, message.auth, message.language)
        await self._store.put(player.id, found, self._time.wall())

    async def unsubscribe(self, player: wire.Player, message: wire.Unsubscribe) -> None:
        """Remove a browser of the player: it gets no more notifications."""
        if player.id is not None:
            await self._store.remove(message.endpoint, player.id)

    def game_announced(
        self,
        game_id: str,
        ply: int,
        player: wire.Player,
        opponent: wire.Player,
        *,
        is_awaited: bool,
    ) -> None:
        """Note a change of a game in which `player` is to move.

        `is_awaited`: the game has not ended, and the player is not connected.
        """
        known = self._known.get(game_id)
        self._known.put(game_id, ply)
        if not is_awaited or player.kind == "bot":
            self._alarms.clear(game_id)
        elif (known is None and ply == 0) or (known is not None and ply > known):
            at = self._time.monotonic() + self._settings.delay_s
            self._alarms.set(game_id, at, lambda: self._notify(game_id, ply, player, opponent))

    async def _notify(
        self, game_id: str, ply: int, player: wire.Player, opponent: wire.Player
    ) -> None:
        assert player.id is not None
        for browser in await self._store.of_player(player.id):
            message = {
                "kind": "your_turn",
                "language": browser.language,
                "opponent": opponent.name,
                "game_id": game_id,
                "turn": ply + 1,
            }
            await self._send(browser, orjson.dumps(message), game_id)

    async def _send(self, browser: Subscription, message: bytes, game_id: str) -> None:
        try:
            await self._sender.send(browser, message, game_id)
            log.info("push_sent", game=game_id)
        except SubscriptionGone:
            await self._store.remove(browser.endpoint)
            log.info("push_ended", game=game_id)
        except PeerError as error:
            log.warning("push_failed", game=game_id, why=str(error))
