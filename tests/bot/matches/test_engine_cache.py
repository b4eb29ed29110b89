"""How many engines are started before the first game, and which are used again."""

from pathlib import Path

import pytest

from bot.engines.spec import EngineSpec
from bot.errors import ConfigurationError
from bot.matches.engine_cache import EngineCache
from bot.time_source import SystemTime
from tests.bot.engines.fakes import fake


def logging(name: str, folder: Path, mode: str = "ok") -> EngineSpec:
    """A fake engine that writes down what it hears."""
    return fake(mode, "--log", folder / name, name=name)


def starts(name: str, folder: Path) -> int:
    return (folder / name).read_text().splitlines().count("ugi")


async def started(folder: Path, engines: int, games: int, most_idle: int = 24) -> list[int]:
    """How often each of so many engines is started before so many games at once."""
    names = [f"engine-{number}" for number in range(engines)]
    shelf = EngineCache(SystemTime(), most_idle)
    await shelf.check([logging(name, folder) for name in names], games)
    await shelf.close()
    return [starts(name, folder) for name in names]


@pytest.mark.parametrize(
    ("engines", "games", "expected"), [(2, 1, [1, 1]), (2, 2, [2, 2]), (3, 2, [2, 2, 2])]
)
async def test_as_many_are_started_as_the_first_games_may_need(
    engines: int, games: int, expected: list[int], tmp_path: Path
) -> None:
    assert await started(tmp_path, engines, games) == expected


async def test_no_more_are_started_than_are_kept(tmp_path: Path) -> None:
    assert await started(tmp_path, 2, 9, most_idle=4) == [2, 2]


async def test_games_use_those_that_were_started(tmp_path: Path) -> None:
    specs = logging("one", tmp_path), logging("two", tmp_path)
    shelf = EngineCache(SystemTime())
    await shelf.check(specs)
    for _ in range(3):
        async with shelf.lent(specs) as loan:
            loan.kept = True
    await shelf.close()

    assert [starts("one", tmp_path), starts("two", tmp_path)] == [1, 1]


async def test_an_engine_that_does_not_start_is_told_of_once(tmp_path: Path) -> None:
    specs = [logging("fine", tmp_path), logging("lame", tmp_path, "no-start")]
    shelf = EngineCache(SystemTime())
    with pytest.raises(ConfigurationError) as caught:
        await shelf.check(specs, 2)
    await shelf.close()

    assert len(caught.value.problems) == 1
    assert caught.value.problems[0].startswith("lame: ")


async def test_an_option_that_the_engine_lacks_is_told_of() -> None:
    specs = [fake(options={"level": "weak"}), fake(options={"Levl": "weak"})]
    shelf = EngineCache(SystemTime())
    with pytest.raises(ConfigurationError) as caught:
        await shelf.check(specs)
    await shelf.close()

    assert caught.value.problems == ["fake: has no option 'Levl'; did you mean 'Level'?"]
