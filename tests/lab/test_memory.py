"""`make lab ARGS=memory`: the processes of `bluestone up`."""

import os
import sys

import pytest

from lab.memory import MemoryPlan, ProcessMemory, measure, memory_of, memory_table, role_of


@pytest.mark.parametrize(
    ("command", "role"),
    [
        ("/venv/bin/python -P -m bot up --port 1", "up"),
        ("bluestone arena --host 127.0.0.1", "arena"),
        ("bluestone forks", "forks"),
        ("/venv/bin/python -P -m bot.cli.guarded 7 bot --config /x/bot/up.toml", "bot"),
        ("/venv/bin/python -I -S /x/guardian.py 1 2 3 -- python -m engine.ugi", "guardian"),
        ("/venv/bin/python -P -m engine.ugi --engine search", "engine"),
        ("/venv/bin/python -P -m engine.warming bluestone", "compiler"),
        ("postgres", "another"),
    ],
)
def test_a_process_is_named_by_its_command(command: str, role: str) -> None:
    assert role_of(command) == role


def test_the_largest_process_comes_first_and_the_sum_last() -> None:
    table = memory_table("at rest", [ProcessMemory("up", 1.5, 9), ProcessMemory("arena", 2, 10)])
    assert [row[:2] for row in table.rows] == [("arena", "2.0"), ("up", "1.5"), ("all", "3.5")]


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux says how pages are shared")
def test_memory_is_that_of_a_process_and_its_descendants() -> None:
    first, *_ = memory_of(os.getpid())
    assert 0 < first.pss <= first.rss


@pytest.mark.e2e
@pytest.mark.xdist_group("up")
async def test_processes_are_measured_at_rest_and_in_games() -> None:
    found = await measure(MemoryPlan(1, "Pebble", 0.1, 3.0, sys.executable), lambda _: None)
    assert 0 < found.page_s <= found.games_s
    assert 0 < found.bots_s <= found.games_s
    for processes in (found.at_rest, found.in_games):
        assert {"up", "arena", "bot", "engine"} <= {each.role for each in processes}
