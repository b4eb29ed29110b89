import tracemalloc
from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bot.tournaments.events import Withdrew
from bot.tournaments.formats.tabled import PAIRED_AHEAD, Pairs, RoundRobin, berger, berger_round
from lab.tournaments.swiss_events import finished
from tests.bot.tournaments.formats.playing import (
    FIRST,
    finish,
    first_wins,
    name,
    pair,
    rounds,
    tournament_of,
)

FIDE_TABLE_OF_6 = [
    [(1, 6), (2, 5), (3, 4)],
    [(6, 4), (5, 3), (1, 2)],
    [(2, 6), (3, 1), (4, 5)],
    [(6, 5), (1, 4), (2, 3)],
    [(3, 6), (4, 2), (5, 1)],
]


def all_rounds(players: int, cycles: int) -> list[Pairs]:
    count = cycles * len(berger(players))
    return [berger_round(players, cycles, number) for number in range(1, count + 1)]


def test_the_table_of_six_players_is_that_of_the_handbook() -> None:
    assert [[(one + 1, two + 1) for one, two in pairs] for pairs in berger(6)] == FIDE_TABLE_OF_6


@settings(max_examples=30)
@given(players=st.integers(2, 31), cycles=st.integers(1, 4))
def test_each_pair_meets_exactly_once_per_cycle(players: int, cycles: int) -> None:
    table = all_rounds(players, cycles)

    met = Counter(frozenset(each) for pairs in table for each in pairs)

    assert len(met) == players * (players - 1) // 2
    assert set(met.values()) == {cycles}
    for pairs in table:
        at_once = [player for each in pairs for player in each]
        assert len(at_once) == len(set(at_once))


@settings(max_examples=30)
@given(players=st.integers(2, 31), cycles=st.integers(1, 4))
def test_seats_are_balanced(players: int, cycles: int) -> None:
    balance: Counter[int] = Counter()
    between: Counter[tuple[int, int]] = Counter()
    for pairs in all_rounds(players, cycles):
        for first, second in pairs:
            balance[first] += 1
            balance[second] -= 1
            between[first, second] += 1

    allowed = 1 if players % 2 == 0 and cycles % 2 else 0
    assert all(abs(each) <= allowed for each in balance.values())
    assert all(abs(count - between[two, one]) <= 1 for (one, two), count in [*between.items()])


@pytest.mark.parametrize("players", range(4, 21, 2))
def test_no_player_has_one_seat_three_times_in_a_row_where_cycles_meet(players: int) -> None:
    seats: dict[int, str] = dict.fromkeys(range(players), "")
    for pairs in all_rounds(players, 2):
        for first, second in pairs:
            seats[first] += "1"
            seats[second] += "2"

    assert not any("111" in each or "222" in each for each in seats.values())


def test_rounds_do_not_wait_for_each_other() -> None:
    tournament, form = tournament_of(5), RoundRobin()

    draws = []
    while (draw := form.due(tournament, ())) is not None:
        draws.append(draw)
        pair(tournament, draw)

    assert [draw.round for draw in draws] == [1, 2, 3, 4, 5]
    assert not form.is_over(tournament)
    finish(tournament, first_wins)
    assert form.why_over(tournament) == "all rounds are played"


def test_a_long_tournament_is_paired_only_as_far_ahead_as_needed() -> None:
    tournament, form = tournament_of(100), RoundRobin(cycles=1000)
    tracemalloc.start()
    try:
        while (draw := form.due(tournament, ())) is not None:
            pair(tournament, draw)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()

    assert len(tournament.left) == PAIRED_AHEAD
    assert peak < 60_000_000  # the table of all cycles alone would take 500 MB
    assert not form.is_over(tournament)

    first = tournament.waiting()[0]
    tournament.apply(finished(first.number, FIRST))
    draw = form.due(tournament, ())
    assert draw is not None
    assert draw.round == tournament.round + 1


def test_by_round_nothing_is_due_before_the_round_is_over() -> None:
    tournament, form = tournament_of(4), RoundRobin(by_round=True)

    for draw in rounds(form, tournament, first_wins):
        assert len(draw.pairs) == 2
        assert form.due(tournament, tournament.players) is None
        assert not form.is_over(tournament)

    assert tournament.round == 3


def test_with_an_odd_number_every_player_has_one_bye_without_points() -> None:
    tournament = tournament_of(5)

    byes = [bye for draw in rounds(RoundRobin(), tournament, first_wins) for bye in draw.byes]

    assert sorted(bye.player for bye in byes) == sorted(tournament.players)
    assert {bye.points for bye in byes} == {0.0}


def test_forbidden_pairs_never_meet() -> None:
    kept_apart = frozenset((name(1), name(2)))
    tournament = tournament_of(4)

    draws = list(rounds(RoundRobin(forbidden=frozenset({kept_apart})), tournament, first_wins))

    pairs = [frozenset(each) for draw in draws for each in draw.pairs]
    assert len(pairs) == 5
    assert kept_apart not in pairs


def test_a_withdrawn_player_is_not_paired_again() -> None:
    tournament, form = tournament_of(4), RoundRobin(by_round=True)
    draws = rounds(form, tournament, first_wins)
    next(draws)
    finish(tournament, first_wins)

    tournament.apply(Withdrew(player=name(4), why="went home"))

    later = [each for draw in draws for each in draw.pairs]
    assert len(later) == 2
    assert not any(name(4) in each for each in later)


def test_a_tournament_without_a_legal_pair_ends_and_says_so() -> None:
    form = RoundRobin(forbidden=frozenset({frozenset({name(1), name(2)})}))

    assert form.why_over(tournament_of(2)) == "nothing is played: of all who could meet, nobody may"
