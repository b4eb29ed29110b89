"""Callers of a webhook: bad calls from a separate process, and valid calls with their times."""

import asyncio
import itertools
import random
import time
from collections import Counter
from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Final

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from bot.runtime.tasks import a_few_at_once
from lab.webhooks.bad_calls import CLOSED, GROUPS, SILENT, BadCall, Forger
from lab.webhooks.calls import Caller, Signed, challenge, notice, wire

ANSWER_S: Final = 20.0
ACCEPTING: Final = frozenset({200, 202})
WITHOUT: Final = {CLOSED: "closed", SILENT: "silent"}
"""Names for calls without a status."""


@dataclass(frozen=True)
class Attack:
    """`calls` bad calls. `key` is the platform's, `answered` are valid calls that were made."""

    host: str
    port: int
    key: bytes
    answered: Sequence[Signed]
    calls: int
    at_once: int
    seed: int


@dataclass
class AnswerTally:
    """Answers by group and status. `wrong` are incorrect answers."""

    answers: Counter[tuple[str, int]] = field(default_factory=Counter)
    wrong: Counter[tuple[str, int]] = field(default_factory=Counter)

    def add(self, other: "AnswerTally") -> None:
        self.answers.update(other.answers)
        self.wrong.update(other.wrong)

    def by_group(self) -> dict[str, dict[str, int]]:
        """Return the answers, by status in each group."""
        groups: dict[str, dict[str, int]] = {group: {} for group in GROUPS}
        for (group, status), count in sorted(self.answers.items()):
            groups[group][WITHOUT.get(status, str(status))] = count
        return groups

    @property
    def accepted(self) -> int:
        return sum(count for (_, status), count in self.answers.items() if status in ACCEPTING)


def attack(plan: Attack) -> AnswerTally:
    """Make the calls, and return their answers."""
    rng = random.Random(plan.seed)
    platform = Caller(Ed25519PrivateKey.from_private_bytes(plan.key), time.time)
    stranger = Caller(Ed25519PrivateKey.generate(), time.time)
    forger = Forger(platform, stranger, plan.answered, rng)
    tally = AnswerTally()
    calls = (forger.draw() for _ in range(plan.calls))
    asyncio.run(_make(plan, calls, tally))
    return tally


async def _make(plan: Attack, calls: Iterable[BadCall], tally: AnswerTally) -> None:
    async def make(call: BadCall) -> None:
        status = await status_of(plan.host, plan.port, call.wire, ends=call.ends)
        tally.answers[call.group, status] += 1
        if status not in call.right:
            tally.wrong[call.group, status] += 1

    await a_few_at_once(calls, make, at_once=plan.at_once)


async def status_of(host: str, port: int, data: bytes, *, ends: bool = False) -> int:
    """Return the status of the answer to these bytes; CLOSED or SILENT if there is none."""
    try:
        async with asyncio.timeout(ANSWER_S):
            return await _status_of(host, port, data, ends)
    except TimeoutError:
        return SILENT
    except (OSError, ValueError):
        return CLOSED


async def _status_of(host: str, port: int, data: bytes, ends: bool) -> int:
    reader, writer = await asyncio.open_connection(host, port)
    try:
        writer.write(data)
        if ends:
            writer.write_eof()
        line = await reader.readline()
        return int(line.split()[1]) if line else CLOSED
    finally:
        writer.close()
        with suppress(OSError):
            await writer.wait_closed()


ROUNDS: Final = 20
"""Rounds of the games in notices."""


class HonestPlatform:
    """The platform. It uses each name of a game or player once."""

    def __init__(self, key: Ed25519PrivateKey, host: str, port: int) -> None:
        self.acknowledged: set[str] = set()
        self.failed = 0
        self._caller = Caller(key, time.time)
        self._place = host, port
        self._numbers = itertools.count(1)
        self._answered: list[Signed] = []
        self._times_ms: list[float] = []

    def latest(self, count: int) -> Sequence[Signed]:
        """Return the latest calls that the bot has acknowledged."""
        return self._answered[-count:]

    def times_ms(self, after: int = 0) -> Sequence[float]:
        """Return the times from before the connection to the status, of all calls except the first
        ones.
        """
        return self._times_ms[after:]

    async def go_on(self, pause_s: float) -> None:
        """Call until cancelled."""
        while True:
            await self.call()
            await asyncio.sleep(pause_s)

    async def call(self) -> None:
        """Send a notice and a challenge alternately."""
        number = next(self._numbers)
        name = f"good-{number}"
        body, right = (notice(name, ROUNDS), 202) if number % 2 else (challenge(name), 200)
        signed = self._caller.signed(body)
        began = time.perf_counter()
        status = await status_of(*self._place, wire(signed.headers, body))
        self._times_ms.append((time.perf_counter() - began) * 1000)
        if status == right:
            self.acknowledged.add(name)
            self._answered.append(signed)
        else:
            self.failed += 1
