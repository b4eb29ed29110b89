"""Clients that abuse an arena, and honest players. Abusers answer one request, `attack`.

The answer has the number of connections that were tried, the number open at the end (`inside`),
and those shut out by reason: refused with a code, or `closed` after they were accepted.
"""

import asyncio
import contextlib
import itertools
import secrets
import time
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import Final
from urllib.parse import urlsplit

import aiohttp

from bot import wire
from bot.bench.clients.frames import PING, PONG, FrameConnection, Json, RequestRefused, open_socket
from bot.bench.clients.guests import Guest
from bot.bench.clients.roles import ClientPlan, Notify, Players
from bot.bench.clients.sources import Source, SourceAddresses
from bot.errors import PeerError

GIVEN_UP_S: Final = 60.0


@dataclass(frozen=True)
class Login:
    """An additional login of a player: seconds to its welcome or failure, and the failure code."""

    seconds: float
    code: str | None = None


class Honest:
    """Players, each at its own address, who log in with a second connection one after the other.

    Answers `begin` and `play` as `Players` does; the answer to `play` also has the `logins`, and in
    `health` the seconds of requests to /healthz from another address, each over a new connection.
    """

    def __init__(self, plan: ClientPlan, sources: SourceAddresses, notify: Notify) -> None:
        self._players = Players(plan, sources, notify)
        self._address = plan.address
        self._sessions = sources.sessions(plan.sources, 2 * plan.count)
        self._source = plan.sources[-1]
        self.guests: Sequence[Guest] = self._players.guests

    async def answer(self, request: Json) -> object:
        if request["do"] == "begin":
            return await self._players.answer(request)
        until: float = request["until"]
        report, logins, health = await asyncio.gather(
            self._players.play(request["pause_s"], until),
            self._log_in(request["login_every_s"], until),
            self._ask_health(request["health_every_s"], until),
        )
        return {**report, "logins": logins, "health": health}

    async def _ask_health(self, every_s: float, until: float) -> list[float]:
        """Ask /healthz every `every_s` seconds, even while earlier requests are waiting."""
        asked = []
        while time.monotonic() + every_s < until:
            await asyncio.sleep(every_s)
            asked.append(asyncio.create_task(health_s(self._address, self._source)))
        return await asyncio.gather(*asked)

    async def _log_in(self, every_s: float, until: float) -> list[Login]:
        """Start a login every `every_s` seconds, even while earlier ones are waiting."""
        logins = []
        for guest, session in itertools.cycle(zip(self.guests, self._sessions, strict=True)):
            await asyncio.sleep(every_s)
            if time.monotonic() >= until:
                break
            logins.append(asyncio.create_task(log_in(session, self._address, guest.guest_key)))
        return await asyncio.gather(*logins)


async def health_s(address: str, source: Source) -> float:
    """Ask /healthz over a new connection; returns the seconds, `GIVEN_UP_S` without an answer."""
    began = time.monotonic()
    connector = aiohttp.TCPConnector(local_addr=None if source is None else (source, 0))
    try:
        async with (
            aiohttp.ClientSession(connector=connector) as session,
            session.get(f"{address}/healthz", timeout=aiohttp.ClientTimeout(GIVEN_UP_S)) as answer,
        ):
            await answer.read()
    except (aiohttp.ClientError, TimeoutError):
        return GIVEN_UP_S
    return time.monotonic() - began


async def log_in(session: aiohttp.ClientSession, address: str, guest_key: str | None) -> Login:
    """Log in once with a key, and disconnect."""
    guest = Guest(session, _not_watching, Counter())
    began = time.monotonic()
    try:
        return Login(await guest.enter_once(address, guest_key) - began)
    except PeerError as error:
        return Login(time.monotonic() - began, error.code)
    finally:
        await guest.leave()


def _not_watching(_text: str, _moment: float) -> None:
    """Ignore events, because a guest who only logs in follows no game."""


CONNECT_AT_ONCE: Final = 100
"""Abusers that connect concurrently."""
DRIP_S: Final = 1.0
BROKEN_S: Final = 0.1
HOGGED: Final = "Hogged"
"""The bot that `Hogging` plays."""

