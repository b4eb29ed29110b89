"""Random playouts per second, alone or compared with another program in the same run."""

import math
import re
import shutil
import statistics
import subprocess
import tempfile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final
from xml.etree.ElementTree import Element

import engine
from bot.drawing.charts import COLOURS, document
from bot.drawing.svg import element, label, lines
from bot.errors import ConfigurationError, HostError

COMPILER = ("g++", "-O3", "-march=native")
SOURCES = {".cpp", ".cc", ".cxx"}


@dataclass(frozen=True)
class PlayoutSpeed:
    """Medians over the rounds, in playouts per second on one thread.

    `ratio` is ours divided by the yardstick's.
    """

    game: str
    board: str
    rules: str
    playouts: float
    yardstick: float | None = None
    ratio: float | None = None


def measure(
    games: Sequence[engine.Game],
    seconds: float,
    rounds: int,
    yardstick: Path | None,
    on_round: Callable[[str], None],
) -> list[PlayoutSpeed]:
    """Measure each game. The two programs alternate round by round, because machines are noisy.

    The yardstick, a program or its C++ source, is run as `PROGRAM SIZE GAMES` and prints
    `playouts/s N`. Raises ConfigurationError or HostError if it cannot be run.
    """
    with tempfile.TemporaryDirectory() as folder:
        program = None if yardstick is None else _program(yardstick, Path(folder))
        return [_measure_one(game, seconds, rounds, program, on_round) for game in games]


def _measure_one(
    game: engine.Game,
    seconds: float,
    rounds: int,
    program: Path | None,
    on_round: Callable[[str], None],
) -> PlayoutSpeed:
    ours, theirs = [], []
    for number in range(1, rounds + 1):
        ours.append(engine.benchmark(game, seconds=seconds, seed=number))
        if program is not None:
            theirs.append(_run(program, game.board.size, round(ours[-1] * seconds)))
        on_round(f"{game.name} on {game.board.name}, round {number} of {rounds}")
    speed = PlayoutSpeed(game.name, game.board.name, game.rule_set, round(statistics.median(ours)))
    if not theirs:
        return speed
    ratio = statistics.median(a / b for a, b in zip(ours, theirs, strict=True))
    return replace(speed, yardstick=round(statistics.median(theirs)), ratio=round(ratio, 3))


def _program(path: Path, folder: Path) -> Path:
    if not path.exists():
        raise ConfigurationError(f"--yardstick {path}: there is no such file")
    if path.suffix not in SOURCES:
        return path.resolve()
    if shutil.which(COMPILER[0]) is None:
        raise HostError(f"{COMPILER[0]}, which compiles {path.name}, is not installed")
    binary = folder / "yardstick"
    command = [*COMPILER, "-o", str(binary), str(path)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)  # noqa: S603
    if done.returncode != 0:
        raise ConfigurationError(f"--yardstick {path}: it does not compile: {done.stderr[-300:]}")
    return binary


def _run(program: Path, size: int, games: int) -> float:
    command = [str(program), str(size), str(games)]
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=True)  # noqa: S603
    except (OSError, subprocess.CalledProcessError) as error:
        raise ConfigurationError(f"--yardstick {program}: it does not run: {error}") from error
    found = re.search(r"playouts/s\s+([\d.]+)", done.stdout)
    if found is None:
        raise ConfigurationError(f"--yardstick {program}: it prints no `playouts/s N`")
    return float(found[1])


ROW: Final = 22
LABELS: Final = 170
BARS: Final = 420
FIGURES: Final = 80
TOP: Final = 34


def speed_chart(speeds: Sequence[PlayoutSpeed]) -> str:
    """Draw an SVG chart with a bar for each board, on a logarithmic scale.

    Raises ValueError if there are no speeds.
    """
    lowest = math.floor(math.log10(min(speed.playouts for speed in speeds)))
    highest = math.ceil(math.log10(max(speed.playouts for speed in speeds)))
    highest = max(highest, lowest + 1)
    width, height = LABELS + BARS + FIGURES, TOP + ROW * len(speeds) + 12
    games = list(dict.fromkeys(speed.game for speed in speeds))

    def reach(playouts: float) -> float:
        return BARS * (math.log10(playouts) - lowest) / (highest - lowest)

    parts = list[Element]()
    for power in range(lowest, highest + 1):
        x = LABELS + reach(10**power)
        parts.append(lines("grid", [((x, TOP - 8), (x, height - 8))]))
        parts.append(label("tick", (x, TOP - 14), f"{10**power:,}"))
    for row, speed in enumerate(speeds):
        colour = COLOURS[games.index(speed.game) % len(COLOURS)]
        parts += _bar(speed, TOP + ROW * row, reach(speed.playouts), colour)
    return document("Uniformly random playouts per second, on one thread", width, height, parts)


def _bar(speed: PlayoutSpeed, y: float, reach: float, colour: str) -> Iterator[Element]:
    middle = y + ROW / 2 + 4
    yield label("right", (LABELS - 10, middle), f"{speed.game} {speed.board}")
    box = {"x": LABELS, "y": y + 3, "width": max(reach, 1), "height": ROW - 6}
    yield element("rect", "bar", fill=colour, **box)
    yield label("left", (LABELS + reach + 6, middle), f"{speed.playouts:,}")
