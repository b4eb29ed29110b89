"""Games whose rules are still being compiled."""

import asyncio
from collections.abc import AsyncIterator

import pytest

import engine
from bot import wire
from bot.arena.games.preparation import Preparation
from bot.arena.refusals import Refused
from bot.runtime.kernels import Kernels
from engine.warming import CompiledPart, all_parts
from tests.fakes.time import FakeTime
from tests.fakes.waiting import eventually

GAMES = engine.games()
LATER = [part for part in all_parts() if part.game in {"blooms", "stargazers"}]


@pytest.fixture
def kernels() -> Kernels:
    return Kernels(all_parts())


@pytest.fixture
async def preparation(kernels: Kernels) -> AsyncIterator[Preparation]:
    preparation = Preparation(GAMES, kernels, FakeTime())
    yield preparation
    await preparation.close()


async def test_the_arena_opens_once_the_needed_rules_are_loaded(
    kernels: Kernels, preparation: Preparation
) -> None:
    opening = asyncio.create_task(preparation.open(["bluestone"]))
    await asyncio.sleep(0)
    assert not opening.done()
    kernels.now_missing(all_parts()[1:])
    await opening
    preparation.check("bluestone")
    assert preparation.warming[0] == wire.Warming(
        game="bluestone", title="Bluestone", parts=["search"]
    )


async def test_a_game_that_is_not_ready_is_refused_for_now(
    kernels: Kernels, preparation: Preparation
) -> None:
    kernels.now_missing(LATER)
    await preparation.open(["bluestone"])
    with pytest.raises(Refused) as refused:
        preparation.check("blooms")
    assert refused.value.code == "unavailable"
    assert refused.value.message.startswith("Blooms is still being compiled")
    assert refused.value.retry_after_s is not None


async def test_listeners_are_called_when_more_games_are_ready(
    kernels: Kernels, preparation: Preparation
) -> None:
    heard: list[list[str]] = []
    kernels.now_missing(LATER)
    preparation.on_change.append(lambda: heard.append([each.game for each in preparation.warming]))
    await preparation.open(["bluestone"])
    await eventually(
        lambda: [each.game for each in preparation.warming] == ["blooms", "stargazers"]
    )
    kernels.now_missing([part for part in LATER if part.game == "stargazers"])
    await eventually(lambda: ["stargazers"] in heard)
    preparation.check("blooms")
    kernels.now_missing([CompiledPart("stargazers", "playouts")])
    await eventually(lambda: [] in heard)
    assert preparation.warming == [], "nobody plays with what measures playouts"
