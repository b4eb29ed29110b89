import random
from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bot.tournaments.events import Stopped, Withdrew
from bot.tournaments.formats.knockout import DoubleKnockout, Knockout
from bot.tournaments.model import GameResult, Pairing
from bot.tournaments.state import Tournament
from tests.bot.tournaments.formats.playing import (
    DRAWN,
    FIRST,
    SECOND,
    finish,
    name,
    pair,
    rounds,
    stronger_wins,
    tournament_of,
)


def test_the_first_seed_meets_the_last_and_the_highest_seeds_have_byes() -> None:
    draw = next(rounds(Knockout(), tournament_of(6), stronger_wins))

    assert {frozenset(each) for each in draw.pairs} == {
        frozenset((name(4), name(5))),
        frozenset((name(3), name(6))),
    }
    assert [bye.player for bye in draw.byes] == [name(1), name(2)]


@pytest.mark.parametrize("players", [2, 3, 4, 5, 8, 13])
def test_if_the_higher_seed_always_wins_the_first_two_meet_in_the_final(players: int) -> None:
    tournament, form = tournament_of(players), Knockout()

    *_, final = rounds(form, tournament, stronger_wins)

    assert [set(each) for each in final.pairs] == [{name(1), name(2)}]
    assert form.winner(tournament) == name(1)
    assert form.why_over(tournament) == "player 1 has won"


@settings(max_examples=30)
@given(players=st.integers(2, 40), seed=st.integers(0, 1000), third=st.booleans())
def test_any_results_lead_to_one_winner(players: int, seed: int, third: bool) -> None:
    tournament, form = tournament_of(players), Knockout(third_place=third)
    rng = random.Random(seed)

    for _ in rounds(form, tournament, lambda _: rng.choice((FIRST, SECOND, DRAWN))):
        assert form.due(tournament, tournament.players) is None

    winner = form.winner(tournament)
    assert winner is not None
    losers = _losses(tournament)
    assert losers[winner] == 0


@settings(max_examples=30)
@given(players=st.integers(2, 40), seed=st.integers(0, 1000), reset=st.booleans())
def test_in_a_double_knockout_a_player_is_out_after_two_losses(
    players: int, seed: int, reset: bool
) -> None:
    tournament, form = tournament_of(players), DoubleKnockout(reset=reset)
    rng = random.Random(seed)

    for _ in rounds(form, tournament, lambda _: rng.choice((FIRST, SECOND))):
        assert form.due(tournament, tournament.players) is None

    winner = form.winner(tournament)
    losses = _losses(tournament)
    assert winner is not None
    others = [each for each in tournament.players if each != winner]
    assert losses[winner] <= 1
    out = [each for each in others if losses[each] == 2]
    assert len(out) >= len(others) - (0 if reset else 1)


def _losses(tournament: Tournament) -> Counter[str]:
    losses: Counter[str] = Counter()
    for pairing in tournament.pairings.values():
        one, two = tournament.score(pairing)
        if one != two:
            losses[pairing.players[one > two]] += 1
    return losses


def test_a_tie_is_paired_again_in_the_same_round_with_swapped_seats() -> None:
    tournament, form = tournament_of(2), Knockout(tie_breaks=2)

    draws = list(rounds(form, tournament, lambda _: DRAWN))

    assert [draw.round for draw in draws] == [1, 1, 1]
    assert [draw.pairs[0] for draw in draws] == [
        (name(1), name(2)),
        (name(2), name(1)),
        (name(1), name(2)),
    ]


def test_after_the_last_tie_break_the_higher_seed_advances() -> None:
    tournament, form = tournament_of(4), Knockout(tie_breaks=0)

    *_, final = rounds(form, tournament, lambda _: DRAWN)

    assert [set(each) for each in final.pairs] == [{name(1), name(2)}]
    assert form.winner(tournament) == name(1)


def test_losers_of_the_semifinals_play_for_third_place_in_the_final_round() -> None:
    *_, final = rounds(Knockout(third_place=True), tournament_of(4), stronger_wins)

    assert [set(each) for each in final.pairs] == [{name(1), name(2)}, {name(3), name(4)}]


