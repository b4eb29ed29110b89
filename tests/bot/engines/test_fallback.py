"""The mover that is there when no engine is."""

import random
import time

import pytest

import engine
from bot.engines.fallback import LISTED_TURNS, NoTurnLeft, fallback_turn, only_turn
from bot.records.model import own_losses

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


@pytest.mark.parametrize(
    ("game", "board", "rules"),
    [
        ("blooms", "hexhex-4", "official"),
        ("blooms", "hexhex-10", "abstractplay"),
        ("stargazers", "stars-39", "official"),
        ("stargazers", "stars-39", "ludii"),
        ("hexo", "plane", "official"),
    ],
)
def test_it_plays_the_other_games(game: str, board: str, rules: str) -> None:
    position = engine.game(game, board=board, rules=rules).start()
    while not position.over and len(position.turns) < 30:
        position = position.play(choose(position))
    assert len(position.turns) > 5


def test_it_leaves_enemy_stones_of_stargazers_uninspired_where_it_can() -> None:
    game = engine.game("stargazers", protocol="alternating")
    position = game.start()
    for turn in engine.play_out(game, seed=5).turns[:10]:
        position = position.play(turn)
    me, them = position.to_play - 1, 2 - position.to_play
    leads = [
        after.scores[them] - after.scores[me]
        for after in map(position.play, position.legal_turns())
    ]
    chosen = position.play(choose(position, seconds=60))
    assert chosen.scores[them] - chosen.scores[me] == max(leads) > min(leads)


def test_it_captures_blooms_where_turns_are_too_many_to_list() -> None:
    game = engine.game("blooms", board="hexhex-10")
    position = game.start().play("1a1").play("1b1,2s10").play("1j10,2e5")
    assert sum(1 for _ in position.legal_turns()) > LISTED_TURNS
    chosen = choose(position)
    assert position.is_legal(chosen)
    cells = [placed.cell for placed in game.placements(chosen)]
    assert min(game.board.cells.index(cell) for cell in cells) > 30


def test_it_wins_and_answers_threats_on_a_board_without_an_edge() -> None:
    """Among some 100,000 legal turns, of which few do."""
    threatened = engine.game("hexo").replay(["0:0", "0:5,1:5", "1:0,2:0", "0:7,1:7", "3:0,-6:0"])
    for seed in range(5):
        answer = fallback_turn(threatened, time.monotonic, random.Random(seed), 0.0)
        answered = threatened.play(answer)
        assert not any(answered.is_legal(turn) for turn in ("-2:0,-1:0", "-1:0,4:0", "4:0,5:0"))
        won = threatened.play("9:0,9:1")
        assert won.play(fallback_turn(won, time.monotonic, random.Random(seed), 0.0)).winner == 1


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


def test_it_does_not_give_its_own_stones_away() -> None:
    position = engine.game("freego", "square-5").replay(["a1", "a3", "e5", "b1", "e4", "b2"])
    assert own_losses(position, position.play("a2"))
    assert not own_losses(position, position.play(choose(position, seconds=60)))


def test_it_passes_when_that_wins_at_once() -> None:
    assert choose(after("pent-6", "5-0", "pass", "5-3,5-9", "pass")) == "pass"


def test_it_does_not_pass_when_that_would_lose() -> None:
    assert choose(after("pent-6", "5-0", "pass", "5-3,5-9", "5-5,5-12", "pass")) != "pass"
    assert choose(after("pent-6", "5-0", "5-3,5-9", "pass")) == "pass"
    assert choose(after("pent-6", "5-0")) != "pass"


def test_an_only_turn_is_recognised() -> None:
    start = engine.game("bluestone", board="pent-3").start()
    assert only_turn(start) is None


def test_an_excluded_turn_is_not_chosen_in_either_order() -> None:
    position = engine.game("bluestone", "pent-3").start().play("0-0")
    one, other, *excluded = {engine.stones_of(turn) for turn in position.legal_turns()}
    turned = [",".join(sorted(stones, reverse=True)) for stones in excluded]
    for _ in range(5):
        turn = fallback_turn(position, time.monotonic, random.Random(1), 0.0, turned)
        assert engine.stones_of(turn) in (one, other)


def test_where_every_turn_is_excluded_nothing_is_left() -> None:
    position = engine.game("bluestone", "pent-3").start().play("0-0")
    everything = list(position.legal_turns())
    with pytest.raises(NoTurnLeft):
        only_turn(position, everything)
    with pytest.raises(NoTurnLeft):
        fallback_turn(position, time.monotonic, random.Random(1), 0.0, everything)
