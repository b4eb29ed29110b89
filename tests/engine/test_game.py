"""The public API of `engine`, as other programs use it."""

import copy
import gc
import pickle
import random
import subprocess
import sys
import weakref

import pytest

import engine
from engine.game import LATEST


@pytest.fixture
def start() -> engine.Position:
    return engine.game("bluestone").start()


def test_the_usual_game() -> None:
    game = engine.game("bluestone")
    assert (game.name, game.board.name, game.rule_set) == ("bluestone", "pent-6", "official")
    assert game is engine.game("bluestone", board="pent-6", rules="official")
    assert game is not engine.game("bluestone", rules="abstractplay")
    assert len(game.board.cells) == 76
    assert set(game.board.neighbours("5-0")) == {"4-0", "5-1", "5-24"}
    assert game.board.position("0-0") == (0, 0)


def test_games_that_nobody_refers_to_are_forgotten() -> None:
    """Also before Python looks for circles: strangers may ask for each of 2,000 values."""
    kept = engine.game("hexo", cap=99)
    gc.disable()
    try:
        made = []
        for cap in range(100, 400):
            game = engine.game("hexo", cap=cap)
            assert game.start().play("0:0").turns == ("0:0",)
            made.append(weakref.ref(game))
            del game
        assert sum(each() is not None for each in made) <= LATEST + 1  # the last one is in use
    finally:
        gc.enable()
    assert engine.game("hexo", cap=99) is kept
    assert kept.start() is kept.start()


def test_every_listed_game_board_and_rule_set_can_be_played() -> None:
    assert [info.name for info in engine.games()][:2] == ["bluestone", "blooms"]
    for info in engine.games():
        for board in info.boards:
            for rules in info.rule_sets:
                game = engine.game(info.name, board=board, rules=rules)
                assert game.start().to_play == 1
                assert game.kinds == info.kinds
                assert game.info is info is engine.game_info(info.name)


def test_every_board_that_is_named_can_be_played_on() -> None:
    for info in engine.games():
        boards = engine.boards_of(info)
        assert set(info.boards) <= set(boards)
        assert [engine.game(info.name, board).board.name for board in boards] == list(boards)


def test_of_which_scores_fewer_win() -> None:
    """As a game that was played out shows, unless the scores are equal."""
    for info in engine.games():
        if not engine.game(info.name).board.is_bounded:
            continue  # random stones far apart decide nothing
        lasts = (engine.play_out(engine.game(info.name), seed) for seed in range(20))
        last = next(last for last in lasts if last.winner and len(set(last.scores)) == 2)
        assert last.winner is not None
        fewer_wins = last.scores[last.winner - 1] == min(last.scores)
        assert fewer_wins == info.fewer_wins


def test_options_are_the_same_as_words_and_as_values() -> None:
    game = engine.game("blooms", board="hexhex-4", captures=15)
    assert game is engine.game("blooms", board="hexhex-4", captures="15")
    assert game.options == (("captures", 15),)


def test_an_option_at_its_default_is_left_out() -> None:
    assert engine.game("blooms", board="hexhex-4", captures=20) is engine.game(
        "blooms", board="hexhex-4"
    )


@pytest.mark.parametrize("value", [0, "0", -1, 1001, "many", "", None, 2.5])
def test_an_option_lists_the_values_that_it_accepts(value: object) -> None:
    with pytest.raises(engine.InvalidOption, match="captures takes a whole number from 1 to 1000"):
        engine.game("blooms", captures=value)


def test_what_a_turn_places() -> None:
    bluestone, blooms = engine.game("bluestone"), engine.game("blooms")
    assert bluestone.placements("5-3,0-0") == (
        engine.Placement("5-3", 1),
        engine.Placement("0-0", 1),
    )
    assert blooms.placements("1a1,2b2") == (engine.Placement("a1", 1), engine.Placement("b2", 2))
    assert bluestone.placements("pass") == ()


def test_unknown_names_are_answered_with_the_known_ones() -> None:
    with pytest.raises(
        engine.UnknownGame, match="unknown game 'chess'; known: bluestone, blooms"
    ) as caught:
        engine.game("chess")
    assert (caught.value.what, caught.value.known) == (
        "game",
        tuple(info.name for info in engine.games()),
    )
    with pytest.raises(engine.UnknownGame, match="rule set 'house'; known: official, abstractplay"):
        engine.game("bluestone", rules="house")
    with pytest.raises(
        engine.UnknownGame, match=r"board 'pent-99'; known: pent-N with N = 3\.\.13"
    ):
        engine.game("bluestone", board="pent-99")
    with pytest.raises(engine.UnknownGame, match="option 'captures'; known: none"):
        engine.game("bluestone", captures=15)


def test_a_game_begins(start: engine.Position) -> None:
    assert (start.to_play, start.turn_number, start.turns) == (1, 1, ())
    assert (start.stones, start.captured, start.scores) == ({}, (), ((0,), (0,)))
    assert (start.over, start.winner) == (False, None)
    assert set(start.legal_turns()) == {*start.game.board.cells, "pass"}


def test_playing_makes_a_new_position(start: engine.Position) -> None:
    after = start.play("5-3").play("2-1,5-9")
    assert start.stones == {}
    assert after.stones == {
        "2-1": engine.Stone(2, 1),
        "5-3": engine.Stone(1, 1),
        "5-9": engine.Stone(2, 1),
    }
    assert list(after.stones) == ["2-1", "5-3", "5-9"]
    assert (after.turns, after.to_play, after.turn_number) == (("5-3", "2-1,5-9"), 1, 3)
    assert after.scores == ((2,), (2,))


