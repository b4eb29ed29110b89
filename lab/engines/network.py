"""The cost and the accuracy of a network, compared with the search without it."""

import math
import statistics
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Final, NamedTuple

import engine
from bot.drawing.charts import BELOW, LEFT, RIGHT, TOP, Axis, PlotFrame, document, legend
from bot.drawing.svg import label
from bot.errors import ConfigurationError
from engine.training.assessment import Assessor, Ranks, assessor
from engine.training.timing import USUAL_EFFORT, Effort, Round, measure_round, warm_up
from engine.training.weights import UnfitWeights
from lab.engines.forecasts import Difference, Forecast, Score, brier, gain
from lab.engines.mixed_games import ALIKE, Contestant, Sample, sample_positions

PLAYOUTS: Final = (1, 30, 300, 1_200)
REPORT_EVERY: Final = 50
Progress = Callable[[str], None]


class Judge(NamedTuple):
    """A search whose forecasts are measured."""

    name: str
    with_network: bool


WITH: Final = Judge("search with network", with_network=True)
WITHOUT: Final = Judge("search without", with_network=False)


@dataclass(frozen=True)
class Foresight:
    """Brier scores of one source after a number of playouts; None if it needs none.

    `best` is the score of the value that an engine states, the value of its best turn; None if some
    positions have none. `mean` is that of the mean of all playouts, or of the network's value.
    `gain` is how much lower it is than without the network, after the same number of playouts, or
    after the largest number for the network alone.
    """

    source: str
    playouts: int | None
    mean: Score
    best: Score | None = None
    gain: Difference | None = None


class _Found(NamedTuple):
    """The forecast of one search after some number of playouts."""

    mean: list[Forecast]
    best: list[Forecast]


def measure_foresight(
    asked: Assessor, samples: Sequence[Sample], seed: int, on_progress: Progress
) -> list[Foresight]:
    """Measure the network alone, then the search with it and without it."""
    alone = [Forecast(asked.expected(each.position), each.result, each.game) for each in samples]
    with_it = _searches(asked, samples, WITH, seed, on_progress)
    without = _searches(asked, samples, WITHOUT, seed, on_progress)
    return [
        Foresight("network alone", None, brier(alone), gain=gain(alone, without[-1].mean)),
        *(
            _row(WITH, playouts, found, other)
            for playouts, found, other in zip(PLAYOUTS, with_it, without, strict=True)
        ),
        *(
            _row(WITHOUT, playouts, found, None)
            for playouts, found in zip(PLAYOUTS, without, strict=True)
        ),
    ]


def report_now_and_then(on_progress: Progress, what: str, number: int, of: int) -> None:
    """Report progress after every `REPORT_EVERY` items and at the end."""
    if number % REPORT_EVERY == 0 or number == of:
        on_progress(f"{what}: {number} of {of}")


def _row(judge: Judge, playouts: int, found: _Found, other: _Found | None) -> Foresight:
    return Foresight(
        source=judge.name,
        playouts=playouts,
        mean=brier(found.mean),
        best=brier(found.best) if len(found.best) == len(found.mean) else None,
        gain=None if other is None else gain(found.mean, other.mean),
    )


def _searches(
    asked: Assessor, samples: Sequence[Sample], judge: Judge, seed: int, on_progress: Progress
) -> list[_Found]:
    """Return the findings of the searches, for each number of `PLAYOUTS`."""
    found = [_Found([], []) for _ in PLAYOUTS]
    for number, sample in enumerate(samples, start=1):
        expected = asked.expectations(
            sample.position, PLAYOUTS, seed, with_network=judge.with_network
        )
        for (mean, best), each in zip(found, expected, strict=True):
            mean.append(Forecast(each.mean, sample.result, sample.game))
            if each.best is not None:
                best.append(Forecast(each.best, sample.result, sample.game))
        report_now_and_then(on_progress, f"Brier scores, {judge.name}", number, len(samples))
    return found


AMAF_PLAYOUTS: Final = 100
TIMED: Final = 24
"""Positions on which times are measured."""
LONG_SEED: Final = 1_000_000
"""Added to the seed of a long search, so that its first playouts differ from those of AMAF."""


@dataclass(frozen=True)
class NetworkPlan:
    """The plan: positions for Brier scores, `ranked` of them for ranks, and rounds for times.

    The ranks are of stones that searches of `long` playouts find. Times are measured in `rounds`
    rounds.
    """

    game: engine.Game
    weights: Path | None = None
    positions: int = 400
    ranked: int = 100
    long: int = 20_000
    rounds: int = 5
    seed: int = 1
    effort: Effort = USUAL_EFFORT
    contestants: Sequence[Contestant] = ALIKE


@dataclass(frozen=True)
class Figure:
    """The minimum and the median of all rounds."""

    least: float
    median: float


@dataclass(frozen=True)
class StoneRanks:
    """Ranks of the stones that long searches by `judge` place first, among `choices` on average."""

    judge: str
    guide: str
    positions: int
    choices: float
    median: float
    mean: float
    first: float
    first_five: float


@dataclass(frozen=True)
class NetworkReport:
    """All figures. `microseconds` are of one processor, and `ratios` are taken within a round."""

    game: str
    board: str
    weights: str
    microseconds: Mapping[str, Figure]
    ratios: Mapping[str, Figure]
    foresight: Sequence[Foresight]
    ranks: Sequence[StoneRanks]

    def as_json(self) -> dict[str, object]:
        """Return all figures as JSON."""
        return asdict(self)


