"""Clients of an arena of three processes, who do not notice that it is three."""

from pathlib import Path
from typing import Any

import pytest
from aiohttp import web

from bot import wire
from bot.arena.cluster.leases import Leases
from bot.arena.edge.tcp import Listener
from bot.arena.web import page_bundle
from tests.bot.arena.cluster.three import three
from tests.bot.arena.table import begin
from tests.fakes.postgres import Postgres

pytestmark = pytest.mark.xdist_group("postgres")


@pytest.fixture
def url(postgres: Postgres) -> str:
    return postgres.create()


TURNS = ("0-0", "2-0,2-2", "2-4,2-6", "1-0,1-2")


async def test_players_of_two_processes_play_and_a_third_process_shows_it(
    tmp_path: Path, url: str
) -> None:
    async with three(tmp_path, url) as t:
        anna, ben = await t.player(0, name="Anna"), await t.player(1, name="Ben")
        game_id = await begin(anna, ben)
        watcher = await t.player(2, name="Wanda")
        await watcher.do("game.watch", game_id=game_id)
        for ply, turn in enumerate(TURNS):
            mover = ben if ply % 2 else anna
            await mover.do("game.turn", game_id=game_id, ply=ply, turn=turn)
        for client in (anna, ben, watcher):
            await client.game(game_id, lambda state: len(state.turns) >= len(TURNS))
        await ben.do("game.action", game_id=game_id, action="resign")
        for client in (anna, ben, watcher):
            await client.game(game_id, lambda state: state.result is not None)
        await watcher.wait_for(
            wire.Lobby,
            lambda seen: (
                {player.name for player in seen.players} == {"Anna", "Ben", "Wanda"}
                and any(game.result is not None for game in seen.games)
            ),
        )


async def test_a_process_that_stops_gives_its_games_to_the_others(tmp_path: Path, url: str) -> None:
    async with three(tmp_path, url, 2) as t:
        anna, ben = await t.player(1, name="Anna"), await t.player(1, name="Ben")
        games = [await begin(anna, ben) for _ in range(3)]
        for game_id in games:
            await anna.do("game.turn", game_id=game_id, ply=0, turn="0-0")
        await t.stop(0)
        for game_id in games:
            await ben.do("game.turn", game_id=game_id, ply=1, turn="2-0,2-2")
            await anna.game(game_id, lambda state: len(state.turns) >= 2)


async def test_a_rolling_upgrade_of_all_processes_in_the_middle_of_a_game(
    tmp_path: Path, url: str
) -> None:
    """Each process is replaced by a new one; the players come back to any other one."""
    async with three(tmp_path, url) as t:
        anna, ben = await t.player(0, name="Anna"), await t.player(1, name="Ben")
        keys = [client.all_of(wire.Welcome)[0].guest_key for client in (anna, ben)]
        game_id = await begin(anna, ben)
        await anna.do("game.turn", game_id=game_id, ply=0, turn="0-0")
        for ply, turn in enumerate(TURNS[1:], start=1):
            await t.start()
            await t.stop(ply - 1)
            anna, ben = [await t.player(ply + 1, guest_key=key) for key in keys]
            [shown] = anna.all_of(wire.Welcome)[0].games
            assert [len(shown.turns), shown.result] == [ply, None]
            mover = ben if ply % 2 else anna
            await mover.do("game.turn", game_id=game_id, ply=ply, turn=turn)
        state = await ben.game(game_id, lambda state: len(state.turns) >= len(TURNS))
        assert [turn.time_ms < 5000 for turn in state.turns] == [True] * len(TURNS)


async def test_a_process_joins_when_everything_that_takes_long_is_done(
    tmp_path: Path, url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A member that is silent for the length of a lease is ended by the others."""
    order: list[str] = []

    def noted(owner: object, name: str) -> None:
        original = getattr(owner, name)

        def call(*args: Any, **named: Any) -> Any:
            order.append(name)
            return original(*args, **named)

        monkeypatch.setattr(owner, name, call)

    noted(page_bundle, "page_bundle")
    noted(web.AppRunner, "setup")
    noted(Leases, "join")
    noted(Listener, "start")
    async with three(tmp_path, url, 1) as t:
        await t.player(0, name="Anna")
    assert order[-2:] == ["join", "start"]
    assert set(order[:-2]) == {"page_bundle", "setup"}
