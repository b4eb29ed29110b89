"""The published schema: what a stranger's validator makes of real messages."""

from collections.abc import Iterator
from copy import deepcopy
from typing import Any

import jsonschema
import pytest
from pydantic import BaseModel

from bot import wire
from bot.arena.edge.validation import parsed
from bot.arena.refusals import Refused
from bot.wire.schema import events_schema

CLOCKS: list[dict[str, Any]] = [
    {"kind": "fischer", "initial_s": 300, "increment_s": 5},
    {"kind": "byoyomi", "main_s": 300, "period_s": 30, "periods": 3},
    {"kind": "per_turn", "turn_s": 20},
    {"kind": "absolute", "initial_s": 600},
    {"kind": "correspondence", "initial_s": 259200, "increment_s": 86400, "maximum_s": 604800},
    {"kind": "none"},
]
KEY = "k" * 22
MINIMAL: dict[str, dict[str, Any]] = {
    "challenge.create": {"setup": {"clock": {"kind": "none"}}, "seats": [None, "Granite"]},
    "challenge.accept": {"challenge_id": "c1"},
    "challenge.decline": {"challenge_id": "c1", "code": "busy", "message": "Not now."},
    "challenge.cancel": {"challenge_id": "c1"},
    "game.turn": {"game_id": "g1", "ply": 0, "turn": "0-0"},
    "game.action": {"game_id": "g1", "action": "resign"},
    "game.watch": {"game_id": "g1"},
    "game.state": {"game_id": "g1"},
    "game.position": {"game_id": "g1"},
    "game.legal": {"game_id": "g1"},
    "tournament.create": {"settings": {"name": "Cup", "setups": [{"clock": CLOCKS[0]}]}},
    **{
        f"tournament.{what}": {"tournament_id": "t1"}
        for what in ("enter", "leave", "start", "pause", "resume", "watch")
    },
    "tournament.withdraw": {"tournament_id": "t1", "player": "Granite", "why": "It asked."},
    "tournament.replace": {"tournament_id": "t1", "game": 1, "winner": None, "why": "A mistake."},
    "tournament.end": {"tournament_id": "t1", "why": "It is late."},
    "state": {},
    "challenge.state": {"challenge_id": "c1"},
    "game.chat": {"game_id": "g1"},
    "game.chats": {"game_id": "g1"},
    "game.report": {"game_id": "g1", "reason": "Insults."},
    "game.plan": {"game_id": "g1", "ply": 3, "lines": [["0-0,5-9", "1-1"]]},
    "game.plans": {"game_id": "g1"},
    "game.queue": {"game_id": "g1", "ply": 3, "before": 2},
    "game.add": {
        "local_id": "local-1",
        "setup": {},
        "seat": 1,
        "level": 7,
        "turns": ["0-0"],
        "started_at": "2026-11-21T18:00:00Z",
        "ended_at": "2026-11-21T18:09:00.250Z",
    },
    "puzzle.ask": {},
    "puzzle.try": {"puzzle_id": "p1"},
    "player.ignore": {"name": "Anna"},
    "player.ignored": {},
    "push.subscribe": {"endpoint": "https://push.example.org/x", "p256dh": KEY, "auth": KEY},
    "push.unsubscribe": {"endpoint": "https://push.example.org/x"},
    "analysis.position": {"setup": {}, "turns": []},
    "analysis.legal": {"setup": {}, "turns": ["0-0"]},
    "analysis.start": {"request": "r1", "setup": {}, "turns": []},
    "analysis.cancel": {},
    "analysis.game": {"game_id": "g1"},
    "analysis.take": {},
    "analysis.report": {"job_id": "j1", "state": "done"},
}

