"""`make lab ARGS=ahead`: the speed of kernels compiled ahead of time, in libraries and in V8.

It is a measurement for developers and no `bluestone bench`, because it needs deno, Numba, and what
`python -m tools.ahead` has built.
"""

import gzip
import json
import os
import statistics
import subprocess
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Annotated, Any, Final

from cyclopts import Parameter

import engine
from bot.cli.measurements import Count, FigureTable, MeasurementReport, measurement, progress
from bot.errors import HostError
from engine.kernel.library import COMPILE, ENVIRONMENT, LAYOUT
from engine.kernel.processor import levels_here
from engine.kernel.sources import sources_key
from engine.neural.shipped import shipped_network
from tools import ROOT
from tools.ahead.build import AHEAD

JIT: Final = "Numba"
WASM: Final = "WebAssembly"
DENO: Final = Path(sys.executable).with_name("deno")
BROWSER: Final = "lab/ahead/browser.js"
WARM_UPS: Final = 2
GZIP_LEVEL: Final = 9


@dataclass(frozen=True)
class Case:
    """A game on its first board, searched with the usual parameters."""

    game: str
    network: bool


@dataclass(frozen=True)
class AheadSpeed:
    """Medians over the rounds, in playouts per second of processor time on one thread.

    `of_jit` are the medians of the ratios to the kernels that Numba compiles, within a round.
    """

    game: str
    network: bool
    playouts: Mapping[str, int]
    of_jit: Mapping[str, float]


@dataclass(frozen=True)
class FileSize:
    """Bytes of a file, as it is and compressed."""

    file: str
    size: int
    compressed: int


@dataclass(frozen=True)
class AheadFigures:
    """What `ahead` finds."""

    speeds: Sequence[AheadSpeed]
    sizes: Sequence[FileSize]


@measurement
def ahead(
    *,
    built: Annotated[Path, Parameter(help="the folder of `python -m tools.ahead`")] = AHEAD,
    rounds: Annotated[Count, Parameter(help="rounds, in each of which all take turns")] = 5,
    playouts: Annotated[Count, Parameter(help="playouts of each search")] = 5000,
    game: Annotated[str | None, Parameter(help="only this game; by default all games")] = None,
) -> MeasurementReport:
    """Compare the search as WebAssembly and in libraries with kernels that Numba compiles here.

    Each searches the empty board with the same seed, one after the other, on one thread.
    """
    check_built(built)
    chosen = [each for each in cases() if game in (None, each.game)]
    speeds = list(measure(chosen, built, rounds, playouts))
    sizes = [*sizes_of(sorted(built.glob("*.wasm")) + sorted(built.glob("*.so")))]
    return MeasurementReport([speed_table(speeds), size_table(sizes)], AheadFigures(speeds, sizes))


def check_built(folder: Path) -> None:
    """Raise HostError unless a folder was built from these sources, with a WebAssembly module."""
    try:
        layout = json.loads((folder / LAYOUT).read_text(encoding="utf-8"))
    except FileNotFoundError:
        layout = {}
    if layout.get("sources") != sources_key() or not list(folder.glob("*.wasm")):
        raise HostError(f"{folder} is not of these sources: run python -m tools.ahead")


def cases() -> Iterator[Case]:
    """The games without a network, and with one if they have one."""
    for info in engine.games():
        yield Case(info.name, network=False)
        if shipped_network(engine.game(info.name)):
            yield Case(info.name, network=True)


def measure(
    chosen: Sequence[Case], built: Path, rounds: int, playouts: int
) -> Iterator[AheadSpeed]:
    """Yield the speed of each case."""
    with ExitStack() as stack:
        runners = {name: stack.enter_context(made) for name, made in all_runners(built)}
        for case in chosen:
            asked = {"game": case.game, "network": case.network, "playouts": playouts}
            for runner in runners.values():
                for _ in range(WARM_UPS):
                    runner.ask(asked)
            found = []
            for number in range(1, rounds + 1):
                progress(f"{case.game}, round {number} of {rounds}")
                found.append({name: runner.speed(asked) for name, runner in runners.items()})
            yield speed_of(case, found)


