"""The platform with everything that it needs: where it is, its key, our endpoint and our store."""

import asyncio
import random
from collections.abc import AsyncIterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Final

from bot.platforms.abstract_play.calls import open_session
from bot.platforms.abstract_play.client import Api, ClientOptions, open_client
from bot.platforms.abstract_play.keys import KeySource, text_at
from bot.platforms.abstract_play.platform import AbstractPlayPlatform, Ways
from bot.platforms.abstract_play.stages import PUBLISHED_KEY
from bot.platforms.abstract_play.store import Store
from bot.platforms.abstract_play.webhooks import Handler, serve_webhooks
from bot.time_source import TimeSource

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

    ways = Ways(
        api=api,
        store=partial(Store.opened, data / STORE, time),
        endpoint=partial(_endpoint, options, keys, time),
    )
    account, server = options.client.client_id, options.server
    return AbstractPlayPlatform(account, server, ways, options.sweep_s, time, rng)


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
