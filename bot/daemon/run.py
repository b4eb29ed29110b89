"""The bot daemon: opens journal, engines and identities, plays, and stops."""

import asyncio
import ctypes
import os
import random
import sys
from collections.abc import Callable, Mapping, Sequence
from contextlib import AsyncExitStack
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from typing import Final

import structlog

import engine
from bot.daemon.data_folder import health_noted, sole_daemon
from bot.daemon.identity import Identity, IdentityOptions
from bot.daemon.journal import JOURNAL, TurnJournal, open_journal
from bot.daemon.metrics import BotMetrics, StatusSnapshot, bot_metrics
from bot.daemon.record_book import RecordBook
from bot.daemon.scheduler import Scheduler
from bot.daemon.settings import AnyIdentity, Conduct, EngineTable, Settings
from bot.daemon.settings_file import load_settings, settings_warnings
from bot.daemon.silence import SilencePatience
from bot.daemon.supervisor import Supervisor
from bot.engines.pool import EnginePool
from bot.engines.protections import Held, what_holds
from bot.engines.sandbox import protect, sweep
from bot.errors import ConfigurationError
from bot.platforms.base import Platform
from bot.platforms.settings import BotContext, TokenFile
from bot.records.model import EngineSettings
from bot.runtime.health import BoxStatus, serve_health
from bot.runtime.kernels import Kernels, compiled_behind
from bot.runtime.logs import configure_logging, set_level
from bot.runtime.metrics import new_registry
from bot.runtime.service_manager import ServiceManager
from bot.runtime.signals import Reloader, handled
from bot.time_source import SystemTime, TimeSource
from engine.warming import CompiledPart

RECORDS: Final = "records.jsonl"
"""Two daemons on one journal would both play the same games."""
POLL_S: Final = 0.02
PR_SET_DUMPABLE: Final = 4
"""From <linux/prctl.h>."""

log = structlog.get_logger()


MakePlatform = Callable[[AnyIdentity, BotContext], Platform]
"""Make the platform of a [[platforms]] table. Raises ConfigurationError without a token."""


async def run(
    settings: Settings,
    stop: asyncio.Event,
    time_source: TimeSource | None = None,
    environ: Mapping[str, str] = os.environ,
    reloader: Reloader[Settings] | None = None,
    make_platform: MakePlatform = lambda table, bot: table.platform(bot),
    manager: ServiceManager | None = None,
    box: BoxStatus | None = None,
) -> int:
    """Play until `stop` is set and running games are over, and return the exit code.

    The exit code is 0, or 77 if every server has refused us permanently. `reloader` gets a function
    that changes settings at run time. `manager` is told when the bot can play, and how it is.
    `box` is part of the status. Cancelling ends everything at once; the journal keeps the
    open work. Raises ConfigurationError and HostError if the daemon cannot start.
    """
    if not settings.platforms:
        raise ConfigurationError("platforms: there is none, so the bot cannot play anywhere")
    data = settings.daemon.data
    time_source = time_source or SystemTime()
    async with AsyncExitStack() as stack:
        stack.enter_context(sole_daemon(data))
        kernels = await stack.enter_async_context(compiled_behind(_first_games(settings)))
        registry = new_registry()
        parts = _Parts(
            settings=settings,
            environ=environ,
            make_platform=make_platform,
            time_source=time_source,
            journal=await stack.enter_async_context(open_journal(data / JOURNAL, time_source)),
            records=RecordBook(data / RECORDS, time_source),
            pools={},
            schedulers={},
            kernels=kernels,
            metrics=bot_metrics(registry, [each.name for each in settings.platforms]),
        )
        identities = [parts.identity(table) for table in settings.platforms]
        await parts.first_games_are_ready(stop)
        for pool in parts.pools.values():
            await stack.enter_async_context(pool)
        await asyncio.to_thread(_load_rules, settings, kernels)
        await parts.engines_are_up(stop)
        if reloader is not None:
            reloader.apply = partial(_change, identities)
        files = (parts.journal.writing, parts.records.writing)
        drain_s = settings.daemon.drain_s
        supervisor = Supervisor(
            identities, parts.pools, files, parts.journal.open_work, time_source, drain_s, box
        )
        health = await stack.enter_async_context(
            serve_health(
                settings.health.host,
                settings.health.port,
                supervisor.status,
                StatusSnapshot(registry, parts.pools).page(supervisor.status),
            )
        )
        if health is not None:
            stack.enter_context(health_noted(data, health))
        manager = manager or ServiceManager()
        await stack.enter_async_context(manager.serving(supervisor.summary, [parts.journal.pulse]))
        return await supervisor.run(stop)


