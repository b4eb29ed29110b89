from bot.tournaments.events import Withdrew
from bot.tournaments.formats.sequential import Sequential
from tests.bot.tournaments.formats.playing import (
    finish,
    first_wins,
    name,
    pair,
    rounds,
    tournament_of,
)


def test_seats_are_swapped_from_pairing_to_pairing_up_to_the_maximum() -> None:
    tournament, form = tournament_of(2), Sequential(most=3)

    pairs = [each for draw in rounds(form, tournament, first_wins) for each in draw.pairs]

    assert pairs == [(name(1), name(2)), (name(2), name(1)), (name(1), name(2))]
    assert form.why_over(tournament) == "3 pairings are played, the most that there may be"


def test_up_to_ahead_pairings_run_at_once() -> None:
    tournament, form = tournament_of(2), Sequential(ahead=4)

    while (draw := form.due(tournament, ())) is not None:
        pair(tournament, draw)

    assert len(tournament.pairings) == 4


def test_a_withdrawal_ends_the_match() -> None:
    tournament, form = tournament_of(2), Sequential()
    draw = form.due(tournament, ())
    assert draw is not None
    pair(tournament, draw)
    finish(tournament, first_wins)

    tournament.apply(Withdrew(player=name(2), why="went home"))

    assert form.due(tournament, ()) is None
    assert form.why_over(tournament) == "player 2 withdrew"
