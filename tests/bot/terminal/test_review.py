"""Reviews of whole games: turns beside the engine's choice, marks, and what the game comes to."""

import io
from collections.abc import Mapping
from dataclasses import replace

import pytest
from rich.console import Console

import engine
from bot.engines.lines import EngineLine
from bot.terminal.analysis import Analysis
from bot.terminal.review import Mark, ReviewedTurn, Thresholds, positions_of, review, thresholds
from bot.terminal.review_report import (
    lines_table,
    review_table,
    summarize,
    summary_table,
    summary_text,
)

GAME = engine.game("bluestone", board="pent-3")
FAVOUR = 0.08
"""How much a search prefers the player to move, as those of the built-in engine do."""


class Judge:
    """An engine by a script: the chances of player 1 in some positions, by their turns, and its
    choices. Like a real one it favours the player to move.
    """

    def __init__(
        self, chances: Mapping[str, float], choices: Mapping[str, str] | None = None
    ) -> None:
        self._chances = chances
        self._choices = choices or {}
        self.searched: list[str] = []

    def __call__(self, position: engine.Position) -> Analysis:
        turns = " ".join(position.turns)
        self.searched.append(turns)
        first = self._chances.get(turns, 0.5)
        value = (first if position.to_play == 1 else 1 - first) + FAVOUR
        choice = self._choices.get(turns, "pass")
        return Analysis(16_000, 0.0, (EngineLine(choice, value, 16_000, (choice,)),))


def after(turns: str) -> engine.Position:
    position = GAME.start()
    for turn in turns.split():
        position = position.play(turn)
    return position


def reviewed(turns: str, judge: Judge) -> list[ReviewedTurn]:
    return list(review(positions_of(after(turns)), judge))


def turn(number: int, value: float | None, loss: float = 0.0) -> ReviewedTurn:
    better = None if value is None else value + loss
    player = 2 - number % 2
    return ReviewedTurn(number, player, f"2-{number}", value, "1-1", better, loss == 0, 16_000)


def printed(renderable: object, width: int = 80) -> str:
    out = io.StringIO()
    Console(file=out, width=width, highlight=False).print(renderable)
    return out.getvalue()


def test_the_engines_own_choice_loses_nothing() -> None:
    judge = Judge({}, {"": "2-0", "2-0": "2-2,1-3"})
    first, second = reviewed("2-0 2-2,1-3", judge)
    assert (first.agrees, first.loss) == (True, 0.0)
    assert (second.agrees, second.loss) == (True, 0.0)
    assert judge.searched == ["", "2-0", "2-0 2-2,1-3"], "nothing is searched twice"


def test_the_order_of_two_stones_makes_no_difference() -> None:
    _, second = reviewed("2-0 1-3,2-2", Judge({}, {"": "2-0", "2-0": "2-2,1-3"}))
    assert (second.agrees, second.loss) == (True, 0.0)


def test_another_turn_is_compared_with_the_choice_at_the_same_depth() -> None:
    judge = Judge({"2-0": 0.51, "0-0": 0.53}, {"": "0-0"})
    (first,) = reviewed("2-0", judge)
    assert (first.value, first.choice, first.choice_value) == pytest.approx((0.43, "0-0", 0.45))
    assert first.loss == pytest.approx(0.02), "not what the search favours, 8 %"
    assert thresholds(first.playouts).mark(first.loss) is Mark.NONE
    assert judge.searched == ["", "2-0", "0-0"]


def test_a_turn_that_turns_out_better_than_the_choice_loses_nothing() -> None:
    (first,) = reviewed("2-0", Judge({"2-0": 0.55, "0-0": 0.52}, {"": "0-0"}))
    assert (first.agrees, first.loss) == (False, 0.0)


@pytest.mark.parametrize(("chance", "mark"), [(0.44, Mark.MISTAKE), (0.2, Mark.BLUNDER)])
def test_a_turn_that_gives_much_away_is_marked(chance: float, mark: Mark) -> None:
    (first,) = reviewed("2-0", Judge({"2-0": chance, "0-0": 0.53}, {"": "0-0"}))
    assert thresholds(first.playouts).mark(first.loss) is mark


def test_the_end_of_a_game_is_its_result() -> None:
    *_, lost = reviewed("2-0 pass pass", Judge({}, {"2-0 pass": "1-1,2-7"}))
    assert (lost.value, lost.loss) == (1.0, 0.0)
    *_, drawn = reviewed("pass pass", Judge({}))
    assert (drawn.value, drawn.agrees) == (0.5, True)


def test_a_choice_that_ends_the_game_is_its_result_too() -> None:
    judge = Judge({}, {"2-0 pass": "pass"})
    *_, last = reviewed("2-0 pass 1-3,2-3", judge)
    assert (last.choice, last.choice_value) == ("pass", 1.0)
    assert last.loss == pytest.approx(1 - (0.5 - FAVOUR))


def test_silence_is_unknown() -> None:
    silent = Analysis(None, 0.0, (EngineLine("0-0", None, None, ()),))
    (unknown,) = review(positions_of(after("2-0")), lambda _: silent)
    assert unknown.loss is None
    summary = summarize([unknown], winner=1)
    assert summary.players[0].mean_loss is None
    assert summary.players[0].blunders == ()


def test_no_turns_need_no_search() -> None:
    judge = Judge({})
    assert not reviewed("", judge)
    assert not judge.searched


def test_more_playouts_make_less_noise() -> None:
    few, many = thresholds(1_000), thresholds(64_000)
    assert many.mistake < few.mistake < few.blunder
    assert thresholds(None) == few, "an engine that tells nothing is trusted least"