def test_positions_of_the_same_turns_are_equal(start: engine.Position) -> None:
    assert start.play("5-3") == engine.game("bluestone").start().play("5-3")
    assert start.play("5-3") != start.play("5-4")
    assert len({start.play("5-3"), start.play("5-3"), start.play("5-4")}) == 2


def test_a_position_cannot_be_changed_through_what_it_gives_away(start: engine.Position) -> None:
    here = start.play("5-3")
    here.record()["cells"][:] = 2
    here.stones.clear()
    assert len(list(here.play("0-0,5-9").stones)) == 3
    assert here.play("0-0,5-9").stones["5-3"].player == 1
    with pytest.raises(AttributeError):
        here.turns = ()  # type: ignore[misc]


def test_a_replay_ends_where_the_turns_end(start: engine.Position) -> None:
    after = start.play("5-3").play("2-1,5-9")
    assert start.game.replay(["5-3", "2-1,5-9"]) == after
    assert start.game.replay(after.turns).stones == after.stones
    assert start.game.replay([]) is start


def test_a_replay_continues_from_a_known_position(start: engine.Position) -> None:
    known = start.play("5-3")
    assert start.game.replay(["5-3"], known) is known
    assert start.game.replay(("5-3", "2-1,5-9"), known) == known.play("2-1,5-9")


@pytest.mark.parametrize(
    "known",
    [
        engine.game("bluestone").replay(["5-4"]),
        engine.game("bluestone").replay(["5-3", "2-1,5-9", "pass"]),
        engine.game("bluestone", rules="abstractplay").replay(["5-3"]),
    ],
)
def test_a_replay_leaves_a_known_position_that_is_not_on_its_way(known: engine.Position) -> None:
    after = engine.game("bluestone").replay(["5-3", "2-1,5-9"], known)
    assert after == engine.game("bluestone").start().play("5-3").play("2-1,5-9")


def test_a_replay_says_which_turn_is_illegal(start: engine.Position) -> None:
    turns = ["5-3", "2-1,5-9", "5-3,0-0"]
    for known in (None, start.play("5-3")):
        with pytest.raises(engine.IllegalTurn) as caught:
            start.game.replay(turns, known)
        illegal = caught.value
        assert (illegal.turn_number, illegal.rule, illegal.where) == (3, "occupied", "5-3")


def test_a_turn_in_canonical_form() -> None:
    assert engine.game("bluestone").canonical(" 5-3, 0-0") == "5-3,0-0"
    assert engine.game("blooms").canonical("2B2,1a1") == "1a1,2b2"


def test_legal_turns_are_lazy_and_all_playable(start: engine.Position) -> None:
    turns = start.play("0-0").legal_turns()
    assert next(turns).startswith("1-0,")
    listed = list(start.play("0-0").legal_turns())
    assert len(set(listed)) == len(listed)
    assert all(start.play("0-0").is_legal(turn) for turn in listed)


def test_capture_and_victory() -> None:
    here = engine.game("bluestone", rules="abstractplay").start()
    for turn in ("5-1", "5-2", "4-1", "0-0", "4-2", "pass", "5-3"):
        here = here.play(turn)
    assert here.captured == ("5-2",)
    assert "5-2" not in here.stones
    last = here.play("pass")
    assert last.captured == ()
    last = last.play("pass")
    assert (last.over, last.winner) == (True, 1)
    assert list(last.legal_turns()) == []


def test_two_passes_draw_an_empty_board(start: engine.Position) -> None:
    last = start.play("pass").play("pass")
    assert (last.over, last.winner, last.scores) == (True, None, ((0,), (0,)))


@pytest.mark.parametrize("board", ["pent-6", "limping-4", "hexhex-4"])
def test_a_random_game_is_whole_and_repeatable(board: str) -> None:
    game = engine.game("bluestone", board=board)
    last = engine.play_out(game, seed=3)
    assert last.over
    assert last.winner in (1, 2)
    assert last == engine.play_out(game, seed=3)
    assert last != engine.play_out(game, seed=4)
    again = game.start()
    for turn in last.turns:
        assert not again.over
        again = again.play(turn)
    assert (again.stones, again.scores, again.winner) == (last.stones, last.scores, last.winner)


@pytest.mark.parametrize("name", [info.name for info in engine.games()])
def test_a_random_turn_is_legal_and_repeatable(name: str) -> None:
    last = engine.play_out(engine.game(name), seed=2)
    for position in map(last.game.replay, (last.turns[:ply] for ply in range(len(last.turns)))):
        turn = position.random_turn(random.Random(7))
        assert position.is_legal(turn)
        assert turn == position.random_turn(random.Random(7))


def test_the_benchmark_counts_playouts() -> None:
    assert engine.benchmark(engine.game("bluestone", board="pent-3"), seconds=0.01) > 0


def test_errors_survive_a_process_boundary(start: engine.Position) -> None:
    with pytest.raises(engine.IllegalTurn) as caught:
        start.play("5-3").play("9-9")
    copied = pickle.loads(pickle.dumps(caught.value))
    assert (copied.rule, copied.where, copied.turn_number, str(copied)) == (
        caught.value.rule,
        caught.value.where,
        2,
        str(caught.value),
    )
    with pytest.raises(engine.UnknownGame) as unknown:
        engine.game("chess")
    assert str(pickle.loads(pickle.dumps(unknown.value))) == str(unknown.value)


def test_positions_can_be_copied(start: engine.Position) -> None:
    assert copy.copy(start.play("5-3")) == start.play("5-3")


def test_importing_the_engine_does_not_load_the_compiler() -> None:
    code = "import sys, engine; engine.games(); sys.exit('numba' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
