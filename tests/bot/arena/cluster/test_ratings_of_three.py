"""Ratings in an arena of three processes: the hall rates the games of all, also after it moved."""

import asyncio
from pathlib import Path
from typing import Any

import aiohttp
import pytest

from bot.arena.players.accounts import issue_token
from bot.arena.ratings.rating_store import ratings_in
from bot.arena.settings import Place
from tests.bot.arena.cluster.three import Three, three
from tests.bot.arena.table import begin, play_first
from tests.fakes.arena_client import DEADLINE_S
from tests.fakes.postgres import Postgres

pytestmark = pytest.mark.xdist_group("postgres")


async def changes_at(address: str, game_id: str) -> list[dict[str, Any]]:
    """What a process says about the game, once it is rated."""
    async with asyncio.timeout(DEADLINE_S), aiohttp.ClientSession(address) as http:
        while True:
            async with http.get(f"/api/records/{game_id}/ratings") as response:
                found: list[dict[str, Any]] = (await response.json())["changes"]
            if found:
                return found
            await asyncio.sleep(0.05)


async def play(t: Three, one: Any, two: Any, asked: int) -> None:
    game_id = await begin(one, two, board="pent-4", rated=True)
    await play_first(one, two, game_id)
    await one.do("game.action", game_id=game_id, action="resign")
    assert len(await changes_at(t.addresses[asked], game_id)) == 2


async def test_games_of_all_processes_are_rated_and_the_numbers_can_be_computed_again(
    tmp_path: Path, postgres: Postgres
) -> None:
    url = postgres.create()
    place = Place(tmp_path, url)
    tokens = [await issue_token(place, name) for name in ("basalt", "granite")]
    async with three(tmp_path, url) as t:
        one, two = [await t.player(2, token=token) for token in tokens]
        for asked in range(3):  # games are placed at all processes
            await play(t, one, two, asked)
        await t.stop(0)  # it had the hall
        await play(t, two, one, 1)
    async with ratings_in(place) as store:
        now, computed = await store.compare()
        assert now == computed
        assert len(now.changes) == 8
