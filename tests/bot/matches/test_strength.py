"""A match that measures strength: seats alternate, faults are counted, games can be replayed."""

import sys
from pathlib import Path

import pytest

import engine
from bot.engines.spec import EngineSpec
from bot.errors import ConfigurationError
from bot.matches.strength import TurnLimit, measure_strength
from bot.matches.summary import PlayerSummary
from bot.records.model import GameRecord
from bot.records.writing import verify
from bot.time_source import SystemTime

FAKE = Path(__file__).parents[2] / "fakes" / "engine.py"
RANDOM = EngineSpec(name="random", builtin="random")


def fake(mode: str) -> EngineSpec:
    command = [sys.executable, str(FAKE), "--mode", mode]
    return EngineSpec(name="faulty", command=command)


async def measured(
    player: EngineSpec, opponent: EngineSpec
) -> tuple[PlayerSummary, list[GameRecord]]:
    """The summary and the records of a match of two games."""
    played: list[GameRecord] = []
    game = engine.game("bluestone", board="pent-4")
    summary, _ = await measure_strength(
        *(player, opponent, game, TurnLimit(nodes=50), 2, SystemTime()),
        on_game=lambda record, _: played.append(record),
    )
    return summary, played


async def test_seats_alternate_and_the_games_replay() -> None:
    summary, played = await measured(EngineSpec(name="search"), RANDOM)

    assert [game.players[0].name for game in played] == ["search", "random"]
    assert all(verify(game) == [] for game in played)
    assert (summary.games, summary.wins, summary.score) == (2, 2, 1.0)
    assert summary.faults == {}


async def test_one_engine_may_ponder() -> None:
    ponders = EngineSpec(name="search", ponder=True)
    summary, played = await measured(ponders, EngineSpec(name="other", options={"Level": "1"}))

    assert all(verify(game) == [] for game in played)
    assert (summary.games, summary.faults) == (2, {})


@pytest.mark.parametrize(("mode", "reason"), [("illegal", "illegal_turn"), ("dies", "crash")])
async def test_a_fault_loses_the_game_and_is_counted(mode: str, reason: str) -> None:
    summary, played = await measured(fake(mode), RANDOM)

    assert (summary.losses, summary.faults) == (2, {reason: 2})
    assert [game.result and game.result.winner for game in played] == [2, 1]


async def test_an_engine_that_does_not_start_is_a_configuration_error() -> None:
    with pytest.raises(ConfigurationError, match=r"faulty: .*cannot find my network"):
        await measured(fake("no-start"), RANDOM)


async def test_an_engine_can_be_measured_against_itself() -> None:
    summary, played = await measured(RANDOM, RANDOM)

    assert summary.games == 2
    assert [player.name for player in played[0].players] == ["random", "random (2)"]