def measure(plan: NetworkPlan, on_progress: Progress) -> NetworkReport:
    """Measure everything. Positions are from new games, from which no network has learnt.

    Raises ConfigurationError if there is no network for the board, or the weights do not fit.
    """
    asked = _assessor(plan)
    samples = list[Sample]()
    for sample in sample_positions(plan.game, plan.positions, plan.contestants, plan.seed):
        samples.append(sample)
        report_now_and_then(on_progress, "positions from games", len(samples), plan.positions)
    rounds = _rounds(plan, asked, samples, on_progress)
    return NetworkReport(
        game=plan.game.name,
        board=plan.game.board.name,
        weights="shipped" if plan.weights is None else plan.weights.name,
        microseconds={
            name: figure([getattr(each, name) for each in rounds]) for name in Round._fields
        },
        ratios={
            "evaluation to playout": figure([each.evaluation / each.playout for each in rounds]),
            "step with network to step without": figure(
                [each.step_with / each.step_without for each in rounds]
            ),
        },
        foresight=measure_foresight(asked, samples, plan.seed, on_progress),
        ranks=_ranks(plan, asked, samples, on_progress),
    )


def figure(values: Sequence[float]) -> Figure:
    return Figure(round(min(values), 3), round(statistics.median(values), 3))


def _assessor(plan: NetworkPlan) -> Assessor:
    try:
        asked = assessor(plan.game, plan.weights)
    except UnfitWeights as error:
        raise ConfigurationError(f"--weights {plan.weights}: {error}") from error
    if asked is None:
        where = f"{plan.game.name} on {plan.game.board.name}"
        raise ConfigurationError(f"{where}: the engine has no network for it; give --weights")
    return asked


def _rounds(
    plan: NetworkPlan, asked: Assessor, samples: Sequence[Sample], on_progress: Progress
) -> list[Round]:
    """Measure the times. All compared times are taken in each round, because machines are noisy."""
    step = max(1, len(samples) // TIMED)
    positions = [sample.position for sample in samples[::step]]
    warm_up(asked, positions[0])
    rounds = []
    for number in range(1, plan.rounds + 1):
        rounds.append(measure_round(asked, positions, plan.effort, seed=number))
        on_progress(f"times: round {number} of {plan.rounds}")
    return rounds


def _ranks(
    plan: NetworkPlan, asked: Assessor, samples: Sequence[Sample], on_progress: Progress
) -> list[StoneRanks]:
    chosen = samples[:: max(1, len(samples) // plan.ranked)][: plan.ranked]
    found = list[StoneRanks]()
    for judge in (WITH, WITHOUT):
        ranks = list[Ranks]()
        for number, sample in enumerate(chosen, start=1):
            position = sample.position
            stone = asked.choice(
                position, plan.long, plan.seed + LONG_SEED, with_network=judge.with_network
            )
            if stone >= 0:
                ranks.append(asked.ranks(position, stone, AMAF_PLAYOUTS, plan.seed))
            report_now_and_then(on_progress, f"ranks, {judge.name}", number, len(chosen))
        if ranks:
            found += [
                stone_ranks(judge.name, "policy", [each.policy for each in ranks], ranks),
                stone_ranks(judge.name, "AMAF", [each.amaf for each in ranks], ranks),
            ]
    return found


def stone_ranks(
    judge: str, guide: str, places: Sequence[float], ranks: Sequence[Ranks]
) -> StoneRanks:
    """Return the figures for those ranks. There must be at least one."""
    return StoneRanks(
        judge=judge,
        guide=guide,
        positions=len(places),
        choices=statistics.fmean(each.choices for each in ranks),
        median=statistics.median(places),
        mean=statistics.fmean(places),
        first=sum(place == 1 for place in places) / len(places),
        first_five=sum(place <= 5 for place in places) / len(places),
    )


WIDTH: Final = 520
HEIGHT: Final = 300
STEP: Final = 0.05
JUDGES: Final = (WITH, WITHOUT)


def foresight_chart(report: NetworkReport) -> str:
    """Draw an SVG chart of Brier scores; lower is better."""
    alone = next(each.mean.brier for each in report.foresight if each.playouts is None)
    series = [
        [
            (math.log10(each.playouts), each.mean.brier)
            for each in report.foresight
            if each.source == judge.name and each.playouts is not None
        ]
        for judge in JUDGES
    ]
    frame = _frame([*series[0], *series[1]], alone)
    parts = [*frame.grid()]
    parts.append(frame.polyline("guide", [(frame.across.low, alone), (frame.across.high, alone)]))
    left, y = frame.place(frame.across.low, alone)
    parts.append(label("left", (left + 8, y + 16), f"network alone {alone:.3f}"))
    for place, points in enumerate(series):
        parts.append(frame.polyline(f"series-{place}", points))
        parts += [frame.dot(f"dot-{place}", *point) for point in points]
    parts += legend([judge.name for judge in JUDGES], (LEFT + WIDTH - 150, TOP + 18))
    title = f"Brier score of expectations, {report.game}, {report.board}"
    return document(title, LEFT + WIDTH + RIGHT, TOP + HEIGHT + BELOW, parts)


def _frame(points: list[tuple[float, float]], alone: float) -> PlotFrame:
    """Return a frame whose scores are enclosed by round numbers; playouts are logarithmic."""
    scores = [alone, *(score for _, score in points)]
    low, high = math.floor(min(scores) / STEP), math.floor(max(scores) / STEP) + 1
    ticks = [(tick * STEP, f"{tick * STEP:.2f}") for tick in range(low, high + 1)]
    playouts = sorted({power for power, _ in points})
    across = [(power, f"{10**power:,.0f}") for power in playouts]
    return PlotFrame(
        Axis(playouts[0], playouts[-1], across, "playouts"),
        Axis(low * STEP, high * STEP, ticks, "Brier score"),
        WIDTH,
        HEIGHT,
    )
