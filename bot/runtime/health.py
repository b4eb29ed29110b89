"""The daemon's health over HTTP: /healthz (it lives) and /readyz (it can play)."""

from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import Literal

import structlog
from aiohttp import web
from pydantic import BaseModel, ConfigDict

from bot.errors import HostError
from bot.runtime.listening import why_not_bound

log = structlog.get_logger()


class _Status(BaseModel):
    model_config = ConfigDict(frozen=True)


class GameStatus(_Status):
    """`our_turn_for_s` is None while the opponent is to move.

    `deadline_s`: in how many seconds the clock of the player to move is out, less than 0 if it is;
    None in a game without clocks.
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


class UnreadGame(_Status):
    """A game of ours that the server does not show, or that cannot be understood."""

    game_id: str
    why: str


class PlatformStatus(_Status):
    """`problem`: why it is not connected. `refused`: the server's final word; nothing is tried any
    more.
    """

    name: str
    bot: str
    connected: bool
    problem: str | None = None
    refused: str | None
    last_event_age_s: float | None
    games: list[GameStatus]
    unread: list[UnreadGame] = []

    @property
    def why_not_ready(self) -> str | None:
        if self.connected:
            return None
        if self.refused is not None:
            return f"{self.name} is refused for good: {self.refused}"
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


class WorkStatus(_Status):
    """A turn of ours that no server has shown as played: in which state, and for how long.

    `reason`: why it was given up, or why an earlier turn for that ply was refused.
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
        """Only a person can put it right."""
        return self.state == "given_up"


class DaemonStatus(_Status):
    """`problems`: files that cannot be written at present, and why. `alarms`: how many turns of the
    open work wait for a person, also from before a restart.
    """

    draining: bool
    problems: list[str]
    alarms: int
    platforms: list[PlatformStatus]
    engines: list[EngineStatus]
    work: list[WorkStatus]

    @property
    def ready(self) -> bool:
        """New games can come from everywhere, and be played by the engines that were meant."""
        return not self.why_not_ready

    @property
    def why_not_ready(self) -> list[str]:
        """Everything that is in the way, in sentences for a person."""
        found = ["it drains: running games end, new ones are declined"] if self.draining else []
        found += self.problems
        reasons = [each.why_not_ready for each in self.platforms]
        reasons += [each.why_not_ready for each in self.engines]
        return found + [why for why in reasons if why is not None]


@asynccontextmanager
async def serve_health(
    host: str, port: int | None, status: Callable[[], Awaitable[DaemonStatus]]
) -> AsyncIterator[None]:
    """Answer for as long as the context lasts; does nothing without a port.

    Raises HostError if the port is taken.
    """
    if port is None:
        yield
        return

    async def readyz(_: web.Request) -> web.Response:
        now = await status()
        body = {"ready": now.ready, "why_not_ready": now.why_not_ready, **now.model_dump()}
        return web.json_response(body, status=200 if now.ready else 503)

    app = web.Application()
    app.router.add_get("/healthz", _healthz)
    app.router.add_get("/readyz", readyz)
    runner = web.AppRunner(app, access_log=None)
    await runner.setup()
    try:
        await _listen(runner, host, port)
        yield
    finally:
        await runner.cleanup()


async def _listen(runner: web.AppRunner, host: str, port: int) -> None:
    try:
        await web.TCPSite(runner, host, port).start()
    except OSError as error:
        raise HostError(f"health.port: {why_not_bound(host, port, error)}") from error
    log.info("health", addresses=[f"http://{host}:{place[1]}" for place in runner.addresses])


async def _healthz(_: web.Request) -> web.Response:
    return web.json_response({"ok": True})
