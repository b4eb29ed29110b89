"""Analyses by the built-in engine and by a program."""

import sys
from pathlib import Path

import pytest

import engine
from bot.engines.lines import EngineLine
from bot.engines.spec import EngineSpec, SandboxSettings
from bot.errors import ConfigurationError, EngineDied, EngineProtocolError
from bot.terminal.analysis import SearchEffort, analyst
from tests.fakes import engine as fake

GAME = engine.game("bluestone", board="pent-3")
AFTER_ONE = GAME.start().play("0-0")
FAKE = str(Path(fake.__file__))


def program(*arguments: str) -> EngineSpec:
    folders = tuple(Path(each).parent for each in arguments if "/" in each)
    return EngineSpec(
        name="fake",
        command=[sys.executable, FAKE, *arguments],
        sandbox=SandboxSettings(write=folders),
    )


def test_the_built_in_engine_shows_several_lines_the_best_first() -> None:
    seen: list[EngineLine] = []
    with analyst(EngineSpec(options={"Seed": "3"}), GAME) as whoever:
        analysis = whoever.analyse(
            AFTER_ONE, SearchEffort(60, nodes=2000), lambda _, line: seen.append(line)
        )
    assert len(analysis.lines) > 1
    assert all(AFTER_ONE.is_legal(line.turn) for line in analysis.lines)
    visits = [line.visits or 0 for line in analysis.lines]
    assert visits[0] == max(visits)
    assert analysis.value is not None
    assert 0 <= analysis.value <= 1
    assert analysis.lines[0].pv[0] == analysis.lines[0].turn
    assert seen


def test_an_option_that_does_not_exist_is_named() -> None:
    with pytest.raises(ConfigurationError, match="--option Colour=red"):
        analyst(EngineSpec(options={"Colour": "red"}), GAME)


def test_a_program_reports_its_best_line() -> None:
    seen: list[tuple[int | None, EngineLine]] = []
    with analyst(program("--turns", "0-0", "1-1,2-5"), GAME) as whoever:
        analysis = whoever.analyse(AFTER_ONE, SearchEffort(1), lambda *news: seen.append(news))
    expected = EngineLine("1-1,2-5", 0.625, 100, ("1-1,2-5", "5-0,5-2"))
    assert analysis.lines == (expected,)
    assert seen == [(100, expected)]


def test_extra_lines_of_a_program_are_ignored() -> None:
    with analyst(program("--mode", "all-lines", "--turns", "0-0"), GAME, lines=3) as whoever:
        analysis = whoever.analyse(GAME.start(), SearchEffort(1), lambda *_: None)
    assert [line.turn for line in analysis.lines] == ["0-0", "5-0,5-2", "5-0,5-3"]


@pytest.mark.parametrize(
    "kind", ["check default false", "spin default 1 min 7 max 9", "spin max -5"]
)
def test_an_option_that_does_not_take_the_lines_is_left_alone(kind: str, tmp_path: Path) -> None:
    log = tmp_path / "heard"
    more = ("--option-line", f"option name MultiPV type {kind}", "--log", str(log))
    with analyst(program("--turns", "0-0", *more), GAME, lines=3) as whoever:
        analysis = whoever.analyse(GAME.start(), SearchEffort(1), lambda *_: None)
    assert len(analysis.lines) == 1
    assert "MultiPV" not in log.read_text()


def test_a_program_that_thinks_too_long_gets_stop() -> None:
    with analyst(program("--mode", "waits", "--turns", "0-0"), GAME) as whoever:
        analysis = whoever.analyse(GAME.start(), SearchEffort(0.05), lambda *_: None)
    assert analysis.lines[0].turn == "0-0"


@pytest.mark.parametrize(
    ("mode", "error"), [("dies", EngineDied), ("illegal", EngineProtocolError)]
)
def test_a_program_that_fails_is_named(mode: str, error: type[Exception]) -> None:
    with analyst(program("--mode", mode), GAME) as whoever, pytest.raises(error, match="fake"):
        whoever.analyse(AFTER_ONE, SearchEffort(1), lambda *_: None)


def test_each_search_starts_with_an_empty_tree() -> None:
    later = AFTER_ONE.play("2-0,2-5")
    with analyst(EngineSpec(options={"Seed": "3"}), GAME) as whoever:
        alone = whoever.analyse(later, SearchEffort(60, nodes=500), lambda *_: None)
        whoever.analyse(AFTER_ONE, SearchEffort(60, nodes=2000), lambda *_: None)
        after_another = whoever.analyse(later, SearchEffort(60, nodes=500), lambda *_: None)
    assert after_another.lines == alone.lines


def test_a_program_gets_a_new_game_for_each_search(tmp_path: Path) -> None:
    log = tmp_path / "heard"
    with analyst(program("--turns", "0-0", "--log", str(log)), GAME) as whoever:
        for _ in range(2):
            whoever.analyse(GAME.start(), SearchEffort(1), lambda *_: None)
    heard = [line.split()[0] for line in log.read_text().splitlines()]
    searches = [word for word in heard if word in ("uginewgame", "go")]
    assert searches[-4:] == ["uginewgame", "go"] * 2
