"""Where a hosted tournament is, from its times and its events."""

from datetime import UTC, datetime, timedelta

import pytest

from bot.arena.model.tournament import HostedTournament
from bot.tournaments.events import Ended, Paused
from tests.bot.arena.hosted import begun, hosted, pair, win

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


def test_somebody_may_enter_while_registration_is_open_and_there_is_room() -> None:
    few = hosted("one", "two", most_players=3, **TIMES)
    assert [few.is_open(hours(at)) for at in (-1.5, 0, 1)] == [False, True, False]
    full = hosted("one", "two", most_players=2, **TIMES)
    assert (full.is_open(NOON), full.phase(NOON)) == (False, "open")


@pytest.mark.parametrize(
    ("changes", "rounds"),
    [
        ({"late_rounds": 2}, [1, 2]),
        ({"late_rounds": 0}, []),
        ({"late_rounds": 9}, [1, 2, 3]),  # in the last one nobody could be paired any more
        ({"late_rounds": 9, "most_players": 2}, []),
    ],
)
def test_late_players_come_in_for_so_many_rounds(
    changes: dict[str, int], rounds: list[int]
) -> None:
    made = begun("one", "two", format={"kind": "free-for-all", "each": "4"}, **changes)
    eight = [f"player-{number}" for number in range(8)]
    swiss = begun(*eight, format={"kind": "swiss", "rounds": "4"}, **changes)
    assert made.is_open(NOON) == (1 in rounds)
    assert rounds_open(swiss) == rounds


def rounds_open(made: HostedTournament) -> list[int]:
    """The rounds in which somebody could enter; all games are won by the first seat."""
    found = []
    assert made.core is not None
    for number in range(1, 5):
        assert made.core.round == number
        found += [number] if made.is_open(NOON) else []
        for game in made.core.waiting():
            win(made, game.number, game.seats[0])
        pair(made)
    assert not made.is_open(NOON)
    return found


def over(made: HostedTournament) -> None:
    made.stage = "over"
