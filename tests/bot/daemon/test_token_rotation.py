"""A token that is replaced while the daemon runs: on SIGHUP, and after a refusal."""

import asyncio
from collections.abc import AsyncIterator, MutableMapping
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from pydantic import SecretStr
from structlog.testing import capture_logs

from bot.arena.players.accounts import issue_token
from bot.arena.server import running_arena
from bot.arena.settings import ArenaSettings
from bot.daemon import watches
from bot.daemon.run import run
from bot.daemon.settings import Settings
from bot.platforms.base import Disconnected, TokenRefused
from bot.platforms.settings import TokenFile
from bot.runtime.listening import bound
from bot.runtime.signals import Reloader
from tests.bot.daemon.bots import fake_engine
from tests.bot.daemon.desk import Desk
from tests.bot.guests.abstract_play.bench import SWEEP_S, Site, playing
from tests.fakes.time import FakeTime
from tests.fakes.waiting import eventually


class Operator:
    """Who has an arena, and a bot with a token in a file; `events` are lines of the bot's log."""

    def __init__(self, folder: Path, logs: list[MutableMapping[str, Any]], port: int) -> None:
        self.folder = folder
        self._logs = logs
        self.token_file = folder / "granite.token"
        self._port = port
        self._arena = AsyncExitStack()

    @property
    def events(self) -> list[str]:
        return [line["event"] for line in self._logs]

    async def rotate(self) -> str:
        """Make a new token; the one before is no longer valid."""
        return await issue_token(self.folder / "arena", "Granite")

    async def start_arena(self) -> None:
        await self._arena.aclose()
        settings = ArenaSettings(port=self._port, data=self.folder / "arena")
        await self._arena.enter_async_context(running_arena(settings))

    async def stop_arena(self) -> None:
        await self._arena.aclose()

    async def until(self, event: str, times: int = 1) -> None:
        await eventually(lambda: self.events.count(event) >= times)

    @asynccontextmanager
    async def bot(self) -> AsyncIterator[Reloader[Settings]]:
        table = {
            "url": f"http://127.0.0.1:{self._port}",
            "token_file": self.token_file,
            "engine": "fake",
            "longest_wait_s": 0.05,
        }
        settings = Settings.model_validate(
            {
                "daemon": {"data": self.folder / "bot"},
                "engines": {"fake": fake_engine()},
                "platforms": [table],
            }
        )
        reloader = Reloader(settings, lambda: settings)
        running = asyncio.create_task(run(settings, asyncio.Event(), environ={}, reloader=reloader))
        try:
            yield reloader
            assert not running.done()
        finally:
            running.cancel()
            await asyncio.wait({running})


@pytest.fixture
async def operator(tmp_path: Path) -> AsyncIterator[Operator]:
    with bound("127.0.0.1", 0) as free:
        port = free.getsockname()[1]
    with capture_logs() as logs:
        operator = Operator(tmp_path, logs, port)
        yield operator
        await operator.stop_arena()


async def test_a_rotated_token_is_read_after_the_refusal_of_the_old_one(
    operator: Operator,
) -> None:
    operator.token_file.write_text(await operator.rotate())
    await operator.start_arena()
    async with operator.bot():
        await operator.until("connected")
        operator.token_file.write_text(await operator.rotate())
        await operator.start_arena()
        await operator.until("token_read_again")
        await operator.until("connected", times=2)


async def test_a_bot_that_is_refused_waits_for_another_token(
    operator: Operator, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(watches, "TOKEN_LOOK_S", 0.01)
    operator.token_file.write_text("wrong")
    token = await operator.rotate()
    await operator.start_arena()
    async with operator.bot():
        await operator.until("token_awaited")
        operator.token_file.unlink()
        await operator.until("token_not_read")
        operator.token_file.write_text(token)
        await operator.until("connected")


async def test_a_token_that_is_read_on_sighup_is_never_refused(operator: Operator) -> None:
    operator.token_file.write_text(await operator.rotate())
    await operator.start_arena()
    async with operator.bot() as reloader:
        await operator.until("connected")
        operator.token_file.write_text(await operator.rotate())
        reloader()
        await operator.until("connected", times=2)
    assert operator.events.count("token_read_again") == 1
    assert "refused_by_server" not in operator.events


async def test_sighup_ends_the_wait_of_a_bot_that_is_refused(operator: Operator) -> None:
    operator.token_file.write_text("wrong")
    token = await operator.rotate()
    await operator.start_arena()
    async with operator.bot() as reloader:
        await operator.until("token_awaited")
        operator.token_file.write_text(token)
        reloader()
        await operator.until("connected")


async def test_a_refusal_between_two_sweeps_makes_the_bot_read_the_file(tmp_path: Path) -> None:
    file = tmp_path / "token"
    file.write_text("new")
    desk = Desk(tmp_path)
    desk.token_file = TokenFile(file, SecretStr("old"))
    async with desk.open():
        await desk.identity.handle(Disconnected("invalid_client"))
        assert desk.platform.named("use_token") == []
        await desk.identity.handle(Disconnected("invalid_client", token_refused=True))
        assert desk.platform.named("use_token") == [("use_token", "new")]
        await desk.identity.handle(Disconnected("invalid_client", token_refused=True))
        assert len(desk.platform.named("use_token")) == 1


async def test_abstract_play_says_that_a_secret_is_refused_and_takes_another(
    tmp_path: Path,
) -> None:
    site, time = Site(), FakeTime()
    async with playing(site, tmp_path, time) as bench:
        site.refusal = TokenRefused("invalid_client", "the platform issues no token")
        await time.advance(SWEEP_S)
        await eventually(lambda: bool(bench.daemon.of(Disconnected)))
        assert [each.token_refused for each in bench.daemon.of(Disconnected)] == [True]  # type: ignore[attr-defined]
        bench.platform.use_token(SecretStr("new"))
        bench.platform.reconnect()
        await eventually(lambda: site.secrets == ["new", "new"])
