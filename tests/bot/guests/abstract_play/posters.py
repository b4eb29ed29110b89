"""Fakes of what the client stands on: who sends its bodies, and where pauses are kept."""

import asyncio
from collections import deque
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

from bot.errors import HostError, PeerError
from bot.guests.abstract_play.calls import HttpResponse


@dataclass(frozen=True)
class Posted:
    url: str
    body: bytes
    headers: Mapping[str, str]
    limit: int


class FakePoster:
    """Answers what a test has put into `answers`, in that order, as soon as `gate` is open."""

    def __init__(self, *answers: HttpResponse | PeerError) -> None:
        self.answers = deque(answers)
        self.posted: list[Posted] = []
        self.gate = asyncio.Event()
        self.gate.set()

    async def post(
        self, url: str, body: bytes, headers: Mapping[str, str], limit: int
    ) -> HttpResponse:
        self.posted.append(Posted(url, body, headers, limit))
        await self.gate.wait()
        answer = self.answers.popleft()
        if isinstance(answer, PeerError):
            raise answer
        return answer


class FakeWaits:
    """The `Waits` of a store; while `is_broken` its disk is."""

    def __init__(self) -> None:
        self.kept: dict[str, datetime] = {}
        self.is_broken = False
        self.reads = 0

    async def hold_back(self, what: str, until: datetime) -> None:
        self._fail_if_broken()
        self.kept[what] = until

    async def not_before(self, what: str) -> datetime | None:
        self.reads += 1
        self._fail_if_broken()
        return self.kept.get(what)

    def _fail_if_broken(self) -> None:
        if self.is_broken:
            raise HostError("the disk is full")
