"""Maintenance mode: what is refused, what goes on, and what survives a restart."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import timedelta
from pathlib import Path

import aiohttp
import pytest

from bot import wire
from bot.arena.operator.desk import Desk, open_desk
from bot.arena.operator.maintenance_store import GamesLeft
from bot.arena.server import running_arena
from bot.arena.store.orders import By
from bot.errors import ConfigurationError
from bot.time_source import SystemTime
from tests.bot.arena.hall import games, hall
from tests.bot.arena.table import settings, setup, table
from tests.fakes.arena_client import connected

REASON = "a newer version is installed"
DAY_S = 86_400
CORRESPONDENCE = {
    "kind": "correspondence",
    "initial_s": DAY_S,
    "increment_s": DAY_S,
    "maximum_s": 3 * DAY_S,
}


@asynccontextmanager
async def desk_on(folder: Path) -> AsyncIterator[Desk]:
    async with open_desk(folder, By("anna", REASON)) as desk:
        yield desk


def is_planned(lobby: wire.Lobby) -> bool:
    return lobby.maintenance is not None


async def test_no_game_starts_and_a_running_game_goes_on(tmp_path: Path) -> None:
    async with table(tmp_path) as t, desk_on(tmp_path) as desk:
        offered = await t.one.do("challenge.create", setup=setup(), seats=["Anna", None])
        planned = await desk.plan_maintenance(None)
        lobby = await t.two.wait_for(wire.Lobby, is_planned)
        assert lobby.maintenance == planned
        assert lobby.maintenance.reason == REASON
        answer = await t.two.ask("challenge.create", setup=setup(), seats=["Ben", None])
        refused = wire.Refusal.model_validate(answer)
        assert (refused.code, refused.rule) == ("not_now", "maintenance")
        assert REASON in refused.message
        assert refused.retry_after_ms == 60_000
        challenge_id = offered.challenge.challenge_id
        assert await t.two.refused("challenge.accept", challenge_id=challenge_id) == "not_now"
        await t.play(0, "0-0")
        assert (await desk.maintenance())[1] == GamesLeft(live=1, slow=0)
        await t.one.do("game.action", game_id=t.game_id, action="resign")
        assert await desk.drained(wait_s=20) == GamesLeft(live=0, slow=0)
        await desk.end_maintenance()
        await t.two.wait_for(
            wire.Lobby, lambda each: each.revision > lobby.revision and not is_planned(each)
        )
        await t.two.do("challenge.accept", challenge_id=challenge_id)
        with pytest.raises(ConfigurationError, match="no maintenance is planned"):
            await desk.end_maintenance()


async def test_the_plan_is_announced_before_it_begins(tmp_path: Path) -> None:
    async with running_arena(settings(tmp_path)) as url, connected(url, name="Anna") as one:
        async with desk_on(tmp_path) as desk:
            await desk.plan_maintenance(SystemTime().wall() + timedelta(hours=1))
        await one.wait_for(wire.Lobby, is_planned)
        await one.do("challenge.create", setup=setup(), seats=["Anna", None])


async def test_who_waits_for_the_games_waits_for_the_begin_of_the_plan_too(tmp_path: Path) -> None:
    time = SystemTime()
    async with running_arena(settings(tmp_path)), desk_on(tmp_path) as desk:
        planned = await desk.plan_maintenance(time.wall() + timedelta(seconds=2))
        assert await desk.drained(wait_s=20) == GamesLeft(live=0, slow=0)
        assert time.wall() >= planned.starts_at


async def test_the_plan_holds_after_a_restart_and_healthz_shows_it(tmp_path: Path) -> None:
    async with running_arena(settings(tmp_path)), desk_on(tmp_path) as desk:
        await desk.plan_maintenance(None)
    async with running_arena(settings(tmp_path)) as url, connected(url, name="Anna") as one:
        assert (
            await one.refused("challenge.create", setup=setup(), seats=["Anna", None]) == "not_now"
        )
        await one.wait_for(wire.Lobby, is_planned)
        async with aiohttp.ClientSession() as http, http.get(f"{url}/healthz") as response:
            assert (await response.json())["maintenance"]["reason"] == REASON


async def test_games_by_correspondence_are_counted_apart(tmp_path: Path) -> None:
    async with table(tmp_path, clock=CORRESPONDENCE) as _, desk_on(tmp_path) as desk:
        assert await desk.drained(wait_s=0) == GamesLeft(live=0, slow=1)


async def test_a_tournament_waits_for_the_end_of_the_maintenance(tmp_path: Path) -> None:
    async with hall(tmp_path, ("one", "two")) as h, desk_on(tmp_path) as desk:
        await h.create(format={"kind": "round-robin"}, games_per_pairing=2)
        await h.enter("one", "two")
        await h.do("start")
        state = await h.until(lambda s: len(games(s, "playing")) == 1)
        await desk.plan_maintenance(None)
        await h.bots["one"].wait_for(wire.Lobby, is_planned)
        await h.resign(games(state, "playing")[0], seat=2)
        await h.until(lambda s: len(games(s, "finished")) == 1 and not games(s, "playing"))
        await desk.end_maintenance()
        await h.until(lambda s: len(games(s, "playing")) == 1)


async def test_no_tournament_starts(tmp_path: Path) -> None:
    async with hall(tmp_path, ("one", "two")) as h, desk_on(tmp_path) as desk:
        await h.create(format={"kind": "round-robin"})
        await h.enter("one", "two")
        await desk.plan_maintenance(None)
        await h.bots["one"].wait_for(wire.Lobby, is_planned)
        refused = await h.host.refused("tournament.start", tournament_id=h.tournament_id)
        assert refused == "not_now"
