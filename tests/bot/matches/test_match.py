"""Matches: seats alternate, faults lose, and the games replay."""

import sys
from pathlib import Path

import pytest

import engine
from bot.engines.spec import EngineSpec
from bot.errors import EngineStartError
from bot.matches.match import MatchGame, MatchScore, TurnLimit, play_match, wilson_interval
from bot.records.verify import verify
from bot.time_source import SystemTime

FAKE = Path(__file__).parents[2] / "fakes" / "engine.py"
RANDOM = EngineSpec(name="random", builtin="random")


def fake(mode: str) -> EngineSpec:
    command = [sys.executable, str(FAKE), "--mode", mode]
    return EngineSpec(name="faulty", command=command)


async def play(
    specs: tuple[EngineSpec, EngineSpec], games: int
) -> tuple[MatchScore, list[MatchGame]]:
    played: list[MatchGame] = []
    game = engine.game("bluestone", board="pent-4")
    score = await play_match(specs, game, TurnLimit(nodes=50), games, SystemTime(), played.append)
    return score, played


async def test_seats_alternate_and_the_games_replay() -> None:
    search = EngineSpec(name="search")
    score, played = await play((search, RANDOM), 2)
    assert [game.record.players[0].name for game in played] == ["search", "random"]
    assert all(verify(game.record) == [] for game in played)
    assert (score.games, score.wins, score.score) == (2, 2, 1.0)
    assert score.faults == {}


@pytest.mark.parametrize(("mode", "kind"), [("illegal", "protocol"), ("dies", "died")])
async def test_a_fault_loses_the_game_and_is_counted(mode: str, kind: str) -> None:
    score, played = await play((fake(mode), RANDOM), 2)
    assert (score.losses, score.faults) == (2, {f"faulty: {kind}": 2})
    assert [game.record.result and game.record.result.winner for game in played] == [2, 1]


async def test_an_engine_that_does_not_start_ends_the_match() -> None:
    with pytest.raises(EngineStartError, match="cannot find my network"):
        await play((fake("no-start"), RANDOM), 2)


def test_the_interval_is_wilsons() -> None:
    assert wilson_interval(0, 0) == (0.0, 1.0)
    assert wilson_interval(36, 40) == pytest.approx((0.7695, 0.9604), abs=1e-3)
    low, high = wilson_interval(40, 40)
    assert low == pytest.approx(0.9124, abs=1e-3)
    assert high == 1.0
