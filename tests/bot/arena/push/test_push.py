"""Web push, with a push service of the test's own: who is notified, and of what."""

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from bot import wire
from bot.arena.server import running_arena
from bot.arena.settings import ArenaSettings, PushSettings
from tests.bot.arena.table import begin, settings
from tests.fakes.arena_client import ArenaClient, connected
from tests.fakes.push_service import PushService, push_service

PUSH = {"private_services": True, "delay_s": 0.05}


@pytest.fixture
async def service() -> AsyncIterator[PushService]:
    async with push_service() as found:
        yield found


def arena(folder: Path, **changes: Any) -> ArenaSettings:
    return settings(folder, push=PUSH | changes)


def key_of(client: ArenaClient) -> str:
    key = client.all_of(wire.Welcome)[0].guest_key
    assert key is not None
    return key


async def test_a_player_who_is_away_is_notified_of_each_turn(
    tmp_path: Path, service: PushService
) -> None:
    async with running_arena(arena(tmp_path)) as url, connected(url, name="Anna") as anna:
        async with connected(url, name="Ben") as ben:
            await ben.do("push.subscribe", **service.subscription(), language="de")
            game_id = await begin(anna, ben)
        await anna.game(game_id, lambda state: state.connected == (True, False))
        assert service.received.empty()
        await anna.do("game.turn", game_id=game_id, ply=0, turn="0-0")
        told = await service.next()
        assert told == {
            "name": "browser",
            "kind": "your_turn",
            "language": "de",
            "opponent": "Anna",
            "game_id": game_id,
            "turn": 2,
        }
        assert service.topics == [game_id]


async def test_each_browser_is_notified_until_it_wishes_no_more(
    tmp_path: Path, service: PushService
) -> None:
    async with running_arena(arena(tmp_path)) as url, connected(url, name="Anna") as anna:
        async with connected(url, name="Ben") as ben:
            for name in ("one", "two", "three"):
                await ben.do("push.subscribe", **service.subscription(name))
            await ben.do("push.unsubscribe", endpoint=service.subscription("two")["endpoint"])
            await anna.do(  # whoever else knows an address cannot end it
                "push.unsubscribe", endpoint=service.subscription("one")["endpoint"]
            )
            game_id = await begin(anna, ben)
        await anna.game(game_id, lambda state: state.connected == (True, False))
        await anna.do("game.turn", game_id=game_id, ply=0, turn="0-0")
        assert {(await service.next())["name"] for _ in range(2)} == {"one", "three"}
        assert service.received.empty()


async def test_a_subscription_that_has_ended_is_forgotten(
    tmp_path: Path, service: PushService
) -> None:
    service.status = 410
    async with running_arena(arena(tmp_path)) as url, connected(url, name="Anna") as anna:
        async with connected(url, name="Ben") as ben:
            await ben.do("push.subscribe", **service.subscription("old"))
            first, second = await begin(anna, ben), await begin(anna, ben)
            key = key_of(ben)
        for game_id in (first, second):
            await anna.game(game_id, lambda state: state.connected == (True, False))
        await anna.do("game.turn", game_id=first, ply=0, turn="0-0")
        assert (await service.next())["name"] == "old"
        service.status = 201
        async with connected(url, guest_key=key) as ben:
            await ben.do("push.subscribe", **service.subscription("new"))
        await anna.game(second, lambda state: state.connected == (True, False))
        await anna.do("game.turn", game_id=second, ply=0, turn="0-0")
        assert (await service.next())["name"] == "new"


async def test_a_subscription_outlives_the_server(tmp_path: Path, service: PushService) -> None:
    async with running_arena(arena(tmp_path)) as url, connected(url, name="Ben") as ben:
        [welcome] = ben.all_of(wire.Welcome)
        await ben.do("push.subscribe", **service.subscription())
        key = key_of(ben)
    async with running_arena(arena(tmp_path)) as url, connected(url, name="Anna") as anna:
        async with connected(url, guest_key=key) as ben:
            assert ben.all_of(wire.Welcome)[0].push_key == welcome.push_key
            game_id = await begin(anna, ben)
        await anna.game(game_id, lambda state: state.connected == (True, False))
        await anna.do("game.turn", game_id=game_id, ply=0, turn="0-0")
        assert (await service.next())["game_id"] == game_id


@pytest.mark.parametrize(
    "endpoint",
    [
        "http://push.example.org/x",
        "https://127.0.0.1/x",
        "https://[::1]/x",
        "https://169.254.169.254/latest",
        "https://localhost/x",
        "https://push.example.org:8080/x",
        "https://push.example.org:port/x",
    ],
)
async def test_only_public_addresses_are_push_services(
    tmp_path: Path, service: PushService, endpoint: str
) -> None:
    chosen = arena(tmp_path, private_services=False)
    async with running_arena(chosen) as url, connected(url, name="Ben") as ben:
        answer = await ben.ask("push.subscribe", **service.subscription() | {"endpoint": endpoint})
        assert (answer["ok"], answer["code"]) == (False, "invalid")


async def test_a_server_that_sends_no_notifications_says_so(
    tmp_path: Path, service: PushService
) -> None:
    chosen = settings(tmp_path, push=PushSettings(enabled=False))
    async with running_arena(chosen) as url, connected(url, name="Ben") as ben:
        assert ben.all_of(wire.Welcome)[0].push_key is None
        answer = await ben.ask("push.subscribe", **service.subscription())
        assert answer["code"] == "not_now"