def test_a_summary_counts_for_each_player() -> None:
    turns = [turn(1, 0.5), turn(2, 0.3, 0.3), turn(3, 0.6, 0.09), turn(4, 0.3), turn(5, 0.6)]
    first, second = summarize(turns, winner=None).players
    assert (first.turns, first.agreed, first.mistakes, first.blunders) == (3, 2, (3,), ())
    assert first.mean_loss == pytest.approx(0.03)
    assert (second.turns, second.agreed, second.blunders) == (2, 1, (2,))


@pytest.mark.parametrize(
    ("chances", "winner", "number"),
    [
        ([0.5, 0.5, 0.5, 0.8, 0.8, 0.9], 1, 4),
        ([0.52, 0.48, 0.52, 0.9, 0.4, 0.4, 0.4, 0.9, 1.0], 1, 8),
        ([0.5, 0.5, 0.2, 0.2, 0.1, 0.0], 2, 3),
        ([0.5, 0.7, 0.7, 0.8], 1, 2),
        ([0.8, 0.8, 0.9, 1.0], 1, None),
        ([0.5, 0.4, 0.4, 0.2], 1, None),
        ([0.5, 0.5, 0.9, 0.9], None, None),
    ],
    ids=[
        *("once", "for good", "second player", "second turn"),
        *("ahead always", "never ahead", "nobody won"),
    ],
)
def test_the_turning_point_is_where_the_winner_gets_ahead_permanently(
    chances: list[float], winner: int | None, number: int | None
) -> None:
    """`chances` are those of player 1 after each turn."""
    turns = [
        turn(place, chance if place % 2 else 1 - chance)
        for place, chance in enumerate(chances, start=1)
    ]
    found = summarize(turns, winner).turning_point
    assert (None if found is None else found.number) == number
    assert found is None or found.player != winner


def test_searches_that_solve_a_position_do_not_count_as_short() -> None:
    solved = ReviewedTurn(2, 2, "2-2", 0.0, "1-1", 0.0, agrees=False, playouts=3)
    assert summarize([turn(1, 0.5), solved, solved], winner=None).playouts == 16_000


def test_marks_can_be_read_without_colours() -> None:
    turns = [turn(1, 0.5), turn(2, 0.5, 0.06), turn(3, 0.15, 0.25)]
    lines = printed(review_table(turns, Thresholds(0.05, 0.1))).splitlines()
    assert "the same" in lines[1]
    assert "?" not in lines[1]
    assert lines[2].split() == ["2", "2", "2-2", "50.0%", "6.0%", "?", "1-1", "56.0%"]
    assert lines[3].split() == ["3", "1", "2-3", "15.0%", "25.0%", "??", "1-1", "40.0%"]


def test_a_report_fits_80_columns() -> None:
    wide = ReviewedTurn(100, 2, "210a10,110b11", 0.1, "210a10,110b11", 1.0, False, 16_000)
    row = printed(review_table([wide], thresholds(16_000))).splitlines()[1].split()
    assert row[-2:] == ["210a10,110b11", "100.0%"]
    many = [turn(number, 0.5, 0.2 if number % 3 else 0.07) for number in range(1, 41)]
    table = printed(summary_table(summarize(many, 1), ("An extraordinarily long name", "B")))
    assert max(len(line) for line in table.splitlines()) <= 80
    assert "14: 2, 4, 8, 10, 14" in table


def test_the_words_name_the_turning_point_and_the_marks() -> None:
    turns = [turn(1, 0.5), turn(2, 0.5), turn(3, 0.5), turn(4, 0.1, 0.4), turn(5, 0.9)]
    words = " ".join(printed(summary_text(summarize(turns, winner=1))).split())
    assert "turn 4, 2-4 by player 2, which lost 40.0%. From then on player 1 was ahead." in words
    assert "?? 15.0%" in words


def test_a_game_can_turn_without_a_mistake() -> None:
    turns = [turn(1, 0.5), turn(2, 0.5), turn(3, 0.5), turn(4, 0.1), turn(5, 0.9)]
    words = " ".join(printed(summary_text(summarize(turns, winner=1))).split())
    assert "turn 4, 2-4 by player 2, not a mistake by itself. From then on player 1" in words


def test_the_best_turns_are_those_of_the_search_before_the_turn() -> None:
    turns = reviewed("2-0 pass", Judge({}, {"": "0-0"}))
    assert [[line.turn for line in each.lines] for each in turns] == [["0-0"], ["pass"]]
    several = replace(turns[0], lines=turns[0].lines * 3)
    table = printed(lines_table([several, turns[1]], 2)).splitlines()
    assert [line.split()[:2] for line in table[1:]] == [
        ["1", "0-0"],
        ["0-0", "58.0%"],
        ["2", "pass"],
    ]


def test_a_value_of_few_playouts_is_marked() -> None:
    played = reviewed("2-0 pass", Judge({}, {"": "0-0"}))[0]
    line = replace(played.lines[0], visits=1000)
    lines = tuple(replace(line, visits=visits) for visits in (1000, 20, 19, None))
    table = printed(lines_table([replace(played, lines=lines)], 4)).splitlines()
    values = [next(word for word in row.split() if "%" in word) for row in table[1:]]
    assert values == ["58.0%", "58.0%", "~58.0%", "58.0%"]


def test_a_best_line_of_few_playouts_is_proved_and_one_without_any_has_no_value() -> None:
    played = reviewed("2-0 pass", Judge({}, {"": "0-0"}))[0]
    line = played.lines[0]
    best = replace(line, value=1.0, visits=3)
    lines = (best, replace(line, visits=1000), replace(line, visits=0))
    table = printed(lines_table([replace(played, lines=lines)], 3)).splitlines()
    values = [[word for word in row.split() if "%" in word] for row in table[1:]]
    assert values == [["100.0%"], ["58.0%"], []]
