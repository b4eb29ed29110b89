import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from py4swiss.engines.dutch.bracket import bracket_pairer
from py4swiss.engines.dutch.bracket.bracket_matcher import BracketMatcher

from bot.bench.swiss_events import results
from bot.tournaments.formats.base import Draw
from bot.tournaments.formats.swiss import Swiss
from bot.tournaments.state import Tournament
from tests.bot.tournaments.formats.playing import pair, tournament_of


@settings(max_examples=20, deadline=None)
@given(players=st.integers(2, 30), seed=st.integers(0, 10_000))
def test_no_pairing_changes_by_remembering_weights(players: int, seed: int) -> None:
    tournament, form = tournament_of(players, seed), Swiss(rounds=6, program="py4swiss")
    rng = random.Random(seed)

    while (draw := form.due(tournament, ())) is not None:
        assert draw == _without_remembering(form, tournament)
        pair(tournament, draw)
        for event in results(tournament, draw, rng):
            tournament.apply(event)


def _without_remembering(form: Swiss, tournament: Tournament) -> Draw | None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(bracket_pairer, "BracketMatcher", BracketMatcher)
        return form.due(tournament, ())
