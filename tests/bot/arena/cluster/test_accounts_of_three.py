"""Accounts in an arena of three processes: every request works at every process."""

import asyncio
from contextlib import AsyncExitStack
from pathlib import Path

import aiohttp
import pytest

from bot import wire
from bot.arena.players.hosts import issue_key
from bot.arena.settings import Place
from tests.bot.arena.accounts.test_account_api import Arena
from tests.bot.arena.accounts.test_account_deletion import HOST, finished_tournament, shown
from tests.bot.arena.cluster.three import Three, three
from tests.bot.arena.table import begin, refusal
from tests.fakes.authenticator import Authenticator
from tests.fakes.postgres import Postgres

pytestmark = pytest.mark.xdist_group("postgres")


async def each_process(t: Three) -> list[Arena]:
    found = []
    for address in t.addresses:
        url = address.replace("127.0.0.1", "localhost")
        http = await t.stack.enter_async_context(aiohttp.ClientSession(url))
        found.append(Arena(url, http, t.folder, AsyncExitStack()))
    return found


async def test_a_person_registers_signs_in_and_out_and_leaves_at_any_process(
    tmp_path: Path, postgres: Postgres
) -> None:
    async with three(tmp_path, postgres.create()) as t:
        one, two, three_ = await each_process(t)
        anna, ben = await t.player(0, name="Anna"), await t.player(2, name="Ben")
        key = str(anna.all_of(wire.Welcome)[0].guest_key)
        passkey = Authenticator(one.url)
        # The challenge is made at one process and answered at another.
        options = (await one.ok("/passkeys/options", key))["options"]
        passkey.origin = two.url
        await two.ok("/passkeys/add", key, credential=passkey.create(options))
        await anna.wait_for(wire.Welcome, lambda seen: seen.you.registered)
        await ben.wait_for(
            wire.Lobby,
            lambda seen: any(each.name == "Anna" and each.registered for each in seen.players),
        )
        passkey.origin = three_.url
        answer = passkey.get((await two.ok("/sign-in/options"))["options"])
        key_of_phone = (await three_.ok("/sign-in", credential=answer))["guest_key"]
        assert await one.no("/sign-in", credential=answer) == (403, "bad_passkey")
        async with asyncio.timeout(20):
            phone = await t.player(2, guest_key=key_of_phone)
            await two.ok("/devices/sign-out-others", key_of_phone)
            await anna.wait_until_disconnected()
        assert (await refusal(one.url, {"v": 1, "guest_key": key})).code == "bad_guest_key"
        # A game forbids the deletion; after its end all connections are closed everywhere.
        game = await begin(phone, ben)
        assert await two.no("/delete", key_of_phone, name="Anna") == (409, "not_now")
        await phone.do("game.action", game_id=game, action="resign")
        await ben.game(game, lambda state: state.result is not None)
        await two.ok("/delete", key_of_phone, name="Anna")
        await phone.wait_until_disconnected()
        for process in (one, two, three_):
            assert await process.no("", key_of_phone) == (401, "bad_guest_key")
            async with process.http.get(f"/api/records/{game}") as response:
                assert "Anna" not in await response.text()
        shown = (await ben.do("game.state", game_id=game)).game
        assert shown.players[0].name.startswith("Deleted-")


async def test_every_process_shows_a_finished_tournament_without_a_deleted_name(
    tmp_path: Path, postgres: Postgres
) -> None:
    url = postgres.create()
    async with three(tmp_path, url) as t:
        processes = await each_process(t)
        anna, ben = await t.player(1, name="Anna"), await t.player(2, name="Ben")
        host_key = await issue_key(Place(tmp_path, url), HOST)
        host = await t.player(1, guest_key=host_key)
        tournament = await finished_tournament(host, anna, ben)
        for process in processes:
            text, _ = await shown(process, tournament)
            assert "Anna resigned." in text
        key = str(anna.all_of(wire.Welcome)[0].guest_key)
        await processes[2].ok("/delete", key, name="Anna")
        await processes[1].ok("/delete", host_key, name=HOST)
        for process in processes:
            text, _ = await shown(process, tournament)
            assert ("Anna" in text, HOST in text, "Ben" in text) == (False, False, True)
        await t.stop(0)  # another process takes the hall
        text, _ = await shown(processes[1], tournament)
        assert ("Anna" in text, HOST in text) == (False, False)
