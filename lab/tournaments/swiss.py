"""Simulated Swiss events with random results, and the rules that their pairings must obey.

Nothing here calls the pairing code: opponents, seats and byes are read from the tournament as a
host would have it.
"""

import math
import random
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from time import perf_counter, process_time
from typing import Annotated, Final

from cyclopts import Parameter, validators

from bot.cli.measurements import (
    MeasurementReport,
    bounds_table,
    measurement,
    progress,
    verdict_report,
)
from bot.errors import ConfigurationError
from bot.tournaments.events import Withdrew
from bot.tournaments.formats.base import Draw
from bot.tournaments.formats.swiss import Swiss
from bot.tournaments.state import Tournament
from lab.tournaments.swiss_events import began, entered, results, scheduled

LATE: Final = 0.05
"""The share of players who enter late, one in each round from the second on."""
LEAVE: Final = 0.01
"""The share of players who withdraw after each round."""
LARGE_EVERY: Final = 20
"""One event in this many has the maximum number of players, so that it can be timed."""
TOLD_EVERY: Final = 50
"""Events between two lines of progress."""
ROUNDS: Final = (3, 11)
FEWEST_A_ROUND: Final = 2
"""Players per round that is played at most; with fewer players no opponents are left."""
BOUND: Final = 2
"""The largest colour difference, and the longest run of one colour (FIDE C.04.3, A.6 and C.3)."""


@dataclass
class SwissVerdict:
    """Counts over all events. The first four must be 0."""

    met_twice: int = 0
    byes_twice: int = 0
    differences: int = 0
    """Seats by which a difference exceeds two, unless a topscorer in a last round excuses it."""
    runs: int = 0
    """Third consecutive seats of a kind, likewise."""
    excused: int = 0
    """Both of these that a topscorer in the last round excuses."""
    largest_difference: int = 0
    longest_run: int = 0
    """The largest values, without excused ones."""
    events: int = 0
    rounds: int = 0
    pairings: int = 0
    byes: int = 0
    unplayed: int = 0
    late: int = 0
    withdrawn: int = 0
    ended_early: Counter[str] = field(default_factory=Counter)
    largest: int = 0
    """Players in the largest rounds."""
    slowest_s: float = 0.0
    slowest_cpu_s: float = 0.0
    """The longest pairing of those rounds, by the clock and in seconds of a core."""

    @property
    def fine(self) -> bool:
        """Whether no rule was broken."""
        return not (self.met_twice or self.byes_twice or self.differences or self.runs)


def simulate(
    events: int,
    players: tuple[int, int],
    rounds: int | None,
    seed: int,
    on_progress: Callable[[str], None],
) -> SwissVerdict:
    """Play `events` events.

    Sizes are uniform on a logarithmic scale, rounds random unless given.
    """
    found = SwissVerdict()
    for number in range(events):
        rng = random.Random(f"{seed} {number}")
        large = number % LARGE_EVERY == 0
        size = players[1] if large else _size(rng, players)
        late = 0 if large else sum(rng.random() < LATE for _ in range(size - players[0]))
        how_many = rounds or _rounds(rng, size)
        _play(found, rng, size, late, Swiss(rounds=how_many))
        if (number + 1) % TOLD_EVERY == 0:
            on_progress(f"{number + 1} of {events}")
    return found


def _size(rng: random.Random, players: tuple[int, int]) -> int:
    lowest, highest = (math.log(each) for each in players)
    return round(math.exp(rng.uniform(lowest, highest)))


