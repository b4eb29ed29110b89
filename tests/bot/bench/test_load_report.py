"""From samples to figures, and the search for the pace that is borne."""

import json

import pytest

from bot.bench.arena_load import BOUND_MS, MOST_STEPS, PaceStep, search
from bot.bench.clients.frames import Json
from bot.bench.load_report import Measured, measured
from bot.bench.summary import summary
from bot.bench.usage import Used, Window
from bot.errors import HostError
from bot.runtime.output import print_json

WINDOW = Window(100.0, 110.0)


def turn(ply: int, sent: float, took: float | None = 0.01) -> Json:
    """A turn that arrives when it is acknowledged, or never."""
    moment = None if took is None else sent + took
    return {
        "game_id": "g",
        "ply": ply,
        "sent": sent,
        "acknowledged": moment,
        "arrived": moment,
    }


def report(*turns: Json, **tally: Json) -> Json:
    empty: Json = {"ended": {}, "refusals": {}, "given_up": {}}
    return {"tally": {"turns": list(turns), **empty, **tally}, "busy": 0.1}


def test_only_turns_of_the_window_count() -> None:
    found = measured(
        WINDOW,
        [report(turn(0, 99.0), turn(1, 101.0), turn(2, 102.0)), report(turn(0, 109.995, 0.5))],
        None,
        0,
        Used(cpu_s=0.008, memory_mb=200, machine=0.5),
    )
    assert found.arrival_ms.count == 3  # however late the last of them arrives
    assert found.arrival_ms.highest == pytest.approx(500)
    assert (found.turns, found.turns_a_second) == (2, 0.2)
    assert found.cpu_ms_a_turn == pytest.approx(4.0)


def test_processes_are_added_up() -> None:
    found = measured(
        WINDOW,
        [
            report(turn(0, 101), turn(1, 102), ended={"played_out": 2}, refusals={"too_many": 1}),
            report(turn(0, 103, None), ended={"time_forfeit": 1}, given_up={"stale_ply": 1}),
        ],
        None,
        0,
        None,
    )
    assert (found.ended, found.forfeits) == ({"played_out": 2, "time_forfeit": 1}, 1)
    assert (found.refusals, found.given_up) == ({"too_many": 1}, {"stale_ply": 1})
    assert found.unanswered == 1
    assert found.cpu_ms_a_turn is None


def test_spectators_are_timed_from_the_moment_of_sending() -> None:
    def sighting(ply: int, count: int, median: float, last: float) -> Json:
        return {"game_id": "g", "ply": ply, "spectators": count, "median": median, "last": last}

    audience = {
        "sightings": [
            sighting(0, 5, 101.02, 101.1),
            sighting(1, 3, 102.04, 102.2),
            sighting(7, 5, 99.0, 99.0),  # a turn from before
        ],
        "refusals": {"rate_limited": 1},
        "coming_s": None,
    }
    found = measured(WINDOW, [report(turn(0, 101.0), turn(1, 102.0))], audience, 5, None)
    assert found.spectators is not None
    assert found.spectators.median_ms.median == pytest.approx(30)
    assert found.spectators.last_ms.highest == pytest.approx(200)
    assert found.spectators.missed == 2
    assert found.refusals == {"rate_limited": 1}


def test_too_little_to_measure_is_an_error() -> None:
    with pytest.raises(HostError, match="too few times"):
        measured(WINDOW, [report()], None, 0, None)


def at_pace(pause_s: float, p99: float) -> PaceStep:
    times = summary([p99, p99])
    return PaceStep(
        pause_s,
        Measured(10, 1 / pause_s, times, times, None, None, None, {}, 0, {}, {}, 0, 0.1),
    )


class Bearing:
    """An arena that bears every pause down to one."""

    def __init__(self, shortest_s: float) -> None:
        self._shortest_s = shortest_s
        self.tried: list[float] = []

    async def __call__(self, pause_s: float) -> PaceStep:
        self.tried.append(pause_s)
        return at_pace(pause_s, BOUND_MS if pause_s >= self._shortest_s else BOUND_MS + 1)


@pytest.mark.parametrize("shortest_s", [0.31, 2.9])
async def test_the_shortest_pause_that_is_borne_is_found_from_either_side(
    shortest_s: float,
) -> None:
    steps = await search(Bearing(shortest_s), 1.0)
    shortest = min(step.pause_s for step in steps if step.borne)
    assert shortest_s <= shortest < shortest_s * 1.06
    assert any(not step.borne for step in steps)


async def test_a_pace_that_is_too_fast_is_tried_once_more() -> None:
    arena = Bearing(0.9)
    await search(arena, 1.0)
    assert all(arena.tried.count(pause) == 2 for pause in arena.tried if pause < 0.9)


async def test_the_search_ends_where_everything_is_borne() -> None:
    arena = Bearing(0.0)
    assert len(await search(arena, 1.0)) == MOST_STEPS


def test_the_json_counts_refusals(capsys: pytest.CaptureFixture[str]) -> None:
    reports = [report(turn(0, 101.0), turn(1, 102.0), refusals={"rate_limited": 3})]
    print_json(measured(WINDOW, reports, None, 0, None))
    assert json.loads(capsys.readouterr().out)["refusals"] == {"rate_limited": 3}
