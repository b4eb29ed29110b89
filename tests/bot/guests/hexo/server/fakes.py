"""A server of the htttx bot API with an engine that plays what it is told, or waits."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

import aiohttp

from bot.engines.questions import EngineAnswer, Question
from bot.guests.hexo.server.asking import AskedEngine
from bot.guests.hexo.server.server import HtttxServer, serving
from bot.guests.hexo.server.settings import HtttxSettings
from bot.records.model import EngineSettings
from bot.runtime.metrics import new_registry
from bot.time_source import SystemTime

NAME = EngineSettings(name="fake")


@dataclass
class FakePool:
    """Plays the turns of `turns` by ply, else the first legal one, once `may_answer` is set."""

    turns: dict[int, str] = field(default_factory=dict)
    may_answer: asyncio.Event = field(default_factory=asyncio.Event)
    asked: list[Question] = field(default_factory=list)
    forgotten: list[str] = field(default_factory=list)
    cancelled: int = 0

    def __post_init__(self) -> None:
        self.may_answer.set()

    async def ask(self, question: Question) -> EngineAnswer:
        self.asked.append(question)
        try:
            await self.may_answer.wait()
        except asyncio.CancelledError:
            self.cancelled += 1
            raise
        ply = len(question.position.turns)
        turn = self.turns.get(ply) or next(question.position.legal_turns())
        return EngineAnswer(turn, "engine", NAME, 1, value=0.75)

    def forget(self, game_id: str) -> None:
        self.forgotten.append(game_id)


@dataclass
class Site:
    """A client of the server at `url`."""

    url: str
    http: aiohttp.ClientSession
    pool: FakePool
    server: HtttxServer

    async def turn(self, body: object, **headers: str) -> tuple[int, dict[str, object]]:
        address = f"{self.url}stateless/v1-alpha/turn"
        async with self.http.post(address, json=body, headers=headers) as response:
            return response.status, await response.json()

    def game(self, **headers: str) -> Any:
        return self.http.ws_connect(f"{self.url}bws/v1-alpha/game", headers=headers)

    def count(self, api: str, outcome: str) -> float:
        name = "bluestone_htttx_requests_total"
        labels = {"api": api, "outcome": outcome}
        return self.server._registry.get_sample_value(name, labels) or 0.0

    def answers_timed(self) -> float:
        name = "bluestone_htttx_answer_seconds_count"
        return self.server._registry.get_sample_value(name) or 0.0


@asynccontextmanager
async def site(pool: FakePool | None = None, **settings: object) -> AsyncIterator[Site]:
    """A running server on a free port of this machine, and a client."""
    found = HtttxSettings(port=0, **settings)  # type: ignore[arg-type]
    pool, time = pool or FakePool(), SystemTime()
    server = HtttxServer(found, AskedEngine(pool, found, time), time, new_registry())
    async with serving(server, found) as url, aiohttp.ClientSession() as http:
        yield Site(url, http, pool, server)
