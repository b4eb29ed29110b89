"""What a check finds out about the platform, and about the way to us."""

from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import replace

from aiohttp import web
from aiohttp.test_utils import TestServer, unused_port
from pydantic import SecretStr

from bot.platforms.abstract_play.client import ClientOptions
from bot.platforms.abstract_play.opening import Options
from bot.platforms.abstract_play.stages import PUBLISHED_KEY
from bot.platforms.abstract_play.trying import findings
from bot.time_source import SystemTime
from tests.bot.platforms.abstract_play import bodies

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


async def found(options: Options, public_url: str | None = None) -> dict[str, tuple[bool, str]]:
    return {
        each.step: (each.is_fine, each.told)
        async for each in findings(options, public_url, SystemTime())
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
    assert all(is_fine for is_fine, _ in steps.values())
    assert steps["queries"][1] == "1 games run there, 1 of them ours"
    assert steps["key"][1].startswith("from its address")


async def test_a_wrong_secret_is_told_in_the_platforms_word() -> None:
    async with site(no_token) as options:
        is_fine, told = (await found(options))["token"]
    assert not is_fine
    assert told.startswith("invalid_client")


async def test_nobody_there_is_told_without_the_secret() -> None:
    async with site() as options:
        nowhere = replace(
            options.client, base="http://127.0.0.1:9/", token_url="http://127.0.0.1:9/"
        )
        steps = await found(replace(options, client=nowhere))
    assert steps["token"] == (False, "cannot connect to 127.0.0.1:9: Connection refused")
    assert not steps["queries"][0]
    assert "secret" not in str(steps)


async def test_the_way_to_us_leads_to_an_address_of_our_own() -> None:
    async with site() as options:
        port = unused_port()
        steps = await found(replace(options, listen_port=port), f"http://127.0.0.1:{port}/")
    assert steps["reachable"][0], steps


async def test_a_redirect_and_a_stranger_are_told() -> None:
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
        stranger: "something else than the bot answers",
        too_kind: "an unsigned call was not refused",
        no_bot: "does not find the bot at listen_port",
    }
    async with site() as options:
        for answer, words in expected.items():
            async with somebody_else(answer) as url:
                is_fine, told = (await found(options, url))["reachable"]
            assert not is_fine
            assert words in told
