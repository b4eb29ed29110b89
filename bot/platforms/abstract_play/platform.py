"""Abstract Play: webhooks in, moves out, and a sweep that misses nothing.

Protocol: docs/abstract-play.md. There is no connection there that could be lost: the bot counts
as connected while the platform answers the sweep.
"""

import asyncio
import random
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, AsyncExitStack, asynccontextmanager, suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Final, Literal

import structlog

from bot.backoff import Backoff
from bot.errors import HostError, PeerError, RefusedByServer, first_error
from bot.platforms.abstract_play.calls import open_session
from bot.platforms.abstract_play.client import Api, ClientOptions, open_client
from bot.platforms.abstract_play.connection import Connection
from bot.platforms.abstract_play.game_reader import Listing
from bot.platforms.abstract_play.keys import KeySource, text_at
from bot.platforms.abstract_play.store import Store
from bot.platforms.abstract_play.webhooks import Handler, serve_webhooks
from bot.platforms.base import (
    Connected,
    Disconnected,
    EventSink,
    NoAnswer,
    PlatformEvent,
    TurnInfo,
)
from bot.time_source import TimeSource

# The platform's two stages: the one to test on, and the one where people play.
#
# They share no accounts, no secrets and no games. Every address can be set otherwise.

StageName = Literal["development", "production"]

PUBLISHED_KEY: Final = (
    "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIAQw6QGQqOa0rDaPLdq+wGPkrzMCQzJRlMxwzjKNkILE"
)
"""With which the platform signs since 10 June 2026; the one in older notes is no longer valid."""

KEY_PAGE: Final = "https://play.abstractplay.com/ap-public-key.txt"
"""Where the site's own documentation says that its key is."""


@dataclass(frozen=True, slots=True)
class Stage:
    """`base` is what `query` and `botQuery` are appended to; the public key lies at `key_url`."""

    token_url: str
    scope: str
    base: str
    key_url: str


STAGES: Final[Mapping[StageName, Stage]] = {
    "development": Stage(
        token_url="https://abstract-play-bots-dev.auth.us-east-1.amazoncognito.com/oauth2/token",  # noqa: S106
        scope="default-m2m-resource-server-dev/communicate",
        base="https://alyhqu85me.execute-api.us-east-1.amazonaws.com/dev/",
        key_url="https://play.dev.abstractplay.com/ap-public-key.txt",
    ),
    "production": Stage(
        token_url="https://botauth.abstractplay.com/oauth2/token",  # noqa: S106
        scope="default-m2m-resource-server-zssvzy/communicate",
        base="https://7n1lziet28.execute-api.us-east-1.amazonaws.com/prod/",
        key_url=KEY_PAGE,
    ),
}


RETRY_S: Final = 5.0
"""After a sweep that failed; grows up to the usual time between two."""

ALL_EVERY: Final = 12
"""Of so many sweeps one reads all games, whatever the list says."""

log = structlog.get_logger()


@dataclass(frozen=True, slots=True)
class Endpoints:
    """How the platform is reached, how it reaches us, and where is kept what must not be lost."""

    api: Callable[[Store], AbstractAsyncContextManager[Api]]
    store: Callable[[], AbstractAsyncContextManager[Store]]
    webhooks: Callable[[Store, Handler], AbstractAsyncContextManager[None]]


class AbstractPlayPlatform:
    """A `Platform`. `account` is the bot's id there, `server` what people call the place."""

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
        self._store: Store | None = None

    @property
    def last_heard(self) -> float | None:
        return self._connection.heard_at if self._connection else self._last_heard

    @property
    def problems(self) -> Sequence[str]:
        problem = self._store and self._store.writing.problem
        return [problem] if problem else []

    @property
    def offering(self) -> None:
        """A bot cannot challenge anybody there."""
        return None

    # ---- as long as it runs --------------------------------------------------------------------

    async def run(self, sink: EventSink) -> None:
        """See `Platform.run`.

        Raises HostError if the endpoint or the store cannot be opened, and RefusedByServer if the
        platform refuses the client's secret before the first sweep has succeeded.
        """
        try:
            await self._run(_unacknowledged(sink))
        except ExceptionGroup as errors:  # from the group of tasks
            expected, unexpected = errors.split((HostError, RefusedByServer))
            if expected is None or unexpected is not None:
                raise
            raise first_error(expected) from None

    async def _run(self, sink: EventSink) -> None:
        async with AsyncExitStack() as stack:
            store = await stack.enter_async_context(self._endpoints.store())
            api = await stack.enter_async_context(self._endpoints.api(store))
            tasks = await stack.enter_async_context(asyncio.TaskGroup())
            connection = Connection(self._account, store, api, sink, self._time, tasks)
            self._connection, self._store = connection, store
            try:
                await connection.take_up()
                await stack.enter_async_context(self._endpoints.webhooks(store, connection))
                await self._keep_looking(connection, sink)
            finally:
                self._last_heard = connection.heard_at
                self._connection = self._store = None

    async def _keep_looking(self, connection: Connection, sink: EventSink) -> None:
        is_up, sweeps, was_up = False, 0, False
        while True:
            try:
                await connection.authorize()
                listing = await connection.listing()
                if not is_up:
                    await self._tell_that_connected(connection, listing, sink)
                everything = sweeps % ALL_EVERY == 0
                await connection.read_through(listing, everything=everything)
                is_up = was_up = True
                sweeps += 1
                self._backoff.reset()
            except (PeerError, HostError) as error:
                if isinstance(error, RefusedByServer) and not was_up:
                    raise
                if isinstance(error, PeerError):
                    connection.failed(error)
                why = error.message if isinstance(error, PeerError) else str(error)
                log.warning("sweep_failed", why=why)
                await sink(Disconnected(why))
                is_up, sweeps = False, 0
            await self._time.sleep(self._sweep_s if is_up else self._backoff.next())

    async def _tell_that_connected(
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
        del code, sentence  # the platform has no room for a reason
        self._open.answer_challenge(challenge_id, accept=False)

    async def submit(self, game_id: str, ply: int, turn: str, info: TurnInfo) -> None:
        del info
        await self._open.submit(game_id, ply, turn)

    async def resign(self, game_id: str) -> None:
        """On our own turn alone."""
        await self._open.resign(game_id)

    async def abort(self, game_id: str) -> None:
        del game_id
        raise PeerError("not_offered", "games cannot be taken back there")

    async def answer_draw(self, game_id: str, *, accept: bool) -> None:
        del game_id, accept
        raise PeerError("not_offered", "bots cannot answer draw offers there")

    async def watch(self, game_id: str) -> None:
        await self._open.read(game_id)

    async def retire(self) -> None:
        """There are no tournaments."""


def _unacknowledged(sink: EventSink) -> EventSink:
    """What the daemon cannot write down it knows all the same, and the next sweep tells again."""

    async def tell(event: PlatformEvent) -> None:
        with suppress(HostError):
            await sink(event)

    return tell


STORE: Final = "abstract-play.db"
KEY: Final = "abstract-play.key"
"""Both in the identity's own folder."""


@dataclass(frozen=True, slots=True)
class Options:
    """One bot there. `public_key` comes before what stands at `key_url`; `server` is for people."""

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
    """Not yet running. Raises ConfigurationError if the key in the settings is none."""
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
    """Raises ConfigurationError if the key in the settings is none."""

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
