"""Whole games over real sockets."""

from pathlib import Path
from typing import Any

import pytest

import engine
from bot.arena.games.archive import FILE_NAME
from bot.arena.games.referee import game_of, view
from bot.records.jsonl import read_records
from bot.records.model import GameRecord
from tests.bot.arena.table import table
from tests.fakes.early_end import to_its_end

GAMES: list[dict[str, Any]] = [
    {"board": "pent-3"},
    {"game": "blooms", "board": "hexhex-4", "options": {"captures": "5"}},
    {"game": "stargazers", "board": "stars-39"},
    {"game": "stargazers", "board": "stars-39", "rules": "ludii"},
    {"game": "stargazers", "board": "stars-39", "options": {"protocol": "alternating"}},
]


@pytest.mark.parametrize("choice", GAMES)
async def test_a_whole_game_is_played_refereed_and_recorded(
    tmp_path: Path, choice: dict[str, Any]
) -> None:
    async with table(tmp_path, **choice) as t:
        setup = (await t.one.game(t.game_id)).setup
        position = to_its_end(engine.play_out(game_of(setup), seed=5))
        for ply, turn in enumerate(position.turns):
            await t.play(ply, turn)
        end = await t.both_see(lambda state: state.state == "finished")
    assert end.result is not None
    assert (end.result.winner, end.result.reason) == (position.final_winner, "played_out")
    assert [played.turn for played in end.turns] == list(position.turns)
    assert end.position.scores == view(position).scores
    assert end.position.marks == position.marks
    [record] = read_records(tmp_path / FILE_NAME)
    assert isinstance(record, GameRecord)
    assert [played.turn for played in record.turns] == list(position.turns)
    assert (record.game, record.options) == (setup.game, setup.options)
    assert record.result is not None
    assert record.result.winner == position.final_winner


async def test_both_players_see_every_turn(tmp_path: Path) -> None:
    async with table(tmp_path) as t:
        await t.play(0, "0-0")
        state = await t.both_see(lambda state: len(state.turns) == 1)
    assert state.position.stones == {"0-0": (1, 1)}
    assert state.to_play == 2
    assert state.position.last == ["0-0"]
