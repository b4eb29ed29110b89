"""SIGHUP to an arena in a process of its own."""

import asyncio
import json
import signal
import sys
from pathlib import Path
from typing import Any


async def logged(arena: asyncio.subprocess.Process, event: str) -> dict[str, Any]:
    assert arena.stderr is not None
    async for line in arena.stderr:
        if (found := json.loads(line))["event"] == event:
            return dict(found)
    raise AssertionError(f"it ended without {event}")


async def test_sighup_logs_what_a_restart_would_change(tmp_path: Path) -> None:
    config, pipe = tmp_path / "arena.toml", asyncio.subprocess.PIPE
    config.write_text(f'port = 0\ndata = "{tmp_path}"\n')
    program = [sys.executable, "-m", "bot", "arena", "--config", str(config)]
    arena = await asyncio.create_subprocess_exec(*program, stdout=pipe, stderr=pipe)
    try:
        await logged(arena, "arena_ready")
        config.write_text(f'port = 0\ndata = "{tmp_path}"\n[play]\nchallenges = 3\n')
        arena.send_signal(signal.SIGHUP)
        read = await logged(arena, "settings_read_again")
        assert (read["applied"], read["need_restart"]) == ([], ["play.challenges"])
        config.write_text("prot = 1\n")
        arena.send_signal(signal.SIGHUP)
        refused = await logged(arena, "settings_refused")
        assert refused["problems"] == [f"{config}: prot: unknown key; did you mean 'port'?"]
        arena.terminate()
        assert await arena.wait() == 0
    finally:
        if arena.returncode is None:
            arena.kill()
        await arena.communicate()
