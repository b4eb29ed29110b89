import random
from collections import Counter

from hypothesis import given, settings
from hypothesis import strategies as st

from bot.tournaments.events import Entered, Stopped, Withdrew
from bot.tournaments.formats.swiss import Swiss
from bot.tournaments.model import Entrant, GameResult, Pairing
from tests.bot.tournaments.formats.playing import (
    ABSENT_SECOND,
    DRAWN,
    FIRST,
    NOBODY,
    SECOND,
    finish,
    first_wins,
    name,
    pair,
    rounds,
    stronger_wins,
    tournament_of,
)


def test_in_round_1_the_upper_half_meets_the_lower_and_seats_alternate() -> None:
    draw = next(rounds(Swiss(rounds=3), tournament_of(8), first_wins))

    assert [set(each) for each in draw.pairs] == [
        {name(each), name(each + 4)} for each in range(1, 5)
    ]
    firsts = [pair[0] in {name(each) for each in range(1, 5)} for pair in draw.pairs]
    assert firsts in ([True, False, True, False], [False, True, False, True])


def test_the_initial_colour_depends_on_the_seed() -> None:
    draws = {
        next(rounds(Swiss(rounds=3), tournament_of(4, seed), first_wins)).pairs[0]
        for seed in range(20)
    }

    assert draws == {(name(1), name(3)), (name(3), name(1))}


def test_nothing_is_due_during_a_round() -> None:
    tournament, form = tournament_of(6), Swiss(rounds=3)

    for _ in rounds(form, tournament, stronger_wins):
        assert form.due(tournament, tournament.players) is None
        assert not form.is_over(tournament)

    assert tournament.round == 3
    assert form.why_over(tournament) == "all rounds are played"


def test_a_bye_gives_the_points_of_the_settings() -> None:
    form = Swiss(rounds=3, bye_points=0.5)

    byes = [bye for draw in rounds(form, tournament_of(7), first_wins) for bye in draw.byes]

    assert len({bye.player for bye in byes}) == 3
    assert {bye.points for bye in byes} == {0.5}


def test_forbidden_pairs_never_meet() -> None:
    kept_apart = {frozenset((name(1), name(3))), frozenset((name(2), name(4)))}
    form = Swiss(rounds=2, forbidden=frozenset(kept_apart))

    draws = list(rounds(form, tournament_of(4), stronger_wins))

    assert kept_apart.isdisjoint(frozenset(each) for draw in draws for each in draw.pairs)
    assert len(draws) == 2


def test_late_entrants_are_paired_and_withdrawn_players_are_not() -> None:
    tournament, form = tournament_of(6), Swiss(rounds=3)
    draws = rounds(form, tournament, stronger_wins)
    next(draws)
    finish(tournament, stronger_wins)
    tournament.apply(Entered(entrant=Entrant(name="late")))
    tournament.apply(Withdrew(player=name(1), why="went home"))

    draw = next(draws)

    paired = {each for one in draw.pairs for each in one}
    assert paired == {"late", *(name(each) for each in range(2, 7))}
    (of_late,) = [{*each} for each in draw.pairs if "late" in each]
    assert not of_late & {name(2), name(3)}, "a player without points meets another one"


def test_two_players_may_be_paired_again_after_a_no_show() -> None:
    form = Swiss(rounds=3)
    tournament = tournament_of(2)

    draws = rounds(form, tournament, lambda each: NOBODY if each.round == 1 else FIRST)

    assert len(list(draws)) == 2
    assert form.why_over(tournament) == (
        "round 3 cannot be paired: no pairing of 2 players keeps to the rules"
    )


def test_a_player_who_won_by_default_gets_no_bye() -> None:
    """C2 of C.04.3."""
    tournament, form = tournament_of(3), Swiss(rounds=3)

    byes = [bye for draw in rounds(form, tournament, _first_round_by_default) for bye in draw.byes]

    assert len({bye.player for bye in byes}) == len(byes)
    assert tournament.pairings[1].players[0] not in {bye.player for bye in byes}


def _first_round_by_default(pairing: Pairing) -> GameResult:
    return ABSENT_SECOND if pairing.round == 1 else FIRST


def test_a_stopped_pairing_without_a_game_gives_half_a_point_each() -> None:
    tournament, form = tournament_of(4), Swiss(rounds=2)
    draw = form.due(tournament, ())
    assert draw is not None
    pair(tournament, draw)
    tournament.apply(Stopped(pairing=1, why="the machine was down"))
    finish(tournament, first_wins)

    second = form.due(tournament, ())

    assert second is not None
    assert not any(set(each) == set(draw.pairs[1]) for each in second.pairs)


def test_it_ends_early_when_fewer_than_two_players_are_left() -> None:
    tournament, form = tournament_of(2), Swiss(rounds=3)
    tournament.apply(Withdrew(player=name(1), why="went home"))

    assert form.due(tournament, ()) is None
    assert form.why_over(tournament) == (
        "round 1 cannot be paired: fewer than two players are left"
    )


@settings(max_examples=25)
@given(players=st.integers(2, 24), seed=st.integers(0, 10_000))
def test_no_pair_meets_twice_no_player_has_two_byes_and_seats_are_balanced(
    players: int, seed: int
) -> None:
    tournament, form = tournament_of(players, seed), Swiss(rounds=7)
    rng = random.Random(seed)

    met: Counter[frozenset[str]] = Counter()
    byes: Counter[str] = Counter()
    seats: dict[str, str] = dict.fromkeys(tournament.players, "")
    for draw in rounds(form, tournament, lambda _: rng.choice((FIRST, SECOND, DRAWN))):
        met.update(map(frozenset, draw.pairs))
        byes.update(bye.player for bye in draw.byes)
        if draw.round == form.rounds:
            break  # topscorers may have a third seat of a kind
        for first, second in draw.pairs:
            seats[first] += "1"
            seats[second] += "2"

    assert set(met.values()) <= {1}
    assert set(byes.values()) <= {1}
    for each in seats.values():
        assert abs(each.count("1") - each.count("2")) <= 2
        assert "111" not in each
        assert "222" not in each
