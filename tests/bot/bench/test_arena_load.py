"""Load tests with real processes: small, and without a word on speed."""

import os
import signal
import sys
from pathlib import Path

import pytest

import engine
from bot.bench.arena_load import OURS, measure_load
from bot.bench.arena_processes import ArenaKind
from bot.bench.crowd import LoadPlan
from bot.errors import HostError
from tests.matrix import nightly_after

GAME = engine.game("blooms", "hexhex-4")


def ignore(_: str) -> None:
    """Progress is for people."""


def plan(**changes: object) -> LoadPlan:
    quick = {"games": 3, "seconds": 1.5, "pause_s": 0.02, "warmup_s": 0.2}
    return LoadPlan(GAME, **{**quick, **changes})  # type: ignore[arg-type]


@pytest.mark.e2e
@pytest.mark.parametrize("late", nightly_after(1, [True, False]))
async def test_games_on_an_arena_are_timed(late: bool) -> None:
    load = await measure_load(plan(clients=2, spectators=4, spectators_come_late=late), ignore)
    found = load.measured
    assert 2 <= found.arrival_ms.count == found.acknowledged_ms.count
    assert found.turns_a_second * load.seconds == pytest.approx(found.turns, abs=1)
    assert found.spectators is not None
    assert (found.spectators.coming_s is not None) == late
    assert found.spectators.last_ms.median >= found.spectators.median_ms.median
    assert (found.forfeits, found.given_up, found.unanswered) == (0, {}, 0)
    assert set(found.ended) <= {"played_out"}
    if sys.platform == "linux":
        assert found.cpu_ms_a_turn is not None
        assert load.memory_mb is not None
        assert load.memory_mb.during > 0


@pytest.mark.e2e
@pytest.mark.skipif(sys.platform != "linux", reason="only Linux divides connections over a port")
@pytest.mark.parametrize("processes", nightly_after(0, [1, 2]))
async def test_an_arena_on_a_database_server_is_timed(processes: int) -> None:
    found = (await measure_load(plan(kind=ArenaKind(processes)), ignore)).measured
    assert found.arrival_ms.count >= 2
    assert (found.forfeits, found.given_up, found.unanswered) == (0, {}, 0)
    assert found.cpu_ms_a_turn is not None
    assert found.database_cpu_ms_a_turn is not None
    assert found.database_cpu_ms_a_turn > 0


@pytest.mark.e2e
@pytest.mark.parametrize(
    ("command", "message"),
    [
        (("/nowhere/arena",), "/nowhere/arena: cannot be started"),
        ((sys.executable, "-c", "raise SystemExit('no arena here')"), "no arena here"),
    ],
)
async def test_an_arena_that_does_not_start_is_reported(
    command: tuple[str, ...], message: str
) -> None:
    with pytest.raises(HostError, match=message):
        await measure_load(plan(command=command), ignore)


@pytest.mark.e2e
async def test_another_checkout_is_measured_wherever_we_are(tmp_path: Path) -> None:
    other = tmp_path / "bot"
    other.mkdir()
    (other / "__init__.py").touch()
    (other / "__main__.py").write_text("raise SystemExit('the other checkout')")
    command = ("env", f"PYTHONPATH={tmp_path}", sys.executable, "-m", "bot", "arena")
    with pytest.raises(HostError, match="the other checkout"):
        await measure_load(plan(command=command), ignore)


@pytest.mark.nightly
@pytest.mark.e2e
async def test_an_arena_that_ends_during_the_measurement_is_reported(tmp_path: Path) -> None:
    pid = tmp_path / "pid"
    command = ("sh", "-c", f'echo $$ > {pid}; exec "$@"', "sh", *OURS)

    def kill_when_they_play(progress: str) -> None:
        if progress.startswith("playing"):
            os.kill(int(pid.read_text()), signal.SIGKILL)

    with pytest.raises(HostError, match="ended during the measurement, with -9"):
        await measure_load(plan(command=command), kill_when_they_play)
