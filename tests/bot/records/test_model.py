"""The record's schema: published, and true of real records."""

import json

import jsonschema

from bot.records.model import GameRecord, record_schema
from tests.bot.records.samples import finished_position, record_of


def test_records_are_valid_under_the_published_schema() -> None:
    jsonschema.Draft202012Validator.check_schema(record_schema())
    for record in (record_of(finished_position()), record_of(finished_position(), result=None)):
        jsonschema.validate(json.loads(record.model_dump_json()), record_schema())


def test_a_record_survives_the_way_to_json_and_back() -> None:
    record = record_of(finished_position())
    assert GameRecord.model_validate_json(record.model_dump_json()) == record
