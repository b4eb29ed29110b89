"""The daemon's health over HTTP: /healthz (it runs), /readyz (it can play), and /metrics."""

from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import Literal

import structlog
from aiohttp import web
from pydantic import BaseModel, ConfigDict

from bot.errors import HostError
from bot.runtime.listening import local_address, why_not_bound

log = structlog.get_logger()


class _Status(BaseModel):
    model_config = ConfigDict(frozen=True)


class GameStatus(_Status):
    """The status of a game. `our_turn_for_s` is None while the opponent is to move.

    `deadline_s` is the time until the clock of the player to move runs out, negative after that;
    None in a game without clocks. `plies_seen` is how many turns the server has shown before, while
    it shows fewer, as after a restore of the server; None otherwise.
    """

    game_id: str
    opponent: str
    game: str
    board: str
    ply: int
    seat: Literal[1, 2]
    to_play: Literal[1, 2]
    deadline_s: float | None
    our_turn_for_s: float | None
    plies_seen: int | None = None


class UnreadGame(_Status):
    """A game of ours that the server does not show, or that cannot be parsed."""

    game_id: str
    why: str


class PlatformStatus(_Status):
    """The status of a platform's connection.

    `problem` says why it is not connected. `refused` is a permanent refusal of the server, after
    which the bot does not retry. `alarm` says what a person must look at, `seeking` why the bot
    offers no game at present. `standing` is its rating there, if the platform tells it.
    """

    name: str
    bot: str
    connected: bool
    problem: str | None = None
    refused: str | None
    alarm: str | None = None
    seeking: str | None = None
    last_event_age_s: float | None
    games: list[GameStatus]
    unread: list[UnreadGame] = []
    standing: str | None = None

    @property
    def why_not_ready(self) -> str | None:
        if self.connected:
            return None
        if self.refused is not None:
            return f"{self.name} is refused: {self.refused}"
        return f"{self.name} is not connected: {self.problem or 'no answer yet'}"


class EngineStatus(_Status):
    name: str
    healthy: bool
    alive: int
    size: int
    failures: dict[str, int]
    last_failure: str | None

    @property
    def why_not_ready(self) -> str | None:
        if self.healthy:
            return None
        return f"engine {self.name} fails: {self.last_failure or 'see its failures'}"


class BoxStatus(_Status):
    """Which protections of the engines' box hold on this machine, by their names.

    An engine could do what those in `missing` are against. Those in `unavailable` are of the second
    line. `off` has the engines that run outside the box.
    """

    holds: list[str]
    missing: list[str]
    unavailable: list[str] = []
    off: list[str] = []


class WorkStatus(_Status):
    """A turn of ours that no server has shown as played: its state and its age.

    `reason` says why it was given up, or why an earlier turn for that ply was refused.
    """

    platform: str
    game_id: str
    ply: int
    state: str
    for_s: float
    turn: str | None
    reason: str | None

    @property
    def is_alarm(self) -> bool:
        """Whether only an operator can solve it."""
        return self.state == "given_up"


class DaemonStatus(_Status):
    """The status of the whole daemon.

    `version` is that of Bluestone; empty if the daemon is older than this field. `problems` has the
    files that cannot be written now, and why. `alarms` counts the turns of the open work that need
    an operator, including those from before a restart, and the platforms that have been silent for
    too long. `box` is None if nobody has tried it. `kernels` says how the built-in engine runs:
    compiled ahead of time and for which processor, or compiled on this machine.
    """

    version: str = ""
    kernels: str = ""
    draining: bool
    problems: list[str]
    alarms: int
    platforms: list[PlatformStatus]
    engines: list[EngineStatus]
    work: list[WorkStatus]
    box: BoxStatus | None = None

    @property
    def ready(self) -> bool:
        """Whether new games can come from all platforms, and be played by the configured
        engines.
        """
        return not self.why_not_ready

    @property
    def why_not_ready(self) -> list[str]:
        """All reasons why the daemon is not ready, in sentences for people."""
        found = (
            ["it is draining: running games finish, new ones are declined"] if self.draining else []
        )
        found += self.problems
        reasons = [each.why_not_ready for each in self.platforms]
        reasons += [each.why_not_ready for each in self.engines]
        return found + [why for why in reasons if why is not None]


@asynccontextmanager
async def serve_health(
    host: str,
    port: int | None,
    status: Callable[[], Awaitable[DaemonStatus]],
    metrics: Callable[[web.Request], Awaitable[web.StreamResponse]] | None = None,
) -> AsyncIterator[str | None]:
    """Serve the health page until the end of the block, and yield the address at which this machine
    reaches it. Does nothing without a port, and yields None.

    Raises HostError if the port is in use.
    """
    if port is None:
        yield None
        return

    async def readyz(_: web.Request) -> web.Response:
        now = await status()
        body = {"ready": now.ready, "why_not_ready": now.why_not_ready, **now.model_dump()}
        return web.json_response(body, status=200 if now.ready else 503)

    app = web.Application()
    app.router.add_get("/healthz", _healthz)
    app.router.add_get("/readyz", readyz)
    if metrics is not None:
        app.router.add_get("/metrics", metrics)
    runner = web.AppRunner(app, access_log=None, auto_decompress=False)
    await runner.setup()
    try:
        yield await _listen(runner, host, port)
    finally:
        await runner.cleanup()


async def _listen(runner: web.AppRunner, host: str, port: int) -> str:
    try:
        await web.TCPSite(runner, host, port).start()
    except OSError as error:
        raise HostError(f"health.port: {why_not_bound(host, port, error)}") from error
    log.info("health", addresses=[f"http://{host}:{place[1]}" for place in runner.addresses])
    return local_address(host, runner.addresses[0][1])


async def _healthz(_: web.Request) -> web.Response:
    return web.json_response({"ok": True})
