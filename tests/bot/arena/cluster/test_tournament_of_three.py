"""A tournament whose host, players and games are at three processes."""

import re
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path

import aiohttp
import pytest

from bot import wire
from bot.arena.players.accounts import issue_token
from bot.arena.players.hosts import issue_key
from bot.arena.settings import Place
from tests.bot.arena.cluster.three import Three, three
from tests.bot.arena.hall import HOST, Hall, games, points
from tests.fakes.arena_client import connected
from tests.fakes.postgres import Postgres

pytestmark = pytest.mark.xdist_group("postgres")

NAMES = ("one", "two", "three", "four")
PATIENT = {"messages_burst": 100_000}


@asynccontextmanager
async def spread_hall(
    folder: Path, url: str, host_at: int, players_at: Sequence[int], bus: str = ""
) -> AsyncIterator[tuple[Hall, Three]]:
    """A host and bots, each at one of three processes; process 0 has the hall."""
    async with three(folder, url, bus=bus, connections=PATIENT) as t:
        place = Place(folder, url)
        secrets = {HOST: await issue_key(place, HOST)}
        secrets |= {name: await issue_token(place, name) for name in NAMES}
        opening = connected(t.addresses[host_at], guest_key=secrets[HOST])
        host = await t.stack.enter_async_context(opening)
        h = Hall("", host, secrets, t.stack)
        for name, number in zip(NAMES, players_at, strict=True):
            h.url = t.addresses[number]
            await h.come(name)
        yield h, t


async def fetched(url: str) -> str:
    """A document, without the time at which it was made."""
    async with aiohttp.ClientSession() as http, http.get(url) as response:
        assert response.status == 200, url
        return re.sub(r'"server_time":"[^"]*"', "", await response.text())


async def test_a_tournament_is_hosted_and_played_at_other_processes_than_the_hall(
    tmp_path: Path, postgres: Postgres
) -> None:
    async with spread_hall(tmp_path, postgres.create(), 2, (0, 1, 2, 1)) as (h, t):
        assert h.host.all_of(wire.Welcome)[0].may_host
        assert not h.bots["two"].all_of(wire.Welcome)[0].may_host
        await h.create()
        await h.enter(*NAMES)
        follower = await t.player(1)
        await h.watch(follower)
        await h.do("start")
        state = await h.until(lambda s: len(games(s, "playing")) == 2)
        await h.do("pause", why="a break")
        for game in games(state, "playing"):
            await h.resign(game, seat=2)
        await h.until(lambda s: len(games(s, "finished")) == 2)
        paused = await h.watch(h.host)
        assert (paused.state, paused.round) == ("paused", 1)
        await h.do("resume")
        state = await h.until(lambda s: s.round == 2 and len(games(s, "playing")) == 2)
        for game in games(state, "playing"):
            await h.resign(game, seat=2)
        state = await h.until(lambda s: s.state == "over")
        assert sorted(points(state).values()) in ([0, 1, 1, 2], [1, 1, 1, 1])
        await follower.wait_for(wire.TournamentState, lambda seen: seen.state == "over")
        about = f"/api/tournaments/{h.tournament_id}"
        for path in ("/api/tournaments", about, f"{about}/rounds?before=2", f"{about}/games.jsonl"):
            texts = {await fetched(address + path) for address in t.addresses}
            assert len(texts) == 1, path
            assert "one" in texts.pop() or path == "/api/tournaments"


@pytest.mark.parametrize("is_during_game", [True, False])
async def test_a_tournament_continues_when_the_process_of_its_hall_stops(
    tmp_path: Path, postgres: Postgres, is_during_game: bool
) -> None:
    async with spread_hall(tmp_path, postgres.create(), 1, (1, 2, 1, 2)) as (h, t):
        await h.create()
        await h.enter(*NAMES)
        await h.do("start")
        before = await h.until(lambda s: len(games(s, "playing")) == 2)
        first, second = games(before)
        await h.resign(first, seat=1)
        if not is_during_game:
            await h.resign(second, seat=1)
        await t.stop(0)
        if is_during_game:
            await h.resign(second, seat=1)
        state = await h.until(lambda s: s.round == 2 and len(games(s, "playing")) == 2)
        assert [each.number for each in games(state)] == [1, 2, 3, 4]
        assert {each.game_id for each in games(before)} <= {each.game_id for each in games(state)}
        for game in games(state, "playing"):
            await h.resign(game, seat=2)
        state = await h.until(lambda s: s.state == "over")
        assert {each.reason for each in games(state)} == {"resignation"}
        await h.create(name="Winter cup")
        assert (await h.do("end", why="no players")).why == "no players"
