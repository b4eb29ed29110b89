"""The verdict on a tournament whose arena was killed: lost, duplicated and changed data."""

from collections.abc import Mapping
from dataclasses import dataclass

from bot.cli.measurements import MeasurementReport, bounds_table, verdict_report
from bot.records.model import GameRecord
from bot.tournaments.formats.base import ALL_PLAYED
from bot.tournaments.model import FAULTS
from lab.arena.exported_event import ExportedEvent
from lab.arena.turn_book import GameTold, Told


@dataclass(frozen=True)
class Expected:
    """The plan of the tournament."""

    players: int
    rounds: int
    kills: int
    away: int

    @property
    def games(self) -> int:
        return self.rounds * (self.players // 2)

    @property
    def byes(self) -> int:
        return self.rounds * (self.players % 2)


@dataclass(frozen=True)
class Course:
    """The course: `kills`, the longest time from a kill to the next welcome, and the whole time."""

    kills: int
    longest_down_s: float
    seconds: float


@dataclass(frozen=True)
class OnlineVerdict:
    """`expected` has what was planned; fields marked 0 must be 0."""

    expected: Expected
    finished: bool
    """Over because all rounds are played, without any action of a host."""
    ended_by: str
    once: int
    """Games that are finished and exported exactly once."""
    begun_twice: int
    """Numbers under which players saw more than one game. 0."""
    met_twice: int
    """Pairs that met twice. 0."""
    byes: int
    byes_twice: int
    """Players with more than one bye. 0."""
    same_standings: bool
    forfeits: Mapping[str, int]
    """Games that ended by a fault, by its name. Must be empty."""
    contradictions: int
    """Records that the rules contradict. 0."""
    turns: int
    """Acknowledged turns."""
    lost: int
    """Acknowledged turns that are not in the records. 0."""
    shown_and_lost: int
    """Turns that were shown to a player and are not in the records. 0."""
    unsent: int
    """Turns in the records that no player sent. 0."""
    refusals: Mapping[str, int]
    """Turns that were refused permanently, by code. None."""
    kills: int
    away: int
    longest_down_s: float
    seconds: float

    @property
    def fine(self) -> bool:
        plan = self.expected
        found = (self.once, self.byes, self.kills, self.away)
        wrong = (
            *(self.begun_twice, self.met_twice, self.byes_twice, self.contradictions),
            *(self.lost, self.shown_and_lost, self.unsent, *self.forfeits, *self.refusals),
        )
        is_as_planned = found == (plan.games, plan.byes, plan.kills, plan.away)
        return self.finished and self.same_standings and is_as_planned and not any(wrong)


def verdict(event: ExportedEvent, told: Told, expected: Expected, course: Course) -> OnlineVerdict:
    """Compare what the arena exports with what its players received."""
    records = {record.id: record for record in event.records}
    byes = event.byes()
    return OnlineVerdict(
        expected=expected,
        finished=_is_finished(event, expected),
        ended_by=event.state.why or event.state.state,
        once=event.once(),
        begun_twice=_begun_twice(told),
        met_twice=event.met_twice(),
        byes=byes.total(),
        byes_twice=sum(times > 1 for times in byes.values()),
        same_standings=event.has_same_standings(),
        forfeits={why: times for why, times in event.ends().items() if why in FAULTS},
        contradictions=event.contradictions(),
        turns=sum(len(game.acknowledged) for game in told.games),
        lost=sum(_lost(game, _turns(records, game)) for game in told.games),
        shown_and_lost=sum(_shown_and_lost(game, _turns(records, game)) for game in told.games),
        unsent=sum(_unsent(game, _turns(records, game)) for game in told.games),
        refusals=told.refusals,
        kills=course.kills,
        away=told.left,
        longest_down_s=course.longest_down_s,
        seconds=course.seconds,
    )


def _is_finished(event: ExportedEvent, expected: Expected) -> bool:
    state = event.state
    pairings = [pairing for each in state.rounds for pairing in each.pairings]
    return (
        (state.state, state.why, state.round) == ("over", ALL_PLAYED, expected.rounds)
        and not any(pairing.stopped for pairing in pairings)
        and not any(game.replaced for game in event.games())
        and not any(entrant.withdrawn for entrant in state.entrants)
    )


def _begun_twice(told: Told) -> int:
    return len(told.games) - len({game.game for game in told.games})


def _turns(records: Mapping[str, GameRecord], game: GameTold) -> list[str]:
    """Return the turns of a game; none if the game is missing."""
    record = records.get(game.game_id)
    return [] if record is None else [each.turn for each in record.turns]


def _lost(game: GameTold, turns: list[str]) -> int:
    return sum(turns[ply : ply + 1] != [game.sent[ply]] for ply in game.acknowledged)


def _shown_and_lost(game: GameTold, turns: list[str]) -> int:
    return sum(turns[ply : ply + 1] != [turn] for ply, turn in enumerate(game.shown))


def _unsent(game: GameTold, turns: list[str]) -> int:
    return sum(game.sent.get(ply) != turn for ply, turn in enumerate(turns))


def online_report(found: OnlineVerdict) -> MeasurementReport:
    """Return the findings, and what they must be."""
    plan = found.expected
    ended = "yes" if found.finished else f"no: {found.ended_by}"
    same = "yes" if found.same_standings else "no"
    rows: list[tuple[str, object, object]] = [
        ("finished without a host", ended, "yes"),
        ("games finished and exported once", found.once, plan.games),
        ("games started twice", found.begun_twice, 0),
        ("pairs that met twice", found.met_twice, 0),
        ("byes", found.byes, plan.byes),
        ("players with two byes", found.byes_twice, 0),
        ("standings equal to those of the records", same, "yes"),
        *_counted("forfeits", found.forfeits),
        ("records that do not replay", found.contradictions, 0),
        ("turns acknowledged", found.turns, "-"),
        ("acknowledged turns lost", found.lost, 0),
        ("turns shown and lost", found.shown_and_lost, 0),
        ("turns that no player sent", found.unsent, 0),
        *_counted("turns refused", found.refusals),
        ("kills of the arena", found.kills, plan.kills),
        ("players who left for a while", found.away, plan.away),
        ("seconds from a kill to play, longest", found.longest_down_s, "-"),
        ("seconds in total", found.seconds, "-"),
    ]
    return verdict_report(found, [bounds_table(rows)])


def _counted(what: str, by_reason: Mapping[str, int]) -> list[tuple[str, object, object]]:
    """Return a row for all of them, and one for each reason."""
    reasons = [(f"{what}, {why.replace('_', ' ')}", n, 0) for why, n in sorted(by_reason.items())]
    return [(what, sum(by_reason.values()), 0), *reasons]
