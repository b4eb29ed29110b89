"""What an engine states of positions after so many playouts, beside how the games ended."""

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Final

import engine
from bot.bench.forecasts import (
    Bin,
    Difference,
    Forecast,
    Score,
    bins,
    brier,
    calibration_error,
    gain,
)
from bot.bench.mixed_games import DIFFERENT, Contestant, Sample, built_in, sample_positions, search
from engine.training.weights import network_from

WITH: Final = "with network"
WITHOUT: Final = "without network"
TELL_EVERY: Final = 100
Progress = Callable[[str], None]


@dataclass(frozen=True)
class Calibration:
    """Of one engine: `expected_error` is the expected calibration error, `gain` how much lower its
    Brier score is than that of the engine without network.
    """

    engine: str
    game: str
    board: str
    playouts: int
    score: Score
    expected_error: float
    bins: Sequence[Bin]
    gain: Difference | None = None

    def as_json(self) -> dict[str, object]:
        """All of it, to be written as JSON."""
        return asdict(self)


def measure(
    game: engine.Game,
    positions: int,
    playouts: int,
    seed: int,
    on_progress: Progress,
    contestants: Sequence[Contestant] = DIFFERENT,
) -> list[Calibration]:
    """The engine with its network, where there is one for the board, and without it, on the same
    positions.
    """
    samples = list[Sample]()
    for sample in sample_positions(game, positions, contestants, seed):
        samples.append(sample)
        if len(samples) % TELL_EVERY == 0:
            on_progress(f"{len(samples)} of {positions} positions from {sample.game + 1} games")
    without = _stated(samples, playouts, WITHOUT, seed, on_progress)
    found = [calibration(WITHOUT, game, playouts, without)]
    if network_from(game, None) is not None:
        with_it = _stated(samples, playouts, WITH, seed, on_progress)
        better = calibration(WITH, game, playouts, with_it)
        found.insert(0, replace(better, gain=gain(with_it, without)))
    return found


def calibration(
    name: str, game: engine.Game, playouts: int, forecasts: Sequence[Forecast]
) -> Calibration:
    """The figures for one engine's forecasts."""
    found = bins(forecasts)
    return Calibration(
        engine=name,
        game=game.name,
        board=game.board.name,
        playouts=playouts,
        score=brier(forecasts),
        expected_error=calibration_error(found),
        bins=found,
    )


def _stated(
    samples: Sequence[Sample], playouts: int, name: str, seed: int, on_progress: Progress
) -> list[Forecast]:
    """Each search begins with an empty tree."""
    player = built_in({"Network": name == WITH, "Seed": seed})
    forecasts = []
    for number, sample in enumerate(samples, start=1):
        player.new_game()
        choice = search(player, sample.position, playouts)
        forecasts.append(Forecast(choice.value, sample.result, sample.game))
        if number % TELL_EVERY == 0:
            on_progress(f"{name}: {number} of {len(samples)}")
    return forecasts
