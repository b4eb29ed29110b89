"""GET /metrics of a running daemon, and what its parts count."""

import re
from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path
from typing import get_args

import aiohttp
import pytest
from prometheus_client import CollectorRegistry
from prometheus_client.parser import text_string_to_metric_families

from bot import wire
from bot.daemon import policy
from bot.daemon.metrics import REASONS, RESULTS, bot_metrics
from bot.platforms.base import GameOutcome
from tests.bot.daemon.bots import fake_engine, identity, running, settings, until_ply
from tests.fakes.arena_server import FakeArena
from tests.fakes.platform import facts
from tests.fakes.waiting import answered, eventually


@pytest.fixture
async def arena() -> AsyncIterator[FakeArena]:
    async with FakeArena.running() as arena:
        yield arena


Samples = dict[tuple[str, frozenset[tuple[str, str]]], float]


async def scraped(port: int) -> Samples:
    async with (
        aiohttp.ClientSession() as session,
        session.get(f"http://127.0.0.1:{port}/metrics") as answer,
    ):
        assert answer.headers["Cache-Control"] == "no-store"
        families = text_string_to_metric_families(await answer.text())
        return {
            (each.name, frozenset(each.labels.items())): each.value
            for family in families
            for each in family.samples
        }


def value(samples: Samples, name: str, **labels: str) -> float:
    return samples[f"bluestone_bot_{name}", frozenset(labels.items())]


async def test_a_game_is_counted_from_its_challenge_to_its_end(
    arena: FakeArena, tmp_path: Path, held_port: int
) -> None:
    mine = {"platform": "Granite"}
    chosen = settings(tmp_path, identity(arena), health={"port": held_port})
    async with running(chosen) as daemon:
        await arena.until_connected("Granite")
        game = await arena.begin("Granite", "Basalt")
        await until_ply(game, 1)
        during = await scraped(held_port)
        game.finish(1, "resignation")
        await arena.announce(game)
        await eventually(lambda: len(daemon.records()) >= 1)
        after = await answered(
            lambda: scraped(held_port), lambda samples: not value(samples, "games", **mine)
        )
    assert value(during, "games", **mine) == 1
    assert value(during, "platform_connected", **mine) == 1
    assert value(after, "games_finished_total", **mine, result="won") == 1
    assert value(after, "games_finished_total", **mine, result="lost") == 0
    assert value(after, "turn_submissions_total", **mine, outcome="acknowledged") == 1
    assert value(after, "turns_total", **mine, source="engine") == 1
    for name in ("turn_go", "turn_submitted", "turn_confirmed", "clock_reserve"):
        assert value(after, f"{name}_seconds_count") == 1, name
    assert 250 < value(after, "clock_reserve_seconds_sum") <= 300
    assert value(after, "turn_submitted_seconds_sum") >= value(after, "turn_go_seconds_sum")
    assert value(after, "engines_started_total", engine="fake") == 1
    assert value(after, "engine_healthy", engine="fake") == 1
    assert value(after, "journal_open_work") == 0
    assert value(after, "ready") == 1


async def test_an_engine_that_fails_is_counted_with_its_fallback_by_cause(
    arena: FakeArena, tmp_path: Path, held_port: int
) -> None:
    engines = {"fake": fake_engine("9-9")}
    chosen = settings(tmp_path, identity(arena), health={"port": held_port}, engines=engines)
    async with running(chosen):
        game = await arena.begin("Granite", "Basalt")
        await until_ply(game, 1)
        samples = await scraped(held_port)
    about = {"engine": "fake", "cause": "protocol"}
    assert value(samples, "engine_failures_total", **about) == 1
    assert value(samples, "fallback_turns_total", **about) == 1
    assert value(samples, "fallback_turns_total", engine="fake", cause="none_free") == 0
    assert value(samples, "engines_killed_total", engine="fake") == 1


async def test_challenges_are_counted_by_answer(
    arena: FakeArena, tmp_path: Path, held_port: int
) -> None:
    chosen = settings(
        tmp_path, identity(arena), health={"port": held_port}, policy={"block": ["Bob"]}
    )
    async with running(chosen):
        await arena.until_connected("Granite")
        mine = {"platform": "Granite"}
        await arena.offer("Bob", ("Bob", "Granite"))
        await arena.until("challenge.decline")
        await arena.offer("Ann", ("Ann", "Granite"))
        await arena.until("challenge.accept")
        samples = await answered(
            lambda: scraped(held_port),
            lambda samples: value(samples, "challenges_accepted_total", **mine),
        )
    assert value(samples, "challenges_declined_total", **mine, reason="blocked") == 1
    assert value(samples, "challenges_declined_total", **mine, reason="disk") == 0


@pytest.mark.parametrize(
    ("outcome", "result"),
    [
        (GameOutcome(1, "played_out"), "won"),
        (GameOutcome(2, "time"), "lost"),
        (GameOutcome(None, "draw_agreed"), "drawn"),
        (GameOutcome(None, "aborted"), "aborted"),
        (GameOutcome(None, "unknown"), "unknown"),
    ],
)
def test_a_game_has_one_of_four_results(outcome: GameOutcome, result: str) -> None:
    registry = CollectorRegistry()
    mine = bot_metrics(registry, ["arena"]).identity("arena")
    mine.game_finished(replace(facts(), outcome=outcome))
    counted = {
        each: registry.get_sample_value(
            "bluestone_bot_games_finished_total", {"platform": "arena", "result": each}
        )
        for each in RESULTS
    }
    assert counted == {each: float(each == result) for each in RESULTS}


def test_every_code_of_a_declined_challenge_is_a_reason() -> None:
    source = Path(policy.__file__).read_text(encoding="utf-8")
    codes = set(re.findall(r"Declined\(\"(\w+)\"", source))
    kinds = {f"no_{kind}s" for kind in ("bot", "person", "guest")}
    assert codes | kinds | {"casual_only", "rated_only"} <= set(REASONS)
    assert "aborted" in get_args(wire.ResultReason)
