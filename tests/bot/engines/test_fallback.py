"""The mover that is there when no engine is."""

import random
import time

import pytest

import engine
from bot.engines.fallback import fallback_turn, only_turn

BOARDS = ["pent-3", "pent-6", "limping-3", "hexhex-4"]


def choose(position: engine.Position, seconds: float = 0.0) -> str:
    return fallback_turn(position, time.monotonic, random.Random(1), seconds)


@pytest.mark.parametrize("board", BOARDS)
@pytest.mark.parametrize("rules", ["official", "abstractplay"])
def test_it_plays_a_whole_game_of_legal_turns(board: str, rules: str) -> None:
    position = engine.game("bluestone", board=board, rules=rules).start()
    while not position.over:
        position = position.play(choose(position))
    assert len(position.turns) > 2


def test_a_finished_game_has_no_turn() -> None:
    over = engine.play_out(engine.game("bluestone", board="pent-3"))
    with pytest.raises(ValueError, match="over"):
        choose(over)


def after(board: str, *turns: str) -> engine.Position:
    position = engine.game("bluestone", board=board).start()
    for turn in turns:
        position = position.play(turn)
    return position


def test_it_captures_where_it_can() -> None:
    position = after("pent-4", "3-2", "1-4,3-12", "2-2,2-7", "3-3,3-10")
    assert position.play(choose(position, seconds=60)).captured


def test_it_passes_when_that_wins_at_once() -> None:
    assert choose(after("pent-6", "5-0", "pass", "5-3,5-9", "pass")) == "pass"


def test_it_does_not_pass_when_that_would_lose() -> None:
    assert choose(after("pent-6", "5-0", "pass", "5-3,5-9", "5-5,5-12", "pass")) != "pass"
    assert choose(after("pent-6", "5-0", "5-3,5-9", "pass")) == "pass"
    assert choose(after("pent-6", "5-0")) != "pass"


def test_an_only_turn_is_recognised() -> None:
    start = engine.game("bluestone", board="pent-3").start()
    assert only_turn(start) is None
