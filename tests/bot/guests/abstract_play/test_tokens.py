"""The token: asked for as the standard says, kept, renewed in time, and shared by all who wait."""

import asyncio
import json
from urllib.parse import parse_qs

import pytest
from pydantic import SecretStr
from structlog.testing import capture_logs

from bot.errors import PeerError, RefusedByServer
from bot.guests.abstract_play.calls import USUAL_PAUSE_S, HttpResponse, Throttled
from bot.guests.abstract_play.tokens import MOST_REFUSED, REFUSED_S, Credentials, Tokens
from bot.platforms.base import NoAnswer
from tests.bot.guests.abstract_play.posters import FakePoster
from tests.fakes.time import FakeTime

SECRET = "a secret & more"
CREDENTIALS = Credentials(
    "https://auth.example/oauth2/token", "5kq-bot", SecretStr(SECRET), "resource/communicate"
)


def given(token: str, **fields: object) -> HttpResponse:
    body = {"access_token": token, "expires_in": 3600, "token_type": "Bearer", **fields}
    return HttpResponse(200, json.dumps(body).encode(), None)


def refused(word: str, status: int = 400) -> HttpResponse:
    return HttpResponse(status, json.dumps({"error": word}).encode(), None)


class Desk:
    """Somebody who needs tokens, and the platform that gives them."""

    def __init__(self, *answers: HttpResponse | PeerError) -> None:
        self.time = FakeTime()
        self.poster = FakePoster(*answers)
        self.tokens = Tokens(CREDENTIALS, self.poster, self.time)

    async def get(self) -> str:
        return (await self.tokens.get()).get_secret_value()

    @property
    def fetched(self) -> int:
        return len(self.poster.posted)


async def test_a_token_is_requested_with_the_clients_credentials() -> None:
    desk = Desk(given("one"))
    assert await desk.get() == "one"
    [posted] = desk.poster.posted
    assert posted.url == "https://auth.example/oauth2/token"
    assert posted.headers["Content-Type"] == "application/x-www-form-urlencoded"
    assert parse_qs(posted.body.decode()) == {
        "grant_type": ["client_credentials"],
        "client_id": ["5kq-bot"],
        "client_secret": [SECRET],
        "scope": ["resource/communicate"],
    }


async def test_it_is_kept_until_a_minute_before_its_end() -> None:
    desk = Desk(given("one"), given("two"))
    assert await desk.get() == "one"
    await desk.time.advance(3539)
    assert await desk.get() == "one"
    await desk.time.advance(1)
    assert await desk.get() == "two"
    assert desk.fetched == 2


async def test_a_token_valid_for_a_minute_is_used_for_half_of_it() -> None:
    desk = Desk(given("one", expires_in=60), given("two"))
    assert await desk.get() == "one"
    await desk.time.advance(29)
    assert await desk.get() == "one"
    await desk.time.advance(1)
    assert await desk.get() == "two"


async def test_a_token_without_a_lifetime_is_used_for_most_of_an_hour() -> None:
    desk = Desk(HttpResponse(200, b'{"access_token":"one"}', None), given("two"))
    await desk.get()
    await desk.time.advance(3539)
    assert await desk.get() == "one"
    await desk.time.advance(1)
    assert await desk.get() == "two"


async def test_after_it_was_refused_another_is_fetched() -> None:
    desk = Desk(given("one"), given("two"))
    desk.tokens.drop(await desk.tokens.get())
    assert await desk.get() == "two"


async def test_a_late_refusal_of_an_old_one_leaves_the_new_one_alone() -> None:
    desk = Desk(given("one"), given("two"))
    old = await desk.tokens.get()
    desk.tokens.drop(old)
    await desk.get()
    desk.tokens.drop(old)
    assert await desk.get() == "two"
    assert desk.fetched == 2


async def test_tokens_that_are_refused_one_after_the_other_are_not_fetched_without_end() -> None:
    """The site gives them to anybody who wants to play a turn, and its gateway takes none."""
    desk = Desk(*[given(str(number)) for number in range(MOST_REFUSED)], given("last"))
    for _ in range(MOST_REFUSED):
        desk.tokens.drop(await desk.tokens.get())
    with pytest.raises(Throttled, match="has refused the last tokens") as caught:
        await desk.get()
    assert (caught.value.pause_s, desk.fetched) == (REFUSED_S, MOST_REFUSED)
    await desk.time.advance(REFUSED_S)
    assert await desk.get() == "last"


