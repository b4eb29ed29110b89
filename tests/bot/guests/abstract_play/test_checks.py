"""What a check finds out about the platform, and about the way to us."""

from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import replace

from aiohttp import web
from aiohttp.test_utils import TestServer, unused_port
from pydantic import SecretStr
from yarl import URL

from bot.guests.abstract_play.checks import check_online
from bot.guests.abstract_play.client import ClientOptions
from bot.guests.abstract_play.platform import Options
from bot.guests.abstract_play.stages import PUBLISHED_KEY
from bot.platforms.settings import CheckState
from bot.time_source import SystemTime
from tests.bot.guests.abstract_play.rehearsal.patient_bot import CREDENTIALS
from tests.bot.guests.abstract_play.rehearsal.test_stand_in import running

Answer = Callable[[web.Request], Awaitable[web.StreamResponse]]


@asynccontextmanager
async def site(secret: str = CREDENTIALS.client_secret) -> AsyncIterator[Options]:
    """The stand-in with one game of ours, as settings name it."""
    async with running() as place:
        place.game()
        client = ClientOptions(
            place.base,
            f"{place.base}oauth2/token",
            CREDENTIALS.scope,
            CREDENTIALS.client_id,
            SecretStr(secret),
        )
        key_url = f"{place.base}ap-public-key.txt"
        yield Options(client, "site", key_url, None, "127.0.0.1", 0, 300.0)


async def found(
    options: Options, public_url: str | None = None
) -> dict[str, tuple[CheckState, str]]:
    return {
        each.step: (each.state, each.message)
        async for each in check_online(options, public_url, SystemTime())
    }


@asynccontextmanager
async def somebody_else(answer: Answer) -> AsyncIterator[str]:
    app = web.Application()
    app.router.add_route("*", "/", answer)
    async with TestServer(app) as server:
        yield str(server.make_url("/"))


async def test_all_is_well() -> None:
    async with site() as options:
        steps = await found(options)
    assert {state for step, (state, _) in steps.items() if step != "reachable"} == {"ok"}
    assert steps["reachable"] == ("not tried", "public_url is not set")
    assert steps["queries"][1] == "1 games run there, 1 of them ours"
    assert steps["key"][1].startswith("differs from the one that this version knows")
    assert "compare it with https://play.abstractplay.com/ap-public-key.txt" in steps["key"][1]


async def test_a_wrong_secret_is_reported_with_the_platforms_code() -> None:
    async with site("wrong") as options:
        state, told = (await found(options))["token"]
    assert state == "failed"
    assert told.startswith("invalid_client")


async def test_a_refused_connection_is_reported_without_the_secret() -> None:
    async with site() as options:
        nowhere = replace(
            options.client, base="http://127.0.0.1:9/", token_url="http://127.0.0.1:9/"
        )
        steps = await found(replace(options, client=nowhere))
    assert steps["token"] == ("failed", "cannot connect to 127.0.0.1:9: Connection refused")
    assert steps["queries"][0] == "failed"
    assert "secret" not in str(steps)


async def test_the_way_to_us_leads_to_an_address_of_our_own() -> None:
    async with site() as options:
        port = unused_port()
        steps = await found(replace(options, listen_port=port), f"http://127.0.0.1:{port}/")
    assert steps["reachable"][0] == "ok", steps


async def test_a_redirect_and_another_program_are_reported() -> None:
    async def redirect(_: web.Request) -> web.Response:
        raise web.HTTPMovedPermanently("https://bot.example.org/")

    async def stranger(_: web.Request) -> web.Response:
        return web.Response(text="It works!")

    async def too_kind(_: web.Request) -> web.Response:
        return web.json_response({"operational": True})

    async def no_bot(_: web.Request) -> web.Response:
        return web.Response(status=502)

    expected = {
        redirect: "a redirect to https://bot.example.org/",
        stranger: "another program than the bot answers",
        too_kind: "an unsigned call was not refused",
        no_bot: "does not find the bot at listen_port",
    }
    async with site() as options:
        for answer, words in expected.items():
            async with somebody_else(answer) as url:
                state, told = (await found(options, url))["reachable"]
            assert state == "failed"
            assert words in told


async def test_a_running_bot_is_distinguished_from_another_program() -> None:
    async def bot(request: web.Request) -> web.Response:
        status = 200 if request.method == "GET" else 401
        return web.json_response({"operational": True}, status=status)

    async def stranger(_: web.Request) -> web.Response:
        return web.Response(text="It works!")

    async with site() as options, somebody_else(bot) as ours, somebody_else(stranger) as other:
        ports = [URL(url).port or 0 for url in (ours, other)]
        first, second = [(await found(replace(options, listen_port=each))) for each in ports]
    ours_is_there = f"at http://127.0.0.1:{ports[0]}, where a bot is already running"
    assert first["listening"] == ("ok", ours_is_there)
    state, told = second["listening"]
    assert state == "failed"
    assert told.startswith(f"listen_port: port {ports[1]} on 127.0.0.1 is in use")


async def test_the_published_key_is_known() -> None:
    async def published(_: web.Request) -> web.Response:
        return web.Response(text=PUBLISHED_KEY)

    async with site() as options, somebody_else(published) as url:
        state, told = (await found(replace(options, key_url=url)))["key"]
    assert (state, told) == ("ok", f"from its address: {PUBLISHED_KEY}")
