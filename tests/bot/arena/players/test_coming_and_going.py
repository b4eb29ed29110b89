"""A connection is coming, here and gone, in this order, however soon it breaks."""

import asyncio
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from structlog.testing import capture_logs

from bot import wire
from bot.arena.games.game_service import Games
from bot.arena.players.accounts import Accounts, Login
from bot.arena.server import running_arena
from tests.bot.arena.table import settings, setup
from tests.fakes.arena_client import ArenaClient, connected
from tests.fakes.raw_socket import connections_become, raw_socket, sockets_become
from tests.fakes.time import FakeTime
from tests.fakes.waiting import eventually

AWAY_S = 10
ASK = '40{"v":1,"guest_key":"%s"}'


@dataclass
class Gate:
    """Holds up whoever passes while it is shut."""

    is_shut: bool = False
    held: int = 0
    opened: asyncio.Event = field(default_factory=asyncio.Event)

    async def __call__(self) -> None:
        if self.is_shut:
            self.held += 1
            await self.opened.wait()

    def open(self) -> None:
        self.is_shut = False
        self.opened.set()


@dataclass
class Offer:
    """Anna, who has left, and her challenge, which ends when she has been away for ten seconds."""

    url: str
    time: FakeTime
    guest_key: str
    challenge_id: str
    lines: list[Any]

    def life(self) -> list[str]:
        """What the log said of Anna's comings and goings since."""
        return [
            line["event"]
            for line in self.lines
            if line["event"] in {"connected", "disconnected"} and line["player"] == "Anna"
        ]

    async def is_open(self) -> bool:
        async with connected(self.url, name="Ben") as ben:
            answer = await ben.ask("challenge.accept", challenge_id=self.challenge_id)
        return bool(answer["ok"])


@pytest.fixture
async def offer(tmp_path: Path) -> AsyncIterator[Offer]:
    time = FakeTime()
    with capture_logs() as lines:
        async with running_arena(settings(tmp_path), time) as url:
            anna = ArenaClient()
            welcome = await anna.connect(url, {"v": 1, "name": "Anna"})
            done = await anna.do("challenge.create", setup=setup(), seats=["Anna", None])
            await anna.close()
            await eventually(lambda: any(line["event"] == "disconnected" for line in lines))
            lines.clear()
            challenge_id = done.challenge.challenge_id
            yield Offer(url, time, str(welcome.guest_key), challenge_id, lines)


@pytest.fixture
def look_up(monkeypatch: pytest.MonkeyPatch) -> Gate:
    """Where credentials are looked up."""
    gate, log_in = Gate(), Accounts.log_in

    async def held_up(accounts: Accounts, credentials: wire.Credentials, address: str) -> Login:
        login = await log_in(accounts, credentials, address)
        await gate()
        return login

    monkeypatch.setattr(Accounts, "log_in", held_up)
    return gate


@pytest.fixture
def news(monkeypatch: pytest.MonkeyPatch) -> Gate:
    """Where a player's games hear that their player has come or left."""
    gate, tell = Gate(), Games.player_came_or_left

    async def held_up(games: Games, name: str) -> None:
        await gate()
        await tell(games, name)

    monkeypatch.setattr(Games, "player_came_or_left", held_up)
    return gate


async def test_breaking_while_credentials_are_looked_up_changes_nothing(
    offer: Offer, look_up: Gate
) -> None:
    look_up.is_shut = True
    async with raw_socket(offer.url) as socket:
        await socket.send(ASK % offer.guest_key)
        await eventually(lambda: look_up.held == 1)
        socket.cut()
        await connections_become(offer.url, 0)
    look_up.open()
    await offer.time.advance(AWAY_S + 1)
    assert offer.life() == []
    assert not await offer.is_open()


async def test_breaking_while_others_hear_of_it_is_leaving(offer: Offer, news: Gate) -> None:
    news.is_shut = True
    async with raw_socket(offer.url) as socket:
        await socket.send(ASK % offer.guest_key)
        await eventually(lambda: news.held == 1)
        socket.cut()
        await eventually(lambda: "disconnected" in offer.life())
    news.open()
    await offer.time.advance(AWAY_S + 1)
    assert offer.life() == ["connected", "disconnected"]
    assert not await offer.is_open()


async def test_a_player_who_connects_again_in_time_is_present(offer: Offer, news: Gate) -> None:
    news.is_shut = True
    async with raw_socket(offer.url) as one, raw_socket(offer.url) as two:
        for socket in (one, two):
            await socket.send(ASK % offer.guest_key)
        await eventually(lambda: offer.life() == ["connected"] * 2)
        one.cut()
        await eventually(lambda: "disconnected" in offer.life())
        news.open()
        await two.receive('42["welcome"')
        async with two.kept_open():
            await offer.time.advance(AWAY_S + 1)
        assert offer.life() == ["connected", "connected", "disconnected"]
        assert await offer.is_open()


async def test_a_player_whose_two_connections_end_is_absent(offer: Offer, news: Gate) -> None:
    news.is_shut = True
    async with raw_socket(offer.url) as one, raw_socket(offer.url) as two:
        for socket in (one, two):
            await socket.send(ASK % offer.guest_key)
        await eventually(lambda: offer.life() == ["connected"] * 2)
        one.cut()
        two.cut()
        await eventually(lambda: offer.life().count("disconnected") == 2)
    news.open()
    await offer.time.advance(AWAY_S + 1)
    assert not await offer.is_open()


async def test_a_socket_that_broke_leaves_its_place(tmp_path: Path, look_up: Gate) -> None:
    one_each = settings(tmp_path, connections={"connections_per_player": 1})
    async with running_arena(one_each) as url:
        async with connected(url) as guest:
            key = guest.all_of(wire.Welcome)[0].guest_key
        await sockets_become(url, 0)
        look_up.is_shut = True
        async with raw_socket(url) as socket:
            await socket.send(ASK % key)
            await eventually(lambda: look_up.held == 1)
            socket.cut()
            await connections_become(url, 0)
        look_up.open()
        async with connected(url, guest_key=key):
            pass
