import random
from collections import Counter
from itertools import islice

from hypothesis import given, settings
from hypothesis import strategies as st

from bot.tournaments.events import Entered, Withdrew
from bot.tournaments.formats.base import Draw
from bot.tournaments.formats.free_for_all import FreeForAll
from bot.tournaments.model import Entrant
from bot.tournaments.state import Tournament
from lab.tournaments.swiss_events import finished
from tests.bot.tournaments.formats.playing import (
    FIRST,
    finish,
    first_wins,
    name,
    pair,
    rounds,
    stronger_wins,
    tournament_of,
)


def test_only_free_players_are_paired() -> None:
    tournament, form = tournament_of(5), FreeForAll()

    draw = _due(form, tournament, {name(2), name(4), name(5)})

    assert len(draw.pairs) == 1
    assert {*draw.pairs[0]} <= {name(2), name(4), name(5)}


def test_players_who_are_playing_are_not_paired() -> None:
    tournament, form = tournament_of(4), FreeForAll()
    pair(tournament, _due(form, tournament, {name(1), name(2)}))

    draw = _due(form, tournament, tournament.players)

    assert [set(each) for each in draw.pairs] == [{name(3), name(4)}]


def test_two_players_do_not_meet_twice_in_a_row_while_others_play() -> None:
    tournament, form = tournament_of(4), FreeForAll()
    pair(tournament, _due(form, tournament, tournament.players))
    tournament.apply(finished(1, FIRST))
    ready = tournament.pairings[1].players

    assert form.due(tournament, ready) is None

    tournament.apply(finished(2, FIRST))
    again = _due(form, tournament, ready)
    assert {*again.pairs[0]} == {*ready}
    assert again.pairs[0] == ready[::-1], "the seats are swapped"


def test_players_with_similar_scores_meet_more_often() -> None:
    tournament, form = tournament_of(8), FreeForAll(memory=1)

    draws = list(islice(rounds(form, tournament, stronger_wins), 12))

    met = Counter(frozenset(each) for draw in draws for each in draw.pairs)
    assert met[frozenset((name(1), name(2)))] > met[frozenset((name(1), name(8)))]


@settings(max_examples=30)
@given(players=st.integers(2, 20), seed=st.integers(0, 100), memory=st.integers(0, 4))
def test_all_players_get_their_pairings_with_balanced_seats(
    players: int, seed: int, memory: int
) -> None:
    tournament, form = tournament_of(players), FreeForAll(each=6, memory=memory)
    rng = random.Random(seed)

    while not form.is_over(tournament):
        while (draw := form.due(tournament, tournament.players)) is not None:
            assert draw == form.due(tournament, tournament.players)
            pair(tournament, draw)
        tournament.apply(finished(rng.choice(tournament.waiting()).number, FIRST))

    had = Counter(each for one in tournament.pairings.values() for each in one.players)
    balance = Counter(each.players[0] for each in tournament.pairings.values())
    assert max(had.values()) <= 6
    assert sum(6 - had[each] for each in tournament.players if had[each] < 6) <= 6
    assert all(abs(2 * balance[each] - had[each]) <= 3 for each in had)


def test_late_entrants_are_paired_and_withdrawn_players_are_not() -> None:
    tournament, form = tournament_of(3), FreeForAll()
    tournament.apply(Entered(entrant=Entrant(name="late")))
    tournament.apply(Withdrew(player=name(1), why="went home"))

    draws = list(islice(rounds(form, tournament, first_wins), 6))

    paired = {each for draw in draws for one in draw.pairs for each in one}
    assert paired == {"late", name(2), name(3)}


def test_forbidden_pairs_never_meet() -> None:
    kept_apart = frozenset((name(1), name(2)))
    tournament, form = tournament_of(2), FreeForAll(each=1, forbidden=frozenset({kept_apart}))

    assert form.due(tournament, tournament.players) is None
    assert form.why_over(tournament) == "nobody can be paired who had fewer than 1 pairings"


def test_it_ends_when_one_player_is_left_and_no_game_runs() -> None:
    tournament, form = tournament_of(3), FreeForAll()
    tournament.apply(Withdrew(player=name(1), why="went home"))
    assert form.why_over(tournament) is None
    pair(tournament, _due(form, tournament, tournament.players))
    tournament.apply(Withdrew(player=name(2), why="went home"))
    assert form.why_over(tournament) is None
    finish(tournament, first_wins)
    assert form.why_over(tournament) == "fewer than two players are left"


def test_it_ends_when_no_two_remaining_players_may_meet() -> None:
    kept_apart = frozenset((name(1), name(2)))
    tournament, form = tournament_of(3), FreeForAll(forbidden=frozenset({kept_apart}))
    assert not form.is_over(tournament)
    tournament.apply(Withdrew(player=name(3), why="went home"))
    assert form.is_over(tournament)


def test_without_a_number_of_pairings_only_the_host_ends_it() -> None:
    tournament, form = tournament_of(2), FreeForAll()
    pair(tournament, _due(form, tournament, tournament.players))
    finish(tournament, first_wins)

    assert not form.is_over(tournament)


def _due(
    form: FreeForAll, tournament: Tournament, free: "set[str] | list[str] | tuple[str, ...]"
) -> Draw:
    draw = form.due(tournament, free)
    assert draw is not None
    return draw
