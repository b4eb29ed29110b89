"""Aborted games are deleted after a day: from the database, the searches and the records."""

import sqlite3
from contextlib import closing
from pathlib import Path
from random import Random

import pytest

from bot import wire
from bot.arena.games.archive import FILE_NAME as RECORDS
from bot.arena.server import running_arena
from bot.arena.store.sqlite_database import FILE_NAME
from bot.arena.store.tables import all_columns
from tests.bot.arena.table import begin, play_first, settings
from tests.fakes.arena_client import connected
from tests.fakes.time import FakeTime
from tests.fakes.waiting import eventually


def mentions(folder: Path, game_id: str) -> set[str]:
    """The tables and files that have the id of a game."""
    found = set()
    with closing(sqlite3.connect(folder / FILE_NAME)) as database:
        for table in all_columns():
            rows = database.execute(f"SELECT * FROM {table}")
            if any(game_id in str(value) for row in rows for value in row):
                found.add(table)
    if game_id in (folder / RECORDS).read_text():
        found.add(RECORDS)
    return found


EVERY_S = 30.0


async def test_aborted_games_are_deleted_after_a_day_and_others_stay(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("bot.arena.records.aborted_games_remover.EVERY_S", EVERY_S)
    time = FakeTime()
    kept = settings(tmp_path, play={"keep_aborted_days": 2 * EVERY_S / 86_400})
    async with (
        running_arena(kept, time, Random(1)) as url,
        connected(url, name="Anna") as anna,
        connected(url, name="Ben") as ben,
    ):
        ended = []
        for action in ("abort", "resign", "abort"):
            game_id = await begin(anna, ben, clock={"kind": "none"})
            if action == "resign":
                await play_first(anna, ben, game_id)
            else:
                await anna.do("game.turn", game_id=game_id, ply=0, turn="0-0")
            await anna.do("game.chat", game_id=game_id, preset="hello")
            await ben.do("game.action", game_id=game_id, action=action)
            ended.append(game_id)
            await time.advance(2 * EVERY_S / 3)
        old, played, new = ended
        await time.advance(EVERY_S)
        await eventually(lambda: mentions(tmp_path, old) == set())
        for game_id in (played, new):
            assert {"games", "turns", "game_index", RECORDS} <= mentions(tmp_path, game_id)
        assert await anna.refused("game.state", game_id=old) == "unknown_game_id"
        assert (await anna.do("game.state", game_id=played)).game.state == "finished"
        await time.advance(1)
        lobby = await anna.wait_for(
            wire.Lobby, lambda lobby: {each.game_id for each in lobby.games} == {played, new}
        )
        assert lobby.games
