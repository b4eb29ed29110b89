"""What a check finds out about the platform, and about the way to us."""

from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import replace

from aiohttp import web
from aiohttp.test_utils import TestServer, unused_port
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from pydantic import SecretStr
from yarl import URL

from bot.guests.abstract_play.checks import check_online
from bot.guests.abstract_play.client import ClientOptions
from bot.guests.abstract_play.keys import openssh_line
from bot.guests.abstract_play.platform import Options
from bot.guests.abstract_play.stages import PUBLISHED_KEY
from bot.platforms.settings import CheckState
from bot.time_source import SystemTime
from tests.bot.guests.abstract_play import bodies

Answer = Callable[[web.Request], Awaitable[web.StreamResponse]]


async def token(_: web.Request) -> web.Response:
    return web.json_response({"access_token": "t", "expires_in": 3600})


async def no_token(_: web.Request) -> web.Response:
    return web.json_response({"error": "invalid_client"}, status=400)


async def games(request: web.Request) -> web.Response:
    asked = await request.json()
    is_bluestone = asked["pars"]["metaGame"] == "bluestone"
    return web.json_response([bodies.listed()] if is_bluestone else [])


async def key(_: web.Request) -> web.Response:
    return web.Response(text=PUBLISHED_KEY)


@asynccontextmanager
async def site(give_token: Answer = token) -> AsyncIterator[Options]:
    """The platform on this machine, as settings name it."""
    app = web.Application()
    app.router.add_post("/token", give_token)
    app.router.add_post("/query", games)
    app.router.add_get("/key", key)
    async with TestServer(app) as server:
        base = str(server.make_url("/"))
        client = ClientOptions(base, f"{base}token", "scope", bodies.OURS, SecretStr("secret"))
        yield Options(client, "site", f"{base}key", None, "127.0.0.1", 0, 300.0)


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
    assert steps["key"][1].startswith("from its address")


async def test_a_wrong_secret_is_reported_with_the_platforms_code() -> None:
    async with site(no_token) as options:
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


async def test_an_unknown_key_is_reported_with_a_page_to_compare() -> None:
    line = openssh_line(Ed25519PrivateKey.generate().public_key())

    async def another_key(_: web.Request) -> web.Response:
        return web.Response(text=line)

    async with site() as options, somebody_else(another_key) as url:
        state, told = (await found(replace(options, key_url=url)))["key"]
    assert state == "ok"
    assert told.startswith("differs from the one that this version knows")
    assert "compare it with https://play.abstractplay.com/ap-public-key.txt" in told
    assert told.endswith(line)
