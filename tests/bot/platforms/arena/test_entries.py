"""Which tournaments of an arena a bot enters, and in which of its own games may begin."""

from typing import Any

from bot import wire
from bot.platforms.arena.entries import Entries


def summary(tournament_id: str, state: str, **changes: Any) -> wire.TournamentSummary:
    line = {
        "tournament_id": tournament_id,
        "name": "Autumn cup",
        "format": "swiss",
        "host": "Hanna",
        "state": state,
        "admits": "bots",
        "games": ["bluestone"],
        "entrants": 2,
        "most_players": 200,
        "round": 0,
        "rounds_in_all": 5,
        "starts_at": None,
    }
    return wire.TournamentSummary.model_validate(line | changes)


def test_games_may_start_in_running_tournaments_but_not_in_ending_ones() -> None:
    entries = Entries([])
    phases = ["waiting", "open", "closed", "running", "paused", "ending", "over", "cancelled"]
    entries.welcomed([summary(phase, phase) for phase in phases])
    assert entries.going_on == 2


def test_an_open_tournament_is_entered_once_even_after_the_first_round() -> None:
    entries = Entries(["autumn*"])
    listed = [
        summary("open", "open", is_open=True),
        summary("late", "running", is_open=True),
        summary("full", "open"),
        summary("running", "running"),
        summary("human", "open", is_open=True, admits="people"),
        summary("other", "open", is_open=True, name="Winter cup"),
    ]
    assert entries.wanted(listed) == ["open", "late"]
    assert entries.wanted([*listed, summary("full", "open", is_open=True)]) == ["full"]


def test_tournaments_that_left_the_lobby_are_forgotten() -> None:
    entries = Entries(["*"])
    offered = [summary("open", "open", is_open=True)]
    assert entries.wanted(offered) == ["open"]
    entries.seen(offered)
    assert entries.wanted(offered) == []
    entries.seen([])
    assert entries.wanted(offered) == ["open"]


def test_a_retiring_bot_leaves_tournaments_that_have_not_started() -> None:
    entries = Entries(["*"])
    entries.welcomed([summary(each, each) for each in ("waiting", "open", "closed", "running")])
    assert entries.stop() == ["waiting", "open", "closed"]
    assert entries.wanted([summary("new", "open", is_open=True)]) == []
