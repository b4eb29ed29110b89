"""Brier scores of a network's value, and of searches with and without it, on the same positions."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple

from bot.bench.forecasts import Difference, Forecast, Score, brier, gain
from bot.bench.mixed_games import Sample
from engine.training.assessment import Assessor

PLAYOUTS: Final = (1, 30, 300, 1_200)
TELL_EVERY: Final = 50
Progress = Callable[[str], None]


class Judge(NamedTuple):
    """A search that is asked."""

    name: str
    with_network: bool


WITH: Final = Judge("search with network", with_network=True)
WITHOUT: Final = Judge("search without", with_network=False)


@dataclass(frozen=True)
class Foresight:
    """Brier scores of one source after so many playouts (None: it needs none).

    `best` is that of the value that an engine states, of its best turn; None while there are
    positions without one. `mean` is that of the mean of all playouts, or of the network's value;
    `gain` how much lower that is than without the network, after as many playouts or, of the
    network alone, after the most.
    """

    source: str
    playouts: int | None
    mean: Score
    best: Score | None = None
    gain: Difference | None = None


class _Found(NamedTuple):
    """What one search foretold after some number of playouts."""

    mean: list[Forecast]
    best: list[Forecast]


def measure_foresight(
    asked: Assessor, samples: Sequence[Sample], seed: int, on_progress: Progress
) -> list[Foresight]:
    """The network alone, then the search with it and without it."""
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


def tell(on_progress: Progress, what: str, number: int, of: int) -> None:
    """Say now and then how far it is."""
    if number % TELL_EVERY == 0 or number == of:
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
    """One for each of `PLAYOUTS`."""
    found = [_Found([], []) for _ in PLAYOUTS]
    for number, sample in enumerate(samples, start=1):
        expected = asked.expectations(
            sample.position, PLAYOUTS, seed, with_network=judge.with_network
        )
        for (mean, best), each in zip(found, expected, strict=True):
            mean.append(Forecast(each.mean, sample.result, sample.game))
            if each.best is not None:
                best.append(Forecast(each.best, sample.result, sample.game))
        tell(on_progress, f"Brier scores, {judge.name}", number, len(samples))
    return found
