"""Bot, arena, tournaments and the rehearsed platform at once for long: does anything grow?"""

import asyncio
import random
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Annotated, Final

import aiohttp
import orjson
import psutil
from cyclopts import Parameter, validators

from bot.cli.measurements import (
    FigureTable,
    MeasurementReport,
    Seed,
    measurement,
    progress,
    verdict_report,
)
from bot.errors import HostError
from bot.runtime.output import error_console, only_errors_logged
from bot.terminal.play import ensure_kernels
from lab.soak_figures import PLAYER, Sample, Slope, figures, growth, page_section, parsed
from tests.chaos.scene import NotRecoveredError, Scene, Terms, playing
from tests.chaos.tournaments import TournamentTerms

EVERY_S: Final = 5.0
SCRAPE_S: Final = 4.0
TABLES: Final = 4
PAUSE_S: Final = 0.05
PAGE: Final = "soak.md"
SAMPLES: Final = "soak.jsonl"
BUCKETS: Final = (0.001, 0.002, 0.003, 0.005, 0.0075, 0.01, 0.015, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0)
"""Upper bounds in seconds for the time until a player's turn is acknowledged."""
NO_SUCH_PAGE: Final = 404

Note = Callable[[str], None]


@dataclass(frozen=True)
class SoakVerdict:
    """`slopes` are per hour. `problems` are sentences about what was lost or left behind."""

    minutes: float
    warm_up_minutes: float
    samples: int
    games: int
    turns: int
    platform_turns: int
    tournaments: int
    slopes: list[Slope]
    problems: list[str]

    @property
    def fine(self) -> bool:
        return not self.problems and all(each.is_flat for each in self.slopes)


class Soak:
    """Samples a running scene into a file of JSON Lines."""

    def __init__(self, scene: Scene, health: str, file: Path, note: Note) -> None:
        self.samples: list[Sample] = []
        self._scene = scene
        self._health = health
        self._file = file
        self._note = note
        self._began = time.monotonic()
        self._waits = dict.fromkeys([*map(str, BUCKETS), "inf"], 0.0)

    def took(self, seconds: float) -> None:
        """Count the time until a player's turn was acknowledged."""
        for bound in self._waits:
            self._waits[bound] += seconds <= float(bound)

    async def run(self, seconds: float) -> None:
        """Take a sample now and then, until the time is over."""
        async with aiohttp.ClientSession() as http:
            with self._file.open("wb") as file:
                due = self._began
                while due <= self._began + seconds:
                    await asyncio.sleep(due - time.monotonic())
                    sample = await self._sample(http)
                    self.samples.append(sample)
                    file.write(orjson.dumps(sample.as_json()) + b"\n")
                    file.flush()
                    if len(self.samples) % 12 == 1:
                        self._note(_line(sample))
                    due += EVERY_S

    async def _sample(self, http: aiohttp.ClientSession) -> Sample:
        scene, games = self._scene, self._scene.ledger.games.values()
        values = {
            "games": float(sum(each.result is not None for each in games)),
            "turns": float(sum(len(each.seen) for each in games)),
            "site_turns": float(scene.the_site.turns),
            "tournaments": float(0 if scene.tournaments is None else scene.tournaments.over),
            **_usage(scene),
        }
        buckets = {PLAYER: dict(self._waits)}
        arena = f"http://127.0.0.1:{scene.proxy.port}"
        for program, address in (("arena", arena), ("bot", self._health)):
            more_values, more_buckets = await _scraped(http, address, program)
            values.update(more_values)
            buckets.update(more_buckets)
        return Sample(round(time.monotonic() - self._began, 2), values, buckets)


async def _scraped(
    http: aiohttp.ClientSession, address: str, program: str
) -> tuple[dict[str, float], dict[str, dict[str, float]]]:
    """Return the metrics of a program. Raises HostError if it does not answer in time."""
    try:
        async with asyncio.timeout(SCRAPE_S), http.get(f"{address}/metrics") as answer:
            if answer.status == NO_SUCH_PAGE:
                return {}, {}
            answer.raise_for_status()
            return parsed(await answer.text(), program)
    except (aiohttp.ClientError, OSError, TimeoutError) as error:
        raise HostError(f"{address}/metrics: {type(error).__name__}: {error}") from error


def _usage(scene: Scene) -> dict[str, float]:
    """Return memory in bytes and open files from /proc: of the arena, the bot, and its engines."""
    found = {}
    programs = {"arena": [scene.arena.pid], "bot": [scene.the_bot.pid]}
    engines = [pid for pid, said in scene.marked.all().items() if "stubborn_engine" in said]
    for name, pids in {**programs, "engines": engines}.items():
        found[f"{name}_memory"] = float(sum(psutil.Process(pid).memory_info().rss for pid in pids))
        found[f"{name}_descriptors"] = float(sum(psutil.Process(pid).num_fds() for pid in pids))
    return found


def _line(sample: Sample) -> str:
    shown = ("games", "turns", "site_turns", "tournaments")
    counts = ", ".join(f"{sample.values[name]:.0f} {name.replace('_', ' ')}" for name in shown)
    mib = f"{sample.values['arena_memory'] / 2**20:.0f} + {sample.values['bot_memory'] / 2**20:.0f}"
    return f"{sample.seconds / 60:.0f} min: {counts}, {mib} MiB in arena and bot"


