"""Whole games over real sockets."""

import random
from pathlib import Path

import engine
from bot.arena.archive import FILE_NAME
from bot.records.jsonl import read_records
from bot.records.model import GameRecord
from tests.bot.arena.table import table


async def test_a_whole_game_is_played_refereed_and_recorded(tmp_path: Path) -> None:
    async with table(tmp_path) as t:
        position = engine.game("bluestone", board="pent-3", rules="official").start()
        chance = random.Random(5)
        while not position.over:
            turn = chance.choice([*position.legal_turns()][:-1] or ["pass"])
            await t.play(position.turn_number - 1, turn)
            position = position.play(turn)
        end = await t.both_see(lambda state: state.state == "finished")
    assert end.result is not None
    assert (end.result.winner, end.result.reason) == (position.winner, "played_out")
    assert [played.turn for played in end.turns] == list(position.turns)
    assert end.position.scores == tuple(list(scores) for scores in position.scores)
    [record] = read_records(tmp_path / FILE_NAME)
    assert isinstance(record, GameRecord)
    assert [played.turn for played in record.turns] == list(position.turns)
    assert record.result is not None
    assert record.result.winner == position.winner


async def test_both_players_see_every_turn(tmp_path: Path) -> None:
    async with table(tmp_path) as t:
        await t.play(0, "0-0")
        state = await t.both_see(lambda state: len(state.turns) == 1)
    assert state.position.stones == {"0-0": (1, 1)}
    assert state.to_play == 2
    assert state.position.last == ["0-0"]
