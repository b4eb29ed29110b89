"""How games begin."""

import pytest

from bot import wire
from bot.arena.games.game_start import new_game
from bot.arena.refusals import Refused
from bot.arena.settings import Allowances
from bot.time_controls import parse_time_control
from tests.bot.arena.games.test_game import ANNA, BEN, some_turn
from tests.fakes.time import EPOCH


def test_after_an_opening_both_still_have_a_first_turn_and_a_full_clock() -> None:
    place = wire.TournamentPlace(tournament_id="t", name="cup", round=1, pairing=1, game=1)
    setup = wire.GameSetup(board="pent-3", clock=parse_time_control("60+2"))
    opening = ["0-0", "2-0,2-2", "2-4,2-6"]
    game = new_game("g", setup, (ANNA, BEN), Allowances(), EPOCH, 0.0, place, opening)
    assert (game.ply, game.opening_plies, game.to_play) == (3, 3, 2)
    for now in (50.0, 100.0):
        assert game.in_first_turns
        game = game.play(game.to_play, game.ply, some_turn(game, 0), now)
    assert [clock.main_ms for clock in game.clocks] == [60_000, 60_000]
    assert not game.in_first_turns
    assert game.deadline() == 160.0


def test_an_opening_that_is_not_legal_is_refused() -> None:
    place = wire.TournamentPlace(tournament_id="t", name="cup", round=1, pairing=1, game=1)
    setup = wire.GameSetup(board="pent-3", clock=parse_time_control("60+2"))
    with pytest.raises(Refused, match="illegal_turn"):
        new_game("g", setup, (ANNA, BEN), Allowances(), EPOCH, 0.0, place, ["0-0", "0-0"])
