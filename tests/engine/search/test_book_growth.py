"""A book grows where its reader's turns do well, against an opponent who plays what he likes."""

import random

import pytest

import engine
from engine.search.book_growth import DEPTH, GAMES_TO_GROW, WIDTH, BookTree, Node

GAME = engine.game("bluestone", board="pent-4")


def tree(seed: int = 1) -> BookTree:
    return BookTree(GAME, random.Random(seed))


def liked(*turns: str) -> list[tuple[str, int]]:
    return [(turn, 100) for turn in turns]


def play(book: BookTree, games: int, first_wins: set[str]) -> None:
    """Games that the first player wins if he begins with one of these turns."""
    for _ in range(games):
        opening = book.select()
        begun = opening.nodes[1].line[0]
        book.add(opening, 1 if begun in first_wins else 2)


def test_the_turn_that_wins_is_tried_most() -> None:
    book = tree()
    book.grow(book.root, liked("0-0", "1-0", "2-0"))
    play(book, 200, first_wins={"1-0"})
    tries = {trial.turn: (trial.games, trial.won) for trial in book.trials(1)}
    assert tries["1-0"][0] > 4 * tries["0-0"][0]
    assert tries["1-0"][1] == tries["1-0"][0]
    assert tries["0-0"][1] == 0


def test_only_the_turns_of_the_reader_are_counted() -> None:
    book = tree()
    book.grow(book.root, liked("0-0"))
    book.grow(book.child(book.root, "0-0"), liked("1-1,2-5"))
    openings = [book.select() for _ in range(100)]
    for opening in openings:
        book.add(opening, 1)
    begun_by_reader = sum(opening.reader == 1 for opening in openings)
    assert 0 < begun_by_reader < 100
    first, second = book.trials(0)
    assert (first.games, first.won) == (begun_by_reader, begun_by_reader)
    assert (second.games, second.won) == (100 - begun_by_reader, 0)


def test_the_opponent_plays_what_he_likes_though_it_loses() -> None:
    book = tree()
    book.grow(book.root, [("0-0", 9_000), ("1-0", 1_000)])
    games = []
    for _ in range(400):
        opening = book.select()
        begun = opening.nodes[1].line[0]
        book.add(opening, 1 if begun == "1-0" else 2)
        if opening.reader == 2:
            games.append(begun)
    assert 0.65 < games.count("0-0") / len(games) < 0.9


def test_turns_equal_by_symmetry_are_one() -> None:
    book = tree()
    book.grow(book.root, liked("1-0", "1-1", "1-2", "0-0"))
    assert [choice.turn for choice in book.root.choices] == ["1-0", "0-0"]
    assert sum(choice.liked for choice in book.root.choices) == pytest.approx(1)
    assert book.root.choices[0].liked > book.root.choices[0].hope > book.root.choices[1].hope


def test_a_position_reached_in_two_ways_is_one_node() -> None:
    book = tree()
    one = book.child(book.child(book.child(book.root, "0-0"), "1-1,2-5"), "1-3,2-1")
    other = book.child(book.child(book.child(book.root, "1-3"), "2-5,1-1"), "2-1,0-0")
    assert one is other


def test_no_more_turns_than_the_width() -> None:
    book = tree()
    first = book.child(book.root, "0-0")
    book.grow(first, liked(*(turn for turn in GAME.start().play("0-0").legal_turns())))
    assert len(first.choices) == WIDTH


def test_games_side_by_side_go_different_ways() -> None:
    book = tree()
    book.grow(book.root, liked("0-0", "1-0", "2-0"))
    by_the_reader = [
        opening for opening in (book.select() for _ in range(30)) if opening.reader == 1
    ]
    assert len({opening.nodes[1].line for opening in by_the_reader}) > 1


def test_turns_are_looked_for_once_there_are_games_and_not_too_deep() -> None:
    book = tree()
    assert book.wants_choices(book.root)
    assert not book.wants_choices(book.root)
    assert not book.wants_choices(Node(("0-0",), visits=GAMES_TO_GROW - 1))
    assert book.wants_choices(Node(("0-0",), visits=GAMES_TO_GROW))
    assert not book.wants_choices(Node(("0-0",) * DEPTH, visits=1000))


def test_a_draw_is_not_won_and_rare_trials_can_be_left_out() -> None:
    book = tree()
    book.grow(book.root, liked("0-0"))
    opening = book.select()
    while opening.reader != 1:
        opening = book.select()
    book.add(opening, None)
    (trial,) = book.trials(1)
    assert (trial.games, trial.won) == (1, 0)
    assert list(book.trials(2)) == []
