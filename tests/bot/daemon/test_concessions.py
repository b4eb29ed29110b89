"""When the bot resigns and when it accepts a draw, by the engine's values."""

import pytest

from bot.daemon.concessions import accepts_draw, should_resign
from bot.daemon.settings import DrawSettings, ResignSettings

RESIGN = ResignSettings(enabled=True, below=0.05, turns=3, min_ply=20)
DRAWS = DrawSettings(accept=True, lowest=0.2, highest=0.5, min_ply=30)


@pytest.mark.parametrize(
    ("ply", "values", "expected"),
    [
        (20, [0.9, 0.04, 0.01, 0.0], True),
        (19, [0.04, 0.01, 0.0], False),
        (40, [0.01, 0.0], False),
        (40, [0.0, 0.06, 0.0], False),
        (40, [0.0, 0.05, 0.0], False),
        (40, [0.0, None, 0.0], False),
        (40, [], False),
    ],
)
def test_resigns_after_enough_bad_values(
    ply: int, values: list[float | None], expected: bool
) -> None:
    assert should_resign(RESIGN, ply, values) is expected


def test_the_bot_never_resigns_by_default() -> None:
    assert not should_resign(ResignSettings(), 100, [0.0] * 10)


@pytest.mark.parametrize(
    ("ply", "values", "expected"),
    [
        (30, [0.9, 0.5], True),
        (30, [0.2], True),
        (29, [0.3], False),
        (30, [0.51], False),
        (30, [0.1], False),
        (30, [None], False),
        (30, [], False),
    ],
)
def test_draws_go_by_the_latest_value(ply: int, values: list[float | None], expected: bool) -> None:
    assert accepts_draw(DRAWS, ply, values) is expected


def test_draws_are_declined_by_default() -> None:
    assert not accepts_draw(DrawSettings(), 100, [0.3])
