"""Runs the identities, restarts them after failures, drains them, and reports their status."""

import asyncio
import random
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Final

import structlog

from bot import __version__
from bot.backoff import Backoff
from bot.daemon.identity import Identity
from bot.daemon.journal import OpenWork, work_status
from bot.daemon.silence import SilenceWatch
from bot.daemon.status import StatusGame
from bot.engines.pool import EnginePool
from bot.errors import HostError, RefusedByServer, first_error
from bot.platforms.base import TokenRefused
from bot.runtime.database import WriteState
from bot.runtime.health import (
    BoxStatus,
    DaemonStatus,
    EngineStatus,
    GameStatus,
    PlatformStatus,
    UnreadGame,
    WorkStatus,
)
from bot.runtime.listening import CannotListen
from bot.runtime.tasks import Overtaken, unless_overtaken, within
from bot.time_controls import time_left_ms
from bot.time_source import TimeSource
from engine.warming import kernels_in_words

RESTART_FIRST_S: Final = 1.0
RESTART_LIMIT_S: Final = 300.0
STEADY_S: Final = 60.0
"""An identity that ran this long before it failed is restarted after the shortest pause."""

log = structlog.get_logger()


class Supervisor:
    """Runs identities independently: the failure of one does not touch the others."""

    def __init__(
        self,
        identities: Sequence[Identity],
        pools: Mapping[str, EnginePool],
        files: Sequence[WriteState],
        open_work: Callable[[], Awaitable[Sequence[OpenWork]]],
        time_source: TimeSource,
        drain_s: float,
        box: BoxStatus | None = None,
    ) -> None:
        self._identities = identities
        self._box = box
        self._drain_s = drain_s
        self._pools = pools
        self._files = files
        self._open_work = open_work
        self._time = time_source
        self._draining = False

    async def run(self, stop: asyncio.Event) -> int:
        """Run, and return the exit code: 0 when drained after `stop`, 77 if all servers refuse us.

        Raises CannotListen if an identity cannot listen on its port at the start.
        """
        try:
            await unless_overtaken(self._play(), by=self._stop_and_drain(stop))
        except Overtaken:
            return 0
        return RefusedByServer.exit_code

    async def _play(self) -> None:
        try:
            async with asyncio.TaskGroup() as tasks:
                for identity in self._identities:
                    tasks.create_task(self._supervise(identity))
        except ExceptionGroup as errors:
            error = first_error(errors)
            if isinstance(error, CannotListen):
                raise error from None
            raise

    async def _supervise(self, identity: Identity) -> None:
        """Run and restart one identity. Return when its server has refused it permanently.

        If the server refuses a token from a file, wait until the file has another one.
        Raises CannotListen only at the first start, while the operator is watching.
        """
        backoff = Backoff(RESTART_FIRST_S, RESTART_LIMIT_S, random.Random())
        structlog.contextvars.bind_contextvars(platform=identity.label)
        watch = identity.silence_watch()
        is_first = True
        while True:
            began = self._time.monotonic()
            waits_for = await _run(identity, watch)
            if identity.status.refused is not None:
                if not await identity.tokens.another():
                    return
                identity.status.refused = None
                continue
            if is_first and isinstance(waits_for, CannotListen):
                raise CannotListen(f"{identity.label}: {waits_for}") from waits_for
            if waits_for is not None:
                log.error("identity_waits", why=str(waits_for))
            is_first = False
            if self._time.monotonic() - began >= STEADY_S:
                backoff.reset()
            await self._time.sleep(backoff.next())

    async def _stop_and_drain(self, stop: asyncio.Event) -> None:
        """When `stop` is set, let live games end, for `drain_s` seconds at most."""
        await stop.wait()
        self._draining = True
        games = sum(len(each.status.games) for each in self._identities)
        log.info("draining", games=games, at_most_s=self._drain_s)
        for identity in self._identities:
            identity.drain()
        try:
            await within(self._time, self._drain_s, self._until_drained())
        except TimeoutError:
            log.info("drain_time_over")
        else:
            log.info("drained")

    async def _until_drained(self) -> None:
        for identity in self._identities:
            await identity.until_drained()

    # ---- health ------------------------------------------------------------------------------

    async def status(self) -> DaemonStatus:
        problems = [file.problem for file in self._files if file.problem is not None]
        for each in self._identities:
            problems += [f"{each.label}: {problem}" for problem in each.platform.problems]
        work, now = list[WorkStatus](), self._time.wall()
        try:
            work = [work_status(each, now) for each in await self._open_work()]
        except HostError as error:
            problems.append(str(error))
        return DaemonStatus(
            version=__version__,
            kernels=kernels_in_words(),
            draining=self._draining,
            problems=problems,
            alarms=sum(each.is_alarm for each in work)
            + sum(each.status.alarm is not None for each in self._identities),
            work=work,
            platforms=[self._platform_status(each) for each in self._identities],
            engines=[_engine_status(pool) for pool in self._pools.values()],
            box=self._box,
        )

    async def summary(self) -> str:
        """Return the status in one line."""
        status = await self.status()
        games = sum(len(each.games) for each in status.platforms)
        parts = [f"{games} games, {status.alarms} alarms", *status.why_not_ready]
        return "; ".join(parts)

    def _platform_status(self, identity: Identity) -> PlatformStatus:
        heard = identity.platform.last_heard
        now = self._time.monotonic()
        return PlatformStatus(
            name=identity.label,
            bot=identity.status.name,
            connected=identity.status.connected,
            problem=identity.status.problem,
            refused=identity.status.refused,
            alarm=identity.status.alarm,
            seeking=identity.status.seeking,
            last_event_age_s=None if heard is None else round(now - heard, 1),
            games=[_game_status(game, now) for game in identity.status.games.values()],
            standing=identity.platform.standing,
            unread=[UnreadGame(game_id=g, why=w) for g, w in identity.status.unread.items()],
        )


