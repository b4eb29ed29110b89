"""`bluestone doctor` for an arena on PostgreSQL, of one process or several."""

import asyncio
import os
from datetime import UTC, datetime, timedelta
from pathlib import Path

import psycopg
import pytest

from tests.bot.arena.cluster.three import three
from tests.bot.doctor.conftest import Doctor
from tests.fakes.postgres import Postgres

pytestmark = pytest.mark.xdist_group("postgres")

SUBJECTS = ("cluster", "database", "games", "records", "backups")
ONLY = [word for name in SUBJECTS for word in ("--only", name)]


@pytest.fixture
def url(postgres: Postgres) -> str:
    return postgres.create()


def settings_file(folder: Path, url: str, cluster: str = 'link = "127.0.0.1:9765"') -> Path:
    file = folder / "arena.toml"
    file.write_text(f'data = "{folder}/data"\ndatabase = "{url}"\n[cluster]\n{cluster}\n')
    return file


async def test_nothing_is_wrong_with_an_arena_of_two_processes(
    doctor: Doctor, tmp_path: Path, url: str
) -> None:
    async with three(tmp_path, url, 2):
        report = await doctor("--arena", settings_file(tmp_path, url), *ONLY)
    assert report.bad() == []
    said = "\n".join(report.lines)
    assert "2 processes run, with 0 games" in said
    assert said.count(": reachable\n") == 3  # the bus, and two links
    assert "pg_dump makes the backups" in said


async def test_what_is_wrong_with_an_arena_of_several_processes(
    doctor: Doctor, tmp_path: Path, url: str
) -> None:
    file = settings_file(tmp_path, url, 'link = "127.0.0.1:9765"\nbus = "valkey://127.0.0.1:1"')
    only = ("--only", "cluster")
    async with three(tmp_path, url, 1) as t:
        alone = await doctor("--arena", file, *only)
        await t.stop(0)
    change = "UPDATE processes SET ended = false, version = '0.9', lease_until = 0"
    async with await psycopg.AsyncConnection.connect(url, autocommit=True) as connection:
        await connection.execute(
            "INSERT INTO processes (id, address, pid, version, lease_until, clock_s,"
            " presence_revision, started_at, ended)"
            " VALUES ('old', '127.0.0.1:1', 1, '0.9', 0, 0, 0, 0, false)"
        )
        await connection.execute(change)
    old = await doctor("--arena", file, *only)
    assert [line[:4] for line in alone.bad()] == ["FAIL", "warn"]
    assert "the bus cannot connect" in alone.bad()[0]
    assert "nobody takes over its games" in alone.bad()[1]
    assert any("its lease is over" in line for line in old.bad())
    assert any("version 0.9" in line for line in old.bad())
    assert any("link 127.0.0.1:1" in line and line.startswith("FAIL") for line in old.bad())


async def test_the_age_of_the_newest_dump(doctor: Doctor, tmp_path: Path, url: str) -> None:
    file, folder = settings_file(tmp_path, url, ""), tmp_path / "dumps"
    folder.mkdir()

    async def asked() -> str:
        words = ("--arena", file, "--backups", folder, "--only", "backups")
        return (await doctor(*words)).only

    assert (await asked()).startswith("FAIL")
    dump = folder / "bluestone.dump"
    dump.write_bytes(b"PGDMP")
    for hours, status in ((1, "ok"), (40, "warn"), (200, "FAIL")):
        made_at = (datetime.now(UTC) - timedelta(hours=hours)).timestamp()
        await asyncio.to_thread(os.utime, dump, (made_at, made_at))
        assert (await asked()).startswith(status)
