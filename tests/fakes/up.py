"""`bluestone up` as a process, and a game between two of its bots."""

import asyncio
import os
import signal
import subprocess
import sys
import urllib.request
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from bot import wire
from bot.wire.clocks import OfferedPerTurn

READY = "Play at "


class Up:
    """A running `bluestone up`; `address` is where people play."""

    def __init__(self, data: Path, *words: str, env: Mapping[str, str] = os.environ) -> None:
        command = [sys.executable, "-P", "-m", "bot", "up", "--data", str(data), *words]
        self.process = subprocess.Popen(
            command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, env=env
        )
        line = self.line_with(lambda text: READY in text)
        self.address = line.split(READY)[1].split()[0]

    def line_with(self, is_it: Callable[[str], bool]) -> str:
        assert self.process.stdout is not None
        said = []
        for line in self.process.stdout:
            said.append(line)
            if is_it(line):
                return line
        raise AssertionError(f"ended with {self.process.wait()}: {''.join(said)}")

    def end(self, number: int = signal.SIGINT) -> str:
        self.process.send_signal(number)
        assert self.process.stdout is not None
        rest = self.process.stdout.read()
        assert self.process.wait(60) == 0
        return rest

    def get(self, path: str) -> Any:
        with urllib.request.urlopen(f"{self.address}{path}", timeout=20) as answer:
            assert answer.status == 200
            return answer.read()

    @property
    def descendants(self) -> list[int]:
        return _descendants(self.process.pid)


@contextmanager
def running(data: Path, *words: str, env: Mapping[str, str] = os.environ) -> Iterator[Up]:
    up = Up(data, *words, env=env)
    try:
        yield up
    finally:
        if up.process.poll() is None:
            up.process.kill()
        up.process.wait()
        assert up.process.stdout is not None
        up.process.stdout.close()


def _descendants(pid: int) -> list[int]:
    """The processes below one, engines included, whatever group they are in."""
    found = []
    for task in Path(f"/proc/{pid}/task").glob("*/children"):
        for child in task.read_text().split():
            found += [int(child), *_descendants(int(child))]
    return found


async def watch_a_game(address: str) -> str:
    """As a guest, have two bundled bots play each other; returns once the game has ended."""
    import socketio

    over: asyncio.Future[str] = asyncio.get_running_loop().create_future()

    async def on_game(event: dict[str, Any]) -> None:
        if event["state"] == "finished" and not over.done():
            over.set_result(event["game_id"])

    async def on_challenge(event: dict[str, Any]) -> None:
        if event["game_id"] is not None:
            await client.call("game.watch", {"v": 1, "game_id": event["game_id"]}, timeout=20)

    client = socketio.AsyncClient(handle_sigint=False)
    client.on("game", on_game)
    client.on("challenge", on_challenge)
    client.on("lobby", _ignore)
    client.on("welcome", _ignore)
    options = {"transports": ["websocket"], "retry": True, "wait_timeout": 20}
    await client.connect(address, auth={"v": 1}, **options)
    try:
        setup = wire.OfferedSetup(board="pent-3", clock=OfferedPerTurn(turn_s=1))
        challenge = wire.CreateChallenge(v=1, setup=setup, seats=("Pebble", "Granite"))
        answer = await client.call("challenge.create", wire.encode(challenge), timeout=20)
        assert answer["ok"], answer
        return await asyncio.wait_for(over, 120)
    finally:
        await client.disconnect()


async def _ignore(_: object) -> None:
    return None
