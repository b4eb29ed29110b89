"""Players who ignore others: the arena refuses challenges and chat from those they ignore.

A player is ignored by the account, so a new name changes nothing. A guest who returns as another
guest is another account. Pairings of tournaments do not depend on who ignores whom.
"""

from collections.abc import Iterable
from typing import Final

from bot import wire
from bot.arena.lobby.ignore_store import IgnoreStore
from bot.arena.players.accounts import Accounts
from bot.arena.refusals import Refused
from bot.time_source import TimeSource

MOST_IGNORED: Final = 200
"""How many others a player may ignore."""


class Ignores:
    """Stores who ignores whom, and refuses what ignored players ask of those who ignore them."""

    def __init__(self, store: IgnoreStore, accounts: Accounts, time: TimeSource) -> None:
        self._store = store
        self._accounts = accounts
        self._time = time

    async def change(self, player: wire.Player, message: wire.IgnorePlayer) -> wire.Player:
        """Ignore a player or stop it, and return the other player.

        Raises Refused if there is no such player, or if the player ignores too many.
        """
        other = await self._accounts.find(message.name)
        if player.id is None or other.id is None or other.id == player.id:
            raise Refused("invalid", "A player cannot ignore themselves.")
        if not message.ignore:
            await self._store.remove(player.id, other.id)
        elif not await self._store.put(player.id, other.id, MOST_IGNORED, self._time.wall()):
            raise Refused("too_many", f"You ignore {MOST_IGNORED} players already.")
        return other

    async def of_player(self, player: wire.Player) -> wire.IgnoredDone:
        """The names of the players whom a player ignores."""
        return wire.IgnoredDone(ignored=await self._store.names(str(player.id)))

    async def check(self, sender: wire.Player, receivers: Iterable[wire.Player]) -> None:
        """Raises Refused if one of the receivers ignores the sender."""
        known = [each.id for each in receivers if each.id is not None and each.id != sender.id]
        if known and await self._store.ignoring(known, str(sender.id)):
            raise Refused("not_wanted")
