"""Signals: real ones, sent to a process of its own."""

import asyncio
import os
import pty
import signal
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest

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


async def test_a_hangup_whose_terminal_is_gone_is_the_end() -> None:
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
