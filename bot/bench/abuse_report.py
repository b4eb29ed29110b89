"""What abuse did to honest players and to the arena, and which bounds it passed."""

import statistics
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from bot.bench.clients.frames import Json
from bot.bench.usage import Memory, Window
from bot.errors import HostError

LOGIN_BOUND_S: Final = 1.0
TURN_BOUND_MS: Final = 250.0
MEMORY_BOUND: Final = 1.1
LOST: Final = "connection_lost"


@dataclass(frozen=True)
class Seen:
    """What the arena used and how much it wrote; `machine` as in `Used`, during the abuse."""

    memory_mb: Memory | None
    log_lines: int
    machine: float | None


@dataclass(frozen=True)
class Outcome:
    """One abuse. `inside` counts its connections that stood at its end, `shut_out` is by why.

    `refused` counts what honest players were refused, by code; `lost` their turns and logins of
    which nothing came, and their tables that could not go on. `broken` names the bounds passed.
    """

    abuse: str
    tried: int
    inside: int
    shut_out: Mapping[str, int]
    logins: int
    login_median_s: float
    login_slowest_s: float
    turns: int
    turn_slowest_ms: float
    refused: Mapping[str, int]
    lost: int
    memory_mb: Memory | None
    log_lines: int
    machine: float | None
    keeps_mb: float = 0.0
    """Memory that it may keep."""

    @property
    def broken(self) -> list[str]:
        return list(_broken(self))


def outcome(
    abuse: str, window: Window, attack: Json, played: Json, seen: Seen, keeps_mb: float = 0.0
) -> Outcome:
    """Put together from what the abusers, the honest players and the arena's watcher tell.

    Raises HostError if honest players did nothing in the window.
    """
    logins = [login["seconds"] for login in played["logins"]]
    turns = [turn for turn in played["tally"]["turns"] if turn["sent"] in window]
    if not logins or not turns:
        raise HostError("no honest player logged in or played in that time; it is too short")
    refused = Counter(played["tally"]["refusals"])
    refused.update(login["code"] for login in played["logins"] if login["code"] is not None)
    gone = refused.pop(LOST, 0)
    return Outcome(
        abuse=abuse,
        tried=attack["tried"],
        inside=attack["inside"],
        shut_out=attack["shut_out"],
        logins=len(logins),
        login_median_s=round(statistics.median(logins), 3),
        login_slowest_s=round(max(logins), 3),
        turns=len(turns),
        turn_slowest_ms=round(max(_delays_ms(turns), default=0.0), 1),
        refused=refused,
        lost=gone + _unanswered(turns) + sum(played["tally"]["given_up"].values()),
        memory_mb=seen.memory_mb,
        log_lines=seen.log_lines,
        machine=seen.machine,
        keeps_mb=keeps_mb,
    )


def _delays_ms(turns: Sequence[Json]) -> Iterator[float]:
    """From sent to acknowledged and to arrived, where they were."""
    for turn in turns:
        for moment in (turn["acknowledged"], turn["arrived"]):
            if moment is not None:
                yield (moment - turn["sent"]) * 1000


def _unanswered(turns: Sequence[Json]) -> int:
    return sum(None in (turn["acknowledged"], turn["arrived"]) for turn in turns)


def _broken(found: Outcome) -> Iterator[str]:
    if found.refused:
        yield "honest players were refused"
    if found.lost:
        yield "honest turns or logins were lost"
    if found.login_slowest_s >= LOGIN_BOUND_S:
        yield f"a login took {LOGIN_BOUND_S:g} s or longer"
    if found.turn_slowest_ms > TURN_BOUND_MS:
        yield f"a turn took more than {TURN_BOUND_MS:g} ms"
    memory = found.memory_mb
    if memory is not None and memory.after > memory.before * MEMORY_BOUND + found.keeps_mb:
        yield f"memory stayed above {MEMORY_BOUND:.0%} of what it was"
