from collections import Counter

from hypothesis import given, settings
from hypothesis import strategies as st

from bot.tournaments.formats.tabled import Gauntlet
from tests.bot.tournaments.formats.playing import first_wins, name, rounds, tournament_of


@settings(max_examples=30)
@given(seeds=st.integers(1, 4), others=st.integers(1, 9), cycles=st.integers(1, 3))
def test_each_seed_meets_each_other_player_once_per_cycle(
    seeds: int, others: int, cycles: int
) -> None:
    tournament = tournament_of(seeds + others)
    form = Gauntlet(seeds=seeds, cycles=cycles, by_round=True)

    met: Counter[frozenset[str]] = Counter()
    for draw in rounds(form, tournament, first_wins):
        at_once = [player for pair in draw.pairs for player in pair]
        assert len(at_once) == len(set(at_once))
        met.update(map(frozenset, draw.pairs))
        assert form.due(tournament, ()) is None

    assert met == {
        frozenset((name(one), name(two))): cycles
        for one in range(1, seeds + 1)
        for two in range(seeds + 1, seeds + others + 1)
    }


@settings(max_examples=30)
@given(others=st.integers(1, 9), cycles=st.integers(1, 3))
def test_seats_are_balanced(others: int, cycles: int) -> None:
    tournament = tournament_of(1 + others)

    pairs = [
        pair
        for draw in rounds(Gauntlet(cycles=cycles), tournament, first_wins)
        for pair in draw.pairs
    ]

    firsts = sum(pair[0] == name(1) for pair in pairs)
    assert abs(2 * firsts - len(pairs)) <= 1


def test_forbidden_pairs_never_meet() -> None:
    kept_apart = frozenset((name(1), name(3)))
    form = Gauntlet(forbidden=frozenset({kept_apart}))

    pairs = [
        frozenset(pair)
        for draw in rounds(form, tournament_of(4), first_wins)
        for pair in draw.pairs
    ]

    assert len(pairs) == 2
    assert kept_apart not in pairs
