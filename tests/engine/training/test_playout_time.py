"""Games in which playouts are the time, and what the opponent's time is worth in them."""

import pytest

import engine
from engine.search.budget import TurnPlan
from engine.training.foreseeing import Foreseen, foreseen_in
from engine.training.playout_time import OWN_TURNS, PACE, ClockPlayer, even, managed, play_pair

NODES = 20
GAME = engine.game("bluestone", "pent-3")


def test_even_division_is_the_recommended_time_for_every_turn() -> None:
    found = TurnPlan(0.2, 1.0, 2.0)
    assert even(found) == TurnPlan(1.0, 1.0, 1.0)
    assert managed(found) == found


def test_a_turn_costs_its_playouts() -> None:
    position = GAME.start()
    player = ClockPlayer(GAME, None, 1, 2.0, even)
    turn = player.turn(position)
    assert turn is not None
    assert position.is_legal(turn)
    assert 0 < player.left < 2.0
    assert player.left * PACE == pytest.approx(round(player.left * PACE))


def test_a_pair_has_one_opening_both_seats_and_no_overdrawn_clock() -> None:
    pair = play_pair(GAME, NODES, 1, seed=3)
    assert [each.game.seat for each in pair] == [1, 2]
    for each in pair:
        assert each.playouts == NODES * OWN_TURNS
        assert all(0 < used <= each.playouts for used in each.used)
        assert each.game.winner in (0, 1, 2)
    assert play_pair(GAME, NODES, 1, seed=3) == pair
    assert play_pair(GAME, NODES, 2, seed=3) != pair


def test_expected_turns_are_counted() -> None:
    found = foreseen_in(GAME, NODES, 1, seed=1)
    assert 0 <= found.hits <= found.turns
    assert found.turns > 0
    assert foreseen_in(GAME, NODES, 1, seed=1) == found
    assert found + Foreseen(1, 1, 5, 7) == Foreseen(
        found.turns + 1, found.hits + 1, found.kept + 5, found.kept_of_all + 7
    )