# ---- many at once ------------------------------------------------------------------------------


async def waiting(desk: Desk, times: int) -> list[asyncio.Task[str]]:
    """So many callers, the first of whom is being answered."""
    desk.poster.gate.clear()
    callers = [asyncio.create_task(desk.get()) for _ in range(times)]
    await desk.time.settle()
    return callers


async def test_all_waiting_tasks_get_the_token_that_is_being_fetched() -> None:
    desk = Desk(given("one"))
    callers = await waiting(desk, 10)
    desk.poster.gate.set()
    assert await asyncio.gather(*callers) == ["one"] * 10
    assert desk.fetched == 1


async def test_all_waiting_tasks_share_a_failure_and_the_next_one_retries() -> None:
    desk = Desk(NoAnswer("gone"), given("two"))
    callers = await waiting(desk, 10)
    desk.poster.gate.set()
    told = await asyncio.gather(*callers, return_exceptions=True)
    assert all(isinstance(each, NoAnswer) for each in told)
    assert desk.fetched == 1
    assert await desk.get() == "two"


async def test_a_waiting_task_fetches_if_the_fetching_one_is_cancelled() -> None:
    desk = Desk(given("one"))
    first, second = await waiting(desk, 2)
    first.cancel()
    await asyncio.wait({first})
    desk.poster.gate.set()
    assert await second == "one"
    assert desk.fetched == 2


# ---- no token ----------------------------------------------------------------------------------


async def test_a_valid_token_is_used_while_no_new_one_is_issued() -> None:
    desk = Desk(given("one"), NoAnswer("gone"), NoAnswer("gone"))
    await desk.get()
    await desk.time.advance(3599)
    assert await desk.get() == "one"
    await desk.time.advance(1)
    with pytest.raises(NoAnswer):
        await desk.get()


@pytest.mark.parametrize(
    "word", ["invalid_client", "invalid_scope", "invalid_grant", "unauthorized_client"]
)
async def test_an_unknown_client_is_refused_permanently(word: str) -> None:
    with pytest.raises(RefusedByServer) as caught:
        await Desk(refused(word)).get()
    assert caught.value.code == word


@pytest.mark.parametrize(
    "answer",
    [
        refused("temporarily_unavailable"),
        refused("invalid_client", status=500),
        HttpResponse(400, b"<html>proxy</html>", None),
        HttpResponse(302, b"", None),
        HttpResponse(404, b"{}", None),
        HttpResponse(503, b"", None),
        HttpResponse(200, b"", None),
        HttpResponse(200, b'{"token":"x"}', None),
        given(""),
        given("two words"),
        given("line\r\nX-Other: 1"),
        given("x" * 20_000),
        given("one", expires_in=-1),
        NoAnswer("no answer within 20 s"),
    ],
)
async def test_anything_else_may_be_over_next_time(answer: HttpResponse | PeerError) -> None:
    desk = Desk(answer, given("two"))
    with pytest.raises(NoAnswer):
        await desk.get()
    assert await desk.get() == "two"


async def test_a_token_that_expired_before_its_arrival_is_not_used() -> None:
    desk = Desk(given("one", expires_in=1), given("two"))
    desk.poster.gate.clear()
    asking = asyncio.create_task(desk.get())
    await desk.time.settle()
    await desk.time.advance(2)
    desk.poster.gate.set()
    with pytest.raises(NoAnswer):
        await asking
    assert await desk.get() == "two"


@pytest.mark.parametrize(("retry_after_s", "pause_s"), [(120.0, 120.0), (None, USUAL_PAUSE_S)])
async def test_a_throttled_token_request_is_recognized(
    retry_after_s: float | None, pause_s: float
) -> None:
    with pytest.raises(Throttled) as caught:
        await Desk(HttpResponse(429, b"", retry_after_s)).get()
    assert caught.value.pause_s == pause_s


@pytest.mark.parametrize("status", [200, 400, 401, 500])
async def test_a_server_that_repeats_the_secret_is_not_quoted(status: int) -> None:
    desk = Desk(HttpResponse(status, f'{{"error":"{SECRET}","sent":"{SECRET}"}}'.encode(), None))
    with capture_logs() as logs, pytest.raises(PeerError) as caught:
        await desk.get()
    assert SECRET not in str(caught.value)
    assert SECRET not in str(logs)
