"""An engine process across the table: its turns, its failures, and its end."""

import sys
from pathlib import Path

import pytest

import engine
from bot.engines.spec import EngineSpec, SandboxSettings
from bot.errors import EngineStartError
from bot.terminal.opponent import EngineOpponent
from tests.fakes import engine as fake

GAME = engine.game("bluestone", board="pent-3")
FAKE = str(Path(fake.__file__))


def opponent(*arguments: str) -> EngineOpponent:
    folders = tuple(Path(each).parent for each in arguments if "/" in each)
    spec = EngineSpec(
        name="fake",
        command=[sys.executable, FAKE, *arguments],
        sandbox=SandboxSettings(write=folders),
    )
    return EngineOpponent(spec, GAME, turn_s=0.05)


def test_an_engine_plays_with_its_evaluation() -> None:
    with opponent("--turns", "0-0") as fake_engine:
        chosen = fake_engine.choose(GAME.start())
        assert fake_engine.settings.name == "Fake 1"
    assert (chosen.turn, chosen.value, chosen.visits) == ("0-0", 0.625, 100)
    assert (chosen.source, chosen.failure) == ("engine", None)


@pytest.mark.parametrize("mode", ["dies", "illegal", "no-turn"])
def test_the_fallback_plays_for_an_engine_that_fails(mode: str) -> None:
    position = GAME.start().play("0-0")
    with opponent("--mode", mode) as fake_engine:
        chosen = [fake_engine.choose(position) for _ in range(2)]
    assert all(position.is_legal(turn.turn) for turn in chosen)
    assert all(turn.source == "fallback" and turn.failure for turn in chosen)


def test_an_engine_that_failed_is_started_again(tmp_path: Path) -> None:
    faults = ("--mode", "dies", "--times", "1", "--state", str(tmp_path / "state"))
    with opponent(*faults, "--turns", "0-0") as fake_engine:
        first, second = (fake_engine.choose(GAME.start()) for _ in range(2))
    assert (first.source, second.source) == ("fallback", "engine")


def test_a_command_that_does_not_start_is_an_error_at_once() -> None:
    spec = EngineSpec(name="none", command=["/no/such/program"])
    with pytest.raises(EngineStartError, match="does not start"), EngineOpponent(spec, GAME, 1):
        pytest.fail("entered")
