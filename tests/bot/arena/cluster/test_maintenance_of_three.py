"""Maintenance of an arena of several processes: all share the plan, whoever has the hall."""

from pathlib import Path

import aiohttp
import pytest

from bot import wire
from bot.arena.operator.desk import open_desk
from bot.arena.settings import Place
from bot.arena.store.orders import By
from tests.bot.arena.cluster.three import three
from tests.bot.arena.table import begin, setup
from tests.fakes.arena_client import ArenaClient
from tests.fakes.postgres import Postgres

pytestmark = pytest.mark.xdist_group("postgres")

BY = By("anna", "a newer version is installed")


async def sees(client: ArenaClient, *, planned: bool) -> wire.Lobby:
    """The lobby as soon as it has a maintenance, or none any more."""
    return await client.wait_for(
        wire.Lobby, lambda lobby: (lobby.maintenance is not None) is planned
    )


async def starts_nothing(client: ArenaClient) -> None:
    name = client.all_of(wire.Welcome)[-1].you.name
    asked = {"setup": setup(), "seats": [name, None]}
    refused = wire.Refusal.model_validate(await client.ask("challenge.create", **asked))
    assert (refused.code, refused.rule) == ("not_now", "maintenance")


async def reason_in_healthz(address: str) -> str:
    async with aiohttp.ClientSession() as http, http.get(f"{address}/healthz") as response:
        return str((await response.json())["maintenance"]["reason"])


async def test_each_process_refuses_games_until_the_end_also_when_the_hall_moves(
    tmp_path: Path, postgres: Postgres
) -> None:
    url = postgres.create()
    async with three(tmp_path, url, 2) as t, open_desk(Place(tmp_path, url), BY) as desk:
        anna, ben = await t.player(0, name="Anna"), await t.player(1, name="Ben")
        game_id = await begin(anna, ben)
        await desk.plan_maintenance(None)
        for client in (anna, ben):
            lobby = await sees(client, planned=True)
            assert lobby.maintenance is not None
            assert lobby.maintenance.reason == BY.reason
            await starts_nothing(client)
        await anna.do("game.turn", game_id=game_id, ply=0, turn="0-0")
        await ben.do("game.turn", game_id=game_id, ply=1, turn="2-0,2-2")
        await t.start()
        carl = await t.player(2, name="Carl")
        await t.stop(0)  # it has the hall, and perhaps the game
        for number, client in ((1, ben), (2, carl)):
            await sees(client, planned=True)
            await starts_nothing(client)
            assert await reason_in_healthz(t.addresses[number]) == BY.reason
        assert (await ben.do("game.state", game_id=game_id)).game.result is None
        for client in (ben, carl):  # a lobby from before the maintenance is no answer
            client.events[:] = [each for each in client.events if each[0] != "lobby"]
        await desk.end_maintenance()
        for client in (ben, carl):
            await sees(client, planned=False)
        await begin(ben, carl)
