"""What positions and games take, and that it does not grow once they are stored."""

import pytest

import engine
from bot.arena.games import referee
from bot.arena.games.sizes import position_bytes
from bot.runtime.sizes import size_of
from tests.large_positions import spread_hexo


@pytest.fixture(scope="module")
def spread() -> engine.Position:
    """A position with 54,000 legal cells."""
    return engine.game("hexo", cap=0).replay(spread_hexo(200))


def test_a_position_keeps_nothing_of_what_is_asked_of_it(spread: engine.Position) -> None:
    before = position_bytes(spread)
    assert before < 500_000
    assert len(referee.legal_view(spread, ()).legal) > 50_000
    referee.view(spread)
    spread.play("2:1,3:1")
    assert position_bytes(spread) == pytest.approx(before, rel=0.01)


def test_a_game_with_options_counts_and_the_usual_one_does_not() -> None:
    usual, rare = (engine.game("hexo", cap=cap).start() for cap in (300, 299))
    assert position_bytes(rare) > position_bytes(usual) + rare.game.record.nbytes


@pytest.mark.parametrize("chosen", [(), ("2:1",), ("2:1", "3:1")])
def test_the_size_of_legal_steps_is_no_guess(
    spread: engine.Position, chosen: tuple[str, ...]
) -> None:
    found = referee.legal_view(spread, chosen)
    assert size_of(found) * 0.9 < referee.view_bytes(found) < size_of(found) * 5