@dataclass(frozen=True, slots=True)
class _Parts:
    """The parts that identities share."""

    settings: Settings
    environ: Mapping[str, str]
    make_platform: MakePlatform
    time_source: TimeSource
    journal: TurnJournal
    records: RecordBook
    pools: dict[str, EnginePool]
    schedulers: dict[str, Scheduler]
    kernels: Kernels
    metrics: BotMetrics

    def identity(self, table: AnyIdentity) -> Identity:
        """Raises ConfigurationError if the token or the engine is missing."""
        spec = self._engine(table)
        options = table.options_of(spec)
        pool = self._pool(table.engine, spec)
        bot = self.settings.context(table, self.environ, self.time_source)
        about = IdentityOptions(
            label=table.name,
            kind=table.kind,
            engine=EngineSettings(name=spec.name, options=options),
            policy=self.settings.policy.overridden_by(table.policy),
            conduct=_conduct(self.settings),
            seek=table.seek,
            user=pool.user(table.name, options),
            metrics=self.metrics.identity(table.name),
            token_file=_token_file(table, self.environ),
            patience=SilencePatience(
                table.reconnect_after_s, table.restart_after_s, table.alarm_after_s
            ),
        )
        return Identity(
            about,
            self.make_platform(table, bot),
            pool,
            self.schedulers[table.engine],
            self.journal,
            self.records,
            self.time_source,
            bot.rng,
        )

    def _engine(self, table: AnyIdentity) -> EngineTable:
        spec = self.settings.engines.get(table.engine)
        if spec is None:
            raise ConfigurationError(f"platforms.engine: there is no [engines.{table.engine}]")
        return spec

    def _pool(self, name: str, spec: EngineTable) -> EnginePool:
        """Return the pool and the queue of an engine, shared by all identities that use it."""
        if name not in self.pools:
            pool = EnginePool(spec, spec.processes, self.time_source, kernels=self.kernels)
            self.pools[name] = pool
            self.schedulers[name] = Scheduler(lambda: pool.share, self.time_source)
        return self.pools[name]

    async def first_games_are_ready(self, stop: asyncio.Event) -> None:
        """Wait until the engines can play the first game of each policy, and all sought games."""
        for table in self.settings.platforms:
            pool = self.pools[table.engine]
            sought = [table.seek.game] if table.seek is not None else []
            for game in {*_games(self.settings, table)[:1], *sought}:
                while not (stop.is_set() or pool.is_ready_for(game)):
                    await self.time_source.sleep(POLL_S)

    async def engines_are_up(self, stop: asyncio.Event) -> None:
        """Wait until every engine has started or failed, so that no first turn waits for a start.

        If an engine fails, the fallback plays its turns.
        """
        for pool in self.pools.values():
            while not (stop.is_set() or pool.health.alive or pool.health.consecutive_failures):
                await self.time_source.sleep(POLL_S)


def _token_file(table: AnyIdentity, environ: Mapping[str, str]) -> TokenFile | None:
    path = table.token_file
    return None if path is None else TokenFile(path, table.read_token(environ))


def _conduct(settings: Settings) -> Conduct:
    return Conduct(settings.time, settings.resign, settings.draws)


