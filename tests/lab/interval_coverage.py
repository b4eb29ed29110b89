"""How often intervals of ratings contain the true value, in simulations in which it is known."""

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, replace
from random import Random
from typing import Annotated, Final, Literal

from cyclopts import Parameter, validators

from bot.cli.measurements import Count, Report, Seed, Table, measurement, progress
from bot.tournaments.outcomes import Outcome
from bot.tournaments.ratings import RatingTable
from bot.tournaments.ratings import ratings as ratings_of
from tests.lab.synthetic import PLAY, Event, FormatName, OpeningShare, World, name, true_ratings

USUAL_ROUNDS: Final[dict[FormatName, int]] = {"round-robin": 1, "swiss": 9}
EVERY: Final = 50
"""Simulations between two lines of progress."""


@dataclass(frozen=True)
class Coverage:
    """Results as fractions of 1.

    `held` of `intervals` contain a player's true difference to the mean of all; `held_by_games`
    would if all games were taken as independent. `differences_held` are those of two players, and
    `advantages_held` those of the first-player advantage, one per simulation. Widths are means, in
    Elo. Of players with a computed likelihood of 90 to 99 % of being stronger, `superior` are
    stronger; `said_superior` is the mean of these likelihoods.
    """

    format: str
    players: int
    rounds: int
    simulations: int
    games: int
    intervals: int
    held: float
    held_by_games: float
    differences_held: float
    advantages_held: float
    width: float
    width_by_games: float
    said_superior: float
    superior: float


@dataclass
class _Tally:
    hits: int = 0
    all: int = 0
    width: float = 0.0

    def add(self, low: float, high: float, truth: float) -> None:
        self.hits += low <= truth <= high
        self.all += 1
        self.width += high - low

    @property
    def share(self) -> float:
        return self.hits / self.all


@dataclass
class _Said:
    said: float = 0.0
    true: int = 0
    all: int = 0

    def add(self, likely: float, is_true: bool) -> None:
        if 0.9 <= likely <= 0.99:
            self.said += likely
            self.true += is_true
            self.all += 1


def measure(
    format_name: FormatName,
    players: int,
    rounds: int,
    simulations: int,
    seed: int,
    world: World,
    on_progress: Callable[[str], None],
) -> Coverage:
    """Simulate tournaments. Each simulation has other true ratings."""
    by_pairs, by_games, differences, advantages = _Tally(), _Tally(), _Tally(), _Tally()
    said = _Said()
    games = 0
    for number in range(simulations):
        random = Random(f"{seed} {number}")
        event = Event(world, true_ratings(world, players, random), random, [])
        PLAY[format_name](event, rounds)
        games = len(event.games)
        table = ratings_of(event.games)
        _compare(table, event.elo, by_pairs)
        _compare(ratings_of(_apart(event.games)), event.elo, by_games)
        if table.advantage is not None:
            advantages.add(table.advantage.low, table.advantage.high, world.advantage)
        _compare_two(table, event.elo, differences, said)
        if (number + 1) % EVERY == 0:
            on_progress(f"{format_name}: {number + 1} of {simulations}: {by_pairs.share:.1%} hold")
    return Coverage(
        format_name,
        players,
        rounds,
        simulations,
        games,
        by_pairs.all,
        by_pairs.share,
        by_games.share,
        differences.share,
        advantages.share,
        by_pairs.width / by_pairs.all,
        by_games.width / by_games.all,
        said.said / max(1, said.all),
        said.true / max(1, said.all),
    )


def _apart(games: Sequence[Outcome]) -> list[Outcome]:
    return [replace(game, pair=number) for number, game in enumerate(games)]


def _compare(table: RatingTable, elo: Sequence[float], tally: _Tally) -> None:
    truth = {name(number): each for number, each in enumerate(elo)}
    mean = sum(truth[row.name] for row in table.rows) / len(table.rows)
    for row in table.rows:
        tally.add(row.low, row.high, truth[row.name] - mean)


def _compare_two(table: RatingTable, elo: Sequence[float], tally: _Tally, said: _Said) -> None:
    """Compare two players, chosen by their numbers, which are independent of the results."""
    for number in range(0, len(elo) - 1, 2):
        one, other = name(number), name(number + 1)
        found = table.difference(one, other)
        ahead = elo[number] - elo[number + 1]
        tally.add(found.low, found.high, ahead)
        likely = table.superiority(one, other)
        said.add(likely, ahead > 0)
        said.add(1 - likely, ahead < 0)


@measurement
def ratings(
    *,
    players: Annotated[
        int, Parameter(help="players of a tournament", validator=validators.Number(gte=2, lte=200))
    ] = 20,
    simulations: Annotated[Count, Parameter(help="number of simulated tournaments")] = 500,
    event: Annotated[
        Literal["round-robin", "swiss"] | None,
        Parameter(name="--format", help="only this format; by default both"),
    ] = None,
    rounds: Annotated[
        Count | None,
        Parameter(help="number of rounds; by default 9 for a Swiss, 1 for a round-robin"),
    ] = None,
    spread: Annotated[
        float,
        Parameter(
            help="standard deviation of the true ratings, in Elo",
            validator=validators.Number(gte=0, lte=1000),
        ),
    ] = 150.0,
    opening: OpeningShare = 0.5,
    seed: Seed = 1,
) -> Report:
    """Simulate tournaments, and report how often 95 % intervals of ratings contain the true values.

    Games come in pairs with one opening, which favours a seat. The first player's advantage is 40
    Elo, and a sixth of the games between equal players is drawn. Further columns show intervals
    that take games one by one.
    """
    world = World(spread=spread, opening=opening)
    found = [
        measure(name, players, rounds or usual, simulations, seed, world, progress)
        for name, usual in USUAL_ROUNDS.items()
        if event in (None, name)
    ]
    rows = [
        (
            *(each.format, str(each.players), str(each.rounds), str(each.games)),
            *(str(each.simulations), f"{each.held:.1%}", f"{each.width:.0f}"),
            *(f"{each.held_by_games:.1%}", f"{each.width_by_games:.0f}"),
            *(f"{each.differences_held:.1%}", f"{each.advantages_held:.1%}"),
            f"{each.superior:.1%} ({each.said_superior:.1%} said)",
        )
        for each in found
    ]
    head = ("format", "players", "rounds", "games", "simulations", "held", "width")
    more = ("by games", "width", "differences", "advantage", "stronger")
    return Report([Table((*head, *more), rows)], [asdict(each) for each in found])
