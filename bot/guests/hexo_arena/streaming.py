"""Keeps the bot's stream on HeXO-Arena open, and hands its lines to the connection.

Protocol: docs/hexo-arena.md.
"""

import asyncio
import math
import random
from contextlib import AsyncExitStack, suppress
from dataclasses import dataclass, field
from datetime import timedelta
from functools import partial
from pathlib import Path
from typing import Final, NoReturn
from urllib.parse import urlsplit

import structlog
from pydantic import SecretStr

from bot.errors import HostError, PeerError, RefusedByServer
from bot.guests.hexo_arena.api import Api, ApiOptions
from bot.guests.hexo_arena.challenger import ChallengePolicy
from bot.guests.hexo_arena.connection import Connection, Parts
from bot.guests.hexo_arena.declaration import Declaration
from bot.guests.hexo_arena.messages import read_event
from bot.guests.hexo_arena.ratings import RATINGS, RatingLog
from bot.guests.hexo_arena.seat import SeatOptions
from bot.guests.hexo_arena.sockets import dial
from bot.guests.hexo_arena.store import Store
from bot.guests.hexo_arena.stream import Lines, StreamEnded, Unreached, open_stream
from bot.platforms.base import Connected, Disconnected, EventSink, NoAnswer, NotNow, TokenRefused
from bot.platforms.connections import ConnectionLost, Reconnection, Silence
from bot.runtime.http_client import open_session
from bot.runtime.tasks import BlockInterrupted, Interruption, within
from bot.runtime.token_bucket import TokenBucket
from bot.time_source import TimeSource

STORE: Final = "hexo-arena.db"
"""The name of the store in the identity's own folder."""
OPENS: Final = 4
OPENS_PER_S: Final = 0.095
"""A little less than the server's limit of streams opened by one bot: a burst, then a rate."""
TOLD_S: Final = 1.0
"""Seconds without a line after which the server has told every game of a new stream."""
AT_ONCE_S: Final = 15.0
"""A stream that the server ends sooner than this was ended at once."""
MOST_ENDS: Final = 2
"""Streams in a row that ended at once, after which another program has the same token."""
LONGEST_WITH_GAMES_S: Final = 3.0
"""The longest wait while games run: the server ends them when the bot is away for 30 s."""
EXPIRE_S: Final = 5.0
RETIRED_S: Final = 30.0
"""The longest wait for a stream without new games, before the bot may stop."""
ANOTHER: Final = (
    "another program uses the same token: the server has ended the stream at once, twice;"
    " stop the other program, or give each bot its own token"
)

log = structlog.get_logger()


@dataclass(frozen=True, slots=True)
class Options:
    """The options of one bot. All times are in seconds."""

    url: str
    token: SecretStr
    declaration: Declaration
    policy: ChallengePolicy = field(default_factory=ChallengePolicy)
    answer_s: float = 10.0
    silence_s: float = 21.0
    first_wait_s: float = 0.2
    longest_wait_s: float = 30.0


class _Reopened(ConnectionLost):
    """We have closed the stream, to open it again."""


