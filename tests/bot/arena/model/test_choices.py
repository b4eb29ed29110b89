"""What may be chosen next, as messages say it."""

import engine
from bot import wire
from bot.arena.model.choices import legal_view


def test_what_may_follow_a_first_stone() -> None:
    position = engine.game("blooms", board="hexhex-4").replay(["1a1"])
    view = legal_view(position, ("2b2",))
    assert (view.ply, view.complete, view.may_pass, view.captured) == (1, True, False, [])
    assert view.legal == list(position.choices(("2b2",)).legal)
    assert "1a2" in view.legal
    assert view.illegal["1a1"] == wire.Illegal(rule="occupied", message="a1 is not empty.")
    assert len(view.legal) + len(view.illegal) == len(position.game.step_names)


def test_what_a_first_stone_captures_is_said_at_once() -> None:
    position = engine.game("bluestone", board="pent-3").replay(["2-0", "2-1,2-9", "pass"])
    assert legal_view(position, ("1-0",)).captured == ["2-0"]
