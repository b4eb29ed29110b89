"""Metrics about the processes of an arena."""

import asyncio
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import aiohttp
import pytest
from prometheus_client.parser import text_string_to_metric_families

from tests.bot.arena.cluster.three import Three, three
from tests.bot.arena.table import begin
from tests.fakes.postgres import Postgres

pytestmark = pytest.mark.xdist_group("postgres")

Metrics = Counter[str]
"""The values of a process's metrics, added up over their labels, without the common prefix."""


async def metrics_of(address: str) -> Metrics:
    async with aiohttp.ClientSession() as session, session.get(f"{address}/metrics") as answer:
        families = text_string_to_metric_families(await answer.text())
    found: Metrics = Counter()
    for family in families:
        for sample in family.samples:
            found[sample.name.removeprefix("bluestone_arena_")] += int(sample.value)
    return found


async def metrics_once(t: Three, hold: Callable[[list[Metrics]], bool]) -> list[Metrics]:
    """The metrics of all running processes, as soon as they are as they should be."""
    while True:
        found = [await metrics_of(each) for each in t.addresses]
        if hold(found):
            return found
        await asyncio.sleep(0.05)


async def test_each_process_counts_processes_games_and_takeovers(
    tmp_path: Path, postgres: Postgres
) -> None:
    async with three(tmp_path, postgres.create(), 2) as t:
        anna, ben = await t.player(1, name="Anna"), await t.player(1, name="Ben")
        for _ in range(3):
            await begin(anna, ben)

        def know_all(found: list[Metrics]) -> bool:
            counted = {(each["processes"], each["games_known"]) for each in found}
            return counted == {(2, 3)} and sum(each["games_running"] for each in found) == 3

        one, other = await metrics_once(t, know_all)
        assert {one["has_hall"], other["has_hall"]} == {0, 1}
        assert one["games_taken_over_total"] == other["games_taken_over_total"] == 0
        await t.stop(0)
        del t.addresses[0]
        await metrics_once(t, lambda left: left[0]["games_running"] == 3)
        (left,) = await metrics_once(t, lambda left: left[0]["has_hall"] == 1)
        assert left["processes"] == 1
        assert left["games_taken_over_total"] == one["games_running"]


async def test_games_are_played_where_their_players_are_unless_others_have_fewer(
    tmp_path: Path, postgres: Postgres
) -> None:
    async with three(tmp_path, postgres.create(), 2) as t:
        anna, ben = await t.player(1, name="Anna"), await t.player(1, name="Ben")
        await metrics_once(t, lambda found: all(each["processes"] == 2 for each in found))
        placed = []
        for number in range(1, 4):
            await begin(anna, ben)

            def all_know(found: list[Metrics], number: int = number) -> bool:
                return all(each["games_known"] == number for each in found)

            found = await metrics_once(t, all_know)
            placed.append([each["games_running"] for each in found])
        assert placed == [[0, 1], [0, 2], [1, 2]]
