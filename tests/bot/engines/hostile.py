"""Hostile engines as real processes."""

import asyncio
import os
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from bot.engines.process import EngineProcess
from bot.engines.spec import EngineSpec
from bot.runtime import system_calls
from bot.time_source import SystemTime
from tests.bot.engines.fakes import channel_of

ENGINE = """
import ctypes, errno, json, mmap, os, resource, socket, sys, time
HOME = os.environ.get("HOME")
libc = ctypes.CDLL(None, use_errno=True)
{constants}

def system_call(number, *arguments):
    result = libc.syscall(ctypes.c_long(number), *map(ctypes.c_long, arguments))
    if result < 0:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
    return result

def attempt(what, *arguments):
    try:
        what(*arguments)
    except (OSError, ValueError, resource.error):
        pass

def do(targets):
{body}

for line in sys.stdin:
    word = line.split()[0]
    if word == "ugi":
        print("ugiok", flush=True)
    if word == "isready":
        print("readyok", flush=True)
    if word == "attack":
        try:
            said = do([int(each) for each in line.split()[1:]])
            print("info string did", json.dumps(said), flush=True)
        except OSError as error:
            print("info string failed", errno.errorcode[error.errno], flush=True)
"""
DID = "info string did"


async def started(
    folder: Path, body: str, box: Mapping[str, Any] | None = None, **constants: object
) -> EngineProcess:
    home = folder / "engine"
    home.mkdir(exist_ok=True)
    program = home / "engine.py"
    indented = "\n".join(f"    {line}" for line in body.splitlines())
    values = "\n".join(f"{name} = {value!r}" for name, value in constants.items())
    program.write_text(ENGINE.format(body=indented, constants=values))
    command = [sys.executable, "-S", str(program)]
    spec = EngineSpec(name="hostile", command=command, sandbox=dict(box or {}))
    return await EngineProcess.start(spec, SystemTime())


async def result_of(process: EngineProcess, *targets: int) -> str:
    """What came of the attack: what the engine reports, or how it failed."""
    said = asyncio.get_running_loop().create_future()

    def note(text: str) -> None:
        if not said.done():
            said.set_result(text)

    channel = channel_of(process)
    channel.listen(note, lambda failure: note(failure.message))
    channel.send(f"attack {' '.join(map(str, targets))}")
    return str(await asyncio.wait_for(said, 60))


async def outcome(
    folder: Path, body: str, box: Mapping[str, Any] | None = None, **constants: object
) -> str:
    process = await started(folder, body, box, **constants)
    try:
        return await result_of(process)
    finally:
        await process.kill()


def number_of(call: str) -> int:
    _, column = system_calls.ARCHITECTURES[os.uname().machine]
    tables = (system_calls.REFUSED, system_calls.CONDITIONAL)
    (numbers,) = (table[call] for table in tables if call in table)
    return numbers[column]
