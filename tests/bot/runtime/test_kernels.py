"""Compiling behind a program that runs."""

import asyncio
import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest
from structlog.testing import capture_logs

from bot.runtime import kernels as module
from bot.runtime.kernels import TRIES, Kernels, compile_in_a_process, compiled_behind
from engine.warming import CompiledPart
from tests.fakes.time import FakeTime
from tests.fakes.waiting import eventually

RULES, SEARCH = CompiledPart("bluestone", "rules"), CompiledPart("bluestone", "search")

COMPILING = """
import asyncio, sys
from bot.runtime import kernels

kernels.PROGRAM = (sys.executable, "-c", sys.argv[1], sys.argv[2])
asyncio.run(kernels.compile_in_a_process([]))
"""
COMPILER = """
import sys, threading
with open(sys.argv[1], "w") as alive:
    print("started", file=alive, flush=True)
    threading.Event().wait()
"""
"""It never ends by itself, and holds the file open as long as it lives."""


class Compiler:
    """Compiles a part when it is told to."""

    def __init__(self, *parts: CompiledPart) -> None:
        self.left = list(parts)
        self.started = 0
        self.first: Sequence[str] = ()
        self.end: asyncio.Future[str | None] = asyncio.get_running_loop().create_future()

    def missing(self) -> tuple[CompiledPart, ...]:
        return tuple(self.left)

    async def run(self, first: Sequence[str]) -> str | None:
        self.first = first
        self.started += 1
        return await self.end


async def test_nothing_is_started_where_nothing_is_missing() -> None:
    compiler = Compiler()
    async with compiled_behind((), compiler.missing, compiler.run, FakeTime()) as kernels:
        await kernels.until_there([RULES])
    assert compiler.started == 0


async def test_a_task_that_waits_for_a_part_continues_as_soon_as_it_is_compiled() -> None:
    time = FakeTime()
    compiler = Compiler(RULES, SEARCH)
    async with compiled_behind(["bluestone"], compiler.missing, compiler.run, time) as kernels:
        waiting = asyncio.create_task(kernels.until_there([RULES]))
        await time.advance(1)
        assert not waiting.done()
        compiler.left = [SEARCH]
        await time.advance(1)
        await waiting
        assert kernels.are_there([RULES])
        assert not kernels.are_there([RULES, SEARCH])
    assert compiler.started == 1
    assert compiler.first == ["bluestone"]


async def test_parts_that_cannot_be_compiled_ahead_block_no_task() -> None:
    time = FakeTime()
    compiler = Compiler(RULES)
    compiler.end.set_result("no space left on device")
    with capture_logs() as logs:
        async with compiled_behind((), compiler.missing, compiler.run, time) as kernels:
            waiting = asyncio.create_task(kernels.until_there([RULES]))
            await time.advance(10)
            await waiting
    assert compiler.started == TRIES
    assert [(line["event"], line.get("why")) for line in logs] == [
        ("compiling", None),
        *[("not_compiled", "no space left on device")] * TRIES,
    ], "nothing is said to be compiled"


async def test_a_compiler_that_was_killed_is_started_again() -> None:
    time = FakeTime()
    compiler = Compiler(RULES)
    compiler.end.set_result("ended with status -9")
    async with compiled_behind((), compiler.missing, compiler.run, time) as kernels:
        await time.advance(0.5)
        compiler.end = asyncio.get_running_loop().create_future()
        await time.advance(5)
        assert compiler.started == 2
        assert not kernels.are_there([RULES])
        compiler.left = []
        await time.advance(1)
        assert kernels.are_there([RULES])


async def test_the_end_of_the_program_ends_the_compiling() -> None:
    ended = asyncio.Event()

    async def endless(_: Sequence[str]) -> str | None:
        never: asyncio.Future[str | None] = asyncio.get_running_loop().create_future()
        try:
            return await never
        finally:
            ended.set()

    time = FakeTime()
    async with compiled_behind((), lambda: (RULES,), endless, time):
        await eventually(lambda: time.sleepers > 0)
    assert ended.is_set()


@pytest.mark.parametrize(
    ("code", "why"),
    [("pass", None), ("raise OSError('no space')", "OSError: no space"), ("exit(3)", "ended with")],
)
async def test_the_compiling_process_reports_its_failure(
    monkeypatch: pytest.MonkeyPatch, code: str, why: str | None
) -> None:
    monkeypatch.setattr(module, "PROGRAM", (sys.executable, "-c", code))
    found = await compile_in_a_process([])
    assert found is None if why is None else (found or "").startswith(why)


def test_compiled_parts_are_known_at_once() -> None:
    assert Kernels().are_there([RULES])


def test_a_compiler_does_not_outlive_a_program_that_is_killed(tmp_path: Path) -> None:
    alive = tmp_path / "alive"
    os.mkfifo(alive)
    command = [sys.executable, "-c", COMPILING, COMPILER, str(alive)]
    with subprocess.Popen(command) as program, alive.open() as lines:
        assert lines.readline() == "started\n"
        program.kill()
        assert lines.read() == "", "it ends, and with it the last writer"
