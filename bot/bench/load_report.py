"""The figures of a load test, from the reports of clients and the arena's resource usage."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from bot.bench.clients.frames import Json
from bot.bench.summary import Times, summary
from bot.bench.usage import Used, Window


@dataclass(frozen=True)
class SpectatorTimes:
    """The latency from sending a turn to its arrival at the median spectator, and at the last one.

    `missed` counts turns that did not arrive at a spectator. `coming_s` is the time in which late
    spectators connected and followed the game during play; None if they were there before.
    """

    median_ms: Times
    last_ms: Times
    missed: int
    coming_s: float | None


@dataclass(frozen=True)
class Measured:
    """The turns of a window. `used` is the arena's usage; None if the system does not provide it.

    `database_cpu_ms_a_turn` is about the database server, if the arena has one of its own.
    `ended` counts games by reason. `forfeits` counts those that did not end by the rules of the
    game. `refusals` and `given_up` (tables that stopped early) are by code. `unanswered` counts
    turns without any answer. `busy` is the share of a core that the busiest client process used: if
    it is near 1, the clients limit the measured times.
    """

    turns: int
    turns_a_second: float
    arrival_ms: Times
    acknowledged_ms: Times
    spectators: SpectatorTimes | None
    cpu_ms_a_turn: float | None
    used: Used | None
    ended: Mapping[str, int]
    forfeits: int
    refusals: Mapping[str, int]
    given_up: Mapping[str, int]
    unanswered: int
    busy: float
    database_cpu_ms_a_turn: float | None = None


def measured(
    window: Window,
    reports: Sequence[Json],
    audience: Json | None,
    spectators: int,
    used: Used | None,
    database_used: Used | None = None,
) -> Measured:
    """Combine the reports of the players' processes, and `audience` from the spectators'.

    Raises HostError if too little was measured.
    """
    sent = [turn for report in reports for turn in report["tally"]["turns"]]
    turns = [turn for turn in sent if turn["sent"] in window]
    done = sum(turn["acknowledged"] in window for turn in sent)
    ended = _added(reports, "ended")
    refusals = _added(reports, "refusals")
    refusals.update(audience["refusals"] if audience else {})
    return Measured(
        turns=done,
        turns_a_second=round(done / window.seconds, 1),
        arrival_ms=_times(turns, "arrived"),
        acknowledged_ms=_times(turns, "acknowledged"),
        spectators=_spectator_times(turns, audience, spectators) if audience else None,
        cpu_ms_a_turn=_cpu_ms_a_turn(used, done),
        used=used,
        ended=ended,
        forfeits=ended.total() - ended["played_out"],
        refusals=refusals,
        given_up=_added(reports, "given_up"),
        unanswered=sum(None in (turn["acknowledged"], turn["arrived"]) for turn in turns),
        busy=max(report["busy"] for report in reports),
        database_cpu_ms_a_turn=_cpu_ms_a_turn(database_used, done),
    )


def _cpu_ms_a_turn(used: Used | None, turns: int) -> float | None:
    return round(used.cpu_s * 1000 / turns, 3) if used and turns else None


def _added(reports: Sequence[Json], name: str) -> Counter[str]:
    total: Counter[str] = Counter()
    for report in reports:
        total.update(report["tally"][name])
    return total


def _times(turns: Sequence[Json], what: str) -> Times:
    return summary([(turn[what] - turn["sent"]) * 1000 for turn in turns if turn[what] is not None])


def _spectator_times(turns: Sequence[Json], audience: Json, spectators: int) -> SpectatorTimes:
    sent = {(turn["game_id"], turn["ply"]): turn["sent"] for turn in turns}
    seen = [
        (sighting, sent[sighting["game_id"], sighting["ply"]])
        for sighting in audience["sightings"]
        if (sighting["game_id"], sighting["ply"]) in sent
    ]
    return SpectatorTimes(
        median_ms=summary([(sighting["median"] - moment) * 1000 for sighting, moment in seen]),
        last_ms=summary([(sighting["last"] - moment) * 1000 for sighting, moment in seen]),
        coming_s=audience["coming_s"],
        missed=sum(spectators - sighting["spectators"] for sighting, _ in seen),
    )