def test_a_withdrawal_loses_an_undecided_match_and_changes_no_decided_one() -> None:
    tournament, form = tournament_of(4), Knockout()
    draws = rounds(form, tournament, stronger_wins)
    next(draws)
    finish(tournament, stronger_wins)

    tournament.apply(Withdrew(player=name(1), why="went home"))
    assert next(draws, None) is None
    assert form.winner(tournament) == name(2)

    tournament.apply(Withdrew(player=name(2), why="went home too"))
    assert form.winner(tournament) == name(2)


def test_a_stopped_match_with_equal_points_is_a_tie() -> None:
    tournament, form = tournament_of(2), Knockout(tie_breaks=1)
    draw = form.due(tournament, ())
    assert draw is not None
    pair(tournament, draw)

    tournament.apply(Stopped(pairing=1, why="the machine was down"))

    again = form.due(tournament, ())
    assert again is not None
    assert again.pairs == ((name(2), name(1)),)


def test_in_a_double_knockout_of_four_the_loser_of_the_first_round_can_win() -> None:
    tournament, form = tournament_of(4), DoubleKnockout()

    def second_recovers(pairing: Pairing) -> GameResult:
        """Player 4 loses the first match and no other."""
        if name(4) not in pairing.players:
            return stronger_wins(pairing)
        is_won = pairing.round > 1
        return FIRST if (pairing.players[0] == name(4)) == is_won else SECOND

    draws = list(rounds(form, tournament, second_recovers))

    assert form.winner(tournament) == name(4)
    assert [set(each.pairs[0]) for each in draws[-2:]] == [{name(1), name(4)}] * 2


def test_without_reset_there_is_one_grand_final() -> None:
    tournament, form = tournament_of(2), DoubleKnockout(reset=False)

    draws = list(rounds(form, tournament, lambda each: FIRST if each.round == 1 else SECOND))

    assert len(draws) == 2


def test_the_player_who_had_the_first_seat_less_often_gets_it() -> None:
    tournament, form = tournament_of(4), Knockout()
    draws = rounds(form, tournament, stronger_wins)
    first_round = next(draws)

    final = next(draws)

    (pair_of_one,) = [each for each in first_round.pairs if name(1) in each]
    (pair_of_two,) = [each for each in first_round.pairs if name(2) in each]
    firsts = (pair_of_one[0] == name(1), pair_of_two[0] == name(2))
    assert firsts == (True, True)
    assert final.pairs == ((name(2), name(1)),), "in even rounds the lower seed"


def test_places_follow_the_round_of_the_last_defeat() -> None:
    tournament, form = tournament_of(8), Knockout()
    draws = rounds(form, tournament, stronger_wins)
    next(draws)
    next(draws)
    assert form.places(tournament) == [
        [name(each) for each in range(1, 5)],
        [name(each) for each in range(5, 9)],
    ]

    assert list(draws)
    assert [len(group) for group in form.places(tournament)] == [1, 1, 2, 4]
    assert form.places(tournament)[:2] == [[name(1)], [name(2)]]


def test_in_a_double_knockout_players_with_one_loss_are_before_players_who_are_out() -> None:
    """The second seed loses once to the first, and the third once to the second."""
    tournament, form = tournament_of(4), DoubleKnockout()
    draws = rounds(form, tournament, stronger_wins)
    next(draws)
    next(draws)
    assert form.places(tournament) == [[name(1), name(2)], [name(3), name(4)]]
    next(draws)
    assert form.places(tournament) == [[name(1)], [name(2), name(3)], [name(4)]]
    assert list(draws)
    assert form.places(tournament) == [[name(each)] for each in range(1, 5)]


def test_the_match_for_third_place_decides_the_places() -> None:
    tournament, form = tournament_of(6), Knockout(third_place=True)

    assert list(rounds(form, tournament, stronger_wins))

    firsts, last = form.places(tournament)[:4], form.places(tournament)[4:]
    assert firsts == [[name(each)] for each in range(1, 5)]
    assert last == [[name(5), name(6)]]


@settings(max_examples=30)
@given(players=st.integers(2, 20), seed=st.integers(0, 1000))
def test_in_a_double_knockout_every_player_has_a_place(players: int, seed: int) -> None:
    tournament, form = tournament_of(players), DoubleKnockout()
    rng = random.Random(seed)

    assert list(rounds(form, tournament, lambda _: rng.choice((FIRST, SECOND))))

    places = form.places(tournament)
    assert places[0] == [form.winner(tournament)]
    assert len(places[1]) == 1
    assert sorted(each for group in places for each in group) == sorted(tournament.players)