async def _run(identity: Identity, watch: SilenceWatch) -> HostError | None:
    """Run until a failure, or a silence. Return the HostError to wait for; log a bug."""
    waits_for: HostError | None = None
    try:
        await unless_overtaken(identity.run(), by=watch.until_restart())
    except* Overtaken:
        identity.status.problem = "the server was silent for too long"
    except* RefusedByServer as errors:
        refusal = first_error(errors)
        identity.status.refused = str(refusal)
        identity.status.awaits_token = isinstance(refusal, TokenRefused)
        log.critical("refused_by_server", code=refusal.code, why=refusal.message)
    except* HostError as errors:
        waits_for = first_error(errors)
        identity.status.problem = str(waits_for)
    except* Exception:
        log.exception("identity_failed")
        identity.status.problem = "an error in the daemon itself; see its log"
    return waits_for


def _game_status(game: StatusGame, now: float) -> GameStatus:
    since, latest = game.our_turn_since, game.latest
    left_ms = time_left_ms(latest.setup.control, latest.clocks[latest.to_play - 1])
    deadline = None if left_ms is None else latest.arrived + left_ms / 1000 - now
    return GameStatus(
        game_id=latest.game_id,
        opponent=latest.opponent.name,
        game=latest.setup.game,
        board=latest.setup.board,
        ply=latest.ply,
        seat=latest.seat,
        to_play=latest.to_play,
        deadline_s=None if deadline is None else round(deadline, 1),
        our_turn_for_s=None if since is None else round(now - since, 1),
        plies_seen=game.plies_seen,
    )


def _engine_status(pool: EnginePool) -> EngineStatus:
    health = pool.health
    return EngineStatus(
        name=health.engine,
        healthy=health.healthy,
        alive=health.alive,
        size=health.size,
        failures=health.failures,
        last_failure=health.last_failure,
    )
