"""How a daemon is, asked from outside."""

import asyncio
from collections.abc import Mapping
from datetime import timedelta
from errno import EACCES
from pathlib import Path

import pytest

from bot.daemon.data_folder import health_noted
from bot.daemon.inspection import inspect
from bot.daemon.journal import JOURNAL, WorkKey, open_journal
from bot.daemon.settings_file import Whereabouts, read_whereabouts
from bot.errors import ConfigurationError
from bot.runtime.health import DaemonStatus, WorkStatus, serve_health
from tests.fakes.time import EPOCH, FakeTime

WORK = WorkStatus(
    platform="ap", game_id="g1", ply=4, state="given_up", for_s=60.0, turn=None, reason="illegal"
)
STATUS = DaemonStatus(draining=False, problems=[], alarms=1, platforms=[], engines=[], work=[WORK])


def whereabouts(data: Path, health: Mapping[str, object] | None = None) -> Whereabouts:
    return Whereabouts.model_validate({"daemon": {"data": data}, "health": health or {}})


async def tell() -> DaemonStatus:
    return STATUS


@pytest.mark.parametrize("host", ["127.0.0.1", "0.0.0.0"])
async def test_a_running_daemon_reports_its_own_status(
    tmp_path: Path, held_port: int, host: str
) -> None:
    async with serve_health(host, held_port, tell):
        health = {"host": host, "port": held_port}
        found = await inspect(whereabouts(tmp_path, health), EPOCH)
    assert (found.daemon, found.silence, found.work) == (STATUS, None, [WORK])


async def test_without_an_answer_the_journal_is_read(tmp_path: Path, held_port: int) -> None:
    async with open_journal(tmp_path / JOURNAL, FakeTime()) as journal:
        await journal.accept(WorkKey("ap", "g1", 4))
        await journal.give_up(WorkKey("ap", "g1", 4), "illegal")
    at = whereabouts(tmp_path, {"port": held_port})
    found = await inspect(at, EPOCH + timedelta(seconds=60))
    assert (found.daemon, found.work) == (None, [WORK])
    assert f"127.0.0.1:{held_port}" in str(found.silence)


async def test_without_a_health_port_no_request_is_made(tmp_path: Path) -> None:
    found = await inspect(whereabouts(tmp_path), EPOCH)
    assert (found.daemon, found.work) == (None, [])
    assert "health.port" in str(found.silence)


async def test_a_port_chosen_at_the_start_is_noted_in_the_data_folder(tmp_path: Path) -> None:
    async with serve_health("127.0.0.1", 0, tell) as address:
        assert address is not None
        with health_noted(tmp_path, address):
            found = await inspect(whereabouts(tmp_path, {"port": 0}), EPOCH)
    assert (found.daemon, found.silence) == (STATUS, None)


async def test_an_answer_of_another_program_is_recognized(tmp_path: Path, held_port: int) -> None:
    async def answer(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}")
        await writer.drain()
        writer.close()

    server = await asyncio.start_server(answer, "127.0.0.1", held_port)
    async with server:
        found = await inspect(whereabouts(tmp_path, {"port": held_port}), EPOCH)
    assert "not from a daemon of this version" in str(found.silence)


async def test_an_unreadable_journal_is_reported_with_the_silence(tmp_path: Path) -> None:
    (tmp_path / JOURNAL).write_text("no database, and long enough to be seen as none" * 50)
    found = await inspect(whereabouts(tmp_path), EPOCH)
    assert "health.port" in str(found.silence)
    assert "the journal cannot be read" in str(found.unread)


async def test_a_missing_journal_differs_from_one_without_work(tmp_path: Path) -> None:
    found = await inspect(whereabouts(tmp_path), EPOCH)
    assert found.unread == f"there is no journal at {tmp_path / JOURNAL}"


async def test_another_users_journal_is_reported(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Root, as whom tests may run, is let into every folder."""

    def closed(path: Path) -> bool:
        raise PermissionError(EACCES, "Permission denied", str(path))

    monkeypatch.setattr(Path, "exists", closed)
    found = await inspect(whereabouts(tmp_path), EPOCH)
    hint = "run this command as the daemon's user, or as root"
    why = f"{tmp_path / JOURNAL}: Permission denied; {hint}"
    assert found.unread == why


def test_errors_in_other_tables_are_ignored(tmp_path: Path) -> None:
    file = tmp_path / "bot.toml"
    file.write_text('[daemon]\ndata = "d"\n[health]\nport = 8766\n[[platforms]]\nurl = 3\n')
    assert read_whereabouts(file).health.port == 8766
    file.write_text('[health]\nport = "x"\n')
    with pytest.raises(ConfigurationError, match=r"health\.port"):
        read_whereabouts(file)
