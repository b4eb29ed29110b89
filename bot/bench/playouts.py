"""Random playouts a second, alone and beside another program in the same run."""

import re
import shutil
import statistics
import subprocess
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

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
