"""Renaming: people who log in with another name."""

import asyncio
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from typing import Final, Protocol

import structlog

from bot import wire
from bot.arena.games.all_games import AllGames
from bot.arena.games.archive import RecordFile
from bot.arena.lobby.challenge_service import Challenges
from bot.arena.players.accounts import Accounts
from bot.arena.players.held_names import NameHolder, NameKeeper
from bot.arena.players.presence import Presence
from bot.arena.refusals import Refused
from bot.runtime.bounded import BoundedMemory
from bot.runtime.tasks import OwnedTasks

RENAMED_BYTES: Final = 16_000_000
"""For the present names of about 10,000 players who were renamed while they were connected."""

log = structlog.get_logger()


def with_name_of(known: wire.Player | None, player: wire.Player) -> wire.Player:
    """The player with the name and the kind of `known`, the same player as renamed since."""
    if known is None:
        return player
    return player.model_copy(update={"name": known.name, "kind": known.kind})


class Renamer(Protocol):
    """Gives players other names, here or in another process."""

    def current(self, player: wire.Player) -> wire.Player:
        """See `Renaming.current`."""
        ...

    async def rename(self, player: wire.Player, wish: str, address: str) -> wire.Player:
        """See `Renaming.rename`."""
        ...

    def registered(self, player: wire.Player) -> None:
        """See `Renaming.registered`."""
        ...


class Renaming:
    """Gives players other names, one at a time, unless a game or an offer needs the old one.

    `on_renamed` is called with the former name and the renamed player. `keepers` also need names.
    """

    def __init__(
        self,
        accounts: Accounts,
        presence: Presence,
        challenges: Challenges,
        games: AllGames,
        records: RecordFile | None = None,
    ) -> None:
        """`records` is None in an arena of several processes, which has no file of records."""
        self._records = records
        self._accounts = accounts
        self._presence = presence
        self._challenges = challenges
        self._games = games
        self._lock = asyncio.Lock()
        self._renamed: BoundedMemory[str, wire.Player] = BoundedMemory(RENAMED_BYTES)
        self._tasks = OwnedTasks("rename_failed", expected=Refused)
        self.keepers: list[NameKeeper] = []
        self.on_renamed: list[Callable[[str, wire.Player], None]] = []

    def current(self, player: wire.Player) -> wire.Player:
        """The player with the present name, which may have changed during the login."""
        self._renamed.refresh(str(player.id))
        return with_name_of(self._renamed.get(str(player.id)), player)

    def registered(self, player: wire.Player) -> None:
        """Announce everywhere that a player is registered."""
        self._presence.rename(player.name, player)

    async def rename(self, player: wire.Player, wish: str, address: str) -> wire.Player:
        """The player with the new name, or with the old one if that must stay.

        Raises Refused if the new name is not free.
        """
        # This runs to its end even if the connection is lost, because the database and the memory
        # must agree.
        renaming = self._tasks.create_task(self._rename(player, wish, address))
        return self.current(await asyncio.shield(renaming))

    async def _rename(self, player: wire.Player, wish: str, address: str) -> wire.Player:
        async with self._lock:
            player = self.current(player)
            former = player.name
            if former == wish or self._is_bound(former):
                return player
            with self._held_back(former):
                renamed = await self._accounts.rename(player, wish, address)
            self._renamed.put(str(renamed.id), renamed)
            self._renamed_now(former, renamed)
        log.info("renamed", player=former, to=renamed.name)
        return renamed

    def _renamed_now(self, former: str, player: wire.Player) -> None:
        self._presence.rename(former, player)
        for listener in self.on_renamed:
            listener(former, player)

    async def delete(self, account: str, neutral: str) -> None:
        """Erase an account: its games get the neutral name, and nobody can sign in to it.

        Open challenges and entries of tournaments end. Repeating this changes nothing. Raises
        Refused while a game runs, or a tournament needs the name.
        """
        deletion = self._tasks.create_task(self._delete(account, neutral))
        await asyncio.shield(deletion)

    async def _delete(self, account: str, neutral: str) -> None:
        async with self._lock:
            player = await self._accounts.player(account)
            former = player.name
            if former != neutral:
                await self._challenges.withdraw_all(former, "The player has left the site.")
                for keeper in self.keepers:
                    await keeper.release(player)
                # The refusal stays in the audit log, which has no name of a deleted account.
                self._check_unbound(former, "The player")
            deleted = player.model_copy(
                update={"name": neutral, "kind": "guest", "registered": False}
            )
            with self._held_back(former):
                await self._accounts.forget(account, neutral)
            await self._accounts.redact(account, neutral)
            if self._records is not None:
                await self._records.redact(account, neutral)
            self._renamed.put(account, deleted)
            if former != neutral:
                self._renamed_now(former, deleted)
        log.info("account_deleted", player=neutral)

    async def rename_by_operator(self, former: str, renamed: wire.Player) -> wire.Player:
        """Give an account another name; no player may have the former one again.

        Open challenges of the player end. Raises Refused with `not_now` while a game or a
        tournament needs the name.
        """
        renaming = self._tasks.create_task(self._rename_by_operator(former, renamed))
        return await asyncio.shield(renaming)

    async def _rename_by_operator(self, former: str, renamed: wire.Player) -> wire.Player:
        async with self._lock:
            known = self._renamed.get(str(renamed.id))
            former = former if known is None else known.name
            self._check_unbound(former, former)
            await self._challenges.withdraw_all(former, f"{former} gets another name.")
            with self._held_back(former):
                player = await self._accounts.rename_by_operator(renamed)
            self._renamed.put(str(player.id), player)
            self._renamed_now(former, player)
        log.info("renamed_by_operator", player=former, to=player.name)
        return player

    def _check_unbound(self, name: str, subject: str) -> None:
        """`subject` begins the sentence of a refusal."""
        if games := self._games.count_of(name):
            raise Refused("not_now", f"{subject} plays {games} game{'s' * (games > 1)}.")
        for keeper in self.keepers:
            if keeper.binds(name):
                raise Refused("not_now", f"{subject} {keeper.reason}.")

    def _is_bound(self, name: str) -> bool:
        """Return whether a game, a challenge or another keeper needs that name."""
        plays = self._games.count_of(name) > 0
        return plays or any(each.binds(name) for each in self._holders)

    @property
    def _holders(self) -> Sequence[NameHolder]:
        return (self._challenges, *self.keepers)

    @contextmanager
    def _held_back(self, name: str) -> Iterator[None]:
        """Prevent the player of that name from starting anything."""
        with ExitStack() as stack:
            for each in self._holders:
                stack.enter_context(each.names.held_back(name))
            yield
