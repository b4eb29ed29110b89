"""Exports are valid under Abstract Play's own schema, and say who won."""

import json
from datetime import timedelta
from pathlib import Path
from typing import Any

import jsonschema
import pytest

import engine
from bot.guests.abstract_play.game_record import abstract_play_record, why_not_exported
from bot.records.model import NOT_DECIDED, RecordedResult, score_lists
from tests.bot.records.samples import GRANITE, finished_position, record_of
from tests.fakes.time import EPOCH

SCHEMA = json.loads(
    (Path(__file__).parent / "abstract-play-gamerecord-1-0-0.json").read_text(encoding="utf-8")
)
NOW = EPOCH + timedelta(days=1)


def exported(board: str = "pent-4", **changes: Any) -> dict[str, Any]:
    record = abstract_play_record(record_of(finished_position(board), **changes), NOW)
    jsonschema.Draft202012Validator(SCHEMA).validate(record)
    return record


def test_the_winner_has_one_and_the_loser_none() -> None:
    for winner, results in ((1, [1, 0]), (2, [0, 1])):
        result = RecordedResult(winner=winner, reason="resignation")
        players = exported(result=result)["header"]["players"]
        assert [player["result"] for player in players] == results


def test_both_have_the_same_in_a_draw_even_of_a_bot_with_itself() -> None:
    draw = RecordedResult(winner=None, reason="draw_agreement")
    players = exported(result=draw, players=(GRANITE, GRANITE))["header"]["players"]
    assert players[0]["result"] == players[1]["result"]


@pytest.mark.parametrize(
    ("board", "variants"),
    [("pent-6", []), ("pent-8", ["size-8"]), ("hexhex-3", ["hexhex-3"])],
)
def test_boards_go_by_the_platforms_names(board: str, variants: list[str]) -> None:
    assert exported(board)["header"]["game"] == {"name": "Bluestone", "variants": variants}


@pytest.mark.parametrize(
    ("game", "name", "variants", "score"),
    [
        (engine.game("blooms", "hexhex-6"), "Blooms", [], "captures"),
        (engine.game("blooms", "hexhex-4"), "Blooms", ["size-4"], "captures"),
        (engine.game("blooms", "hexhex-6", captures=15), "Blooms", ["captures-15"], "captures"),
        (engine.game("stargazers"), "Stargazers", ["stars-39"], "uninspired"),
    ],
)
def test_games_with_other_boards_and_scores(
    game: engine.Game, name: str, variants: list[str], score: str
) -> None:
    position = engine.play_out(game)
    record = abstract_play_record(record_of(position), NOW)
    jsonschema.Draft202012Validator(SCHEMA).validate(record)
    header: Any = record["header"]
    assert header["game"] == {"name": name, "variants": variants}
    assert tuple(player[score] for player in header["players"]) == score_lists(position)


def test_a_round_is_one_turn_of_each_seat() -> None:
    position = finished_position()
    for turns in (position.turns, position.turns[:-1]):
        record = record_of(position)
        cut = record.model_copy(update={"turns": record.turns[: len(turns)]})
        rounds = abstract_play_record(cut, NOW)["moves"]
        assert isinstance(rounds, list)
        flat = [turn for both in rounds for turn in both]  # type: ignore[union-attr]
        assert all(len(both) == 2 for both in rounds)  # type: ignore[arg-type]
        assert [turn for turn in flat if turn is not None] == list(turns)
        assert flat.index(None) == len(turns) if len(turns) % 2 else None not in flat


def test_times_are_in_utc() -> None:
    header = exported()["header"]
    assert header["date-start"] == "2026-01-01T00:00:00.000Z"
    assert header["date-end"] == "2026-01-01T00:09:00.000Z"
    assert header["date-generated"] == "2026-01-02T00:00:00.000Z"


def test_people_and_programs_are_distinguished() -> None:
    players = exported(rated=True)["header"]["players"]
    assert [player["is_ai"] for player in players] == [True, False]
    assert players[0]["userid"] == "u-1"


def test_games_that_do_not_count_are_not_exported() -> None:
    finished = record_of(finished_position())
    assert why_not_exported(finished) is None
    assert why_not_exported(finished.model_copy(update={"result": None})) is not None
    for reason in NOT_DECIDED:  # a rating program counts equal results as a draw
        result = RecordedResult(winner=None, reason=reason)
        assert why_not_exported(finished.model_copy(update={"result": result})) is not None


def test_the_tournament_and_its_round_are_named() -> None:
    assert {"event", "round"}.isdisjoint(exported()["header"])
    header = exported(event="Spring Swiss", round=3)["header"]
    assert (header["event"], header["round"]) == ("Spring Swiss", "3")
