"""Many connections of one address or player, over real sockets, and room for everybody else."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from typing import Any

import aiohttp
import orjson
import pytest
from structlog.testing import capture_logs

from bot import wire
from bot.arena.players.accounts import Accounts, Login
from bot.arena.server import running_arena
from tests.bot.arena.table import settings
from tests.fakes.arena_client import connected
from tests.fakes.raw_socket import RawSocket, health, http_from, knock, raw_socket, sockets_become
from tests.fakes.time import FakeTime
from tests.fakes.waiting import answered

PATIENT: dict[str, Any] = {"login_s": 600, "ping_interval_s": 60}
"""What this machine does slowly must not be taken for what a client does."""


@asynccontextmanager
async def arena(
    folder: Path, time: FakeTime | None = None, **limits: Any
) -> AsyncIterator[tuple[str, AsyncExitStack]]:
    """A running arena, and a stack for what has to end before it."""
    running = running_arena(settings(folder, connections=PATIENT | limits), time)
    async with running as url, AsyncExitStack() as stack:
        yield url, stack


def code_of(answer: str) -> str:
    """Of the answer to a CONNECT: the code of the refusal, or "ok"."""
    if answer.startswith("40"):
        return "ok"
    code: str = orjson.loads(answer[2:])["data"]["code"]
    return code


async def test_an_address_has_a_limit_of_sockets_even_for_concurrent_requests(
    tmp_path: Path,
) -> None:
    async with arena(tmp_path, sockets_per_address=5) as (url, stack):

        async def attempt() -> RawSocket | None:
            try:
                return await stack.enter_async_context(raw_socket(url))
            except aiohttp.ClientError:
                return None

        opened = await asyncio.gather(*(attempt() for _ in range(30)))
        assert len([each for each in opened if each is not None]) == 5
        status, answer = await knock(url)
        assert (status, answer["code"]) == (429, "too_many")
        assert (await knock(url, source="127.0.0.2"))[0] == 101
        facts = await health(url)
        assert (facts["sockets"], facts["addresses"], facts["logged_in"]) == (5, 1, 0)


async def test_a_socket_that_ends_makes_room(tmp_path: Path) -> None:
    async with arena(tmp_path, sockets_per_address=1) as (url, _):
        async with raw_socket(url) as socket:
            assert (await knock(url))[0] == 429
            socket.cut()
            await sockets_become(url, 0)
        async with raw_socket(url):
            pass


async def test_the_last_places_are_for_newcomers(tmp_path: Path) -> None:
    limits: dict[str, Any] = {"connections": 10, "newcomers_share": 0.2}
    async with arena(tmp_path, **limits) as (url, stack):
        for _ in range(8):
            await stack.enter_async_context(raw_socket(url))
        assert (await knock(url))[1]["message"].startswith("The server has room only for clients")
        others = [
            await stack.enter_async_context(raw_socket(url, source=f"127.0.0.{number}"))
            for number in (2, 3)
        ]
        assert [code_of(await each.log_in()) for each in others] == ["ok", "ok"]
        status, answer = await knock(url, source="127.0.0.4")
        assert (status, answer["code"]) == (503, "too_many")
        async with http_from("127.0.0.4") as http, http.get(url) as response:
            assert response.status == 200, "the page still comes"


async def test_a_player_has_a_limit_of_connections_even_for_concurrent_logins(
    tmp_path: Path,
) -> None:
    async with arena(tmp_path, connections_per_player=3) as (url, stack):
        first = await stack.enter_async_context(connected(url, name="Anna"))
        key = first.all_of(wire.Welcome)[0].guest_key
        sockets = [await stack.enter_async_context(raw_socket(url)) for _ in range(10)]
        answers = await asyncio.gather(*(each.log_in(guest_key=key) for each in sockets))
        codes = [code_of(answer) for answer in answers]
        assert (codes.count("ok"), codes.count("too_many")) == (2, 8)
        assert (await health(url))["logged_in"] == 3
        async with connected(url, name="Ben"):
            pass
        await first.close()
        late = await stack.enter_async_context(raw_socket(url))
        assert code_of(await late.log_in(guest_key=key)) == "ok"


async def test_a_player_with_several_connections_leaves_the_last_places(tmp_path: Path) -> None:
    async with arena(tmp_path, connections=10, newcomers_share=0.5) as (url, stack):
        anna = await stack.enter_async_context(connected(url, name="Anna"))
        key = anna.all_of(wire.Welcome)[0].guest_key
        for number in range(2, 6):
            source = f"127.0.0.{number}"
            socket = await stack.enter_async_context(raw_socket(url, source=source))
            answer = code_of(await socket.log_in(guest_key=key))
            assert answer == ("ok" if number < 5 else "too_many")
        newcomer = await stack.enter_async_context(raw_socket(url, source="127.0.0.6"))
        assert code_of(await newcomer.log_in()) == "ok"


async def test_a_client_that_only_answers_pings_is_closed(tmp_path: Path) -> None:
    time = FakeTime()
    async with arena(tmp_path, time, login_s=10, ping_interval_s=0.1) as (url, stack):
        silent = await stack.enter_async_context(raw_socket(url))
        here = await stack.enter_async_context(connected(url))
        closed = asyncio.create_task(silent.until_closed())
        await time.advance(9)
        assert not closed.done()
        await time.advance(2)
        await closed
        await sockets_become(url, 1)
        await here.do("state")


async def test_a_client_that_logs_out_and_keeps_the_socket_is_closed(tmp_path: Path) -> None:
    time = FakeTime()
    async with arena(tmp_path, time, login_s=2) as (url, stack):
        socket = await stack.enter_async_context(raw_socket(url))
        await socket.log_in()
        await time.advance(10)
        await socket.send("41")
        await answered(lambda: health(url), lambda facts: not facts["logged_in"])
        await time.advance(3)
        await asyncio.wait_for(socket.until_closed(), 20)


async def test_a_slow_login_is_waited_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    time, asked, may_go_on = FakeTime(), asyncio.Event(), asyncio.Event()
    log_in = Accounts.log_in

    async def slow(accounts: Accounts, credentials: wire.Credentials, address: str) -> Login:
        asked.set()
        await may_go_on.wait()
        return await log_in(accounts, credentials, address)

    monkeypatch.setattr(Accounts, "log_in", slow)
    async with arena(tmp_path, time, login_s=1) as (url, stack):
        socket = await stack.enter_async_context(raw_socket(url))
        answer = asyncio.create_task(socket.log_in())
        await asked.wait()
        await time.advance(3)
        may_go_on.set()
        assert code_of(await answer) == "ok"


async def test_wrong_tokens_are_slowed_down_and_quiet(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    looked_up = 0
    log_in = Accounts.log_in

    async def counted(accounts: Accounts, credentials: wire.Credentials, address: str) -> Login:
        nonlocal looked_up
        looked_up += 1
        return await log_in(accounts, credentials, address)

    limits: dict[str, Any] = {"failed_logins_burst": 3, "failed_logins_per_s": 0.001}
    with capture_logs() as lines:
        async with arena(tmp_path, **limits) as (url, stack):
            async with connected(url, name="Anna") as anna:
                key = anna.all_of(wire.Welcome)[0].guest_key
            monkeypatch.setattr(Accounts, "log_in", counted)
            sockets = [await stack.enter_async_context(raw_socket(url)) for _ in range(40)]
            wrong = [{"token": "wrong"}, {"guest_key": "wrong"}, {"token": ""}, {"guest_key": ""}]
            answers = await asyncio.gather(
                *(each.log_in(**wrong[number % 4]) for number, each in enumerate(sockets))
            )
            codes = [code_of(answer) for answer in answers]
            assert codes.count("rate_limited") == 37
            limited = next(answer for answer in answers if code_of(answer) == "rate_limited")
            assert orjson.loads(limited[2:])["data"]["retry_after_ms"] > 0
            assert looked_up == 3
            assert code_of(await sockets[0].log_in(guest_key=key)) == "ok", "was here before"
            async with connected(url, source="127.0.0.2"):
                pass
    noted = [line for line in lines if line["event"] == "login_refused"]
    assert [line.get("more") for line in noted] == [None] * 5 + [35]
