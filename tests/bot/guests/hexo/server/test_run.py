"""The real program: `bluestone serve-htttx`, from its start to a signal."""

import asyncio
import re
import signal
from pathlib import Path

import pytest

import engine
from bot.engines.process import EngineProcess
from bot.engines.questions import Budget
from bot.engines.spec import EngineSpec
from bot.runtime.children import PIPE, PYTHON_M, ChildProcess
from bot.time_source import SystemTime

START_S = 100.0


async def announced(program: ChildProcess) -> str:
    """The address that the program logs."""
    while line := (await program.errors.readline()).decode():
        if (found := re.search(r'"address":"([^"]+)"', line)) is not None:
            return found[1]
    raise AssertionError("it ended before it listened")


async def test_the_program_serves_its_engine_until_a_signal(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TOKEN_OF_TEST", "s3cret")
    tokens = tmp_path / "tokens"
    tokens.write_text("s3cret\n")
    command = [*PYTHON_M, "bot", "serve-htttx", "--port", "0", "--engine", "random"]
    program = await ChildProcess.start([*command, "--token-file", str(tokens)], stderr=PIPE)
    try:
        async with asyncio.timeout(START_S):
            url = await announced(program)
        spec = EngineSpec(name="it", protocol="htttx", url=url, token_env="TOKEN_OF_TEST")
        process = await EngineProcess.start(spec, SystemTime())
        game = engine.game("hexo")
        await process.set_up(game)
        reply = await process.think(game.replay(["0:0"]), Budget(9_000, 30_000, "movetime 9000"))
        await process.close()
        assert game.replay(["0:0"]).is_legal(reply.best.turn)
    finally:
        status = await program.end(20.0, signal.SIGTERM)
    assert status == 0
