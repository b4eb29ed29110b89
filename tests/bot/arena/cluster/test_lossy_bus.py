"""What clients get while the bus loses messages, and over each bus."""

import asyncio
from pathlib import Path
from typing import Any

import pytest

from bot import wire
from bot.arena.cluster import cluster
from bot.arena.cluster.bus import Bus, Envelope, LocalHub
from bot.arena.settings import ArenaSettings
from tests.bot.arena.cluster.three import three
from tests.bot.arena.table import begin
from tests.fakes.postgres import Postgres
from tests.fakes.valkey import running_valkey

pytestmark = pytest.mark.xdist_group("postgres")

TURNS = ("0-0", "2-0,2-2", "2-4,2-6", "1-0,1-2")
LOOKS_S = 15.0
"""Much longer than two looks at the database."""


class EveryThird:
    """Loses every third message, and all messages while `is_deaf`."""

    def __init__(self) -> None:
        self.count = 0
        self.is_deaf = False

    def __call__(self, _envelope: Envelope) -> bool:
        self.count += 1
        return self.is_deaf or self.count % 3 == 0


@pytest.fixture
def lossy(monkeypatch: pytest.MonkeyPatch) -> EveryThird:
    """Processes get buses of one hub that loses messages."""
    losing = EveryThird()
    hub = LocalHub(losing)

    def new_bus(_settings: ArenaSettings, process_id: str, _key: bytes) -> Bus:
        return hub.bus(process_id)

    monkeypatch.setattr(cluster, "new_bus", new_bus)
    return losing


async def test_players_and_watchers_see_everything_in_spite_of_lost_messages(
    tmp_path: Path, postgres: Postgres, lossy: EveryThird
) -> None:
    async with three(tmp_path, postgres.create()) as t:
        anna, ben = await t.player(1, name="Anna"), await t.player(2, name="Ben")
        watchers = [await t.player(0), await t.player(2, events="new")]
        for _ in range(3):  # one at each process
            game_id = await begin(anna, ben)
            for watcher in watchers:
                await watcher.do("game.watch", game_id=game_id)
            for ply, turn in enumerate(TURNS):
                mover = ben if ply % 2 else anna
                await mover.do("game.turn", game_id=game_id, ply=ply, turn=turn)
            await ben.do("game.action", game_id=game_id, action="resign")
            async with asyncio.timeout(LOOKS_S):
                for client in (anna, ben, *watchers):
                    end = await client.game(game_id, lambda state: state.result is not None)
                    assert len(end.turns) == len(TURNS)
    assert lossy.count > 20


async def test_a_process_without_a_bus_follows_the_database(
    tmp_path: Path, postgres: Postgres, lossy: EveryThird
) -> None:
    async with three(tmp_path, postgres.create()) as t:
        anna, ben = await t.player(1, name="Anna"), await t.player(2, name="Ben")
        game_id = await begin(anna, ben)
        lossy.is_deaf = True
        await anna.do("game.turn", game_id=game_id, ply=0, turn="0-0")
        async with asyncio.timeout(LOOKS_S):
            await ben.game(game_id, lambda state: len(state.turns) >= 1)
            await ben.close()
            await anna.game(game_id, lambda state: state.connected == (True, False))
            carl = await t.player(0, name="Carl")
            done = await carl.do("challenge.create", setup=SETUP, seats=["Carl", "Anna"])
            accepted = await anna.do("challenge.accept", challenge_id=done.challenge.challenge_id)
            await carl.do("game.state", game_id=accepted.challenge.game_id)
            await anna.do("game.action", game_id=game_id, action="resign")
            await anna.game(game_id, lambda state: state.result is not None)


SETUP: dict[str, Any] = {
    "board": "pent-3",
    "clock": {"kind": "fischer", "initial_s": 300, "increment_s": 5},
}


async def test_a_new_name_is_known_without_a_bus(
    tmp_path: Path, postgres: Postgres, lossy: EveryThird
) -> None:
    async with three(tmp_path, postgres.create(), 2) as t:
        guest = await t.player(1)
        lossy.is_deaf = True
        key = guest.all_of(wire.Welcome)[0].guest_key
        await t.player(0, guest_key=key, name="Nora")
        welcome = await guest.wait_for(wire.Welcome, lambda seen: seen.you.name == "Nora")
        assert welcome.you.kind == "person"
        ben = await t.player(0, name="Ben")
        assert await begin(ben, guest)


async def test_a_game_over_valkey(tmp_path: Path, postgres: Postgres) -> None:
    with running_valkey(tmp_path) as server:
        async with three(tmp_path, postgres.create(), bus=server.url) as t:
            anna, ben = await t.player(1, name="Anna"), await t.player(2, name="Ben")
            watcher = await t.player(0, events="new")
            for _ in range(3):
                game_id = await begin(anna, ben)
                await watcher.do("game.watch", game_id=game_id)
                for ply, turn in enumerate(TURNS):
                    mover = ben if ply % 2 else anna
                    await mover.do("game.turn", game_id=game_id, ply=ply, turn=turn)
                await ben.do("game.action", game_id=game_id, action="resign")
                for client in (anna, ben, watcher):
                    await client.game(game_id, lambda state: state.result is not None)
                changes = [each for each in watcher.all_of(wire.GameChange) if each.ply == 4]
                assert game_id in {each.game_id for each in changes}
