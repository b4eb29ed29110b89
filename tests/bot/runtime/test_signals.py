"""Signals: real ones, sent to a process of its own."""

import asyncio
import os
import pty
import signal
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest
from pydantic import BaseModel
from structlog.testing import capture_logs

from bot.errors import ConfigurationError
from bot.runtime.signals import Reloader

PROGRAM = """
import asyncio, sys
from bot.runtime.signals import handled

async def main():
    ended = asyncio.Event()

    def end():
        print("end", flush=True)
        ended.set()

    reload = None if "no-reload" in sys.argv else lambda: print("reload", flush=True)
    with handled(end, reload):
        print("ready", flush=True)
        await ended.wait()

asyncio.run(main())
"""


@asynccontextmanager
async def running(stderr: int, *words: str) -> AsyncIterator[asyncio.subprocess.Process]:
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-c", PROGRAM, *words),
        stdout=asyncio.subprocess.PIPE,
        stderr=stderr,
        start_new_session=True,
    )
    try:
        assert await said(process) == "ready"
        yield process
    finally:
        if process.returncode is None:
            process.kill()
        await process.wait()


async def said(process: asyncio.subprocess.Process) -> str:
    assert process.stdout is not None
    return (await process.stdout.readline()).decode().strip()


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM], ids=str)
async def test_a_hangup_is_a_reload_and_the_others_are_the_end(number: signal.Signals) -> None:
    async with running(asyncio.subprocess.DEVNULL) as process:
        process.send_signal(signal.SIGHUP)
        assert await said(process) == "reload"
        process.send_signal(number)
        assert await said(process) == "end"
        assert await process.wait() == 0


async def test_a_hangup_after_the_terminal_closed_ends_the_program() -> None:
    ours, theirs = pty.openpty()
    async with running(theirs) as process:
        os.close(theirs)
        process.send_signal(signal.SIGHUP)
        assert await said(process) == "reload", "somebody else has sent it"
        os.close(ours)
        process.send_signal(signal.SIGHUP)
        assert await said(process) == "end"
        assert await process.wait() == 0


async def test_a_hangup_is_the_end_where_there_is_nothing_to_reload() -> None:
    async with running(asyncio.subprocess.DEVNULL, "no-reload") as process:
        process.send_signal(signal.SIGHUP)
        assert await said(process) == "end"
        assert await process.wait() == 0


class Settings(BaseModel):
    soft: int = 1
    hard: int = 1


class File:
    """What the next reading finds."""

    def __init__(self) -> None:
        self.content: Settings | None = Settings()

    def read(self) -> Settings:
        if self.content is None:
            raise ConfigurationError(["x.toml: soft: wrong", "x.toml: hard: wrong"])
        return self.content


def soft_only(running: Settings, new: Settings) -> Settings:
    return running.model_copy(update={"soft": new.soft})


def test_changeable_settings_are_applied_and_the_others_logged_each_time() -> None:
    file = File()
    reloader = Reloader(Settings(), file.read)
    reloader.apply = soft_only
    with capture_logs() as log:
        file.content = Settings(soft=2, hard=2)
        reloader()
        reloader()
    assert [(each["applied"], each["need_restart"]) for each in log] == [
        (["soft"], ["hard"]),
        ([], ["hard"]),
    ]


def test_a_file_with_errors_changes_nothing() -> None:
    file = File()
    reloader = Reloader(Settings(), file.read)
    reloader.apply = soft_only
    file.content = None
    with capture_logs() as log:
        reloader()
    assert [each["event"] for each in log] == ["settings_refused"]
    assert log[0]["problems"] == ["x.toml: soft: wrong", "x.toml: hard: wrong"]
    file.content = Settings()
    with capture_logs() as log:
        reloader()
    assert (log[0]["applied"], log[0]["need_restart"]) == ([], [])


def test_without_a_way_to_apply_them_all_changes_need_a_restart() -> None:
    with capture_logs() as log:
        Reloader(Settings(), lambda: Settings(soft=3))()
    assert (log[0]["applied"], log[0]["need_restart"]) == ([], ["soft"])
