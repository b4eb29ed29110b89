"""Abstract Play: webhooks arrive, moves are sent, and a regular sweep finds what both missed.

Protocol: docs/abstract-play.md. There is no lasting connection: the bot counts as connected while
the platform answers the sweep.
"""

import asyncio
import random
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import AbstractAsyncContextManager, AsyncExitStack, asynccontextmanager, suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Final, NoReturn

import structlog
from pydantic import SecretStr

from bot.backoff import Backoff
from bot.errors import HostError, PeerError, RefusedByServer, first_error
from bot.guests.abstract_play.client import Api, ClientOptions, open_client
from bot.guests.abstract_play.connection import Connection
from bot.guests.abstract_play.game_reader import Listing
from bot.guests.abstract_play.keys import KeySource, text_at
from bot.guests.abstract_play.stages import PUBLISHED_KEY
from bot.guests.abstract_play.store import Store
from bot.guests.abstract_play.webhooks import Handler, serve_webhooks
from bot.platforms.base import (
    Connected,
    Disconnected,
    EventSink,
    NoAnswer,
    Platform,
    TokenRefused,
    TurnInfo,
    unacknowledged,
)
from bot.platforms.connections import Silence
from bot.runtime.http_client import open_session
from bot.runtime.tasks import BlockInterrupted, Interruption
from bot.time_source import TimeSource

RETRY_S: Final = 5.0
"""Seconds before the retry of a failed sweep; they grow up to the usual time between two sweeps."""

ALL_EVERY: Final = 12
"""One in this many sweeps reads every game, even if the list shows no change."""

log = structlog.get_logger()


@dataclass(frozen=True, slots=True)
class Endpoints:
    """Opens the HTTP API, the store, and the server for the platform's calls."""

    api: Callable[[Store], AbstractAsyncContextManager[Api]]
    store: Callable[[], AbstractAsyncContextManager[Store]]
    webhooks: Callable[[Store, Handler], AbstractAsyncContextManager[None]]


