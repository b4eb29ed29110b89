"""Child processes of `bluestone up`, with real processes."""

import signal
from pathlib import Path

import pytest

from bot.errors import HostError
from bot.up.child import Child

PATIENCE_S = 60.0


def child(tmp_path: Path, heard: list[str] | None = None) -> Child:
    lines: list[str] = [] if heard is None else heard
    return Child("engine", tmp_path / "engine.log", lines.append)


def names_in(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


async def test_lines_go_to_the_log_and_to_waiting_readers(tmp_path: Path) -> None:
    heard: list[str] = []
    process = child(tmp_path, heard)
    await process.start(["--version"])
    version = await process.line_with(lambda line: line or None, PATIENCE_S)
    assert await process.wait() == 0
    await process.end(PATIENCE_S)
    assert heard == [version]
    assert (tmp_path / "engine.log").read_text() == f"{version}\n"


async def test_a_process_that_ends_before_its_line_is_reported_with_its_last_words(
    tmp_path: Path,
) -> None:
    process = child(tmp_path)
    await process.start(["records", "list", "--data", str(tmp_path / "nowhere")])
    with pytest.raises(HostError, match=r"the engine ended with status 78: .*no records here"):
        await process.line_with(lambda _: None, PATIENCE_S)
    await process.end(PATIENCE_S)


async def test_a_line_that_does_not_come_in_time_is_reported(tmp_path: Path) -> None:
    process = child(tmp_path)
    await process.start(["arena", "--port", "0", "--data", str(tmp_path)])
    try:
        with pytest.raises(HostError, match=r"was not ready within 0\.01 s"):
            await process.line_with(lambda _: None, 0.01)
    finally:
        await process.end(PATIENCE_S)


async def test_a_process_is_asked_to_end_and_can_be_started_again(tmp_path: Path) -> None:
    process = child(tmp_path)
    for _ in range(2):
        await process.start(["arena", "--port", "0", "--data", str(tmp_path)])
        await process.line_with(lambda line: line.startswith("http://") or None, PATIENCE_S)
        await process.end(PATIENCE_S)
        assert await process.wait() == 0


async def test_a_killed_process_is_seen(tmp_path: Path) -> None:
    process = child(tmp_path)
    await process.start(["arena", "--port", "0", "--data", str(tmp_path)])
    process.kill()
    assert await process.wait() == -signal.SIGKILL
    await process.end(PATIENCE_S)


async def test_a_large_log_is_put_aside(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("bot.up.child.LARGEST_LOG", 3)
    process = child(tmp_path)
    for _ in range(2):
        await process.start(["--version"])
        await process.wait()
    await process.end(PATIENCE_S)
    assert names_in(tmp_path) == ["engine.log", "engine.log.1"]
