"""How many openings a tournament makes for itself."""

from typing import Any

import pytest

import engine
from bot.matches.openings import MOST_MADE, judged_lines
from bot.matches.settings import settings_of

PLAYERS = [{"name": "A"}, {"name": "B"}]


class Even:
    """Finds every position even."""

    async def chance(self, position: engine.Position) -> float:
        assert not position.over
        return 0.5


async def lines(told: list[str], **settings: Any) -> list[list[list[str]]]:
    raw = {"players": PLAYERS, "setups": [{"board": "pent-4", "nodes": 5}], "openings": "random:3"}
    return await judged_lines(settings_of(raw | settings, "test"), Even(), told.append)


@pytest.mark.parametrize(
    ("settings", "count"),
    [
        ({"games_per_pairing": 500}, 250),
        ({"games_per_pairing": 6}, 3),
        ({"format": {"kind": "round-robin", "cycles": 3}, "games_per_pairing": 4}, 6),
        ({"format": {"kind": "sprt", "most": 120}, "sprt": {"elo0": 0, "elo1": 9}}, 120),
        ({"games_per_pairing": 5000}, MOST_MADE),
    ],
)
async def test_as_many_are_made_as_two_players_need_up_to_a_bound(
    settings: dict[str, Any], count: int
) -> None:
    (found,) = await lines([], **settings)

    assert len({tuple(line) for line in found}) == len(found) == count


async def test_it_is_told_how_far_it_is() -> None:
    told: list[str] = []
    await lines(told, games_per_pairing=240)

    assert told == ["50 of 120 openings are made", "100 of 120 openings are made"]


async def test_fewer_are_the_first_of_more() -> None:
    """So that a bound that is moved changes no opening of a tournament that is played again."""
    (few,), (many,) = [await lines([], games_per_pairing=games) for games in (20, 400)]

    assert many[: len(few)] == few
