"""The published schema: what a stranger's validator makes of real messages."""

from typing import Any

import jsonschema
import pytest

from bot import wire
from bot.wire_schema import events_schema

MINIMAL: dict[str, dict[str, Any]] = {
    "challenge.create": {"setup": {"clock": {"kind": "none"}}, "seats": [None, "Granite"]},
    "challenge.accept": {"challenge_id": "c1"},
    "challenge.decline": {"challenge_id": "c1", "code": "busy", "message": "Not now."},
    "challenge.cancel": {"challenge_id": "c1"},
    "game.turn": {"game_id": "g1", "ply": 0, "turn": "0-0"},
    "game.action": {"game_id": "g1", "action": "resign"},
    "game.watch": {"game_id": "g1"},
    "game.position": {"game_id": "g1"},
    "game.legal": {"game_id": "g1"},
    "state": {},
}


def part(schema: dict[str, Any], which: dict[str, Any]) -> jsonschema.Draft202012Validator:
    return jsonschema.Draft202012Validator({"$defs": schema["$defs"], **which})


def test_the_schema_is_one() -> None:
    schema = events_schema()
    jsonschema.Draft202012Validator.check_schema(schema)
    assert schema["version"] == wire.VERSION
    assert schema["refusal_codes"] == wire.REFUSAL_CODES


@pytest.mark.parametrize("event", wire.CLIENT_EVENTS)
def test_the_shortest_message_is_valid_and_a_misspelt_one_is_not(event: str) -> None:
    schema = events_schema()
    validator = part(schema, schema["client_events"][event]["send"])
    message = {"v": 1, **MINIMAL[event]}
    assert validator.is_valid(message)
    wire.CLIENT_EVENTS[event][0].model_validate(message)
    assert not validator.is_valid({**message, "gameid": "g1"})
    assert not validator.is_valid({**message, "v": 2})


def test_what_the_server_sends_is_valid() -> None:
    schema = events_schema()
    problem = wire.Problem(code="not_json", message="That is no JSON object.")
    assert part(schema, schema["server_events"]["problem"]).is_valid(wire.encode(problem))
    refusal = wire.encode(wire.Refusal(code="stale_ply", message="Played already."))
    assert part(schema, schema["client_events"]["game.turn"]["acknowledged"]).is_valid(refusal)
