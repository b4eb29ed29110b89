"""Random playouts a second, alone or compared with another program in the same run."""

import math
import re
import shutil
import statistics
import subprocess
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from html import escape
from pathlib import Path
from typing import Final

import engine
from bot.errors import ConfigurationError, HostError

COMPILER = ("g++", "-O3", "-march=native")
SOURCES = {".cpp", ".cc", ".cxx"}


@dataclass(frozen=True)
class PlayoutSpeed:
    """Medians over the rounds, in playouts a second on one thread; `ratio` is ours to theirs."""

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
    """Measure each game; machines are noisy, so the two programs take turns, round by round.

    The yardstick, a program or its C++ source, is run as `PROGRAM SIZE GAMES` and prints
    `playouts/s N`. Raises ConfigurationError or HostError where it cannot be had.
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
COLOURS: Final = ("#3a6ea5", "#b3263e", "#b8860b", "#4b7f52")
"""One a game, in the order in which they come; each readable on white and on black."""
STYLE: Final = "text{font:12px system-ui,sans-serif;fill:#222}.quiet{fill:#666}line{stroke:#ccc}"


def speed_chart(speeds: Sequence[PlayoutSpeed]) -> str:
    """An SVG document; raises ValueError if there is nothing to draw."""
    lowest = math.floor(math.log10(min(speed.playouts for speed in speeds)))
    highest = math.ceil(math.log10(max(speed.playouts for speed in speeds)))
    highest = max(highest, lowest + 1)
    width, height = LABELS + BARS + FIGURES, TOP + ROW * len(speeds) + 12
    games = list(dict.fromkeys(speed.game for speed in speeds))

    def reach(playouts: float) -> float:
        return BARS * (math.log10(playouts) - lowest) / (highest - lowest)

    parts = [
        _grid_line(10**power, reach(10**power), height) for power in range(lowest, highest + 1)
    ]
    for row, speed in enumerate(speeds):
        colour = COLOURS[games.index(speed.game) % len(COLOURS)]
        parts.append(_bar(speed, TOP + ROW * row, reach(speed.playouts), colour))
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" role="img">\n'
        "<title>Uniformly random playouts a second, on one thread</title>\n"
        f'<style>{STYLE}</style>\n<rect width="{width}" height="{height}" fill="#fff"/>\n'
        + "\n".join(parts)
        + "\n</svg>\n"
    )


def _grid_line(figure: float, reach: float, height: int) -> str:
    x = LABELS + reach
    return (
        f'<line x1="{x:.1f}" y1="{TOP - 8}" x2="{x:.1f}" y2="{height - 8}"/>'
        f'<text class="quiet" x="{x:.1f}" y="{TOP - 14}" text-anchor="middle">{figure:,.0f}</text>'
    )


def _bar(speed: PlayoutSpeed, y: float, reach: float, colour: str) -> str:
    middle = y + ROW / 2 + 4
    name = escape(f"{speed.game} {speed.board}")
    return (
        f'<text x="{LABELS - 10}" y="{middle:.0f}" text-anchor="end">{name}</text>'
        f'<rect x="{LABELS}" y="{y + 3:.0f}" width="{max(reach, 1):.1f}" height="{ROW - 6}" '
        f'fill="{colour}"/>'
        f'<text x="{LABELS + reach + 6:.1f}" y="{middle:.0f}">{speed.playouts:,}</text>'
    )
