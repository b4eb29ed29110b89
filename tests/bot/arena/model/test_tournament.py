"""Where a hosted tournament is, from its times and its events."""

from datetime import UTC, datetime, timedelta

import pytest

from bot.arena.model.tournament import HostedTournament
from bot.tournaments.events import Ended, Paused
from tests.bot.arena.hosted import begun, hosted

NOON = datetime(2026, 1, 1, 12, tzinfo=UTC)
TIMES = {"opens_at": "2026-01-01T11:00:00Z", "closes_at": "2026-01-01T13:00:00Z"}


def hours(number: float) -> datetime:
    """So long after noon."""
    return NOON + timedelta(hours=number)


@pytest.mark.parametrize(("at", "phase"), [(-1.5, "waiting"), (0, "open"), (1, "closed")])
def test_registration_is_to_come_open_or_closed_by_the_clock(at: float, phase: str) -> None:
    assert hosted("one", "two", **TIMES).phase(hours(at)) == phase


def test_without_times_registration_is_open_until_the_first_round() -> None:
    made = hosted("one", "two")
    assert made.phase(hours(-1000)) == made.phase(hours(1000)) == "open"
    assert begun("one", "two").phase(NOON) == "running"


def test_it_is_ending_from_when_its_host_says_so_until_it_is_over_also_in_a_pause() -> None:
    made = begun("one", "two")
    made.apply(Paused(why="Lunch."))
    assert made.phase(NOON) == "paused"
    made.apply(Ended(why="The hall closes."))
    assert made.phase(NOON) == "ending"
    over(made)
    assert made.phase(NOON) == "over"


def over(made: HostedTournament) -> None:
    made.stage = "over"
