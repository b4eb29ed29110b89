"""What the server's refusals mean, and where requests may go."""

import aiohttp
import pytest
from pydantic import SecretStr

from bot.errors import PeerError, RefusedByServer
from bot.guests.hexo_arena.api import Api, ApiOptions, DailyCap, raise_refusal
from bot.platforms.base import GameGone, NoAnswer, NotNow, TokenRefused
from bot.runtime.http_client import open_session
from bot.time_source import SystemTime
from tests.bot.guests.hexo_arena.fake_server import TOKEN, FakeServer

WAIT = {"Retry-After": "3600"}


def refusal(status: int, code: str = "", headers: dict[str, str] | None = None) -> PeerError:
    with pytest.raises(PeerError) as refused:
        raise_refusal("/x", status, headers or {}, f'{{"error":"e","code":"{code}"}}'.encode())
    return refused.value


@pytest.mark.parametrize(
    ("status", "code", "kind"),
    [
        (401, "unauthorized", TokenRefused),
        (403, "banned", RefusedByServer),
        (403, "delisted", PeerError),
        (400, "bot_busy", PeerError),
        (429, "rate_limited", NotNow),
        (429, "daily_pair_cap", DailyCap),
        (503, "paused", NotNow),
        (500, "", NoAnswer),
        (502, "", NoAnswer),
        (302, "", NoAnswer),
    ],
)
def test_each_refusal_has_its_error(status: int, code: str, kind: type[PeerError]) -> None:
    error = refusal(status, code)
    assert type(error) is kind
    assert error.code == (code or error.code)


def test_a_cap_of_the_day_is_remembered_for_as_long_as_it_lasts() -> None:
    error = refusal(429, "daily_bot_cap", WAIT)
    assert isinstance(error, DailyCap)
    assert (error.until_s, error.retry_after_s) == (3600, 60)


@pytest.mark.parametrize("text", ["soon", "-1", "99999999999", "1.5", "\u0663"])
def test_a_pause_that_makes_no_sense_is_a_minute(text: str) -> None:
    error = refusal(503, "paused", {"Retry-After": text})
    assert isinstance(error, NotNow)
    assert error.retry_after_s == 60


def test_a_body_that_is_no_json_is_a_refusal_all_the_same() -> None:
    with pytest.raises(PeerError) as refused:
        raise_refusal("/x", 400, {}, b"<html>")
    assert refused.value.code == "http_400"


async def test_requests_go_to_the_server_of_the_settings_only() -> None:
    async with open_session() as session:
        api = api_at("https://hexo.example/site/", session)
        assert api.address("/api/bots") == "https://hexo.example/site/api/bots"
        for path in ("https://evil.example/x", "http://hexo.example/x"):
            with pytest.raises(PeerError, match="another server"):
                api.address(path)
        assert api.address("//evil.example/x") == "https://hexo.example/site/evil.example/x"


async def test_names_are_quoted_and_only_our_own_requests_have_the_token() -> None:
    async with FakeServer.running() as server, open_session() as session:
        api = api_at(server.url, session)
        with pytest.raises(GameGone):
            await api.game("g 1/../2")
        with pytest.raises(PeerError):
            await api.answer_challenge("c/1", "accept")
        assert [path for _, path, _ in server.asked] == [
            "/api/games/g 1/../2",
            "/api/bot/challenge/c/1/accept",
        ]
        assert api.own_headers["Authorization"] == f"Bearer {TOKEN}"


async def test_a_dead_token_of_a_game_is_no_refusal_of_the_bot() -> None:
    async with FakeServer.running() as server, open_session() as session:
        server.answers["/api/bot/game/g1/resign"] = (401, {"code": "unauthorized"})
        with pytest.raises(PeerError) as refused:
            await api_at(server.url, session).resign("g1", "hgs_old")
        assert not isinstance(refused.value, RefusedByServer)


def api_at(url: str, session: aiohttp.ClientSession) -> Api:
    return Api(session, ApiOptions(url), SecretStr(TOKEN), SystemTime())