Stay = Callable[[], Awaitable[None]]
"""Wait until a connection is closed."""


class Abuser(ABC):
    def __init__(self, plan: ClientPlan, sources: SourceAddresses, _notify: Notify) -> None:
        self.guests: Sequence[Guest] = ()
        self._address = plan.address
        self._sessions = sources.sessions(plan.sources, plan.count)
        self._sources = plan.sources
        self._path = plan.path
        self._count = plan.count
        self._tried = 0
        self._inside = 0
        self._shut_out: Counter[str] = Counter()
        self._done = 0

    async def answer(self, request: Json) -> object:
        door = asyncio.Semaphore(CONNECT_AT_ONCE)
        tasks = [asyncio.create_task(self._one(number, door)) for number in range(self._count)]
        await asyncio.wait(tasks, timeout=max(0.0, request["until"] - time.monotonic()))
        report = {"tried": self._tried, "inside": self._inside, "shut_out": dict(self._shut_out)}
        report["done"] = self._done
        for task in tasks:
            task.cancel()
        for failed in await asyncio.gather(*tasks, return_exceptions=True):
            if isinstance(failed, Exception):
                raise failed
        return report

    async def _one(self, number: int, door: asyncio.Semaphore) -> None:
        try:
            async with door:
                self._tried += 1
                stay = await self.enter(number)
            self._inside += 1
            try:
                await stay()
            finally:
                self._inside -= 1
            self._shut_out["closed"] += 1
        except PeerError as error:
            self._shut_out[error.code] += 1
        except OSError:
            self._shut_out["no_connection"] += 1

    @abstractmethod
    async def enter(self, number: int) -> Stay:
        """Make one connection. Raises PeerError or OSError if it is refused."""


class OneKey(Abuser):
    """Sockets of one guest; all except the first log in with its key."""

    def __init__(self, plan: ClientPlan, sources: SourceAddresses, notify: Notify) -> None:
        super().__init__(plan, sources, notify)
        self._owner = Guest(self._sessions[0], _ignore)
        self.guests = [self._owner]

    async def enter(self, number: int) -> Stay:
        auth = {"v": wire.VERSION, "guest_key": self._owner.guest_key}
        connection = await FrameConnection.open(
            self._sessions[number], self._address, auth, _ignore
        )
        return connection.lost


class Silent(Abuser):
    """Sockets that never log in, and do nothing but answer pings."""

    async def enter(self, number: int) -> Stay:
        socket = await open_socket(self._sessions[number], self._address)

        async def answer_pings() -> None:
            with contextlib.suppress(aiohttp.ClientError):
                while (message := await socket.receive()).type is aiohttp.WSMsgType.TEXT:
                    if message.data == PING:
                        await socket.send_str(PONG)

        return answer_pings


class Dripping(Abuser):
    """HTTP requests whose headers never end, one byte per second."""

    async def enter(self, number: int) -> Stay:
        arena = urlsplit(self._address)
        source = self._sources[number % len(self._sources)]
        reader, writer = await asyncio.open_connection(
            arena.hostname, arena.port, local_addr=None if source is None else (source, 0)
        )
        return lambda: _drip(reader, writer)


class WrongTokens(Abuser):
    """Logins with tokens that do not exist."""

    async def enter(self, number: int) -> Stay:
        auth = {"v": wire.VERSION, "token": secrets.token_urlsafe(32)}
        connection = await FrameConnection.open(
            self._sessions[number], self._address, auth, _ignore
        )
        return connection.lost


class Getting(Abuser):
    """GETs of one document over plain HTTP, each as soon as the previous one is answered."""

    def __init__(self, plan: ClientPlan, sources: SourceAddresses, notify: Notify) -> None:
        super().__init__(plan, sources, notify)
        self._url = f"{plan.address}{plan.path}"

    async def enter(self, number: int) -> Stay:
        session = self._sessions[number]
        await self._get(session)

        async def get_on() -> None:
            while True:
                await self._get(session)

        return get_on

    async def _get(self, session: aiohttp.ClientSession) -> None:
        """Repeat the request after any answer and any broken connection."""
        try:
            async with session.get(self._url) as response:
                while await response.content.readany():
                    pass
        except (aiohttp.ClientError, TimeoutError):
            await asyncio.sleep(BROKEN_S)


