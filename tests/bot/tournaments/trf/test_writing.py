import random
from collections.abc import Iterator

import pytest

from bot.tournaments.dutch import pairing
from bot.tournaments.dutch.card import Pair
from bot.tournaments.events import Entered, Withdrew
from bot.tournaments.formats.base import Draw
from bot.tournaments.formats.swiss import Swiss
from bot.tournaments.model import Entrant
from bot.tournaments.state import Tournament
from bot.tournaments.trf.reading import read_report
from bot.tournaments.trf.writing import report_lines
from tests.bot.tournaments.formats.playing import (
    ABSENT_SECOND,
    DRAWN,
    FIRST,
    NOBODY,
    SECOND,
    finish,
    name,
    pair,
    tournament_of,
)

RESULTS = (FIRST, SECOND, DRAWN, FIRST, SECOND, ABSENT_SECOND, NOBODY)


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("bye_points", [1.0, 0.5, 0.0])
def test_pairing_an_exported_report_gives_the_pairs_of_the_host(
    seed: int, bye_points: float
) -> None:
    rng = random.Random(seed)
    kept_apart = frozenset({frozenset((name(1), name(2)))})
    form = Swiss(rounds=5, bye_points=bye_points, forbidden=kept_apart)
    tournament = tournament_of(rng.randrange(9, 24), seed)

    while (draw := form.due(tournament, ())) is not None:
        text = "\n".join(_report(tournament, form))
        assert pairing.pair(read_report(text.encode(), "own")) == list(_numbers(tournament, draw))
        pair(tournament, draw)
        finish(tournament, lambda _: rng.choice(RESULTS))
        if draw.round == 2:
            tournament.apply(Entered(entrant=Entrant(name="late", rating=1999.6)))
            tournament.apply(Withdrew(player=name(3), why="went home"))

    assert tournament.round == form.rounds


def _report(tournament: Tournament, form: Swiss) -> Iterator[str]:
    coming = form.round_to_pair(tournament)
    return report_lines(coming, "Open", tournament.entrants, form.bye_points)


def _numbers(tournament: Tournament, draw: Draw) -> Iterator[Pair]:
    numbers = {each.name: place for place, each in enumerate(tournament.entrants, start=1)}
    yield from ((numbers[one], numbers[two]) for one, two in draw.pairs)
    yield from ((numbers[bye.player], None) for bye in draw.byes)


def test_a_report_has_the_columns_of_trf16() -> None:
    tournament, form = tournament_of(3), Swiss(rounds=3)
    tournament.apply(Entered(entrant=Entrant(name="An \n odd name", rating=1999.6)))
    draw = form.due(tournament, ())
    assert draw is not None
    pair(tournament, draw)
    finish(tournament, lambda _: FIRST)
    tournament.apply(Withdrew(player=name(2), why="went home"))

    lines = list(_report(tournament, form))

    assert {"012 Open", "XXR 3"} < {*lines}
    assert lines[-1][:8] == "001    4"
    assert (lines[-1][14:47].strip(), lines[-1][48:52]) == ("An odd name", "2000")
    assert lines[-2][80:84].strip() in {"0.0", "1.0"}
    assert lines[-3][101:109] == "0000 - Z"


def test_a_round_that_is_not_over_is_left_out() -> None:
    tournament, form = tournament_of(4), Swiss(rounds=3)
    before = list(_report(tournament, form))
    draw = form.due(tournament, ())
    assert draw is not None

    pair(tournament, draw)

    assert list(_report(tournament, form)) == before
