"""The analysis of a game, with an engine that the test plays."""

import pytest

import engine
from bot import wire
from bot.arena.analysis.free_positions import settled
from bot.arena.analysis.game_review import GameReview, Sought, mark_of

TURNS = ("2-1", "2-4,2-7", "1-1,2-5")


def played(*turns: str) -> engine.Position:
    found = engine.game("bluestone", board="pent-3").start()
    for turn in turns:
        found = found.play(turn)
    return found


def review(*turns: str) -> GameReview:
    last = played(*turns)
    return GameReview("game", settled(last), last)


def line(turn: str, value: float | None) -> list[wire.AnalysisLine]:
    return [wire.AnalysisLine(turn=turn, value=value, visits=1, pv=[turn])]


def result(made: GameReview) -> wire.GameAnalysis:
    return made.analysis(wire.GameAnalysis(game_id="game", revision=0, state="running"))


def answer(made: GameReview, choices: dict[int, tuple[str, float]], after: float = 0.5) -> None:
    """Answer every search: choices by ply; positions after another choice have value `after`."""
    while (sought := made.next()) is not None:
        turn, value = choices[sought.ply] if sought.after_choice is None else ("2-9,2-2", after)
        made.found(sought, line(turn, value))


def test_a_turn_loses_what_the_engines_choice_is_better_after_a_search_of_its_own() -> None:
    made = review(*TURNS)
    choices = {0: ("2-1", 0.5), 1: ("2-9,2-2", 0.9), 2: ("1-1,2-5", 0.6), 3: ("2-8,2-0", 0.2)}
    answer(made, choices, after=0.25)
    first, second, third = result(made).turns
    # Its choice was played: nothing is lost, and its own search counts for nothing.
    assert (first.loss, first.mark) == (0, None)
    # After the turn the opponent has 0.6, after the choice 0.25.
    assert (second.value, second.best, second.best_value) == (0.4, "2-9,2-2", 0.75)
    assert (second.loss, second.mark) == (0.35, "blunder")
    assert (third.value, third.loss) == (0.8, 0)
    assert made.is_complete


def test_the_order_of_two_stones_makes_no_other_turn() -> None:
    made = review(*TURNS)
    answer(made, {0: ("2-1", 0.5), 1: ("2-7,2-4", 0.5), 2: ("2-5,1-1", 0.5), 3: ("2-8,2-0", 0.5)})
    assert [turn.loss for turn in result(made).turns] == [0, 0, 0]
    assert (result(made).done, result(made).total) == (4, 4)


def test_turns_appear_one_by_one_and_the_total_grows_with_each_other_choice() -> None:
    made = review(*TURNS)
    assert (result(made).turns, result(made).total) == ([], 4)
    first, second = made.next(), made.next()
    assert first is not None
    assert second is not None
    made.found(first, line("2-2", 0.5))
    made.found(second, line("2-4,2-7", 0.5))
    assert result(made).turns == []
    assert (result(made).done, result(made).total) == (2, 5)
    answer(made, {2: ("1-1,2-5", 0.5), 3: ("2-8,2-0", 0.5)})
    assert len(result(made).turns) == 3


def test_a_lost_search_is_made_again() -> None:
    made = review(*TURNS)
    first = made.next()
    assert first == Sought(0, None, ())
    made.lost(first)
    assert made.next() == first
    assert not made.is_complete


def test_a_game_that_was_played_out_ends_with_its_result() -> None:
    last = engine.play_out(engine.game("bluestone", board="pent-3"), seed=4)
    made = GameReview("game", settled(last), last)
    while (sought := made.next()) is not None:
        before = last.game.replay(list(sought.turns))
        made.found(sought, line(next(before.legal_turns()), 0.5))
    assert made.is_complete
    final = result(made).turns[-1]
    assert final.value == {int(final.player): 1.0, None: 0.5}.get(last.winner, 0.0)
    assert len(result(made).turns) == len(last.turns)


@pytest.mark.parametrize(
    ("loss", "mark"),
    [
        (None, None),
        (0.0, None),
        (0.079, None),
        (0.08, "inaccuracy"),
        (0.2, "mistake"),
        (0.25, "blunder"),
    ],
)
def test_marks_have_a_scale(loss: float | None, mark: str | None) -> None:
    assert mark_of(loss) == mark


def test_an_engine_without_values_leaves_the_losses_open() -> None:
    made = review(*TURNS)
    while (sought := made.next()) is not None:
        made.found(sought, line("2-9,2-2" if sought.ply else "2-1", None))
    assert {turn.loss for turn in result(made).turns} == {None}