async def measure(minutes: float, warm_up: float, seed: int, file: Path, note: Note) -> SoakVerdict:
    """Raises HostError if a program stops answering."""
    rng = random.Random(seed)
    terms = Terms(tournament=TournamentTerms(clock="60+5"), has_health=True)
    with TemporaryDirectory(prefix="bluestone-soak-") as folder:
        place = Path(folder)
        async with playing(
            place, rng, TABLES, is_whole=True, terms=terms, pause_s=PAUSE_S
        ) as scene:
            soak = Soak(scene, scene.the_bot.health, file, note)
            for player in scene.everyone():
                player.on_acknowledged = soak.took
            await soak.run(minutes * 60)
            # The files at the end have every game. `scene.check` would ask for each one.
            try:
                await scene.end()
            except NotRecoveredError as error:
                scene.ledger.problems.append(str(error))
            return _verdict(soak.samples, minutes, warm_up, scene.new_problems())


def _verdict(
    samples: list[Sample], minutes: float, warm_up: float, problems: list[str]
) -> SoakVerdict:
    last = samples[-1].values
    return SoakVerdict(
        minutes=minutes,
        warm_up_minutes=warm_up,
        samples=len(samples),
        games=int(last["games"]),
        turns=int(last["turns"]),
        platform_turns=int(last["site_turns"]),
        tournaments=int(last["tournaments"]),
        slopes=[each for figure in figures(samples) for each in figure.slopes(warm_up * 60)],
        problems=problems,
    )


def write_page(verdict: SoakVerdict, samples: list[Sample], output: Path) -> None:
    """Write the page and its charts into a folder, such as `docs`."""
    images = output / "images"
    images.mkdir(parents=True, exist_ok=True)
    shown = [each for each in figures(samples) if any(each.series.values())]
    for each in shown:
        (images / f"{each.file}.svg").write_text(each.drawn(), encoding="utf-8")
    pictures = "\n\n".join(f"![{each.title}](images/{each.file}.svg)" for each in shown)
    lost = "\n".join(f"- {each}" for each in verdict.problems) or "Nothing was lost."
    (output / PAGE).write_text(
        PAGE_TEXT.format(
            **asdict(verdict),
            day=datetime.now(UTC).date(),
            table=page_section(verdict.slopes),
            growth=growth(verdict.slopes, verdict.games / verdict.minutes * 60),
            pictures=pictures,
            lost=lost,
        ),
        encoding="utf-8",
    )


PAGE_TEXT: Final = """# Soak

For operators. After reading this page you know whether a bot and an arena that run for long need
more and more memory, files or time.

    make lab ARGS="soak --minutes {minutes:g} --output docs"

The command starts an arena, players, tournaments one after another, and one bot. The bot plays with
a player, in the tournaments and on the rehearsed platform. Every 5 s the command reads `/proc` and
the metrics of both programs. It has written this page, on {day}.

In {minutes:g} minutes there were {games} games with {turns} turns on the arena, {tournaments}
tournaments, and {platform_turns} turns of the bot on the platform.

{lost}

## Slopes

Lines are fitted by least squares, without the first {warm_up_minutes:.1f} minutes, in which caches
fill and code is loaded. A figure is flat if its slope is at most 2 standard errors, or at most the
bound. The standard error accounts for the correlation of neighbouring values.

{table}

Growth of memory beyond 2 standard errors, shared among the games on the arena in that time:

{growth}

## Figures

{pictures}
"""


@measurement
def soak(
    *,
    minutes: Annotated[
        float, Parameter(help="how long", validator=validators.Number(gt=0, lte=1440))
    ] = 60.0,
    warm_up: Annotated[
        float | None,
        Parameter(help="minutes that do not count at the beginning; by default a sixth of all"),
    ] = None,
    output: Annotated[
        Path | None, Parameter(help="folder for soak.md and images, such as docs")
    ] = None,
    samples: Annotated[Path, Parameter(help="file for the samples, JSON Lines")] = Path(SAMPLES),
    seed: Seed = 1,
) -> MeasurementReport:
    """Run bot, arena, tournaments and the rehearsed platform at once, and plot what they use.

    The exit code is 1 if memory, open files or latency rise, or if anything is lost.
    """
    only_errors_logged()
    ensure_kernels(error_console(), "bluestone")
    ensure_kernels(error_console(), "blooms")
    skipped = minutes / 6 if warm_up is None else warm_up
    found = asyncio.run(measure(minutes, skipped, seed, samples, progress))
    if output is not None:
        lines = samples.read_bytes().splitlines()
        write_page(found, [Sample(**orjson.loads(line)) for line in lines], output)
    counts = f"{found.games} games, {found.turns} turns, {found.tournaments} tournaments"
    rows = [
        (
            each.name,
            f"{each.mean:.2f} {each.unit}",
            f"{each.per_hour:+.2f}",
            f"{each.error:.2f}",
            f"{each.bound:.2f}",
            "flat" if each.is_flat else "rises",
        )
        for each in found.slopes
    ]
    head = ("", "mean", "slope per hour", "standard error", "bound", "")
    return verdict_report(found, [counts, FigureTable(head, rows), *found.problems])