WHOLE: dict[str, list[dict[str, Any]]] = {
    "game.add": [
        {
            **MINIMAL["game.add"],
            "times_ms": [1500],
            "resigned": True,
            "takebacks": 1,
            "hints": 2,
        }
    ],
    "challenge.create": [
        {
            "setup": {
                "game": "blooms",
                "board": "hexhex-5",
                "rules": "official",
                "options": {"captures": "15"},
                "clock": clock,
                "rated": True,
            },
            "seats": ["Anna", None],
            "random_seats": True,
        }
        for clock in CLOCKS
    ],
    "game.turn": [
        {
            "game_id": "g1",
            "ply": 3,
            "turn": "0-0,5-9",
            "info": {"value": 0.5, "visits": 7, "pv": ["0-0,5-9"], "source": "engine"},
        }
    ],
    "game.watch": [{"game_id": "g1", "follow": False}],
    "game.state": [{"game_id": "g1"}],
    "game.position": [{"game_id": "g1", "ply": 3}],
    "game.legal": [{"game_id": "g1", "ply": 3, "chosen": ["0-0"]}],
    "tournament.create": [
        *(
            {"settings": {"name": "Cup", "setups": [{"clock": clock}]}}
            for clock in ("60+1", "60.5+0.1", "0/3x30", "10/turn", "600")
        ),
        {
            "settings": {
                "name": "Cup",
                "format": {"kind": "swiss", "rounds": 5},
                "setups": [{"board": "pent-6", "clock": CLOCKS[0]}],
                "games_per_pairing": 2,
                "mix": "all",
                "seed": 7,
                "tie_breaks": ["wins"],
                "forbidden": [["Anna", "Ben"]],
                "admits": "both",
                "players": ["Anna", "Ben"],
                "most_players": 20,
                "opens_at": "2026-11-21T18:00:00Z",
                "closes_at": "2026-11-21T19:00:00+01:00",
                "starts_at": "2026-11-21T19:30:00.250Z",
                "late_rounds": 1,
                "pause_s": 5,
                "no_show_s": 30,
                "no_shows": 3,
            }
        },
    ],
    "tournament.pause": [{"tournament_id": "t1", "why": "Lunch."}],
    "tournament.replace": [{"tournament_id": "t1", "game": 1, "winner": 2, "why": "A mistake."}],
    "tournament.watch": [{"tournament_id": "t1", "follow": False}],
    "auth": [{"token": "t", "guest_key": "k", "name": "Anna", "engine": "search 0.1"}],
}
STRANGE: list[Any] = [
    *(None, True, False, 0, 1, -1, 1.0, 0.5, 1.5, 1e-9, 10**9, 10**17),
    *("", "0", "1", "true", "a b", "é", "x" * 301, [], [1], ["0"], {}, {"a": 1}, {"a b": "1"}),
]


def part(schema: dict[str, Any], which: dict[str, Any]) -> jsonschema.Draft202012Validator:
    return jsonschema.Draft202012Validator({"$defs": schema["$defs"], **which})


def test_the_schema_is_valid() -> None:
    schema = events_schema()
    jsonschema.Draft202012Validator.check_schema(schema)
    assert schema["version"] == wire.VERSION
    assert schema["refusal_codes"] == wire.REFUSAL_CODES
    assert schema["repeatable_codes"].keys() < wire.REFUSAL_CODES.keys()
    assert schema["challenge_codes"] == wire.CHALLENGE_CODES


@pytest.mark.parametrize("event", wire.CLIENT_EVENTS)
def test_the_shortest_message_is_valid_and_a_misspelt_one_is_not(event: str) -> None:
    schema = events_schema()
    validator = part(schema, schema["client_events"][event]["send"])
    message = {"v": 1, **MINIMAL[event]}
    assert validator.is_valid(message)
    wire.CLIENT_EVENTS[event][0].model_validate(message)
    assert not validator.is_valid({**message, "gameid": "g1"})
    assert not validator.is_valid({**message, "v": 2})


def test_messages_of_the_server_are_valid() -> None:
    schema = events_schema()
    problem = wire.Problem(code="not_json", message="That is no JSON object.")
    assert part(schema, schema["server_events"]["problem"]).is_valid(wire.encode(problem))
    refusal = wire.encode(wire.Refusal(code="stale_ply", message="Played already."))
    assert part(schema, schema["client_events"]["game.turn"]["acknowledged"]).is_valid(refusal)