def _rounds(rng: random.Random, size: int) -> int:
    lowest, highest = ROUNDS
    return rng.randint(lowest, max(lowest, min(highest, size // FEWEST_A_ROUND)))


def _play(found: SwissVerdict, rng: random.Random, size: int, late: int, form: Swiss) -> None:
    tournament = Tournament(began(size - late, rng.getrandbits(32)))
    checker = Checker(found, form.rounds)
    while (draw := _timed(found, form, tournament)) is not None:
        tournament.apply(scheduled(tournament, draw))
        for event in results(tournament, draw, rng):
            tournament.apply(event)
        checker.check(tournament, draw)
        if late:
            tournament.apply(entered(size - late))
            late -= 1
            found.late += 1
        _withdraw(found, tournament, rng)
    found.events += 1
    if tournament.round < form.rounds:
        found.ended_early[str(form.why_over(tournament))] += 1


def _timed(found: SwissVerdict, form: Swiss, tournament: Tournament) -> Draw | None:
    began_at = perf_counter(), process_time()
    draw = form.due(tournament, ())
    seconds, cpu_seconds = perf_counter() - began_at[0], process_time() - began_at[1]
    size = len(tournament.players)
    if size > found.largest:
        found.largest, found.slowest_s, found.slowest_cpu_s = size, 0.0, 0.0
    if size == found.largest:
        found.slowest_s = max(found.slowest_s, seconds)
        found.slowest_cpu_s = max(found.slowest_cpu_s, cpu_seconds)
    return draw


def _withdraw(found: SwissVerdict, tournament: Tournament, rng: random.Random) -> None:
    for name in tournament.players:
        if rng.random() < LEAVE:
            tournament.apply(Withdrew(player=name, why="withdrawn at random"))
            found.withdrawn += 1


class Checker:
    """Checks the pairings of one event, and stores opponents, seats and byes of each player."""

    def __init__(self, found: SwissVerdict, rounds: int) -> None:
        self._found = found
        self._rounds = rounds
        self._met: set[frozenset[str]] = set()
        self._byes: set[str] = set()
        self._seats: dict[str, list[int]] = {}
        self._points: Counter[str] = Counter()
        """Points in halves."""

    def check(self, tournament: Tournament, draw: Draw) -> None:
        """Count the violations of a round, after its games are over."""
        self._found.rounds += 1
        self._check_byes(draw)
        before = Counter(self._points)
        for bye in draw.byes:
            self._points[bye.player] += round(2 * bye.points)
        for pairing in tournament.pairings_of_round(draw.round):
            self._found.pairings += 1
            for name, points in zip(pairing.players, tournament.match_points(pairing), strict=True):
                self._points[name] += round(2 * points)
            if not tournament.was_played(pairing):
                self._found.unplayed += 1
                continue
            self._found.met_twice += frozenset(pairing.players) in self._met
            self._met.add(frozenset(pairing.players))
            self._check_seats(pairing.players, draw.round, before)

    def _check_byes(self, draw: Draw) -> None:
        for bye in draw.byes:
            self._found.byes += 1
            self._found.byes_twice += bye.player in self._byes
            self._byes.add(bye.player)

    def _check_seats(self, pair: tuple[str, str], number: int, before: Counter[str]) -> None:
        is_excused = number == self._rounds and any(before[name] > number - 1 for name in pair)
        for name, seat in zip(pair, (1, -1), strict=True):
            seats = self._seats.setdefault(name, [])
            seats.append(seat)
            difference, run = abs(sum(seats)), next(_runs(seats[::-1]))
            broken = (difference > BOUND) + (run > BOUND)
            if is_excused:
                self._found.excused += broken
                continue
            self._found.differences += difference > BOUND
            self._found.runs += run > BOUND
            self._found.largest_difference = max(self._found.largest_difference, difference)
            self._found.longest_run = max(self._found.longest_run, run)


def _runs(seats: list[int]) -> Iterator[int]:
    """Yield the length of each run of one seat, in order."""
    length = 0
    for place, seat in enumerate(seats):
        if place and seat != seats[place - 1]:
            yield length
            length = 0
        length += 1
    yield length


Events = Annotated[
    int, Parameter(help="number of events", validator=validators.Number(gte=1, lte=1_000_000))
]
Rounds = Annotated[
    int | None,
    Parameter(
        help="rounds of each event; by default 3 to 11 at random",
        validator=validators.Number(gte=1, lte=100),
    ),
]
MOST_PLAYERS: Final = 2000


@measurement
def swiss(
    *,
    events: Events = 1000,
    players: Annotated[
        str, Parameter(help="number of players, random for each event, as LEAST..MOST")
    ] = ("5..200"),
    rounds: Rounds = None,
    seed: Annotated[int, Parameter(help="seed of the random numbers")] = 1,
) -> MeasurementReport:
    """Simulate Swiss events with draws, byes, no-shows, withdrawals and late entrants, and check
    the pairings.

    Without --rounds, events have 3 to 11 rounds. The exit code is 1 if a pairing broke a rule.
    """
    return swiss_report(simulate(events, player_range(players), rounds, seed, progress))


def swiss_report(found: SwissVerdict) -> MeasurementReport:
    """Return the counts. The first four must be 0."""
    about = (
        f"{found.events} events, {found.rounds} rounds, {found.pairings:,} pairings "
        f"({found.unplayed} not played), {found.byes} byes, {found.late} late entrants, "
        f"{found.withdrawn} withdrawals"
    )
    rows: list[tuple[str, object, object]] = [
        ("pairs that met twice", found.met_twice, 0),
        ("byes of players who had one", found.byes_twice, 0),
        ("colour differences beyond 2", found.differences, 0),
        ("third colours in a row", found.runs, 0),
        ("largest colour difference", found.largest_difference, 2),
        ("longest run of a colour", found.longest_run, 2),
        ("both, by topscorers in a last round", found.excused, "allowed"),
        (f"slowest pairing of {found.largest} players, s", f"{found.slowest_s:.2f}", "-"),
        ("the same in seconds of a core", f"{found.slowest_cpu_s:.2f}", "-"),
    ]
    early = [
        f"ended early: {count} because {why}" for why, count in sorted(found.ended_early.items())
    ]
    return verdict_report(found, [about, bounds_table(rows), *early])


def player_range(text: str) -> tuple[int, int]:
    """Parse the value of `--players`. Raises ConfigurationError if it is not LEAST..MOST."""
    least, _, most = text.partition("..")
    try:
        lowest, highest = int(least), int(most or least)
    except ValueError:
        lowest, highest = 0, 0
    if not 2 <= lowest <= highest <= MOST_PLAYERS:
        raise ConfigurationError(f"--players {text}: give LEAST..MOST, from 2 to {MOST_PLAYERS}")
    return lowest, highest
