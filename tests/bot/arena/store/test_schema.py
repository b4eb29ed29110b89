"""The tables of earlier versions become today's, with everything that was in them."""

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from bot.arena.server import running_arena
from bot.arena.store.accounts import Accounts, issue_token
from bot.arena.store.database import FILE_NAME, open_database, sole_user
from bot.arena.store.game_rows import StoredGame
from bot.arena.store.game_store import _ENDED_BEFORE_OF_PLAYER, GameStore
from bot.arena.store.schema import VERSION
from bot.errors import HostError
from bot.records.model import GameRecord
from bot.time_source import SystemTime
from tests.bot.arena.table import settings

VERSION_1 = Path(__file__).with_name("schema_1.sql")


def old_folder(folder: Path) -> Path:
    with closing(sqlite3.connect(folder / FILE_NAME)) as database:
        database.executescript(VERSION_1.read_text())
    return folder


async def test_games_of_version_1_go_on(tmp_path: Path) -> None:
    async with open_database(old_folder(tmp_path)) as database:
        store, accounts = GameStore(database), Accounts(database, SystemTime())
        [game] = await store.running()
        anna, ben = await accounts.find("Anna"), await accounts.find("Ben")
    assert isinstance(game, StoredGame)
    assert [turn.turn for turn in game.turns] == ["0-0", "2-0,2-2"]
    assert game.players == (anna, ben)
    assert anna.id != ben.id
    assert game.thought_ms == 30_250


async def test_old_records_know_their_players_after_a_rename(tmp_path: Path) -> None:
    async with open_database(old_folder(tmp_path)) as database:
        store = GameStore(database)
        anna = await Accounts(database, SystemTime()).find("Anna")
        record = GameRecord.model_validate_json(await store.record("finished") or "")
        [summary] = await store.summaries(5)
    assert (record.players[0].name, record.players[0].user_id) == ("Old", anna.id)
    assert summary.players[0].id == anna.id


async def test_players_who_look_alike_keep_the_names_that_they_had(tmp_path: Path) -> None:
    async with open_database(old_folder(tmp_path)) as database:
        rows = await database.read(
            lambda c: c.execute("SELECT name FROM accounts WHERE kind = 'person'").fetchall()
        )
    assert sorted(row["name"] for row in rows) == ["Anna", "Ben", "aIpha", "alpha"]


async def test_the_file_as_it_was_is_kept(tmp_path: Path) -> None:
    async with open_database(old_folder(tmp_path)):
        pass
    with closing(sqlite3.connect(tmp_path / "arena-schema-1.db")) as copy:
        assert copy.execute("PRAGMA user_version").fetchone() == (1,)
        assert copy.execute("SELECT count(*) FROM turns").fetchone() == (2,)
    async with open_database(tmp_path) as database:  # and opened again, nothing more happens
        assert len(await GameStore(database).running()) == 1


def changed_folder(folder: Path, sql: str) -> Path:
    with closing(sqlite3.connect(old_folder(folder) / FILE_NAME)) as database:
        database.executescript(sql)
    return folder


@pytest.mark.parametrize("column", ["players", "record"])
async def test_damaged_text_costs_its_own_game_alone(tmp_path: Path, column: str) -> None:
    damage = f"UPDATE games SET {column} = '[not JSON' WHERE id = 'finished'"
    async with running_arena(settings(changed_folder(tmp_path, damage))):
        pass  # it starts
    async with open_database(tmp_path) as database:
        kept = await database.read(
            lambda c: c.execute(f"SELECT {column} FROM games WHERE id = 'finished'").fetchone()
        )
        [game] = await GameStore(database).running()
    assert kept[column] == "[not JSON"
    assert isinstance(game, StoredGame)


async def test_games_of_a_player_without_account_are_kept(tmp_path: Path) -> None:
    lost = "DELETE FROM accounts WHERE name = 'Anna'"
    async with open_database(changed_folder(tmp_path, lost)) as database:
        store = GameStore(database)
        anna = await Accounts(database, SystemTime()).find("Anna")
        [running] = await store.running()
        [summary] = await store.summaries(5)
    assert anna.kind == "guest"
    assert isinstance(running, StoredGame)
    assert running.players[0].id == summary.players[0].id == anna.id


async def test_the_games_of_one_player_are_found_by_an_index_in_a_file_of_version_3(
    tmp_path: Path,
) -> None:
    async with open_database(tmp_path):
        pass
    with closing(sqlite3.connect(tmp_path / FILE_NAME)) as old, old:
        for seat in (1, 2):
            old.execute(f"DROP INDEX games_player_{seat}")
            old.execute(f"CREATE INDEX games_player_{seat} ON games (player_{seat})")
        old.execute("PRAGMA user_version = 3")
    async with open_database(tmp_path) as database:
        plan = await database.read(
            lambda c: c.execute(
                f"EXPLAIN QUERY PLAN {_ENDED_BEFORE_OF_PLAYER}",
                {"player": "anna", "before": "9999", "limit": 50},
            ).fetchall()
        )
    steps = [row["detail"] for row in plan]
    for seat in (1, 2):
        by_index = f"SEARCH games USING INDEX games_player_{seat} (player_{seat}=? AND ended_at<?)"
        assert by_index in steps, steps


async def test_a_token_does_not_change_the_tables_beneath_a_running_arena(tmp_path: Path) -> None:
    old_folder(tmp_path)
    with sole_user(tmp_path), pytest.raises(HostError, match="stop the arena first"):
        await issue_token(tmp_path, "robot")
    assert (version_of(tmp_path / FILE_NAME), copies_in(tmp_path)) == (1, [])
    await issue_token(tmp_path, "robot")  # nobody is there now
    assert version_of(tmp_path / FILE_NAME) == VERSION
    with sole_user(tmp_path):
        await issue_token(tmp_path, "robot")  # and an arena of this version minds nothing


async def test_a_copy_that_is_there_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "arena-schema-1.db").write_text("the copy of another day")
    async with open_database(old_folder(tmp_path)):
        pass
    assert (tmp_path / "arena-schema-1.db").read_text() == "the copy of another day"


async def test_a_change_that_fails_leaves_no_copy(tmp_path: Path) -> None:
    folder = changed_folder(tmp_path, "DROP TABLE turns")
    with pytest.raises(HostError, match="turns"):
        async with open_database(folder):
            pass
    assert copies_in(folder) == []


def copies_in(folder: Path) -> list[Path]:
    return [*folder.glob("arena-schema*")]


def version_of(path: Path) -> int:
    with closing(sqlite3.connect(path)) as database:
        version: int = database.execute("PRAGMA user_version").fetchone()[0]
        return version
