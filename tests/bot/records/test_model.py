"""The record's schema: published, and true of real records."""

import json

import jsonschema
import pytest

import engine
from bot.records.model import GameRecord, describe_scores, own_losses, record_schema, score_lists
from tests.bot.records.samples import finished_position, record_of


def test_stones_of_the_opponent_are_no_loss() -> None:
    before = engine.game("bluestone", "pent-3").replay(["1-3", "2-6,1-4", "2-5,2-0", "2-4,0-0"])
    after = before.play("2-7,2-2")
    assert after.captured == ("2-6",)
    assert own_losses(before, after) == ()


def test_a_single_stone_without_liberties_is_its_players_loss() -> None:
    before = engine.game("freego", "square-5").replay(["e5", "a2", "e4", "b1"])
    assert own_losses(before, before.play("a1")) == ("a1",)
    assert own_losses(before, before.play("c3")) == ()


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
