"""An arena that stores everything in PostgreSQL: restarts of both, and the operator's commands."""

import asyncio
import json
import random
from collections.abc import AsyncIterator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from bot import wire
from bot.arena.games.archive import FILE_NAME as RECORDS
from bot.arena.server import running_arena
from bot.arena.store.sqlite_database import FILE_NAME
from bot.records.jsonl import read_records
from bot.records.model import GameRecord
from tests.bot.arena.table import Table, begin, settings
from tests.bot.cli.commands import Bluestone
from tests.bot.cli.conftest import bluestone as bluestone
from tests.fakes.arena_client import connected
from tests.fakes.postgres import Postgres
from tests.fakes.time import FakeTime

pytestmark = pytest.mark.xdist_group("postgres")


@pytest.fixture
def url(postgres: Postgres) -> str:
    return postgres.create()


@asynccontextmanager
async def table_on(
    folder: Path, url: str, time: FakeTime, keys: Sequence[str | None] = (), game: str | None = None
) -> AsyncIterator[Table]:
    """An arena on that database with a game that begins, or with this one of an earlier run."""
    async with AsyncExitStack() as stack:
        chosen = settings(folder, database=url)
        address = await stack.enter_async_context(running_arena(chosen, time, random.Random(1)))
        auth: list[dict[str, Any]] = [{"guest_key": key} for key in keys]
        auth = auth or [{"name": "Anna"}, {"name": "Ben"}]
        one, two = [await stack.enter_async_context(connected(address, **each)) for each in auth]
        yield Table(address, one, two, game or await begin(one, two))


async def test_games_outlive_a_restart_of_the_arena(tmp_path: Path, url: str) -> None:
    time = FakeTime()
    async with table_on(tmp_path, url, time) as t:
        await t.play(0, "0-0")
        keys = [client.all_of(wire.Welcome)[0].guest_key for client in (t.one, t.two)]
    async with table_on(tmp_path, url, time, keys, t.game_id) as t:
        await t.play(1, "2-0,2-2")
        state = await t.both_see(lambda state: len(state.turns) == 2)
        assert state.result is None
        await t.one.do("game.action", game_id=t.game_id, action="resign")
        await t.both_see(lambda state: state.result is not None)
    records = [line for line in read_records(tmp_path / RECORDS) if isinstance(line, GameRecord)]
    assert [record.id for record in records] == [t.game_id]
    assert not (tmp_path / FILE_NAME).exists()


async def test_while_the_server_restarts_no_clock_runs_and_no_turn_is_lost(
    tmp_path: Path, url: str, postgres: Postgres
) -> None:
    time = FakeTime()
    async with table_on(tmp_path, url, time) as t:
        for ply, turn in enumerate(["0-0", "2-0,2-2"]):
            await t.play(ply, turn)
        await time.advance(10)
        postgres.stop()
        try:
            asked: dict[str, Any] = {"game_id": t.game_id, "ply": 2, "turn": "2-4,2-6"}
            asking = asyncio.create_task(t.one.ask("game.turn", **asked))
            paused = await t.both_see(
                lambda state: state.clocks.running is None and len(state.turns) >= 2
            )
            await time.advance(1000)
        finally:
            await asyncio.to_thread(postgres.start)
        # A turn that comes before the outage is noticed waits; later ones are refused for now.
        answer = await asking
        assert answer["ok"] or answer["code"] == "unavailable"
        await t.both_see(
            lambda state: state.clocks.running is not None and _order(state) > _order(paused)
        )
        assert (await t.play(2, asked["turn"])).duplicate is answer["ok"]
        state = await t.both_see(lambda state: len(state.turns) == 3)
    assert state.result is None
    assert state.turns[2].time_ms == 10_000


def _order(state: wire.GameState) -> tuple[int, int]:
    return state.revision, state.sub_revision


@pytest.fixture
def config(tmp_path: Path, url: str) -> Path:
    file = tmp_path / "arena.toml"
    file.write_text(f'data = "{tmp_path / "data"}"\ndatabase = "{url}"\nport = 1\n')
    return file


def test_the_operators_commands_find_the_database_of_the_settings(
    bluestone: Bluestone, config: Path, tmp_path: Path
) -> None:
    refused = bluestone("arena", "audit", "--config", config)
    assert refused.code == 78
    assert "there are no tables of an arena; name the arena's folder" in refused.err
    made = bluestone("arena", "token", "robot", "--config", config)
    assert "there are no tables of an arena, so this makes one" in made.err
    assert "#guest_key=" in bluestone("arena", "host", "Hanna", "--config", config).out
    bluestone("arena", "block", "robot", "--reason", "spam", "--config", config)
    waits = bluestone("arena", "rename", "robot", "--reason", "rude", "--config", config)
    assert (waits.code, "no arena runs" in waits.out) == (75, True)
    audit = json.loads(bluestone("arena", "audit", "--json", "--config", config).out)
    assert sorted(each["action"] for each in audit) == ["block", "rename", "token"]
    assert not (tmp_path / "data" / FILE_NAME).exists()


def test_the_copy_of_a_file_is_reported(bluestone: Bluestone, config: Path, tmp_path: Path) -> None:
    old = tmp_path / "old"
    bluestone("arena", "token", "robot", "--data", old)
    words = ("arena", "migrate", "--from", old / FILE_NAME, "--config", config)
    made = bluestone(*words, "--json")
    assert made.code == 0, made.err
    rows = {each["table"]: each["rows"] for each in json.loads(made.out)["tables"]}
    assert (rows["accounts"], rows["tokens"], rows["games"]) == (1, 1, 0)
    assert "accounts: 1 of 1 rows" in made.err
    again = bluestone(*words)
    assert "is not empty: there are rows in facts" in again.err
    listed = json.loads(bluestone("arena", "tokens", "list", "--json", "--config", config).out)
    assert [each["bot"] for each in listed] == ["robot"]


def test_doctor_and_check_accept_the_setting(bluestone: Bluestone, config: Path) -> None:
    assert bluestone("check", config).code == 0
    words = ("--only", "database", "--only", "games", "--only", "records", "--only", "versions")
    fresh = bluestone("doctor", "--arena", config, *words)
    assert "reachable, and has no tables yet" in fresh.out
    bluestone("arena", "token", "robot", "--config", config)
    used = bluestone("doctor", "--arena", config, *words)
    assert "reachable, schema" in used.out
    assert "0 running games and 0 tournaments can be restored" in used.out
    assert (fresh.code, used.code) == (0, 0)
    config.write_text('database = "postgresql://127.0.0.1:1/arena"')
    gone = bluestone("doctor", "--arena", config, "--only", "database")
    assert gone.code == 1
    assert "FAIL  database" in gone.out


@pytest.mark.parametrize(
    ("value", "why"),
    [
        ("mysql://host/name", "database: no installed package opens mysql://..."),
        ("arena.db", "database: an address such as postgresql://user@host/name is required"),
        ("anna:hunter2@host/name", "database: an address such as postgresql://user@host/name"),
    ],
)
def test_a_setting_that_is_no_url_of_postgresql_is_refused(
    bluestone: Bluestone, tmp_path: Path, value: str, why: str
) -> None:
    file = tmp_path / "arena.toml"
    file.write_text(f'database = "{value}"')
    outcome = bluestone("arena", "audit", "--config", file)
    assert outcome.code == 78
    assert why in outcome.err
    assert "hunter2" not in outcome.err
