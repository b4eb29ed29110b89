"""Why turns of Blooms are refused: each rule by its code, the cell, and a sentence."""

import pytest

import engine

pytestmark = pytest.mark.uncompiled


@pytest.mark.parametrize(
    ("played", "turn", "rule", "where"),
    [
        ("", "1z9", "unknown-cell", "z9"),
        ("", "1", "unknown-cell", ""),
        ("", "a1", "malformed", None),
        ("", "3a1", "malformed", None),
        ("", "pass", "malformed", None),
        ("", "", "malformed", None),
        ("1a1", "1b2,2b3,1c1", "malformed", None),
        ("", "1a1,2a2", "one-stone", "a2"),
        ("1a1", "2a1", "occupied", "a1"),
        ("1a1", "1b2,2a1", "occupied", "a1"),
        ("1a1", "1b2,2b2", "same-cell", "b2"),
        ("1a1", "1b2,1b3", "same-colour", "b3"),
        ("1a1", "2b2,2b3", "same-colour", "b3"),
    ],
)
def test_refusals(played: str, turn: str, rule: str, where: str | None) -> None:
    position = engine.game("blooms", board="hexhex-4").start()
    for each in played.split():
        position = position.play(each)
    with pytest.raises(engine.IllegalTurn) as caught:
        position.play(turn)
    assert (caught.value.rule, caught.value.where) == (rule, where)
    assert not position.is_legal(turn)


def test_nothing_is_legal_after_the_end() -> None:
    position = engine.game("blooms", board="hexhex-4", captures=1).start()
    for turn in ("1a1", "1a2,2b1", "1g1", "1b2"):
        position = position.play(turn)
    assert (position.captured, position.scores, position.winner) == (("a1",), (0, 1), 2)
    with pytest.raises(engine.IllegalTurn, match="the game is over"):
        position.play("1c3")


def test_a_handicap_counts_from_the_start() -> None:
    game = engine.game("blooms", board="hexhex-4", captures=3, handicap_1=1, handicap_2=2)
    start = game.start()
    assert (start.scores, start.over, start.winner) == ((1, 2), False, None)
    last = game.replay(["1a1", "1a2,2b1", "1g1", "1b2"])
    assert (last.captured, last.scores, last.winner) == (("a1",), (1, 3), 2)


def test_a_player_who_is_far_ahead_wins_most_random_games() -> None:
    game = engine.game("blooms", board="hexhex-4", captures=15, handicap_2=14)
    winners = [engine.play_out(game, seed).winner for seed in range(20)]
    assert winners.count(2) > 15


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"handicap_1": 15}, "handicap_1 takes a whole number from 0 to 14, below captures"),
        ({"handicap_2": "999"}, "handicap_2 takes a whole number from 0 to 14, below captures"),
        ({"captures": 1, "handicap_1": 1}, "handicap_1 takes a whole number from 0 to 0"),
        ({"handicap_1": -1}, "handicap_1 takes a whole number from 0 to 999, not '-1'"),
        ({"handicap_1": 1000}, "handicap_1 takes a whole number from 0 to 999, not '1000'"),
    ],
)
def test_a_handicap_is_smaller_than_the_goal(options: dict[str, object], words: str) -> None:
    with pytest.raises(engine.InvalidOption, match=words):
        engine.game_of("blooms", "hexhex-4", None, {"captures": 15, **options})


def test_the_handicap_is_compared_with_the_default_of_the_board() -> None:
    assert engine.game("blooms", board="hexhex-5", handicap_1=22).start().scores == (22, 0)
    with pytest.raises(engine.InvalidOption, match="from 0 to 19"):
        engine.game("blooms", board="hexhex-4", handicap_1=22)


@pytest.mark.parametrize("board", ["pent-6", "hexhex-3", "hexhex-11", "limping-7", "stars-39"])
def test_a_board_of_another_game(board: str) -> None:
    with pytest.raises(engine.UnknownGame, match="known: hexhex-4, hexhex-5"):
        engine.game("blooms", board=board)


def test_two_kinds_of_stones() -> None:
    position = engine.game("blooms", board="hexhex-4").start().play("2d4").play("1a1,2b2")
    assert position.stones == {
        "d4": engine.Stone(1, 2),
        "b2": engine.Stone(2, 2),
        "a1": engine.Stone(2, 1),
    }
    assert position.game.step_names[:4] == ("1g1", "2g1", "1g2", "2g2")
