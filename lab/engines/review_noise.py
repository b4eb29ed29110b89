"""The effect of noise on reviews: how much good turns seem to lose, and which bad ones are marked.

A turn is good if a much longer search of the same position would play it, and does not retract that
when it searches the position after it. Bad turns are random. Positions come from games that the
engine plays against itself, with some turns that are not its first choice.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from functools import cache
from typing import Annotated, Final

from cyclopts import Parameter, validators

import engine
from bot.cli.games import Board, chosen_game
from bot.cli.measurements import Count, FigureTable, MeasurementReport, measurement, progress
from bot.engines.spec import EngineSpec
from bot.errors import HostError
from bot.terminal.analysis import Analysis, Analyst, SearchEffort, analyst
from bot.terminal.review import Mark, ReviewedTurn, reviewed_turn, thresholds

SECONDS: Final = 3600.0
"""More than a search takes: searches are limited by playouts, so other programs do not matter."""
LEVEL: Final = 7
"""Sound play that varies."""
LEVEL_PLAYOUTS: Final = 1_000
EVERY: Final = 3
"""One position in this many is used: an odd number, so that each player moves in some."""
DOUBT: Final = 0.05
"""The loss from which the longer search is repeated, and above which it retracts its choice."""


@dataclass(frozen=True)
class ReviewNoise:
    """Losses of `turns` good turns in searches of `playouts` playouts, as fractions of 1.

    `agreed` of them were the choice of the short search too and lose nothing. `mistakes` and
    `blunders` are false alarms, `random_marked` the share of random turns that are marked.
    """

    game: str
    board: str
    playouts: int
    turns: int
    agreed: float
    loss_p90: float
    loss_p98: float
    loss_highest: float
    mistakes: float
    blunders: float
    random_marked: float


@dataclass(frozen=True)
class _Sample:
    good: ReviewedTurn
    random: ReviewedTurn


def measure(
    games: Sequence[engine.Game],
    turns: int,
    playouts: Sequence[int],
    longer: int,
    on_progress: Callable[[str], None],
) -> list[ReviewNoise]:
    """Judge `turns` positions of each game with each number of playouts.

    A turn is good if a search of `longer` times the most playouts chooses it. Positions in which
    that search retracts its choice are left out. Raises HostError if none are left.
    """
    found = []
    for game in games:
        samples: dict[int, list[_Sample]] = {each: [] for each in playouts}
        for number, position in enumerate(sample_positions(game, turns), start=1):
            for each, sample in _samples(position, playouts, longer, seed=number).items():
                samples[each].append(sample)
            on_progress(f"{game.name}: {number} of {turns}")
        found += [_noise(game, each, samples[each]) for each in playouts]
    return found


def sample_positions(game: engine.Game, count: int) -> Iterator[engine.Position]:
    """Yield positions from as many games as necessary, the same ones every time."""
    number = 0
    while True:
        with _engine(seed=number, Level=str(LEVEL)) as player:
            position = game.start()
            while not position.over:
                if (len(position.turns) + number) % EVERY == 0:
                    yield position
                    count -= 1
                    if not count:
                        return
                position = position.play(_search(player, position, LEVEL_PLAYOUTS).lines[0].turn)
        number += 1


def _samples(
    position: engine.Position, playouts: Sequence[int], longer: int, seed: int
) -> dict[int, _Sample]:
    """Return a sample for each number of playouts; none if the longer search retracts its
    choice.
    """
    # With another seed, it does not repeat the playouts that it judges.
    with _engine(seed + 1_000_000) as player:
        judge = _Reviewer(player, longer * max(playouts))
        good = judge.choice(position)
        found = {each: _sample(position, good, each, seed) for each in playouts}
        doubtful = {
            sample.good.choice for sample in found.values() if (sample.good.loss or 0.0) > DOUBT
        }
        reviews = [judge.review(position, good, choice) for choice in sorted(doubtful)]
    return {} if any((each.loss or 0.0) > DOUBT for each in reviews) else found


def _sample(position: engine.Position, good: str, playouts: int, seed: int) -> _Sample:
    with _engine(seed) as player, _engine(seed, builtin="random") as chance:
        reviewer = _Reviewer(player, playouts)
        choice = reviewer.choice(position)
        random_turn = _Reviewer(chance, 1).choice(position)
        return _Sample(
            reviewer.review(position, good, choice), reviewer.review(position, random_turn, choice)
        )


class _Reviewer:
    """Searches of a fixed number of playouts; each position is searched once."""

    def __init__(self, player: Analyst, playouts: int) -> None:
        self._analyse = cache(lambda position: _search(player, position, playouts))

    def choice(self, position: engine.Position) -> str:
        """Return the choice of a search of the position."""
        found: Analysis = self._analyse(position)
        return found.lines[0].turn

    def review(self, position: engine.Position, turn: str, choice: str) -> ReviewedTurn:
        """Return the review of a turn, compared with that choice."""
        after = position.play(turn)
        reply = None if after.over else self._analyse(after)
        return reviewed_turn(position, after, choice, reply, self._analyse)


def _engine(seed: int, builtin: str = "search", **options: str) -> Analyst:
    spec = EngineSpec(builtin=builtin, options={"Seed": str(seed), **options})
    return analyst(spec, engine.game("bluestone"))


def _search(player: Analyst, position: engine.Position, playouts: int) -> Analysis:
    return player.analyse(position, SearchEffort(SECONDS, playouts), lambda *_: None)


def _noise(game: engine.Game, playouts: int, samples: Sequence[_Sample]) -> ReviewNoise:
    if not samples:
        raise HostError(f"{game.name}: no good turn in too few positions; use more --turns")
    limits = thresholds(playouts)
    losses = sorted(sample.good.loss or 0.0 for sample in samples)
    marks = [limits.mark(loss) for loss in losses]
    noticed = [limits.mark(sample.random.loss) is not Mark.NONE for sample in samples]
    return ReviewNoise(
        game=game.name,
        board=game.board.name,
        playouts=playouts,
        turns=len(samples),
        agreed=_share([sample.good.agrees for sample in samples]),
        loss_p90=_quantile(losses, 0.90),
        loss_p98=_quantile(losses, 0.98),
        loss_highest=losses[-1],
        mistakes=_share([mark is not Mark.NONE for mark in marks]),
        blunders=_share([mark is Mark.BLUNDER for mark in marks]),
        random_marked=_share(noticed),
    )


def _share(found: Sequence[bool]) -> float:
    return sum(found) / len(found)


def _quantile(ordered: Sequence[float], share: float) -> float:
    return ordered[min(len(ordered) - 1, int(share * len(ordered)))]


@measurement
def review(
    *,
    game: Annotated[str | None, Parameter(help="only this game; by default all games")] = None,
    board: Board = None,
    turns: Annotated[Count, Parameter(help="positions per game")] = 100,
    nodes: Annotated[
        tuple[int, ...],
        Parameter(
            negative="", help="playouts per search", validator=validators.Number(gte=100, lte=10**7)
        ),
    ] = (1_000, 4_000, 16_000),
    longer: Annotated[
        Count, Parameter(help="factor from the most playouts to those of the search that judges")
    ] = 8,
) -> MeasurementReport:
    """Measure how much good turns seem to lose in `bluestone analyze GAME` because of noise, and
    which turns are marked.
    """
    names = [known.name for known in engine.games()] if game is None else [game]
    played = [chosen_game(name, board, None) for name in names]
    found = measure(played, turns, nodes, longer, progress)
    rows = [
        (
            *(each.game, each.board, f"{each.playouts:,}", str(each.turns), f"{each.agreed:.0%}"),
            *(f"{loss:.1%}" for loss in (each.loss_p90, each.loss_p98, each.loss_highest)),
            *(f"{marked:.0%}" for marked in (each.mistakes, each.blunders, each.random_marked)),
        )
        for each in found
    ]
    head = ("game", "board", "playouts", "turns", "agree", "90 %", "98 %", "highest")
    table = FigureTable((*head, "? or ??", "??", "random ? or ??"), rows)
    return MeasurementReport([table], [asdict(each) for each in found])