def places(value: Any, path: tuple[str | int, ...] = ()) -> Iterator[tuple[str | int, ...]]:
    """Where something stands in a message: each field, and each item of each list."""
    if path:
        yield path
    if isinstance(value, dict):
        for name, field in value.items():
            yield from places(field, (*path, name))
    elif isinstance(value, list):
        for index, item in enumerate(value):
            yield from places(item, (*path, index))


def changed(message: dict[str, Any], path: tuple[str | int, ...], value: Any) -> dict[str, Any]:
    copy = deepcopy(message)
    place: Any = copy
    for key in path[:-1]:
        place = place[key]
    place[path[-1]] = value
    return copy


def takes(model: type[BaseModel], message: dict[str, Any]) -> bool:
    try:
        parsed(model, message)
    except Refused:
        return False
    return True


@pytest.mark.parametrize("event", ["auth", *wire.CLIENT_EVENTS])
def test_the_schema_allows_exactly_what_the_server_accepts(event: str) -> None:
    schema = events_schema()
    is_auth = event == "auth"
    validator = part(schema, schema["auth"] if is_auth else schema["client_events"][event]["send"])
    model = wire.Credentials if is_auth else wire.CLIENT_EVENTS[event][0]
    for fields in WHOLE.get(event) or [MINIMAL[event]]:
        message = {"v": 1, **fields}
        assert validator.is_valid(message)
        assert takes(model, message)
        for path in places(message):
            for value in STRANGE:
                odd = changed(message, path, value)
                assert validator.is_valid(odd) == takes(model, odd), (path, value)


@pytest.mark.parametrize(
    ("event", "path", "values"),
    [
        ("game.turn", ("ply",), ["0", True, 0.5, None]),
        ("game.turn", ("info", "value"), ["0.5", True]),
        ("game.watch", ("follow",), [1, "true", None]),
        ("challenge.create", ("setup", "clock", "initial_s"), ["300", True, None]),
        ("challenge.create", ("setup", "clock", "kind"), [None]),
    ],
)
def test_values_of_another_type_are_refused(
    event: str, path: tuple[str, ...], values: list[Any]
) -> None:
    message = {"v": 1, **WHOLE[event][0]}
    for value in values:
        assert not takes(wire.CLIENT_EVENTS[event][0], changed(message, path, value)), value


@pytest.mark.parametrize("clock", ["", "60+", "1000ms", "none", "1d+1d:7d", "0", "60 + 1", "x"])
def test_a_text_that_is_not_a_clock_is_refused(clock: str) -> None:
    schema = events_schema()
    validator = part(schema, schema["client_events"]["tournament.create"]["send"])
    message = {"v": 1, "settings": {"name": "Cup", "setups": [{"clock": clock}]}}
    assert not validator.is_valid(message)
    assert not takes(wire.CreateTournament, message)


def test_a_clock_in_its_short_form_is_the_clock_that_it_means() -> None:
    settings = {"name": "Cup", "setups": [{"clock": "60+1"}]}
    (setup,) = wire.OfferedTournament.model_validate(settings).setups
    assert setup.clock.model_dump() == {"kind": "fischer", "initial_s": 60, "increment_s": 1}


def test_a_float_without_a_fraction_is_accepted_as_an_integer() -> None:
    assert wire.PlayTurn.model_validate({"v": 1.0, **MINIMAL["game.turn"], "ply": 1.0}).ply == 1


def test_a_clock_needs_its_kind() -> None:
    schema = events_schema()
    without_kind = {"setup": {"clock": {"initial_s": 300}}, "seats": [None, "Granite"]}
    validator = part(schema, schema["client_events"]["challenge.create"]["send"])
    assert not validator.is_valid({"v": 1, **without_kind})
