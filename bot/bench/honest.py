"""Honest players, whom abuse by others must not hurt: they play, and they come back."""

import asyncio
import itertools
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import aiohttp

from bot.bench.clients.frames import Json
from bot.bench.clients.guests import Guest
from bot.bench.clients.roles import Notify, Plan, Players
from bot.bench.clients.sources import Sources
from bot.errors import PeerError


@dataclass(frozen=True)
class Login:
    """One more connection of a player: how long until its welcome, or until it failed, and why."""

    seconds: float
    code: str | None = None


class Honest:
    """Players, each at an address of their own, of whom one after the other logs in once more.

    Answers `begin` and `play` as `Players` does, `play` with the `logins` besides.
    """

    def __init__(self, plan: Plan, sources: Sources, notify: Notify) -> None:
        self._players = Players(plan, sources, notify)
        self._address = plan.address
        self._sessions = sources.sessions(plan.sources, 2 * plan.count)
        self.guests: Sequence[Guest] = self._players.guests

    async def answer(self, request: Json) -> object:
        if request["do"] == "begin":
            return await self._players.answer(request)
        until: float = request["until"]
        report, logins = await asyncio.gather(
            self._players.play(request["pause_s"], until),
            self._log_in(request["login_every_s"], until),
        )
        return {**report, "logins": logins}

    async def _log_in(self, every_s: float, until: float) -> list[Login]:
        """Whether one login has succeeded yet or not, the next begins on time."""
        logins = []
        for guest, session in itertools.cycle(zip(self.guests, self._sessions, strict=True)):
            await asyncio.sleep(every_s)
            if time.monotonic() >= until:
                break
            logins.append(asyncio.create_task(log_in(session, self._address, guest.guest_key)))
        return await asyncio.gather(*logins)


async def log_in(session: aiohttp.ClientSession, address: str, guest_key: str | None) -> Login:
    """Come in by a key, once, and leave again."""
    guest = Guest(session, _not_watching, Counter())
    began = time.monotonic()
    try:
        return Login(await guest.enter_once(address, guest_key) - began)
    except PeerError as error:
        return Login(time.monotonic() - began, error.code)
    finally:
        await guest.leave()


def _not_watching(_text: str, _moment: float) -> None:
    """Whoever only logs in looks at no game."""
