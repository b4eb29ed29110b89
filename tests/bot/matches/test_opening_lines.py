"""The number of openings that a tournament makes."""

from typing import Any

import pytest

import engine
from bot.matches.openings import MOST_MADE, judged_lines
from bot.matches.settings import settings_of

PLAYERS = [{"name": "A"}, {"name": "B"}]


class Even:
    """A judge for whom every position is even."""

    async def chance(self, position: engine.Position) -> float:
        assert not position.over
        return 0.5


async def lines(notes: list[str], **settings: Any) -> list[list[list[str]]]:
    raw = {"players": PLAYERS, "setups": [{"board": "pent-4", "nodes": 5}], "openings": "random:3"}
    return await judged_lines(settings_of(raw | settings, "test"), Even(), notes.append)


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
async def test_two_players_get_as_many_openings_as_they_need_up_to_a_maximum(
    settings: dict[str, Any], count: int
) -> None:
    (found,) = await lines([], **settings)

    assert len({tuple(line) for line in found}) == len(found) == count


async def test_the_user_sees_the_progress_of_making_openings() -> None:
    notes: list[str] = []
    await lines(notes, games_per_pairing=240)

    assert notes == ["50 of 120 openings made", "100 of 120 openings made"]


async def test_more_openings_begin_with_the_same_ones() -> None:
    """A new maximum therefore changes no opening of an earlier tournament."""
    (few,), (many,) = [await lines([], games_per_pairing=games) for games in (20, 400)]

    assert many[: len(few)] == few