class Greedy(Abuser):
    """Guests of one address who repeat a request as fast as the arena answers.

    The report counts what the arena has allowed, as `done`.
    """

    def __init__(self, plan: ClientPlan, sources: SourceAddresses, notify: Notify) -> None:
        super().__init__(plan, sources, notify)
        self._prefix = secrets.token_hex(3)

    async def enter(self, number: int) -> Stay:
        guests = [await self._guest(number, each) for each in ("one", "two")]

        async def repeat() -> None:
            while True:
                try:
                    await self.ask_once(number, guests)
                    self._done += 1
                except RequestRefused as refused:
                    # A patient abuser does not wait as long as the arena asks for.
                    await asyncio.sleep(min(refused.retry_after_s or BROKEN_S, BROKEN_S))

        return repeat

    async def _guest(self, number: int, which: str) -> FrameConnection:
        auth = {"v": wire.VERSION, "name": self.name_of(number, which)}
        return await FrameConnection.open(self._sessions[number], self._address, auth, _ignore)

    def name_of(self, number: int, which: str) -> str:
        return f"A{self._prefix}-{number}-{which}"

    @abstractmethod
    async def ask_once(self, number: int, guests: Sequence[FrameConnection]) -> None:
        """Do once what takes something from others. Raises Refused or ConnectionLost."""

    async def _offer(self, one: FrameConnection, seats: Sequence[str]) -> str:
        offer = {"v": wire.VERSION, "setup": {"clock": {"kind": "none"}}, "seats": seats}
        answer = await one.ask("challenge.create", offer)
        return str(answer.fields["challenge"]["challenge_id"])


class Aborting(Greedy):
    """Pairs who begin games and abort them, every other pair by agreement."""

    async def ask_once(self, number: int, guests: Sequence[FrameConnection]) -> None:
        one, two = guests
        offered = await self._offer(one, [self.name_of(number, each) for each in ("one", "two")])
        wanted = {"v": wire.VERSION, "challenge_id": offered}
        begun = await two.ask("challenge.accept", wanted)
        game_id = begun.fields["challenge"]["game_id"]
        ways = ([(one, "abort")], [(one, "offer_abort"), (two, "accept_abort")])
        for guest, action in ways[number % 2]:
            message = {"v": wire.VERSION, "game_id": game_id, "action": action}
            await guest.ask("game.action", message)


class Challenging(Greedy):
    """Guests who fill the places for challenges of one person, the second guest of the first
    pair.
    """

    async def ask_once(self, number: int, guests: Sequence[FrameConnection]) -> None:
        await self._offer(guests[0], [self.name_of(number, "one"), self.name_of(0, "two")])


class Hogging(Greedy):
    """Guests who begin untimed games with one bot, which accepts all, and do not play.

    `path` has the bot's token. The bot is another client of this process.
    """

    async def answer(self, request: Json) -> object:
        auth = {"v": wire.VERSION, "token": self._path, "engine": "abuse", "level": 1}
        session = self._sessions[0]
        self._bot = await FrameConnection.open(session, self._address, auth, _ignore)
        return await super().answer(request)

    async def ask_once(self, number: int, guests: Sequence[FrameConnection]) -> None:
        offered = await self._offer(guests[0], [self.name_of(number, "one"), HOGGED])
        await self._bot.ask("challenge.accept", {"v": wire.VERSION, "challenge_id": offered})


async def _drip(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    """Wait until the server sends something or closes the connection."""
    answered = asyncio.create_task(reader.read(1))
    try:
        writer.write(b"GET /healthz HTTP/1.1\r\nHost: localhost\r\nX-Patience: ")
        while not answered.done():
            writer.write(b"a")
            await asyncio.wait({answered}, timeout=DRIP_S)
    finally:
        answered.cancel()
        writer.transport.abort()
        await asyncio.gather(answered, return_exceptions=True)


def _ignore(_text: str, _moment: float) -> None:
    """Abusers ignore events."""