def _change(identities: Sequence[Identity], running: Settings, new: Settings) -> Settings:
    """Apply the settings that can change while games run, and return the settings in effect."""
    policies = {table.name: table.policy for table in new.platforms}
    tables = [
        table.model_copy(update={"policy": policies.get(table.name, table.policy)})
        for table in running.platforms
    ]
    changes = {
        "logging": running.logging.model_copy(update={"level": new.logging.level}),
        "platforms": tables,
        **{name: getattr(new, name) for name in ("policy", "time", "resign", "draws")},
    }
    running = running.model_copy(update=changes)
    set_level(running.logging.level)
    for identity, table in zip(identities, tables, strict=True):
        identity.change(running.policy.overridden_by(table.policy), _conduct(running))
        if identity.tokens.renew():
            identity.platform.reconnect()  # the operator sees at once whether the token works
    return running


def _first_games(settings: Settings) -> list[str]:
    """Return every game of the policies. These are compiled before all others."""
    return sorted({game for table in settings.platforms for game in _games(settings, table)})


def _games(settings: Settings, table: AnyIdentity) -> list[str]:
    """Return the games that the table's policy accepts, in the order of the catalogue.

    A platform with only one game may start it without asking, whatever the policy accepts.
    """
    if table.only_game is not None:
        return [table.only_game]
    played = settings.policy.overridden_by(table.policy).games
    return [info.name for info in engine.games() if info.name in played]


def _load_rules(settings: Settings, kernels: Kernels) -> None:
    """Load the compiled rules now, rather than while the clock of a game runs."""
    for name in {name for table in settings.platforms for name in _games(settings, table)}:
        if kernels.are_there([CompiledPart(name, "rules")]):
            start = engine.game(name).start()
            start.play(next(start.legal_turns())).likely_turn(random.Random(1))


# ---- as a program ------------------------------------------------------------------------------


async def run_until_signalled(
    settings: Settings,
    file: Path,
    environ: Mapping[str, str],
    manager: ServiceManager,
    box: BoxStatus | None = None,
) -> int:
    """Call `run` with signals: the first SIGINT or SIGTERM drains, the second ends at once, and
    SIGHUP reads the file again.
    """
    stop = asyncio.Event()
    reloader = Reloader(settings, lambda: load_settings(file, environ))
    running = asyncio.ensure_future(
        run(settings, stop, environ=environ, reloader=reloader, manager=manager, box=box)
    )

    def on_end() -> None:
        if stop.is_set():
            running.cancel()
        stop.set()
        manager.stopping()

    with handled(on_end, manager.reloading(reloader)):
        try:
            return await running
        except asyncio.CancelledError:
            return 130


def run_program(file: Path) -> int:
    """Run the daemon of that settings file until a signal ends it. Raises BluestoneError."""
    hide_memory()
    manager = ServiceManager.of(os.environ)
    settings = load_settings(file)
    environ = dict(os.environ)
    tokens = (table.token_file for table in settings.platforms)
    protect(file, settings.daemon.data, *(path for path in tokens if path is not None))
    secrets = [table.read_token(environ).get_secret_value() for table in settings.platforms]
    for table in settings.platforms:  # child processes inherit the rest
        os.environ.pop(table.token_variable or "", None)
    configure_logging(settings.logging.level, settings.logging.format, secrets=secrets)
    box = _box_of_engines(settings)
    for warning in settings_warnings(settings):
        log.warning("settings_warning", why=warning)
    return asyncio.run(run_until_signalled(settings, file, environ, manager, box))


def _box_of_engines(settings: Settings) -> BoxStatus:
    """Try and log the protections of the engines' box, and remove what killed programs left."""
    sweep()
    off = [name for name, table in settings.engines.items() if not table.sandbox.enabled]
    box = BoxStatus(**asdict(Held.of(what_holds())), off=off)
    if box.missing:
        log.warning("engine_sandbox", **box.model_dump())
    else:
        log.info("engine_sandbox", **box.model_dump())
    return box


def hide_memory() -> None:
    """Prevent other processes of this user from reading our memory and environment, which hold
    tokens.

    Engines run as the same user. Only Linux supports this; root can still read both. Such a process
    leaves no core dump, and no debugger of this user can attach to it.
    """
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(PR_SET_DUMPABLE, 0, 0, 0, 0)
