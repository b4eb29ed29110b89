"""Figures other than standings and ratings: ends, times, lengths, and the first player."""

from collections import Counter, defaultdict
from collections.abc import Iterable
from dataclasses import dataclass

from bot.matches.report.chronicle import Chronicle
from bot.records.model import GameRecord
from bot.time_controls import Absolute, ByoYomi, Fischer, PerTurn, TimeControl
from bot.tournaments.elo import elo_of_score
from bot.tournaments.model import FAULTS, Reason
from bot.tournaments.pentanomial import pentanomial_of, score_interval
from bot.tournaments.state import PlayedGame


@dataclass(frozen=True)
class FirstPlayer:
    """The score of the first seat. `low` and `high` bound its true share with 95 % confidence."""

    games: int
    share: float
    low: float
    high: float

    @property
    def elo(self) -> tuple[float, float, float]:
        """The advantage in Elo, and its lower and upper bound."""
        return elo_of_score(self.share), elo_of_score(self.low), elo_of_score(self.high)


@dataclass(frozen=True)
class TimeUsed:
    """The time of a player's turns. `share` is the share of the clocks that it used, or None."""

    turns: int
    mean_ms: float
    longest_ms: int
    share: float | None


def first_player(games: Iterable[PlayedGame]) -> FirstPlayer:
    """The score of the first seat in these games. The interval counts pairs of games as units."""
    pairs: defaultdict[object, list[float]] = defaultdict(list)
    for game in games:
        scheduled = game.scheduled
        pairs[scheduled.pair, frozenset(scheduled.seats)].append(game.result.points(1))
    counts = pentanomial_of(pairs.values())
    low, high = score_interval(counts)
    return FirstPlayer(counts.games, 0.5 if counts.score is None else counts.score, low, high)


def first_player_by_setup(story: Chronicle) -> dict[int, FirstPlayer]:
    """The first player's score by setup, in games whose result the host did not replace."""
    games = defaultdict(list)
    for game in story.played():
        if game.replaced is None:
            games[game.scheduled.setup].append(game)
    return {place: first_player(found) for place, found in sorted(games.items())}


def ends_by_player(story: Chronicle) -> dict[str, Counter[tuple[Reason, str]]]:
    """For each player, the number of games by reason and outcome (`won`, `drawn`, `lost`)."""
    ends: dict[str, Counter[tuple[Reason, str]]] = {
        each.name: Counter() for each in story.tournament.entrants
    }
    for game in story.played():
        for name, points in game.points.items():
            outcome = {1.0: "won", 0.5: "drawn", 0.0: "lost"}[points]
            ends[name][game.result.reason, outcome] += 1
    return ends


def lengths(story: Chronicle) -> dict[int, list[int]]:
    """The numbers of turns of the games that were played out, by setup."""
    found = defaultdict(list)
    for game in story.played():
        if game.result.reason == "played_out":
            found[game.scheduled.setup].append(game.plies)
    return dict(sorted(found.items()))


def times_used(story: Chronicle) -> dict[str, TimeUsed]:
    """The time used by player, in games with a record. Players without timed turns are left out."""
    spent: dict[str, list[int]] = defaultdict(list)
    budgets: dict[str, list[float | None]] = defaultdict(list)
    for game in story.played():
        record = story.record(game.scheduled.number)
        if record is None:
            continue
        for seat, name in enumerate(game.scheduled.seats, start=1):
            times = times_of(record, seat)
            spent[name] += times
            if times:
                budgets[name].append(budget_ms(record.clock, len(times)))
    order = [each.name for each in story.tournament.entrants]
    return {name: _time_used(spent[name], budgets[name]) for name in order if spent[name]}


def times_of(record: GameRecord, seat: int) -> list[int]:
    """The times in ms of a seat's timed turns; seat 1 has the first turn."""
    return [turn.time_ms for turn in record.turns[seat - 1 :: 2] if turn.time_ms is not None]


def _time_used(times: list[int], budgets: list[float | None]) -> TimeUsed:
    known = [budget for budget in budgets if budget is not None]
    share = sum(times) / sum(known) if known and len(known) == len(budgets) else None
    return TimeUsed(len(times), sum(times) / len(times), max(times), share)


def budget_ms(control: TimeControl, turns: int) -> float | None:
    """The most time in ms that this number of turns can use; None without a clock."""
    match control:
        case PerTurn(turn_s=turn):
            return 1000 * turn * turns
        case Fischer(initial_s=initial, increment_s=increment):
            return 1000 * (initial + increment * max(0, turns - 1))
        case Absolute(initial_s=initial):
            return 1000 * initial
        case ByoYomi(main_s=main, period_s=period):
            return 1000 * (main + period * turns)
        case _:
            return None


def tallies(story: Chronicle) -> dict[str, tuple[int, int, int]]:
    """The numbers of games that each player won, drew and lost."""
    found = {}
    for name, ends in ends_by_player(story).items():
        counts: Counter[str] = Counter()
        for (_reason, outcome), number in ends.items():
            counts[outcome] += number
        found[name] = (counts["won"], counts["drawn"], counts["lost"])
    return found


def faults_of(story: Chronicle) -> dict[str, int]:
    """The number of games that each player lost by a fault."""
    return {
        name: sum(ends[reason, "lost"] for reason in FAULTS)
        for name, ends in ends_by_player(story).items()
    }
