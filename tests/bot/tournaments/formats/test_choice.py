import pytest

from bot.errors import ConfigurationError
from bot.tournaments.formats.choice import format_of, format_warnings, problems_with
from bot.tournaments.formats.swiss import Swiss


@pytest.mark.parametrize(
    ("kind", "options"),
    [
        ("round-robin", {"cycles": 2, "by_round": True}),
        ("gauntlet", {"seeds": 2}),
        ("swiss", {"rounds": 9, "bye_points": 0.5}),
        ("knockout", {"tie_breaks": 1, "third_place": True}),
        ("double-knockout", {"reset": False}),
        ("sprt", {"most": 500}),
        ("free-for-all", {"each": 20}),
    ],
)
def test_formats_are_chosen_by_name_with_options(kind: str, options: dict[str, object]) -> None:
    chosen = format_of(kind, **options)

    assert chosen.kind == kind
    assert {**chosen.model_dump(), **options} == chosen.model_dump()


def test_forbidden_pairs_may_be_lists() -> None:
    chosen = format_of("swiss", rounds=3, forbidden=[["a", "b"]])

    assert isinstance(chosen, Swiss)
    assert chosen.forbidden == frozenset({frozenset("ab")})


@pytest.mark.parametrize(
    ("kind", "options", "problem"),
    [
        ("ladder", {}, "ladder"),
        ("swiss", {}, "rounds"),
        ("swiss", {"rounds": 3, "bye_points": 0.3}, "bye_points"),
        ("round-robin", {"rounds": 3}, "rounds"),
        ("knockout", {"tie_breaks": -1}, "tie_breaks"),
        ("swiss", {"rounds": 3, "forbidden": [["a", "a"]]}, "forbidden"),
    ],
)
def test_wrong_options_are_refused(kind: str, options: dict[str, object], problem: str) -> None:
    with pytest.raises(ConfigurationError, match=problem):
        format_of(kind, **options)


@pytest.mark.parametrize(
    ("kind", "options", "players", "problem"),
    [
        ("swiss", {"rounds": 3}, "a", "at least 2 players"),
        ("sprt", {}, "abc", "between two players, not 3"),
        ("gauntlet", {"seeds": 2}, "ab", "2 of 2 players are seeds and have no opponents"),
        ("round-robin", {"forbidden": [["a", "z"]]}, "abc", "z is not a player"),
    ],
)
def test_entrants_who_cannot_play_a_format_are_a_problem(
    kind: str, options: dict[str, object], players: str, problem: str
) -> None:
    (found,) = problems_with(format_of(kind, **options), [*players])

    assert problem in found


def test_two_entrants_are_enough_for_these_formats() -> None:
    for kind in ("round-robin", "gauntlet", "knockout", "double-knockout", "sprt", "free-for-all"):
        assert problems_with(format_of(kind), ["a", "b"]) == []


@pytest.mark.parametrize(("rounds", "players"), [(1, 2), (3, 6), (3, 7), (7, 14)])
def test_a_swiss_of_at_most_half_as_many_rounds_as_players_has_no_warning(
    rounds: int, players: int
) -> None:
    assert format_warnings(format_of("swiss", rounds=rounds), players) == []


@pytest.mark.parametrize(
    ("rounds", "players", "end"),
    [
        (4, 6, "may end early, when no legal pairing is left"),
        (4, 7, "may end early, when no legal pairing is left"),
        (5, 5, "may end early, when no legal pairing is left"),
        (6, 5, "ends after round 5 at the latest"),
        (4, 4, "ends after round 3 at the latest"),
    ],
)
def test_a_swiss_of_more_rounds_than_half_the_players_has_a_warning(
    rounds: int, players: int, end: str
) -> None:
    (warning,) = format_warnings(format_of("swiss", rounds=rounds), players)

    assert warning.startswith(f"format.rounds: {rounds} rounds are ")
    assert end in warning
    assert format_warnings(format_of("round-robin", cycles=rounds), players) == []
