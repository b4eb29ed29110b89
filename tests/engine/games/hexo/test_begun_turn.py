"""Positions in the middle of a turn: their rules, and the search for the second stone."""

import random

import pytest

import engine
from engine.contract import Choice, Limits, Signals
from engine.players.search import SearchEngine

GAME = engine.game("hexo")
BEGUN = GAME.replay(["0:0"]).begin("1:0")
FIVE = GAME.replay(["0:0", "0:5,6:1", "1:0,2:0", "-3:5,7:-4", "3:0,6:-6", "0:-5,1:6"]).begin("4:0")
"""x has five in a row, and places the second stone of this turn."""
FOUR = GAME.replay(["0:0", "1:5,2:5", "0:5,-7:1", "3:5,4:5"]).begin("7:-5")
"""o has four in a row with one open end, and x has one stone left to close it."""


def test_a_turn_that_has_begun_is_completed_by_one_stone() -> None:
    assert (BEGUN.to_play, BEGUN.turn_number, BEGUN.over) == (2, 2, False)
    assert set(BEGUN.stones) == {"0:0", "1:0"}
    assert all("," not in turn for turn in BEGUN.legal_turns())
    assert BEGUN.play("0:1") == GAME.replay(["0:0", "1:0,0:1"])


@pytest.mark.parametrize(
    ("turn", "reason"),
    [
        ("1:0", "both stones are on 1:0"),
        ("0:0", "0:0 is not empty"),
        ("20:0", "20:0 is more than 8 cells away"),
        ("0:1,0:2", "the turn is a single stone: 0:1 completes it"),
    ],
)
def test_the_second_stone_keeps_the_rules(turn: str, reason: str) -> None:
    with pytest.raises(engine.IllegalTurn, match=reason) as caught:
        BEGUN.play(turn)
    assert caught.value.turn_number == 2


@pytest.mark.parametrize("step", ["0:0", "9:9", "1:0,0:1,0:2", "pass", "a"])
def test_an_illegal_stone_begins_no_turn(step: str) -> None:
    with pytest.raises(engine.IllegalTurn):
        GAME.replay(["0:0"]).begin(step)


def test_a_stone_that_is_a_whole_turn_ends_it() -> None:
    assert GAME.start().begin("0:0") == GAME.replay(["0:0"])
    five = GAME.replay([*FIVE.turns[:-1], "4:0,7:7", "0:7,1:7"])
    assert five.begin("5:0").winner == 1
    assert five.begin("5:0") == five.play("5:0")


@pytest.mark.parametrize("position", [BEGUN, FOUR, FIVE])
def test_drawn_turns_are_one_stone(position: engine.Position) -> None:
    chance = random.Random(1)
    for turn in (position.random_turn(chance), position.likely_turn(chance)):
        assert "," not in turn
        assert position.is_legal(turn)


def think(player: SearchEngine, position: engine.Position) -> Choice:
    player.set_position(position)
    return player.search(Limits(nodes=300), lambda _: None, Signals())


@pytest.mark.parametrize("knowledge", [True, False])
def test_the_search_completes_six_and_closes_a_four(*, knowledge: bool) -> None:
    player = SearchEngine()
    player.set_option("Hash", 16)
    player.set_option("Knowledge", knowledge)
    won = think(player, FIVE)
    assert won.turn in {"5:0", "-1:0"}
    assert won.value == 1.0
    assert think(player, FOUR).turn in {"5:5", "6:5"}


def test_the_search_goes_on_after_the_whole_turn() -> None:
    """The tree of a begun turn is not taken for that of another position."""
    player = SearchEngine()
    player.set_option("Hash", 16)
    stone = think(player, BEGUN).turn
    after = BEGUN.play(stone)
    assert after.is_legal(think(player, after).turn)
    before = GAME.replay(["0:0"])
    assert before.is_legal(think(player, before).turn)
    assert BEGUN.is_legal(think(player, BEGUN).turn)