class AbstractPlayPlatform(Platform):
    """`account` is the bot's id there, `server` the name of the server for people."""

    def __init__(
        self,
        account: str,
        server: str,
        endpoints: Endpoints,
        sweep_s: float,
        time: TimeSource,
        rng: random.Random,
    ) -> None:
        self._account = account
        self._server = server
        self._endpoints = endpoints
        self._sweep_s = sweep_s
        self._time = time
        self._backoff = Backoff(min(RETRY_S, sweep_s), sweep_s, rng)
        self._connection: Connection | None = None
        self._last_heard: float | None = None
        # The platform answers the sweep. A call of its own does not count as an answer.
        self._silence = Silence(time, sweep_s)
        self._interruption = Interruption()
        self._was_up = False
        self._secret: SecretStr | None = None
        self._api: Api | None = None
        self._store: Store | None = None

    @property
    def last_heard(self) -> float | None:
        heard = self._connection.heard_at if self._connection else None
        return self._last_heard if heard is None else heard

    @property
    def overdue_s(self) -> float:
        return self._silence.overdue_s

    def reconnect(self) -> None:
        self._interruption.interrupt()

    def use_token(self, token: SecretStr) -> None:
        """The token is the client's secret."""
        self._secret = token
        if self._api is not None:
            self._api.use_secret(token)

    @property
    def problems(self) -> Sequence[str]:
        problem = self._store and self._store.writing.problem
        return [problem] if problem else []

    # ---- while it runs -------------------------------------------------------------------------

    async def run(self, sink: EventSink) -> None:
        """See `Platform.run`.

        Raises HostError if the endpoint or the store cannot be opened, and RefusedByServer if the
        platform refuses the client's secret before the first sweep has succeeded.
        """
        self._silence.begin()
        try:
            await self._run_and_reconnect(unacknowledged(sink))
        except ExceptionGroup as errors:  # from the task group
            expected, unexpected = errors.split((HostError, RefusedByServer))
            if expected is None or unexpected is not None:
                raise
            raise first_error(expected) from None

    async def _run_and_reconnect(self, sink: EventSink) -> NoReturn:
        while True:
            with suppress(BlockInterrupted):
                async with self._interruption.admitted():
                    await self._run(sink)
            await sink(Disconnected("the bot makes a new connection"))

    async def _run(self, sink: EventSink) -> None:
        async with AsyncExitStack() as stack:
            store = await stack.enter_async_context(self._endpoints.store())
            api = await stack.enter_async_context(self._endpoints.api(store))
            if self._secret is not None:
                api.use_secret(self._secret)
            tasks = await stack.enter_async_context(asyncio.TaskGroup())
            connection = Connection(self._account, store, api, sink, self._time, tasks)
            self._connection, self._store, self._api = connection, store, api
            try:
                await connection.take_up()
                await stack.enter_async_context(self._endpoints.webhooks(store, connection))
                await self._keep_looking(connection, sink)
            finally:
                self._last_heard = self.last_heard
                self._connection = self._store = self._api = None

    async def _keep_looking(self, connection: Connection, sink: EventSink) -> None:
        is_up, sweeps = False, 0
        while True:
            try:
                await connection.authorize()
                listing = await connection.listing()
                self._silence.heard()
                if not is_up:
                    await self._announce_connected(connection, listing, sink)
                everything = sweeps % ALL_EVERY == 0
                await connection.read_through(listing, everything=everything)
                is_up = self._was_up = True
                sweeps += 1
                self._backoff.reset()
            except (PeerError, HostError) as error:
                if isinstance(error, RefusedByServer) and not self._was_up:
                    raise
                if isinstance(error, PeerError):
                    connection.failed(error)
                why = error.message if isinstance(error, PeerError) else str(error)
                log.warning("sweep_failed", why=why)
                await sink(Disconnected(why, isinstance(error, TokenRefused)))
                is_up, sweeps = False, 0
            await self._time.sleep(self._sweep_s if is_up else self._backoff.next())

    async def _announce_connected(
        self, connection: Connection, listing: Listing, sink: EventSink
    ) -> None:
        running, challenges = frozenset(listing.games), connection.open_challenges
        await sink(Connected(connection.name, self._server, running, challenges))

    @property
    def _open(self) -> Connection:
        if self._connection is None:
            raise NoAnswer("the platform is not open")
        return self._connection

    # ---- calls ---------------------------------------------------------------------------------

    async def accept(self, challenge_id: str) -> None:
        self._open.answer_challenge(challenge_id, accept=True)

    async def decline(self, challenge_id: str, code: str, sentence: str) -> None:
        del code, sentence  # the platform accepts no reason
        self._open.answer_challenge(challenge_id, accept=False)

    async def submit(
        self, game_id: str, ply: int, turn: str, info: TurnInfo, takebacks: int | None = None
    ) -> None:
        del info, takebacks
        await self._open.submit(game_id, ply, turn)

    async def resign(self, game_id: str) -> None:
        """Works only on our own turn."""
        await self._open.resign(game_id)

    async def watch(self, game_id: str) -> None:
        await self._open.read(game_id)


STORE: Final = "abstract-play.db"
KEY: Final = "abstract-play.key"
"""Names of the files in the identity's own folder."""


@dataclass(frozen=True, slots=True)
class Options:
    """The options of one bot. `public_key` has precedence over the key at `key_url`."""

    client: ClientOptions
    server: str
    key_url: str
    public_key: str | None
    listen_host: str
    listen_port: int
    sweep_s: float


def opened(
    options: Options, data: Path, time: TimeSource, rng: random.Random
) -> AbstractPlayPlatform:
    """Return the platform, not yet running.

    Raises ConfigurationError if `public_key` is not a key.
    """
    keys = key_source(options, data, time)

    def api(store: Store) -> AbstractAsyncContextManager[Api]:
        return open_client(options.client, store, time)

    endpoints = Endpoints(
        api=api,
        store=partial(Store.opened, data / STORE, time),
        webhooks=partial(_endpoint, options, keys, time),
    )
    account, server = options.client.client_id, options.server
    return AbstractPlayPlatform(account, server, endpoints, options.sweep_s, time, rng)


def key_source(options: Options, data: Path, time: TimeSource) -> KeySource:
    """Return the source of the key. Raises ConfigurationError if `public_key` is not a key."""

    async def fetch() -> str:
        async with open_session() as session:
            return await text_at(session, options.key_url)

    return KeySource(options.public_key, PUBLISHED_KEY, fetch, data / KEY, time)


@asynccontextmanager
async def _endpoint(
    options: Options,
    keys: KeySource,
    time: TimeSource,
    store: Store,
    handler: Handler,
) -> AsyncIterator[None]:
    await keys.start()
    renewing = asyncio.create_task(keys.renew())
    host, port = options.listen_host, options.listen_port
    try:
        async with serve_webhooks(host, port, handler, keys, store, time):
            yield
    finally:
        renewing.cancel()
        await asyncio.wait({renewing})
