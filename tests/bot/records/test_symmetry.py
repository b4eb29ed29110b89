"""Positions up to symmetry: same keys for images, other keys for others, turns there and back."""

import random

import pytest

import engine
from bot.records.symmetry import BoardView, Canonical, canonical, opening_steps, playable, views

GAMES = [
    ("bluestone", "pent-4"),
    ("bluestone", "limping-4"),
    ("bluestone", "hexhex-4"),
    ("blooms", "hexhex-4"),
    ("stargazers", None),
    ("hexo", None),
    ("freego", "square-5"),
]


def moved(view: BoardView, here: Canonical, turn: str) -> str:
    return here._seen(view, turn)


def played(game: engine.Game, seed: int, turns: int) -> list[engine.Position]:
    chance, found = random.Random(seed), [game.start()]
    while len(found) <= turns and not found[-1].over:
        found.append(found[-1].play(found[-1].likely_turn(chance)))
    return found


@pytest.mark.parametrize(("name", "board"), GAMES)
def test_every_image_of_a_position_has_the_same_key(name: str, board: str | None) -> None:
    game = engine.game(name, board)
    for position in played(game, 1, 5):
        here = canonical(position)
        for view in views(game):
            image = game.start()
            for turn in position.turns:
                legal = playable(image, moved(view, canonical(image), turn))
                assert legal is not None
                image = image.play(legal)
            assert canonical(image).key == here.key


@pytest.mark.parametrize(("name", "board"), GAMES)
def test_a_turn_in_canonical_form_leads_to_the_same_position(name: str, board: str | None) -> None:
    game = engine.game(name, board)
    for before in played(game, 2, 5)[:-1]:
        here = canonical(before)
        for seed in range(5):
            turn = before.likely_turn(random.Random(seed))
            actual = playable(before, here.actual(here.turn(turn)))
            assert actual is not None
            assert here.turn(actual) == here.turn(turn)
            assert canonical(before.play(actual)).key == canonical(before.play(turn)).key


def test_first_turns_that_are_images_of_each_other_are_one() -> None:
    start = canonical(engine.game("bluestone", "pent-4").start())
    corners = {start.turn(f"3-{3 * side}") for side in range(5)}
    assert len(corners) == 1
    assert start.turn("3-1") == start.turn("3-2")
    assert start.turn("3-1") not in corners


def test_the_two_colours_of_a_player_are_alike() -> None:
    blooms = engine.game("blooms", "hexhex-4").start()
    assert canonical(blooms).turn("1a1") == canonical(blooms).turn("2a1")
    one, two = (canonical(blooms.play(turn)) for turn in ("1d4", "2d4"))
    assert one.key == two.key
    assert two.turn("1a1,2b1") == one.turn("2a1,1b1")


def test_other_games_boards_options_and_plies_have_other_keys() -> None:
    start = engine.game("blooms", "hexhex-4")
    keys = [
        canonical(position).key
        for position in (
            start.start(),
            engine.game("blooms", "hexhex-5").start(),
            engine.game("blooms", "hexhex-4", captures=7).start(),
            engine.game("bluestone", "hexhex-4").start(),
            start.start().play("1a1"),
            start.start().play("1b1"),
        )
    ]
    assert len(set(keys)) == len(keys)


def test_the_order_of_turns_does_not_matter_if_the_position_is_the_same() -> None:
    game = engine.game("bluestone", "pent-4")
    one = game.replay(["3-1", "0-0,3-5", "2-3,3-8"])
    other = game.replay(["2-3", "0-0,3-5", "3-1,3-8"])
    assert canonical(one).key == canonical(other).key


def test_only_the_first_turns_are_looked_at() -> None:
    game = engine.game("bluestone", "pent-4")
    turns = ["3-1", "0-0,3-5", "2-3,3-8"]
    assert len(list(opening_steps(game, turns, 2))) == 2
    with pytest.raises(engine.IllegalTurn):
        list(opening_steps(game, ["3-1", "3-1", "0-0"], 3))
    assert [turn for _, turn in opening_steps(game, turns, 1)] == [
        canonical(game.start()).turn("3-1")
    ]


def test_a_cell_that_ko_forbids_makes_another_position() -> None:
    game = engine.game("freego", "square-7")
    before = ["b3", "c3", "a2", "d2", "b1", "c1", "g7", "b2"]
    now, earlier = (
        game.replay([*before, "a7", "g1", "c2"]),
        game.replay([*before, "c2", "g1", "a7"]),
    )
    assert (now.stones, now.scores, now.ko, earlier.ko) == (
        earlier.stones,
        earlier.scores,
        "b2",
        None,
    )
    assert canonical(now).key != canonical(earlier).key
