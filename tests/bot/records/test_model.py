"""The record's schema: published, and true of real records."""

import json

import jsonschema
import pytest

import engine
from bot.records.model import GameRecord, describe_scores, record_schema, score_lists
from tests.bot.records.samples import finished_position, record_of


def test_records_are_valid_under_the_published_schema() -> None:
    jsonschema.Draft202012Validator.check_schema(record_schema())
    for record in (record_of(finished_position()), record_of(finished_position(), result=None)):
        jsonschema.validate(json.loads(record.model_dump_json()), record_schema())


def test_a_record_survives_the_way_to_json_and_back() -> None:
    record = record_of(finished_position())
    assert GameRecord.model_validate_json(record.model_dump_json()) == record


@pytest.mark.parametrize(
    ("game", "words"),
    [("bluestone", "groups "), ("blooms", "captured "), ("stargazers", "uninspired ")],
)
def test_scores_are_lists_and_have_words_in_every_game(game: str, words: str) -> None:
    position = engine.play_out(engine.game(game), seed=2)
    for scores in score_lists(position):
        assert describe_scores(game, scores) == words + " ".join(map(str, scores))


def test_a_game_of_another_program_has_plain_scores() -> None:
    assert describe_scores("chess", [3, 1]) == "score 3 1"
    assert describe_scores("bluestone", []) == "groups none"
