"""`bluestone backup` and `bluestone restore` on the data of a real arena."""

import asyncio
import json
import random
import sys
from pathlib import Path
from typing import Any

import pytest

import engine
from bot import wire
from tests.bot.arena.table import begin
from tests.bot.cli.commands import Bluestone
from tests.e2e.browser.arena_process import ArenaProcess, running
from tests.fakes.arena_client import ArenaClient, connected

BOARD = "pent-4"


async def command(*words: object) -> Any:
    """Run the command in its own process, as an operator does, and return its JSON."""
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "bot", *map(str, words), "--json"),
        stdout=asyncio.subprocess.PIPE,
    )
    out, _ = await process.communicate()
    assert process.returncode == 0
    return json.loads(out)


async def play(
    players: tuple[ArenaClient, ArenaClient], game_id: str, turns: list[str], first: int = 0
) -> None:
    """Play `turns` from the ply `first` on, one after the other."""
    for ply, turn in list(enumerate(turns))[first:]:
        await players[ply % 2].do("game.turn", game_id=game_id, ply=ply, turn=turn)


@pytest.mark.e2e
async def test_a_backup_taken_while_games_run_has_every_acknowledged_turn(tmp_path: Path) -> None:
    data, backups = tmp_path / "data", tmp_path / "backups"
    data.mkdir()
    position, chance, turns = engine.game("bluestone", BOARD).start(), random.Random(3), []
    for _ in range(8):
        turns.append(position.random_turn(chance))
        position = position.play(turns[-1])
    async with running(data) as arena:
        async with (
            connected(arena.address, name="Anna") as one,
            connected(arena.address, name="Ben") as two,
        ):
            game_id = await begin(one, two, board=BOARD)
            await play((one, two), game_id, turns[:4])
            made = await command("backup", backups, "--data", data)
            await play((one, two), game_id, turns, first=4)
            keys = [client.all_of(wire.Welcome)[0].guest_key for client in (one, two)]
        await arena.stop()
        restored = await command("restore", backups, "--data", data)
        assert restored["restored"] == made["backup"]
        await _turns_after_the_restore(arena, keys, game_id, turns)


async def _turns_after_the_restore(
    arena: ArenaProcess, keys: list[str | None], game_id: str, turns: list[str]
) -> None:
    await arena.start()
    async with (
        connected(arena.address, guest_key=keys[0]) as one,
        connected(arena.address, guest_key=keys[1]) as two,
    ):
        [game] = one.all_of(wire.Welcome)[-1].games
        assert [played.turn for played in game.turns] == turns[:4]
        await play((one, two), game_id, turns, first=4)


def test_a_folder_without_backups_is_refused(bluestone: Bluestone, tmp_path: Path) -> None:
    outcome = bluestone("restore", tmp_path, "--data", tmp_path / "data")
    assert outcome.code == 78
    assert "there is no backup" in outcome.err


def test_the_output_says_where_the_files_are(bluestone: Bluestone, tmp_path: Path) -> None:
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "records.jsonl").write_text("{}\n")
    made = bluestone("backup", tmp_path / "b", "--data", tmp_path / "data", "--keep", 2)
    assert made.code == 0
    assert "1 file, 3 bytes" in made.out.replace("\n", " ")
    restored = bluestone("restore", tmp_path / "b", "--data", tmp_path / "data")
    assert restored.code == 0
    assert "the former files are in" in restored.out
