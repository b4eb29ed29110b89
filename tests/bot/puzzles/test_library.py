"""The shipped puzzles, and the files that hold puzzles."""

from pathlib import Path

import pytest

import engine
from bot.errors import ConfigurationError, DataError
from bot.puzzles import library
from bot.puzzles.model import PuzzleFile
from bot.puzzles.symmetry import puzzle_id
from bot.puzzles.themes import themes_of
from tests.bot.puzzles.samples import sample_puzzle

GAMES = library.games_with_puzzles()
FEWEST = 60
"""Puzzles of each game at least."""


def test_all_games_have_puzzles() -> None:
    assert set(GAMES) == {known.name for known in engine.games()}


@pytest.mark.parametrize("game", GAMES)
def test_every_game_has_puzzles_that_can_be_solved(game: str) -> None:
    puzzles = library.shipped(game)
    assert len(puzzles) >= FEWEST
    for puzzle in puzzles:
        assert puzzle.game == game
        assert not puzzle.position.over
        assert puzzle.position.to_play == puzzle.solver
        assert puzzle.is_solved_by(puzzle.solution)
        assert all(puzzle.is_solved_by(answer) for answer in puzzle.answers)
        assert not puzzle.is_solved_by(puzzle.second_turn)
        after = puzzle.position.play(puzzle.solution)
        assert after.turns[-1] == puzzle.solution
        after.game.replay((*after.turns, *puzzle.line))


@pytest.mark.parametrize("game", GAMES)
def test_every_puzzle_fulfils_what_was_demanded(game: str) -> None:
    for puzzle in library.shipped(game):
        assert len(puzzle.turns) >= 4
        assert puzzle.chance - puzzle.second >= 0.4
        assert puzzle.chance >= 0.6
        assert 700 <= puzzle.rating <= 2300


@pytest.mark.parametrize("game", GAMES)
def test_no_two_puzzles_are_equal_up_to_a_symmetry(game: str) -> None:
    puzzles = library.shipped(game)
    ids = [puzzle_id(puzzle.position) for puzzle in puzzles]
    assert ids == [puzzle.id for puzzle in puzzles]
    assert len(set(ids)) == len(ids)


@pytest.mark.parametrize("game", GAMES)
def test_the_themes_are_true(game: str) -> None:
    for puzzle in library.shipped(game):
        proved = "forced-win" in puzzle.themes
        assert themes_of(puzzle.position, puzzle.solution, proved=proved) == puzzle.themes


def test_a_puzzle_is_found_by_its_id() -> None:
    puzzle = library.shipped(GAMES[0])[0]
    assert library.find(puzzle.id) is puzzle
    assert library.find("aaaaaaaaaa") is None
    assert library.shipped("chess") == ()


def test_a_file_of_puzzles_reads_back(tmp_path: Path) -> None:
    content = PuzzleFile(
        game="hexo", command="make", software="test", playouts=1, puzzles=(sample_puzzle(),)
    )
    path = tmp_path / "hexo.json"
    path.write_text("".join(library.file_lines(content)))
    assert library.read_file(path) == content
    assert len(path.read_text().splitlines()) == 3
    empty = content.model_copy(update={"puzzles": ()})
    path.write_text("".join(library.file_lines(empty)))
    assert library.read_file(path) == empty


def test_a_file_that_has_no_puzzles_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError, match="no such file"):
        library.read_file(tmp_path / "none.json")
    (tmp_path / "other.json").write_text('{"format": "bluestone-record-1"}')
    with pytest.raises(DataError, match="not a file of puzzles"):
        library.read_file(tmp_path / "other.json")
