"""Openings: checking them, and random ones."""

import pytest

import engine
from bot.errors import ConfigurationError
from bot.tournaments.openings import checked, opening_plies, random_lines

GAME = engine.game("bluestone", "pent-4")


@pytest.mark.parametrize(
    ("source", "plies"), [("random:4", 4), ("random:60", 60), ("suite.txt", None)]
)
def test_a_source_is_a_file_or_a_number_of_plies(source: str, plies: int | None) -> None:
    assert opening_plies(source) == plies


@pytest.mark.parametrize("source", ["random:", "random:0", "random:61", "random:-1", "random:x"])
def test_an_invalid_number_of_plies_is_refused(source: str) -> None:
    with pytest.raises(ConfigurationError, match="random:PLIES"):
        opening_plies(source)


def test_random_openings_are_legal_and_different() -> None:
    lines = random_lines(GAME, plies=3, count=20, seed=1)
    positions = [GAME.replay(line) for line in lines]
    assert all(len(line) == 3 for line in lines)
    assert not any(position.over for position in positions)
    assert len({frozenset(position.stones.items()) for position in positions}) == 20


def test_the_same_seed_gives_the_same_random_openings() -> None:
    one, same, other = [random_lines(GAME, 2, 5, seed) for seed in (1, 1, 2)]
    assert one == same != other


def test_a_small_board_gives_all_random_openings_that_it_has() -> None:
    cells = len(GAME.board.cells)
    assert len(random_lines(GAME, 1, 10 * cells, seed=1)) == cells
    assert random_lines(engine.game("bluestone", "pent-3"), 60, 1, seed=1, most_tries=20) == []


def test_an_opening_must_be_legal_and_must_not_end_the_game() -> None:
    assert checked(GAME, ["0-0", " 1-0, 3-2 "]) == (None, ("0-0", "1-0,3-2"))
    error, _ = checked(GAME, ["0-0", "0-0,1-0"])
    assert error is not None
    assert error.startswith("turn 2: ")
    assert checked(GAME, engine.play_out(GAME).turns)[0] == "the game is over after it"


def test_random_openings_without_an_edge_stay_together() -> None:
    """Stones up to eight cells apart, as the rules of HeXO allow, would decide nothing."""
    game = engine.game("hexo")
    for line in random_lines(game, 4, 10, seed=1):
        position = game.replay(line)
        for cell in position.stones:
            near = {*game.board.neighbours(cell)}
            near |= {other for each in tuple(near) for other in game.board.neighbours(each)}
            assert near & (position.stones.keys() - {cell})
