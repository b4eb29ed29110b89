"""What the terminal says of a turn and its value."""

import pytest

import engine
from bot.terminal.report import describe_game, describe_value


@pytest.mark.parametrize(
    ("value", "visits", "words"),
    [
        (0.5, 0, None),
        (None, 9, None),
        (1.0, 0, "player 2 wins 100.0% (0 visits)"),
        (0.5, 9, "player 2 wins 50.0% (9 visits)"),
        (0.5, None, "player 2 wins 50.0%"),
    ],
)
def test_a_value_without_a_playout_is_shown_only_if_it_is_sure(
    value: float | None, visits: int | None, words: str | None
) -> None:
    assert describe_value(value, visits, 2) == words


def test_a_handicap_is_named_by_its_title() -> None:
    plain, ahead = engine.game("blooms"), engine.game("blooms", handicap_1=3)
    assert describe_game(plain) == "blooms on hexhex-5, official rules, captures 25"
    assert describe_game(ahead) == f"{describe_game(plain)}, points ahead for Black 3"
