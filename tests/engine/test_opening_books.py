"""Opening books: found whatever way the board is turned, and careful with few games."""

import json
import random

import pytest

import engine
from engine.opening_books import (
    FEWEST_GAMES,
    OpeningBook,
    Trial,
    after,
    arrangement,
    book_of,
    book_text,
    read_trials,
)

GAME = engine.game("stargazers")
ENOUGH = FEWEST_GAMES
TURNED = [symmetry for symmetry in GAME.board.symmetries if symmetry[0] != 0]


def turned(line: tuple[str, ...], symmetry: tuple[int, ...]) -> tuple[str, ...]:
    cells = GAME.board.cells
    return tuple(
        ",".join(cells[symmetry[GAME.board.index(cell)]] for cell in turn.split(","))
        for turn in line
    )


def chosen(book: OpeningBook, *line: str, seed: int = 1) -> Trial | None:
    return book.choose(after(GAME, line), random.Random(seed))


def test_the_turn_that_was_tried_most_is_chosen() -> None:
    most, luckiest = Trial(("h5",), "i4,j5", 90, 50), Trial(("h5",), "i6,j5", 30, 20)
    book = OpeningBook(GAME, [luckiest, most])
    assert chosen(book, "h5") == most
    assert chosen(book, "g6") is None


def test_of_two_tried_as_often_the_one_that_won_more_is_chosen() -> None:
    trials = [Trial(("h5",), turn, ENOUGH, won) for turn, won in (("i6,j5", 12), ("i4,j5", 13))]
    best = chosen(OpeningBook(GAME, trials), "h5")
    assert best is not None
    assert best.turn == "i4,j5"


def test_a_few_games_recommend_nothing() -> None:
    few = Trial(("h5",), "i6,j5", ENOUGH - 1, ENOUGH - 1)
    assert chosen(OpeningBook(GAME, [few]), "h5") is None


@pytest.mark.parametrize("symmetry", TURNED)
def test_a_position_is_known_on_the_turned_board_too(symmetry: tuple[int, ...]) -> None:
    line, turn = ("h5", "i6,j5"), "g4,k6"
    book = OpeningBook(GAME, [Trial(line, turn, ENOUGH, ENOUGH // 2)])
    best = chosen(book, *turned(line, symmetry))
    assert best is not None
    reached = after(GAME, (*turned(line, symmetry), best.turn))
    meant = after(GAME, turned((*line, turn), symmetry))
    assert reached.stones == meant.stones


def test_the_order_of_stones_does_not_matter_but_who_moves_does() -> None:
    one, other = ("h5", "i6,j5", "g4,k6"), ("g4", "j5,i6", "k6,h5")
    assert arrangement(after(GAME, one))[0] == arrangement(after(GAME, other))[0]
    bluestone = engine.game("bluestone", board="pent-3")
    passed = [after(bluestone, line) for line in (("0-0",), ("0-0", "pass"))]
    assert passed[0].stones == passed[1].stones
    assert arrangement(passed[0])[0] != arrangement(passed[1])[0]


def test_turns_that_are_equal_by_symmetry_are_all_played() -> None:
    book = OpeningBook(GAME, [Trial((), "h5", ENOUGH, ENOUGH // 2)])
    firsts = {best.turn for seed in range(40) if (best := chosen(book, seed=seed))}
    assert firsts == {"h5", *(turned(("h5",), symmetry)[0] for symmetry in TURNED)}


def test_colours_go_with_their_stones_in_blooms() -> None:
    blooms = engine.game("blooms", "hexhex-4")
    trial = Trial(("1a1",), "1b1,2c1", ENOUGH, 12)
    book = OpeningBook(blooms, [trial])
    for symmetry in blooms.board.symmetries:
        corner = blooms.board.cells[symmetry[blooms.board.index("a1")]]
        position = blooms.start().play(f"1{corner}")
        best = book.choose(position, random.Random(1))
        assert best is not None
        reached = arrangement(position.play(best.turn))[0]
        assert reached == arrangement(after(blooms, ("1a1", "1b1,2c1")))[0]


def test_a_line_goes_on_while_the_book_lasts() -> None:
    trials = [Trial((), "h5", ENOUGH, 12), Trial(("h5",), "i6,j5", ENOUGH, 12)]
    line = OpeningBook(GAME, trials).line(GAME.start(), random.Random(3))
    assert [len(trial.turn.split(",")) for trial in line] == [1, 2]
    assert after(GAME, (trial.turn for trial in line)).turn_number == 3


def test_a_book_is_read_as_it_was_written() -> None:
    trials = [Trial((), "h5", 90, 50), Trial(("h5", "i6,j5"), "g4,k6", 30, 11)]
    data = json.loads(book_text(GAME, trials))
    assert list(read_trials(data["trials"])) == trials
    assert data["options"] == {"protocol": "122"}


def test_the_book_that_comes_along_begins_a_game_with_legal_turns() -> None:
    book = book_of(GAME)
    assert book is not None
    for seed in range(6):
        line = book.line(GAME.start(), random.Random(seed))
        assert len(line) >= 2
        assert all(0 < trial.won < trial.games for trial in line)


@pytest.mark.parametrize(
    "game",
    [
        engine.game("stargazers", rules="ludii"),
        engine.game("stargazers", protocol="alternating"),
        engine.game("stargazers", "stars-63"),
        engine.game("bluestone"),
    ],
    ids=lambda game: f"{game.name}-{game.board.name}-{game.rules}",
)
def test_a_book_is_for_one_game_under_its_usual_rules(game: engine.Game) -> None:
    assert book_of(game) is None
