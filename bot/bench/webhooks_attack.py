"""Bad calls to a webhook, some at once, from a process of their own."""

import asyncio
import random
import time
from collections import Counter
from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Final

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from bot.bench.bounded import a_few_at_once
from bot.bench.webhooks_bad import CLOSED, BadCall, Forger
from bot.bench.webhooks_calls import Caller, Signed

ANSWER_S: Final = 20.0
ACCEPTING: Final = frozenset({200, 202})


@dataclass(frozen=True)
class Attack:
    """So many bad calls; `key` is the platform's, `answered` valid calls that were made."""

    host: str
    port: int
    key: bytes
    answered: Sequence[Signed]
    calls: int
    at_once: int
    seed: int


@dataclass
class Tally:
    """Answers by group and status, 0 for none; `wrong` are those that are not as they should be."""

    answers: Counter[tuple[str, int]] = field(default_factory=Counter)
    wrong: Counter[tuple[str, int]] = field(default_factory=Counter)

    def add(self, other: "Tally") -> None:
        self.answers.update(other.answers)
        self.wrong.update(other.wrong)

    @property
    def accepted(self) -> int:
        return sum(count for (_, status), count in self.answers.items() if status in ACCEPTING)


def attack(plan: Attack) -> Tally:
    """Make the calls, and say how they were answered."""
    rng = random.Random(plan.seed)
    platform = Caller(Ed25519PrivateKey.from_private_bytes(plan.key), rng, time.time)
    stranger = Caller(Ed25519PrivateKey.generate(), rng, time.time)
    forger = Forger(platform, stranger, plan.answered, rng)
    tally = Tally()
    calls = (forger.draw() for _ in range(plan.calls))
    asyncio.run(_make(plan, calls, tally))
    return tally


async def _make(plan: Attack, calls: Iterable[BadCall], tally: Tally) -> None:
    async def make(call: BadCall) -> None:
        status = await status_of(plan.host, plan.port, call.wire, ends=call.ends)
        tally.answers[call.group, status] += 1
        if status not in call.right:
            tally.wrong[call.group, status] += 1

    await a_few_at_once(calls, make, at_once=plan.at_once)


async def status_of(host: str, port: int, data: bytes, *, ends: bool = False) -> int:
    """Of the answer to these bytes; 0 if there is none in time."""
    with suppress(OSError, ValueError, TimeoutError):
        async with asyncio.timeout(ANSWER_S):
            return await _status_of(host, port, data, ends)
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
