"""What a network costs and what it knows, beside the search without it."""

import statistics
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Final

import engine
from bot.bench.foresight import WITH, WITHOUT, Foresight, Progress, measure_foresight, tell
from bot.bench.mixed_games import ALIKE, Contestant, Sample, sample_positions
from bot.errors import ConfigurationError
from engine.training.assessment import Assessor, Ranks, assessor
from engine.training.timing import USUAL_EFFORT, Effort, Round, measure_round, warm_up
from engine.training.weights import UnfitWeights

AMAF_PLAYOUTS: Final = 100
TIMED: Final = 24
"""Positions on which times are measured."""
LONG_SEED: Final = 1_000_000
"""Added to the seed of a long search: it must not begin with the playouts that AMAF values see."""


@dataclass(frozen=True)
class NetworkPlan:
    """What is measured: Brier scores on `positions`, ranks on `ranked` of them after searches of
    `long` playouts, times in so many rounds.
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
    """The least and the median of all rounds."""

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
    """`microseconds` of a processor and their `ratios`, each of which is taken within a round."""

    game: str
    board: str
    weights: str
    microseconds: Mapping[str, Figure]
    ratios: Mapping[str, Figure]
    foresight: Sequence[Foresight]
    ranks: Sequence[StoneRanks]

    def as_json(self) -> dict[str, object]:
        """All of it, to be written as JSON."""
        return asdict(self)


def measure(plan: NetworkPlan, on_progress: Progress) -> NetworkReport:
    """All of it. Positions are from new games, which nothing has learnt from.

    Raises ConfigurationError if there is no network for the board, or the weights do not fit.
    """
    asked = _assessor(plan)
    samples = list[Sample]()
    for sample in sample_positions(plan.game, plan.positions, plan.contestants, plan.seed):
        samples.append(sample)
        tell(on_progress, "positions from games", len(samples), plan.positions)
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
        raise ConfigurationError(f"{where}: no network comes with the engine; give --weights")
    return asked


def _rounds(
    plan: NetworkPlan, asked: Assessor, samples: Sequence[Sample], on_progress: Progress
) -> list[Round]:
    """Machines are noisy: all that is compared is measured in each round."""
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
            tell(on_progress, f"ranks, {judge.name}", number, len(chosen))
        if ranks:
            found += [
                stone_ranks(judge.name, "policy", [each.policy for each in ranks], ranks),
                stone_ranks(judge.name, "AMAF", [each.amaf for each in ranks], ranks),
            ]
    return found


def stone_ranks(
    judge: str, guide: str, places: Sequence[float], ranks: Sequence[Ranks]
) -> StoneRanks:
    """The figures for those ranks; there is at least one."""
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
