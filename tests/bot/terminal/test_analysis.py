"""Analyses by the built-in engine and by a program, and reviews of whole games."""

import io
import sys
from pathlib import Path

import pytest
from rich.console import Console

import engine
from bot.engines.spec import EngineSpec
from bot.errors import ConfigurationError, EngineDied, EngineProtocolError
from bot.terminal.analysis import Analysis, Effort, Line, analyst
from bot.terminal.review import ReviewedTurn, positions_of, review, review_table
from tests.fakes import engine as fake

GAME = engine.game("bluestone", board="pent-3")
AFTER_ONE = GAME.start().play("0-0")
FAKE = str(Path(fake.__file__))


def program(*arguments: str) -> EngineSpec:
    return EngineSpec(name="fake", command=[sys.executable, FAKE, *arguments])


def test_the_built_in_engine_shows_several_lines_the_best_first() -> None:
    seen: list[Line] = []
    with analyst(EngineSpec(options={"Seed": "3"}), GAME) as whoever:
        analysis = whoever.analyse(
            AFTER_ONE, Effort(60, nodes=2000), lambda _, line: seen.append(line)
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


def test_a_program_tells_its_best_line() -> None:
    seen: list[tuple[int | None, Line]] = []
    with analyst(program("--turns", "0-0", "1-1,2-5"), GAME) as whoever:
        analysis = whoever.analyse(AFTER_ONE, Effort(1), lambda *news: seen.append(news))
    expected = Line("1-1,2-5", 0.625, 100, ("1-1,2-5", "5-0,5-2"))
    assert analysis.lines == (expected,)
    assert seen == [(100, expected)]


def test_a_program_that_thinks_on_is_told_to_stop() -> None:
    with analyst(program("--mode", "waits", "--turns", "0-0"), GAME) as whoever:
        analysis = whoever.analyse(GAME.start(), Effort(0.05), lambda *_: None)
    assert analysis.lines[0].turn == "0-0"


@pytest.mark.parametrize(
    ("mode", "error"), [("dies", EngineDied), ("illegal", EngineProtocolError)]
)
def test_a_program_that_fails_is_named(mode: str, error: type[Exception]) -> None:
    with analyst(program("--mode", mode), GAME) as whoever, pytest.raises(error, match="fake"):
        whoever.analyse(AFTER_ONE, Effort(1), lambda *_: None)


def judge(position: engine.Position) -> Analysis:
    """A player on the move thinks that he wins with 0.4 plus a tenth for each turn played."""
    value = 0.4 + len(position.turns) / 10
    return Analysis(10, 0.0, (Line("2-2,2-6", value, 10, ("2-2,2-6",)),))


def test_a_review_sets_each_turn_between_two_evaluations() -> None:
    last = GAME.start().play("2-0").play("pass").play("pass")
    first, second, third = review(positions_of(last), judge)
    assert first == ReviewedTurn(1, 1, "2-0", 0.4, 0.5, "2-2,2-6")
    assert second.loss == pytest.approx(0.1)
    assert first.loss == 0
    assert (third.after, third.loss) == (1.0, 0.0), "the result itself where the game ends"


def test_a_draw_counts_as_half_and_silence_as_unknown() -> None:
    last = GAME.start().play("pass").play("pass")
    *_, drawn = review(positions_of(last), judge)
    assert drawn.after == 0.5
    silent = Analysis(None, 0.0, (Line("0-0", None, None, ()),))
    unknown, _ = review(positions_of(last), lambda _: silent)
    assert unknown.loss is None


def test_a_review_is_printed_a_line_a_turn() -> None:
    turns = [
        ReviewedTurn(1, 1, "2-0", 0.4, 0.15, "2-2"),
        ReviewedTurn(2, 2, "pass", None, 0.5, "x"),
    ]
    out = io.StringIO()
    Console(file=out, width=100).print(review_table(turns))
    assert "2-0      40.0%  15.0%  25.0%  2-2" in out.getvalue()
