"""Where a hosted tournament is, from its times and its events."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from bot.arena.tournaments import tournament_settings
from bot.arena.tournaments.tournament import HostedTournament
from bot.arena.tournaments.tournament_settings import began
from bot.tournaments.events import Ended, Finished, Paused, Resumed
from bot.tournaments.formats.knockout import DoubleKnockout, Knockout
from tests.bot.arena.hosted import begun, hosted, pair, player, win

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


def test_a_tournament_that_its_host_ends_is_ending_until_it_is_over_even_when_paused() -> None:
    made = begun("one", "two")
    made.apply(Paused(why="Lunch."))
    assert made.phase(NOON) == "paused"
    made.apply(Ended(why="The hall closes."))
    assert made.phase(NOON) == "ending"
    over(made)
    assert made.phase(NOON) == "over"


def test_players_may_enter_while_registration_is_open_and_there_is_room() -> None:
    few = hosted("one", "two", most_players=3, **TIMES)
    assert [few.is_open(hours(at)) for at in (-1.5, 0, 1)] == [False, True, False]
    full = hosted("one", "two", most_players=2, **TIMES)
    assert (full.is_open(NOON), full.phase(NOON)) == (False, "open")


@pytest.mark.parametrize(
    ("changes", "room"),
    [
        ({"format": {"kind": "round-robin", "cycles": "1000"}}, 10),
        ({"format": {"kind": "round-robin", "cycles": "50"}, "games_per_pairing": 20}, 10),
        ({"format": {"kind": "gauntlet", "cycles": "1000"}, "games_per_pairing": 10}, 6),
        ({"format": {"kind": "swiss", "rounds": "100"}, "games_per_pairing": 20}, 51),
        ({"format": {"kind": "free-for-all", "each": "10000"}}, 5),
        ({"format": {"kind": "double-knockout", "tie_breaks": "20"}, "games_per_pairing": 20}, 59),
    ],
)
def test_a_tournament_is_full_before_it_has_more_games_than_the_arena_can_hold(
    changes: dict[str, Any], room: int
) -> None:
    names = [f"bot-{number}" for number in range(room)]
    assert hosted(*names[:-1], **changes).is_open(NOON)
    assert not hosted(*names, **changes).is_open(NOON)


def test_a_tournament_without_an_end_is_over_when_it_has_the_most_games(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(tournament_settings, "MOST_GAMES", 3)
    made = begun("one", "two", format={"kind": "free-for-all"})
    assert made.core is not None
    for number in range(1, 4):
        assert made.core.ended is None
        win(made, number, "one")
        pair(made)
    assert made.core.ended == "it has 4 games, and 3 are allowed"


@pytest.mark.parametrize(
    ("changes", "rounds"),
    [
        ({"late_rounds": 2}, [1, 2]),
        ({"late_rounds": 0}, []),
        ({"late_rounds": 9}, [1, 2, 3]),  # in the last one nobody could be paired any more
        ({"late_rounds": 9, "most_players": 2}, []),
    ],
)
def test_late_players_may_enter_while_few_rounds_are_paired(
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


def test_an_absent_player_has_the_whole_time_after_a_pause_and_after_both_were_connected() -> None:
    made = begun("one", "two", no_show_s=60)

    def only_one(name: str) -> bool:
        return name == "one"

    def both(_name: str) -> bool:
        return True

    made.call(0, only_one)
    made.apply(Paused(why="Lunch."))
    made.call(50, only_one)
    made.apply(Resumed())
    made.call(55, only_one)
    assert made.forfeits(114, only_one) == []
    made.call(114, both)
    made.call(115, only_one)
    assert made.forfeits(174, only_one) == []
    [forfeit] = made.forfeits(175, only_one)
    assert isinstance(forfeit, Finished)
    assert (forfeit.result.reason, forfeit.result.message) == ("no_show", "two did not come.")


def over(made: HostedTournament) -> None:
    made.stage = "over"


@pytest.mark.parametrize("kind", ["knockout", "double-knockout"])
def test_a_knockout_is_seeded_by_level_then_by_entry_and_the_top_seed_has_the_bye(
    kind: str,
) -> None:
    made = hosted("Anna", "low", "high", "Ben", "middle", format={"kind": kind})
    for name, level in (("low", 1), ("high", 10), ("middle", 4)):
        made.entrants[name] = player(name).model_copy(update={"level": level})
    made.apply(began(made.settings, list(made.entrants.values()), [], "test"))
    pair(made)
    assert made.core is not None
    order = [each.name for each in made.core.entrants]
    assert order == ["high", "middle", "low", "Anna", "Ben"]
    assert [set(each.players) for each in made.core.pairings_of_round(1)] == [{"Anna", "Ben"}]
    assert [bye.player for bye in made.core.byes] == ["high", "middle", "low"]


@pytest.mark.parametrize(("kind", "out"), [("knockout", {"two"}), ("double-knockout", set())])
def test_a_knockout_reports_eliminated_players(kind: str, out: set[str]) -> None:
    made = begun("one", "two", "three", format={"kind": kind})
    assert made.core is not None
    assert isinstance(made.form, Knockout | DoubleKnockout)
    win(made, 1, "three")
    assert made.form.eliminated(made.core) == out


@pytest.mark.parametrize(("players", "rounds"), [(1, None), (2, 1), (3, 2), (8, 3), (11, 4)])
def test_a_knockout_says_from_the_start_how_many_rounds_it_has(
    players: int, rounds: int | None
) -> None:
    names = [f"p{number}" for number in range(players)]
    settings = hosted(*names, format={"kind": "knockout"}).settings
    assert tournament_settings.rounds_in_all(settings, players) == rounds
    settings = hosted(*names, format={"kind": "double-knockout"}).settings
    assert tournament_settings.rounds_in_all(settings, players) is None