def speed_of(case: Case, rounds: Sequence[Mapping[str, float]]) -> AheadSpeed:
    """Return the medians of all rounds."""
    return AheadSpeed(
        case.game,
        case.network,
        {name: round(statistics.median(each[name] for each in rounds)) for name in rounds[0]},
        {
            name: round(statistics.median(each[name] / each[JIT] for each in rounds), 2)
            for name in rounds[0]
        },
    )


class Runner:
    """A process that searches when it is asked to."""

    def __init__(self, process: "subprocess.Popen[str]") -> None:
        self._process = process

    def ask(self, asked: Mapping[str, Any]) -> Mapping[str, Any]:
        """Return its answer. Raises HostError if the process has ended."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(f"{json.dumps(asked)}\n")
        self._process.stdin.flush()
        line = self._process.stdout.readline()
        if not line:
            raise HostError(f"{self._process.args!r} has ended")
        answer: Mapping[str, Any] = json.loads(line)
        return answer

    def speed(self, asked: Mapping[str, Any]) -> float:
        """Return the playouts per second of a search."""
        answer = self.ask(asked)
        return float(answer["playouts"] / answer["seconds"])


def all_runners(built: Path) -> Iterator[tuple[str, Any]]:
    """Yield the name and the context of each process: all that this machine can compare."""
    yield JIT, _native(COMPILE)
    for level in levels_here():
        library = built / f"{level}.so"
        if library.is_file():
            yield level, _library(built, library)
    setups = {
        info.name: {
            "game": info.name,
            "board": info.boards[0],
            "rules": info.rule_sets[0],
            "options": {},
        }
        for info in engine.games()
    }
    folder = f"{built.absolute().as_uri()}/"
    options = ("--quiet", "--no-check", "--no-remote", "--no-npm", "--allow-read")
    yield WASM, _running([str(DENO), "run", *options, BROWSER, folder, json.dumps(setups)], {})


@contextmanager
def _library(built: Path, library: Path) -> Iterator[Runner]:
    """A process with one library, although a folder has one for each level of processors."""
    with TemporaryDirectory() as name:
        folder = Path(name)
        for file in (library, built / LAYOUT):
            (folder / file.name).symlink_to(file.absolute())
        with _native(name) as runner:
            yield runner


def _native(kernels: str) -> Any:  # noqa: ANN401
    return _running([sys.executable, "-m", "lab.ahead.native"], {ENVIRONMENT: kernels})


@contextmanager
def _running(command: Sequence[str], environment: Mapping[str, str]) -> Iterator[Runner]:
    process = subprocess.Popen(
        command,
        cwd=ROOT,
        env={**os.environ, "DENO_NO_UPDATE_CHECK": "1", **environment},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    try:
        yield Runner(process)
    finally:
        process.kill()
        process.communicate()


def sizes_of(files: Iterable[Path]) -> Iterator[FileSize]:
    """Yield the sizes of files."""
    for file in files:
        content = file.read_bytes()
        yield FileSize(file.name, len(content), len(gzip.compress(content, GZIP_LEVEL)))


def speed_table(speeds: Sequence[AheadSpeed]) -> FigureTable:
    """Return a row for each case, with the ratios to Numba."""
    names = [name for name in speeds[0].playouts if name != JIT]
    rows = [
        (
            f"{each.game}, {'network' if each.network else 'playouts'}",
            f"{each.playouts[JIT]:,}",
            *(f"{each.playouts[name]:,} ({each.of_jit[name]:.2f})" for name in names),
        )
        for each in speeds
    ]
    return FigureTable(("playouts/s", JIT, *names), rows)


def size_table(sizes: Sequence[FileSize]) -> FigureTable:
    """Return a row for each file."""
    rows = [(each.file, f"{each.size:,}", f"{each.compressed:,}") for each in sizes]
    return FigureTable(("file", "bytes", "gzip"), rows)
