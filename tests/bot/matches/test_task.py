"""Tasks and reports as plain data."""

import pytest
from pydantic import ValidationError

from bot.engines.spec import EngineSpec
from bot.matches.task import MOST_SEED, GameReport, GameTask, fingerprint_of
from bot.tournaments.events import Voided
from bot.tournaments.model import GameResult, ScheduledGame
from tests.bot.matches.test_host import report
from tests.bot.matches.test_ledger import SETUP


def a_task(number: int = 7, seed: int = 3) -> GameTask:
    scheduled = ScheduledGame(number=number, pair=4, seats=("A", "B"), opening=("1-1",))
    engines = (EngineSpec(name="A", command=["sh", "engine"]), EngineSpec(name="B"))
    return GameTask(tournament="t", seed=seed, scheduled=scheduled, setup=SETUP, engines=engines)


def test_a_task_survives_the_way_to_another_machine() -> None:
    task = a_task()

    assert GameTask.model_validate_json(task.model_dump_json()) == task


def test_a_report_survives_the_way_back() -> None:
    made = report(a_task())

    assert GameReport.model_validate_json(made.model_dump_json()) == made


def test_every_seat_of_every_game_has_its_own_seed() -> None:
    tasks = [a_task(number, seed) for number in range(1, 50) for seed in (1, 2)]
    seeds = {task.engine_seed(seat) for task in tasks for seat in (1, 2)}

    assert len(seeds) == 2 * len(tasks)
    assert all(1 <= seed <= MOST_SEED for seed in seeds)
    assert a_task().engine_seed(1) == a_task().engine_seed(1)


def test_a_report_is_either_a_result_or_void() -> None:
    with pytest.raises(ValidationError, match="either a result and a record"):
        GameReport(game=1)
    with pytest.raises(ValidationError, match="either a result and a record"):
        GameReport(game=1, result=GameResult(winner=1, reason="played_out"))
    assert GameReport(game=1, void="asleep").event() == Voided(game=1, why="asleep")


def test_games_with_the_same_turns_have_the_same_fingerprint() -> None:
    one, other = report(a_task()).record, report(a_task(8)).record
    assert one is not None
    assert other is not None

    assert fingerprint_of(one) == fingerprint_of(one.model_copy(update={"id": "another"}))
    assert fingerprint_of(one) != fingerprint_of(other)