class Streaming:
    """The stream of one bot. `connection`, `api` and `store` are None while it does not run.

    `takes_games` says whether the bot takes new games.
    """

    def __init__(
        self, options: Options, data: Path, time_source: TimeSource, rng: random.Random
    ) -> None:
        self.connection: Connection | None = None
        self.api: Api | None = None
        self.store: Store | None = None
        self.takes_games = True
        self._options = options
        self._data = data
        self._time = time_source
        self._rng = rng
        self._reconnection = Reconnection(
            options.url, options.first_wait_s, options.longest_wait_s, time_source, rng
        )
        self._opens = TokenBucket(OPENS_PER_S, OPENS, time_source)
        self._interruption = Interruption()
        self._token = options.token
        # The server writes to the stream every ten seconds, also while nothing happens.
        self._silence = Silence(time_source, options.silence_s + options.answer_s)
        self._ends_at_once = 0
        self._refusals = 0
        self._wants_reopen = False
        self._retired = asyncio.Event()
        """Set when a stream without new games has told all games."""

    @property
    def last_heard(self) -> float | None:
        """When the stream, a seat or a request last heard from the server."""
        seats = self.connection.heard_at if self.connection else None
        heard = [each for each in (seats, self._silence.last_heard) if each is not None]
        return max(heard, default=None)

    @property
    def overdue_s(self) -> float:
        return self._silence.overdue_s

    def reopen(self) -> None:
        """Open the stream again. The websockets of the games stay."""
        self._wants_reopen = True
        self._interruption.interrupt()

    def use_token(self, token: SecretStr) -> None:
        """Use this token from the next request on."""
        self._token = token
        if self.api is not None:
            self.api.use_token(token)

    async def retire(self) -> None:
        """Open the stream again without taking games.

        Returns when that stream has told all games: one may just have begun.
        """
        self.takes_games = False
        self.reopen()
        with suppress(TimeoutError):
            await within(self._time, RETIRED_S, self._until_retired())

    async def _until_retired(self) -> None:
        await self._retired.wait()

    async def run(self, sink: EventSink) -> NoReturn:
        """Keep the stream open. Raises RefusedByServer and HostError."""
        self._silence.begin()
        self._ends_at_once = self._refusals = 0
        async with AsyncExitStack() as stack:
            store = await stack.enter_async_context(Store.opened(self._data / STORE, self._time))
            session = await stack.enter_async_context(open_session())
            options = ApiOptions(self._options.url, self._options.answer_s)
            self.api = Api(session, options, self._token, self._time)
            self.store = store
            await self._remember_opens(store)
            try:
                await self._keep_streaming(sink)
            finally:
                if self.connection is not None:
                    self._silence.heard(self.last_heard)
                    await self.connection.close()
                self.connection = self.api = self.store = None

    async def _remember_opens(self, store: Store) -> None:
        """Count the streams that an earlier run of this bot has opened just now."""
        since = self._time.wall() - timedelta(seconds=OPENS / OPENS_PER_S)
        self._opens = TokenBucket(OPENS_PER_S, OPENS, self._time)
        for _ in range(await store.opens_since(since)):
            self._opens.take()

    async def _keep_streaming(self, sink: EventSink) -> NoReturn:
        while True:
            began = self._time.monotonic()
            loss = await self._stream_once(sink)
            if isinstance(loss, _Reopened):
                continue
            await sink(Disconnected(str(loss), isinstance(loss, TokenRefused)))
            has_games = self.connection is not None and self.connection.live_games > 0
            await self._reconnection.pause(
                loss, began, at_most_s=LONGEST_WITH_GAMES_S if has_games else math.inf
            )

    async def _stream_once(self, sink: EventSink) -> ConnectionLost | PeerError:
        """Open a stream and handle its events. Returns why it ended.

        Raises RefusedByServer if that is useless from now on.
        """
        api, store = self.api, self.store
        assert api is not None
        assert store is not None
        opened_at: float | None = None
        try:
            connection = await self._connected(api, sink)
            while not self._opens.take():
                await self._time.sleep(self._opens.wait_s)
            with suppress(HostError):
                await store.note_open(self._time.wall())
            takes_games = self.takes_games
            async with open_stream(api, takes_games=takes_games, time=self._time) as lines:
                opened_at = self._time.monotonic()
                self._refusals = 0
                self._wants_reopen = takes_games != self.takes_games
                await self._serve(lines, connection, sink, takes_games=takes_games)
        except RefusedByServer as error:
            self._refusals += 1
            if not isinstance(error, TokenRefused) or self._is_final():
                raise
            return error
        except (ConnectionLost, NoAnswer, NotNow) as error:
            if isinstance(error, Unreached):
                self._opens.give_back()  # the server has not counted it
            self._count_end(error, opened_at)
            return error

    def _is_final(self) -> bool:
        """Return whether a refused token stays refused: at the start, or twice in a row."""
        return self.connection is None or self._refusals >= 2

    def _count_end(self, error: Exception, opened_at: float | None) -> None:
        """Raise RefusedByServer if another program takes the stream from us again and again."""
        if opened_at is None:
            return
        was_short = self._time.monotonic() - opened_at < AT_ONCE_S
        is_taken = isinstance(error, StreamEnded) and was_short
        self._ends_at_once = self._ends_at_once + 1 if is_taken else 0
        if self._ends_at_once >= MOST_ENDS:
            raise RefusedByServer("token_in_use", ANOTHER)

    async def _connected(self, api: Api, sink: EventSink) -> Connection:
        """Return the connection; at first, read our account."""
        if self.connection is None:
            account = await api.account()
            assert self.store is not None
            parts = Parts(
                api=api,
                store=self.store,
                dial=partial(dial, api),
                ratings=RatingLog(self._data / RATINGS),
                policy=self._options.policy,
                seat=SeatOptions(self._options.answer_s, self._options.silence_s),
                time=self._time,
                rng=self._rng,
            )
            self.connection = Connection(parts, account, sink, self.reopen)
            self.connection.declare(self._options.declaration)
        return self.connection

    async def _serve(
        self, lines: Lines, connection: Connection, sink: EventSink, *, takes_games: bool
    ) -> NoReturn:
        self._silence.heard()
        connection.stream_opened()
        server = urlsplit(self._options.url).netloc
        challenges = connection.challenges
        await sink(
            Connected(
                connection.account.name,
                server,
                await connection.running(),
                challenges.ids,
                challenges.own_ids,
            )
        )
        has_told_all = False
        while True:
            wait_s = EXPIRE_S if has_told_all else TOLD_S
            line = await self._next(lines, min(wait_s, self._left_s()))
            if line is not None:
                self._silence.heard()
            if line:
                await self._take(line, connection)
            elif not has_told_all:
                has_told_all = True
                await connection.stream_told_all()
                if not takes_games:
                    self._retired.set()
            await connection.expire()

    async def _next(self, lines: Lines, seconds: float) -> bytes | None:
        """Return the next line, or None if no line comes in that time. Raises ConnectionLost.

        Only this wait is interrupted to open the stream again, never the handling of a line.
        """
        try:
            async with self._interruption.admitted():
                if self._wants_reopen:
                    self._interruption.interrupt()
                return await lines.next(seconds)
        except BlockInterrupted:
            raise _Reopened("the bot opens the stream again") from None

    def _left_s(self) -> float:
        """Return the seconds until the stream counts as broken. Raises ConnectionLost."""
        left_s = self._options.silence_s - self._silence.lasts_s
        if left_s <= 0:
            raise ConnectionLost(f"silent for {self._options.silence_s:g} s")
        return left_s

    async def _take(self, line: bytes, connection: Connection) -> None:
        try:
            event = read_event(line)
        except ValueError as error:
            log.warning("garbage", why=str(error))
            return
        if event is not None:
            await connection.handle(event)
