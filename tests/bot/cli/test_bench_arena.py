"""Measurements as people read them."""

from dataclasses import replace

import pytest

from bot.bench.arena_load import ArenaLoad, LoadCapacity, PaceStep
from bot.bench.arena_processes import ArenaKind
from bot.bench.load_report import Measured, SpectatorTimes
from bot.bench.summary import Times
from bot.bench.usage import Memory, Used
from bot.cli.bench_arena import capacity_report, load_report
from bot.cli.measurements import print_report
from bot.errors import ConfigurationError

TIMES = Times(count=600, median=4.2, p90=6.5, p95=7.75, p99=12, highest=20.1)


def measured(used: Used | None) -> Measured:
    return Measured(
        turns=600,
        turns_a_second=10.0,
        arrival_ms=TIMES,
        acknowledged_ms=TIMES,
        spectators=SpectatorTimes(TIMES, TIMES, missed=2, coming_s=1.5),
        cpu_ms_a_turn=None if used is None else 3.25,
        used=used,
        ended={"played_out": 7, "time_forfeit": 1},
        forfeits=1,
        refusals={"rate_limited": 3},
        given_up={},
        unanswered=0,
        busy=0.08,
    )


def test_a_load_test_prints_all_figures(capsys: pytest.CaptureFixture[str]) -> None:
    found = measured(Used(cpu_s=2, memory_mb=230, machine=0.64))
    print_report(
        load_report(ArenaLoad(200, 50, 60, 1.0, found, Memory(210, 230, 220))), as_json=False
    )
    text = capsys.readouterr().out
    for words in (
        "200 games at once, 50 spectators of one, 10 turns per second for 60 s",
        "3.25 ms of CPU per turn; memory 210 MB before, 230 in it, 220 after",
        "64% of its cores",
        "7 played_out, 1 time_forfeit; otherwise than by the rules: 1",
        "3 rate_limited; tables given up: none",
        "did not see: 2; all of them were there after 1.5 s",
    ):
        assert words in text
    row = next(line for line in text.splitlines() if line.startswith("sent to arrival"))
    assert row.split()[3:] == ["600", "4.2", "6.5", "7.75", "12", "20.1"]


def test_a_system_that_does_not_tell_leaves_dashes(capsys: pytest.CaptureFixture[str]) -> None:
    print_report(load_report(ArenaLoad(200, 50, 60, 1.0, measured(None), None)), as_json=False)
    assert "arena: - ms of CPU per turn; memory - MB before" in capsys.readouterr().out


def test_the_database_server_is_counted_apart(capsys: pytest.CaptureFixture[str]) -> None:
    found = replace(measured(None), cpu_ms_a_turn=2.5, database_cpu_ms_a_turn=0.75)
    print_report(load_report(ArenaLoad(200, 50, 60, 1.0, found, None)), as_json=False)
    assert "arena: 2.5 + 0.75 (database) ms of CPU per turn" in capsys.readouterr().out


@pytest.mark.parametrize("processes", [None, 1])
def test_one_process_needs_no_bus(processes: int | None) -> None:
    with pytest.raises(ConfigurationError, match="--processes 2 or more"):
        ArenaKind(processes, "valkey://127.0.0.1:6379")


LATE = replace(TIMES, p99=300.0)


@pytest.mark.parametrize(
    ("steps", "rate", "says"),
    [
        ([TIMES, LATE], 10.0, "10 turns/s before the 99th percentile passes 250 ms"),
        ([TIMES, TIMES], 10.0, "at least 10 turns/s; more --games may find the limit"),
        ([LATE, LATE], None, "the 99th percentile passes 250 ms at every pace; try fewer --games"),
    ],
)
def test_a_capacity_is_called_a_limit_only_if_turns_came_late(
    steps: list[Times], rate: float | None, says: str, capsys: pytest.CaptureFixture[str]
) -> None:
    tried = tuple(PaceStep(1.0, replace(measured(None), arrival_ms=times)) for times in steps)
    print_report(capacity_report(LoadCapacity(200, 250.0, rate, tried)), as_json=False)
    text = capsys.readouterr().out
    assert f"200 games at once: {says}" in text
    assert "A step had only" not in text


def test_a_capacity_from_few_turns_says_so(capsys: pytest.CaptureFixture[str]) -> None:
    few = replace(measured(None), arrival_ms=replace(TIMES, count=9))
    print_report(
        capacity_report(LoadCapacity(1, 250.0, 10.0, (PaceStep(1.0, few),))), as_json=False
    )
    assert "A step had only 9 turns, so one or two of them decide" in capsys.readouterr().out
