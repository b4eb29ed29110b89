"""The takeover of what an ended process had: its games, and perhaps the hall.

A game is continued with a stopped clock: the time since the last renewal of the former owner's
lease is charged to no player. Its clock runs again as soon as the player to move is connected, or
after `reconnect_grace_s`.
"""

import asyncio
from collections.abc import Collection, Mapping
from dataclasses import replace
from typing import Final

import structlog

from bot.arena.arena_clock import ArenaClock
from bot.arena.cluster.leases import Claimed, Leases
from bot.arena.cluster.peers import HallSeat
from bot.arena.games.game import Game
from bot.arena.games.game_rows import DamagedGame, StoredGame
from bot.arena.games.game_service import Games
from bot.arena.games.game_store import GameStore
from bot.arena.processes import HallServices
from bot.arena.refusals import OwnerReplaced, Refused
from bot.arena.settings import PlayLimits
from bot.arena.store.fences import HALL

AT_ONCE: Final = 50
"""How many games are claimed in one transaction."""

log = structlog.get_logger()


class GameTakeover:
    """Claims games without a living owner, and continues them in this process.

    `count` is the number of games that it has continued.
    """

    def __init__(
        self,
        leases: Leases,
        games: Games,
        store: GameStore,
        limits: PlayLimits,
        clock: ArenaClock,
        process_id: str,
    ) -> None:
        self._leases = leases
        self._games = games
        self._store = store
        self._limits = limits
        self._clock = clock
        self._process_id = process_id
        self._damaged: set[str] = set()
        self.count = 0

    async def look(
        self, owners: Mapping[str, tuple[str | None, int]], living: Collection[str]
    ) -> None:
        """Continue the running games whose owner is not among the living processes.

        `owners` has the owner and the epoch of each running game.
        """
        orphans = {game_id for game_id, (owner, _) in owners.items() if owner not in living}
        if orphans - self._damaged:
            while claimed := await self._leases.claim_games(AT_ONCE):
                await self._continue(claimed)
        mine = {game_id for game_id, (owner, _) in owners.items() if owner == self._process_id}
        if mine.difference(self._games.ids, self._damaged):  # a claim whose answer was lost
            await self._continue(await self._leases.owned([*self._games.ids, *self._damaged]))

    async def _continue(self, claimed: Collection[Claimed]) -> None:
        log.info("games_taken_over", games=len(claimed))
        await asyncio.gather(*(self._continue_one(each) for each in claimed))

    async def _continue_one(self, claimed: Claimed) -> None:
        stored = claimed.game
        if stored.game_id in self._games.ids:
            return
        try:
            if isinstance(stored, DamagedGame):
                self._give_up(stored.game_id, stored.why)
            else:
                await self._games.take_over(await self._revived(stored, claimed.epoch))
                self.count += 1
        except OwnerReplaced:
            log.info("game_claimed_elsewhere", game=stored.game_id)
        except Refused as refused:
            self._give_up(stored.game_id, refused.message)

    def _give_up(self, game_id: str, why: str) -> None:
        self._damaged.add(game_id)
        log.error("game_not_restored", game=game_id, why=why)

    async def _revived(self, stored: StoredGame, epoch: int) -> Game:
        """Raises Refused if one of its turns is illegal; Replaced."""
        now = self._clock.monotonic()
        game = replace(
            stored.revived(self._limits),
            banked_ms=stored.thought_ms,
            resume_at=now + self._limits.reconnect_grace_s,
            away_since=(now, now),
            revision=stored.revision + 1,
            epoch=epoch,
        )
        await self._store.save(game, game, None)
        return game


class HallDuty:
    """Takes the hall if no living process has it, and keeps the `seat` up to date."""

    def __init__(
        self, leases: Leases, seat: HallSeat, services: HallServices, process_id: str
    ) -> None:
        self._leases = leases
        self._seat = seat
        self._services = services
        self._process_id = process_id
        self._is_closed = False

    async def look(self) -> None:
        """Read which process has the hall; if none has it, take it and open its services."""
        found = await self._leases.duty(HALL)
        if found is None:
            epoch = await self._leases.claim_duty(HALL)
            found = None if epoch is None else (self._process_id, epoch)
        self._seat.holder, self._seat.epoch = found or (None, 0)
        is_mine = self._seat.holder == self._process_id and not self._is_closed
        if is_mine and not self._seat.is_open:
            log.info("hall_taken", process=self._process_id, epoch=self._seat.epoch)
            await self._services.open()
            self._seat.is_open = True

    async def close(self) -> None:
        """Prevent further writes of the hall in this process, because another one takes it."""
        self._is_closed = True
        self._seat.is_open = False
        await self._services.close()
