"""Games of the search against itself: the same for one seed, and with a true winner."""

import pytest

import engine
from engine.search.self_play import liked_turns, play_on

PENT = engine.game("bluestone", board="pent-3")


def test_one_seed_gives_one_game() -> None:
    winners = {play_on(PENT, ("0-0",), 60, 5) for _ in range(2)}
    assert len(winners) == 1


@pytest.mark.parametrize(
    "game", [PENT, engine.game("stargazers"), engine.game("blooms", "hexhex-4", captures=4)]
)
def test_a_game_has_a_winner(game: engine.Game) -> None:
    first = next(game.start().legal_turns())
    assert play_on(game, (first,), 60, 1) in (1, 2)


def test_a_game_that_is_over_has_the_winner_that_the_rules_say() -> None:
    over = engine.play_out(PENT, seed=2)
    assert play_on(PENT, over.turns, 60, 1) == over.winner
    assert liked_turns(PENT, over.turns, 60, 1) == []


def test_a_won_end_is_won() -> None:
    """Two stones capture a bloom and end the game: whoever searches sees it."""
    game = engine.game("blooms", "hexhex-4", captures=6)
    played = (
        "2d4 1d3,2e5 1c3,2e3 1e2,2c4 1c2,2f2 1d2,2d5 1b3,2f4 1f3,2e4 1b4,2g3 1f1,2c5 1b5,2g2 "
        "1g1,2f3 1c6,2d6"
    )
    assert play_on(game, tuple(played.split()), 4000, 1) == 2


def test_liked_turns_are_legal_and_come_with_their_visits() -> None:
    position = PENT.start().play("0-0")
    liked = liked_turns(PENT, position.turns, 300, 1)
    assert liked
    assert all(position.is_legal(turn) and visits > 0 for turn, visits in liked)
    assert [visits for _, visits in liked] == sorted((v for _, v in liked), reverse=True)
