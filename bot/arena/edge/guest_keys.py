"""The person whose guest key is in an HTTP request (`Authorization: Bearer KEY`)."""

import asyncio
from typing import Final

from aiohttp import web

from bot import wire
from bot.arena.edge.login import LoginAttempts
from bot.arena.http.addresses import Proxies
from bot.arena.lobby.renaming import Renamer
from bot.arena.operator.moderation import Moderation
from bot.arena.players.accounts import Accounts
from bot.arena.refusals import ANSWER_S, Refused, unavailable

LONGEST: Final = 100


class GuestKeys:
    """Finds people by their keys. All methods raise Refused."""

    def __init__(
        self,
        accounts: Accounts,
        moderation: Moderation,
        renamer: Renamer,
        proxies: Proxies,
        attempts: LoginAttempts,
    ) -> None:
        self._accounts = accounts
        self._moderation = moderation
        self._renamer = renamer
        self._proxies = proxies
        self._attempts = attempts

    async def identified(self, request: web.Request) -> tuple[wire.Player, str]:
        """The person, and the id of the session. The key must be there."""
        scheme, _, key = request.headers.get("Authorization", "").partition(" ")
        if scheme.lower() != "bearer" or not (0 < len(key) <= LONGEST and key.isascii()):
            raise Refused("bad_guest_key")
        try:
            async with asyncio.timeout(ANSWER_S):
                async with self._attempts.attempt(self._proxies.caller(request).address, key):
                    player, session = await self._accounts.by_key(key)
        except TimeoutError:
            raise unavailable() from None
        self._moderation.check_player(player, session)
        return self._renamer.current(player), session

    async def person_in(self, request: web.Request) -> wire.Player | None:
        """The person; None if the request has no key."""
        if "Authorization" not in request.headers:
            return None
        return (await self.identified(request))[0]
