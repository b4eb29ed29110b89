"""The operator's orders to an arena of three processes: each is carried out once."""

import asyncio
from pathlib import Path

import pytest
from socketio.exceptions import ConnectionError as NotConnected

from bot import wire
from bot.arena.operator.desk import Desk, open_desk
from bot.arena.players.accounts import issue_token
from bot.arena.settings import Place
from bot.arena.store.orders import By, Order
from tests.bot.arena.cluster.three import three
from tests.bot.arena.table import begin
from tests.fakes.arena_client import DEADLINE_S, ArenaClient, CutOff
from tests.fakes.postgres import Postgres

pytestmark = pytest.mark.xdist_group("postgres")

BY = By("anna", "spam in the lobby")


async def carried_out(desk: Desk, order: Order) -> Order:
    done = await desk.outcome(order, DEADLINE_S)
    assert done.done_at is not None, done
    return done


async def named(client: ArenaClient, name: str) -> None:
    await client.wait_for(wire.Welcome, lambda seen: seen.you.name == name)


PAUSE_S = 0.1
"""Between two logins: an address has a limit of them."""


async def refused_soon(address: str, key: str | None) -> None:
    """A blocked player cannot log in, as soon as the process has read of it."""
    while True:
        client = ArenaClient()
        try:
            await client.connect(address, {"v": 1, "guest_key": key})
        except CutOff:  # the process has read of it in this moment
            pass
        except NotConnected:
            assert client.refusal["data"]["code"] == "blocked"
            return
        finally:
            await client.close()
        await asyncio.sleep(PAUSE_S)


async def test_orders_reach_players_and_games_of_all_processes(
    tmp_path: Path, postgres: Postgres
) -> None:
    url = postgres.create()
    place = Place(tmp_path, url)
    async with three(tmp_path, url) as t, open_desk(place, BY) as desk:
        # Games are placed at all processes.
        anna, ben = await t.player(1, name="Anna"), await t.player(2, name="Ben")
        for game_id in [await begin(anna, ben) for _ in range(3)]:
            assert (await carried_out(desk, await desk.abort_game(game_id))).ok
            for client in (anna, ben):
                end = await client.game(game_id, lambda state: state.result is not None)
                assert end.result is not None
                assert BY.reason in end.result.message
        rude = [await t.player(number, name=f"Rude{number}") for number in range(3)]
        for number, client in enumerate(rude):
            order = await desk.rename(f"Rude{number}", f"Polite{number}")
            await carried_out(desk, order)
            await named(client, f"Polite{number}")
        for number, client in enumerate(rude):
            key = client.all_of(wire.Welcome)[0].guest_key
            await desk.block_account(f"Polite{number}", None)
            await client.wait_until_disconnected()
            for address in t.addresses:
                await refused_soon(address, key)
        secret = await issue_token(place, "robot")
        robots = [await t.player(number, token=secret) for number in range(3)]
        [token] = await desk.tokens()
        await desk.revoke(token.id)
        for robot in robots:
            await robot.wait_until_disconnected()
        done = [each for each in await desk.audit(100) if each.action in {"abort-game", "rename"}]
        assert len(done) == 6
