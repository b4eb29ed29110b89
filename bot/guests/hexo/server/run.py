"""`bluestone serve-htttx`: the server with its engine processes, until a signal ends it."""

import asyncio
from typing import Final

from bot.engines.pool import EnginePool
from bot.engines.sandbox import sweep
from bot.engines.spec import EngineSpec
from bot.guests.hexo.server.asking import AskedEngine, load_rules
from bot.guests.hexo.server.server import HtttxServer, serving
from bot.guests.hexo.server.settings import HtttxSettings
from bot.guests.hexo.turns import HEXO
from bot.runtime.kernels import compiled_behind
from bot.runtime.logs import configure_logging
from bot.runtime.metrics import new_registry
from bot.runtime.signals import handled
from bot.time_source import SystemTime

POLL_S: Final = 0.02


def run_server(spec: EngineSpec, settings: HtttxSettings) -> int:
    """Serve until SIGINT or SIGTERM; return the exit code. Raises BluestoneError."""
    configure_logging(secrets=settings.tokens)
    sweep()
    return asyncio.run(_until_signalled(spec, settings))


async def _until_signalled(spec: EngineSpec, settings: HtttxSettings) -> int:
    stop = asyncio.Event()
    with handled(stop.set):
        await serve(spec, settings, stop)
    return 0


async def serve(spec: EngineSpec, settings: HtttxSettings, stop: asyncio.Event) -> None:
    """Serve until `stop` is set. The engine is ready before the server listens."""
    time = SystemTime()
    async with (
        compiled_behind([HEXO] if spec.is_builtin else []) as kernels,
        EnginePool(spec, settings.at_once, time, kernels=kernels) as pool,
    ):
        await pool.until_ready_for(HEXO)
        await asyncio.to_thread(load_rules)
        while not (stop.is_set() or pool.health.alive or pool.health.consecutive_failures):
            await time.sleep(POLL_S)
        server = HtttxServer(settings, AskedEngine(pool, settings, time), time, new_registry())
        async with serving(server, settings):
            await stop.wait()
