"""The table of the protocol page: each answer to a move, and what is known after it."""

import json

import pytest

from bot.guests.abstract_play.answers import Conclusion, Verdict, conclusion
from tests.bot.guests.abstract_play import bodies

AFTER = ("3-2", "pass", "0-0,5-3", "4-1,2-7")


def enveloped(status: object, body: object) -> bytes:
    """As the program behind botQuery answers: JSON in a string in JSON."""
    return bodies.text({"statusCode": status, "body": json.dumps(body), "headers": {"X": "y"}})


def verdict_of(status: int, body: bytes) -> Verdict:
    return conclusion(status, body).verdict


def test_200_inside_200_is_played_with_the_game_as_it_is_then() -> None:
    answer = conclusion(200, enveloped(200, bodies.record(AFTER, toMove="0")))
    assert answer.verdict is Verdict.PLAYED
    assert answer.record is not None
    assert answer.record.state.stack[-1].last_move == "4-1,2-7"


@pytest.mark.parametrize("body", [{"id": "c0ffee00", "toMove": "0"}, {}, None, "", [1]])
def test_200_inside_200_is_played_whatever_comes_along(body: object) -> None:
    assert conclusion(200, enveloped(200, body)) == Conclusion(Verdict.PLAYED)


def test_a_body_that_is_not_wrapped_in_a_string_is_read_too() -> None:
    answer = conclusion(200, bodies.text({"statusCode": 200, "body": bodies.record(AFTER)}))
    assert answer.verdict is Verdict.PLAYED
    assert answer.record is not None


def test_an_envelope_without_a_body_is_read() -> None:
    assert conclusion(200, b'{"statusCode":200}') == Conclusion(Verdict.PLAYED)


def test_a_game_record_without_an_envelope_is_played() -> None:
    answer = conclusion(200, bodies.text(bodies.record(AFTER)))
    assert answer.verdict is Verdict.PLAYED
    assert answer.record is not None


@pytest.mark.parametrize(
    "message",
    [
        "It is not bot 5kq-bot's turn in game c0ffee00",
        "Unable to load game c0ffee00",
        "Bot 5kq-bot is not a player in game c0ffee00",
        "Unknown bot 5kq-bot",
        "Unable to apply move 9-9",
        "It is not your turn!",
        "Unable to process submit move",
    ],
)
def test_500_inside_200_is_not_played_for_any_message(message: str) -> None:
    answer = conclusion(200, enveloped(500, {"message": message}))
    assert answer == Conclusion(Verdict.NOT_PLAYED, f"status 500: {message}")


@pytest.mark.parametrize("message", ["metaGame is required", "Unknown bot verb 'x'"])
def test_400_inside_200_is_not_played(message: str) -> None:
    answer = conclusion(200, enveloped(400, {"message": message}))
    assert answer == Conclusion(Verdict.NOT_PLAYED, f"status 400: {message}")


def test_a_crash_has_no_status_inside_and_the_game_is_read() -> None:
    crash = {"errorType": "Error", "errorMessage": "Task timed out", "trace": ["at x"]}
    answer = conclusion(200, bodies.text(crash))
    assert answer == Conclusion(Verdict.READ_THE_GAME, "no status: Task timed out")


@pytest.mark.parametrize("status", [201, 302, 401, 429, 502, 504, "200", True, None, [200]])
def test_a_status_inside_that_the_page_does_not_name_settles_nothing(status: object) -> None:
    assert verdict_of(200, enveloped(status, {"message": "?"})) is Verdict.READ_THE_GAME


def test_400_of_the_gateway_is_not_played() -> None:
    answer = conclusion(400, b'{"message":"Invalid request body"}')
    assert answer == Conclusion(Verdict.NOT_PLAYED, "HTTP 400: Invalid request body")


def test_415_of_the_gateway_is_not_played() -> None:
    assert verdict_of(415, b'{"message":"Unsupported Media Type"}') is Verdict.NOT_PLAYED


def test_401_of_the_gateway_asks_for_a_new_token() -> None:
    assert verdict_of(401, b'{"message":"Unauthorized"}') is Verdict.NEW_TOKEN


@pytest.mark.parametrize("retry_after_s", [None, 7.0])
def test_429_asks_to_come_later(retry_after_s: float | None) -> None:
    answer = conclusion(429, b'{"message":"Too Many Requests"}', retry_after_s)
    assert answer.verdict is Verdict.LATER
    assert answer.retry_after_s == retry_after_s


@pytest.mark.parametrize("status", [502, 503, 504])
def test_a_gateway_that_got_no_answer_knows_nothing(status: int) -> None:
    assert verdict_of(status, b'{"message":"Endpoint request timed out"}') is Verdict.READ_THE_GAME


@pytest.mark.parametrize("status", [201, 204, 301, 307, 403, 404, 408, 413, 418, 500, 599])
def test_statuses_that_the_page_does_not_name_settle_nothing(status: int) -> None:
    played = bodies.text(bodies.record(AFTER))
    assert verdict_of(status, played) is Verdict.READ_THE_GAME


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"null",
        b"[]",
        b"true",
        b"{}",
        b"\xff\xfe\x00",
        b"<html>Welcome to the airport's network</html>",
        b"[" * 100_000,
        b'{"statusCode":20',
        b'{"message":"something"}',
        bodies.text({"game": bodies.record(AFTER)}),
    ],
)
def test_200_with_anything_else_settles_nothing(body: bytes) -> None:
    assert verdict_of(200, body) is Verdict.READ_THE_GAME


def test_a_message_is_logged_as_one_short_line() -> None:
    long = enveloped(500, {"message": "no\r\n\x1b[31m" + "o" * 10_000})
    told = conclusion(200, long).message
    assert told.startswith("status 500: no [31moooo")
    assert len(told) < 350
    assert conclusion(502, b"\n<html>\n" + b"x" * 10_000).message.startswith("HTTP 502: <html> xx")
