"""Engines are started before the first game and reused from game to game."""

from pathlib import Path

import pytest

from bot.engines.spec import EngineSpec
from bot.errors import ConfigurationError
from bot.matches.engine_cache import EngineCache
from bot.matches.local_games import LocalGames
from bot.time_source import SystemTime
from bot.tournaments.conduct import HostConduct
from tests.bot.engines.fakes import fake
from tests.bot.matches.games import task


def logging(name: str, folder: Path, mode: str = "ok") -> EngineSpec:
    """A fake engine that logs what it reads."""
    return fake(mode, "--log", folder / name, name=name)


def starts(name: str, folder: Path) -> int:
    return (folder / name).read_text().splitlines().count("ugi")


async def started(folder: Path, engines: int, games: int, most_idle: int = 24) -> list[int]:
    """The number of starts of each engine before the first game."""
    names = [f"engine-{number}" for number in range(engines)]
    cache = EngineCache(SystemTime(), most_idle)
    await cache.check([logging(name, folder) for name in names], games)
    await cache.close()
    return [starts(name, folder) for name in names]


@pytest.mark.parametrize(
    ("engines", "games", "expected"), [(2, 1, [1, 1]), (2, 2, [2, 2]), (3, 2, [2, 2, 2])]
)
async def test_as_many_engines_start_as_the_first_games_may_need(
    engines: int, games: int, expected: list[int], tmp_path: Path
) -> None:
    assert await started(tmp_path, engines, games) == expected


async def test_no_more_engines_start_than_the_cache_holds(tmp_path: Path) -> None:
    assert await started(tmp_path, 2, 9, most_idle=4) == [2, 2]


async def test_games_reuse_engines_from_the_cache(tmp_path: Path) -> None:
    specs = logging("one", tmp_path), logging("two", tmp_path)
    cache = EngineCache(SystemTime())
    await cache.check(specs)
    for _ in range(3):
        async with cache.lent(specs) as loan:
            loan.kept = True
    await cache.close()

    assert [starts("one", tmp_path), starts("two", tmp_path)] == [1, 1]


@pytest.mark.parametrize("restart", [False, True])
async def test_each_game_has_new_engines_if_the_conduct_says_so(
    tmp_path: Path, restart: bool
) -> None:
    specs = logging("one", tmp_path), logging("two", tmp_path)
    conduct = HostConduct(restart=restart, most_turns=2)
    async with LocalGames.open(SystemTime()) as games:
        await games.check(specs)
        for _ in range(3):
            assert (await games.play(task(*specs, conduct=conduct))).void is None
    assert starts("one", tmp_path) == starts("two", tmp_path) == (3 if restart else 1)


async def test_an_engine_that_does_not_start_is_reported_once(tmp_path: Path) -> None:
    specs = [logging("fine", tmp_path), logging("lame", tmp_path, "no-start")]
    cache = EngineCache(SystemTime())
    with pytest.raises(ConfigurationError) as caught:
        await cache.check(specs, 2)
    await cache.close()

    assert len(caught.value.problems) == 1
    assert caught.value.problems[0].startswith("lame: ")


async def test_an_option_that_the_engine_lacks_is_reported() -> None:
    specs = [fake(options={"level": "weak"}), fake(options={"Levl": "weak"})]
    cache = EngineCache(SystemTime())
    with pytest.raises(ConfigurationError) as caught:
        await cache.check(specs)
    await cache.close()

    assert caught.value.problems == ["fake: has no option 'Levl'; did you mean 'Level'?"]
