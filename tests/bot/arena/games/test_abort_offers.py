"""Offers to end a game without a result, in every order with turns and other offers."""

import pytest

from bot import wire
from bot.arena.games.game import DRAW_PAUSE_TURNS, Game
from bot.arena.games.game_start import new_game
from bot.arena.games.takebacks import acted
from bot.arena.refusals import Refused
from bot.arena.settings import Allowances
from bot.time_controls import parse_time_control
from tests.bot.arena.games.test_game import ANNA, BEN, begun
from tests.bot.arena.games.test_takebacks import played, taken_back
from tests.fakes.time import EPOCH


def offered(seat: wire.Seat = 1) -> Game:
    """A game in which both have played, with an offer of that player."""
    game = acted(begun("60+2"), seat, "offer_abort", 1.0)
    assert (game.abort_offer, game.result) == (seat, None)
    return game


@pytest.mark.parametrize("rated", [False, True])
@pytest.mark.parametrize("answer", ["accept_abort", "offer_abort"])
def test_two_who_agree_end_a_game_without_a_result(rated: bool, answer: wire.Action) -> None:
    setup = wire.GameSetup(board="pent-3", clock=parse_time_control("60+2"), rated=rated)
    game = played(new_game("g", setup, (ANNA, BEN), Allowances(), EPOCH, 0.0), 4)
    ended = acted(acted(game, 2, "offer_abort", 5.0), 1, answer, 6.0)
    message = "Both players agreed to abort the game."
    assert ended.result == wire.Result(winner=None, reason="aborted", message=message)
    assert (ended.turns, ended.abort_offer) == (game.turns, None)
    with pytest.raises(Refused, match="game_over"):
        acted(ended, 1, "offer_abort", 7.0)


def test_an_offer_is_made_once_and_accepted_by_the_opponent_only() -> None:
    game = offered(1)
    assert acted(game, 1, "offer_abort", 2.0) is game
    with pytest.raises(Refused, match="no_abort_offer"):
        acted(game, 1, "accept_abort", 2.0)
    with pytest.raises(Refused, match="no_abort_offer"):
        acted(game, 1, "decline_abort", 2.0)
    with pytest.raises(Refused, match="no_abort_offer"):
        acted(begun("60+2"), 2, "accept_abort", 2.0)


@pytest.mark.parametrize("seat", [1, 2])
def test_a_turn_of_either_player_ends_an_offer(seat: wire.Seat) -> None:
    game = played(offered(seat), 1, 1.0)
    assert game.abort_offer is None
    other: wire.Seat = 2 if seat == 1 else 1
    with pytest.raises(Refused, match="no_abort_offer"):
        acted(game, other, "accept_abort", 3.0)


def test_the_next_offer_of_a_player_waits_for_some_turns() -> None:
    game = acted(offered(1), 2, "decline_abort", 2.0)
    assert game.abort_offer is None
    for turns in range(DRAW_PAUSE_TURNS):
        with pytest.raises(Refused, match=f"after {DRAW_PAUSE_TURNS - turns} more turn"):
            acted(game, 1, "offer_abort", 3.0)
        game = played(game, 1, 3.0)
    assert acted(game, 1, "offer_abort", 5.0).abort_offer == 1


def test_the_pause_is_that_of_one_player_and_of_this_offer() -> None:
    game = acted(offered(1), 2, "decline_abort", 2.0)
    assert acted(game, 2, "offer_abort", 3.0).abort_offer == 2
    assert acted(game, 1, "offer_draw", 3.0).draw_offer == 1
    both = acted(acted(begun("60+2"), 1, "offer_draw", 1.0), 1, "offer_abort", 1.0)
    assert (both.draw_offer, both.abort_offer) == (1, 1)
    with pytest.raises(Refused, match="no_draw_offer"):
        acted(acted(both, 2, "decline_draw", 2.0), 2, "accept_draw", 2.0)


def test_a_takeback_ends_an_offer_and_the_pause_counts_from_its_turns() -> None:
    game = acted(played(begun("60+2"), 4), 1, "offer_abort", 5.0)
    back = taken_back(game, 1)
    assert (back.abort_offer, back.ply) == (None, game.ply - 2)
    with pytest.raises(Refused, match=f"after {DRAW_PAUSE_TURNS} more turns"):
        acted(back, 1, "offer_abort", 11.0)


def test_a_tournament_has_no_such_offers() -> None:
    place = wire.TournamentPlace(tournament_id="t", name="cup", round=1, pairing=1, game=1)
    setup = wire.GameSetup(board="pent-3", clock=parse_time_control("60+2"))
    game = played(new_game("g", setup, (ANNA, BEN), Allowances(), EPOCH, 0.0, place), 3)
    with pytest.raises(Refused, match="tournament_game"):
        acted(game, 1, "offer_abort", 5.0)
    assert game.abort_offer is None
