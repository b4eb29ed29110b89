"""Copies of a game are those of `dataclasses.replace`."""

from dataclasses import fields, replace

from bot import wire
from bot.arena.games.copies import replaced
from bot.arena.games.game import Game
from tests.bot.arena.cluster.members import game_between

ANNA = wire.Player(id="anna", name="Anna", kind="person")
BEN = wire.Player(id="ben", name="Ben", kind="person")


def test_a_copy_has_the_new_fields_and_leaves_the_original_alone() -> None:
    game = game_between((ANNA, BEN), "g")
    copy = replaced(game, hints=3, draw_offer=1)
    assert copy == replace(game, hints=3, draw_offer=1)
    assert (game.hints, game.draw_offer, type(copy)) == (0, None, Game)


def test_a_game_has_nothing_that_such_a_copy_would_miss() -> None:
    """A cached value would be copied although it is of the former fields."""
    game = game_between((ANNA, BEN), "g").play(1, 0, "0-0", 1.0)
    assert game.deadline() is not None
    assert game.clock_view(2.0) is not None
    assert game.__dict__.keys() == {each.name for each in fields(Game)}
    assert not hasattr(Game, "__slots__")
    assert not hasattr(Game, "__post_init__")
