"""Many faults in whole scenes, in an order that a seed determines, with a file of the results.

A whole scene has arena games, a tournament and the rehearsed platform at once. Each result is a
line of the file, so an interruption costs one fault: `run` continues after the last line.
"""

import asyncio
import json
import random
import time
import traceback
from collections import Counter
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import asdict, dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final

from bot.errors import ConfigurationError
from bot.runtime.signals import handled
from tests.chaos import damage, faults
from tests.chaos.programs import DidNotStartError
from tests.chaos.scene import ARENA, SHORT_TERMS, NotRecoveredError, Scene, playing
from tests.chaos.trial import (
    CAN_FILL_DISKS,
    DAMAGED,
    FAULTS,
    NEED_FULL_DISKS,
    SCENES,
    STEPPED_ARENA,
    Fault,
    Outcome,
    Progress,
    strike,
)

WAIT_S: Final = 0.4
"""The longest time for which games continue before the next fault."""
MOST_IN_A_SCENE: Final = 40
WITH_DAMAGE: Final = "damage"
MINUTE_S: Final = 60.0


@dataclass(frozen=True)
class Kind:
    """A fault of a campaign: how many of 100 faults it is, and the scenes in which it strikes."""

    fault: Fault
    share: float
    scene: str = "usual"


KINDS: Final[dict[str, Kind]] = {
    "arena-killed": Kind(SCENES["arena-killed"], 18),
    "bot-killed": Kind(SCENES["bot-killed"], 14),
    "engine-killed": Kind(SCENES["engine-killed"], 14),
    "site-killed": Kind(Fault(faults.kill_site), 14),
    "cut": Kind(SCENES["cut"], 10),
    "bot-disk-full": Kind(SCENES["bot-disk-full"], 8),
    "arena-disk-full": Kind(SCENES["arena-disk-full"], 4),
    "arena-locked": Kind(SCENES["arena-locked"], 4),
    "arena-stopped": Kind(SCENES["arena-stopped"], 1, "stops"),
    "bot-stopped": Kind(Fault(faults.stop_bot), 1, "stops"),
    "engine-stopped": Kind(Fault(faults.stop_engine), 1, "stops"),
    "site-stopped": Kind(Fault(faults.stop_site), 1, "stops"),
    "arena-and-log-disk-full": Kind(SCENES["arena-and-log-disk-full"], 2, "log on the disk"),
    "clock-stepped": Kind(SCENES["clock-stepped"], 4, "stepped clock"),
    DAMAGED: Kind(Fault(faults.kill_arena), 4, WITH_DAMAGE),
}
EVERY_FAULT: Final = tuple(dict.fromkeys((*FAULTS, *KINDS)))
AT_THE_END: Final = "at the end of scenes"


@dataclass(frozen=True)
class Plan:
    """`total` faults of these names; equal plans have equal faults in equal scenes."""

    total: int
    seed: int = 1
    names: tuple[str, ...] = tuple(KINDS)

    def scenes(self) -> list[list[tuple[int, str]]]:
        """Return the scenes with their faults, which are numbered through."""
        rng = random.Random(self.seed)
        by_scene: dict[str, list[str]] = {}
        for name, count in self._counts().items():
            by_scene.setdefault(KINDS[name].scene, []).extend([name] * count)
        scenes = []
        for names in by_scene.values():
            rng.shuffle(names)
            scenes += [
                names[at : at + MOST_IN_A_SCENE] for at in range(0, len(names), MOST_IN_A_SCENE)
            ]
        rng.shuffle(scenes)
        numbers = iter(range(self.total))
        return [[(next(numbers), name) for name in names] for names in scenes]

    def _counts(self) -> Counter[str]:
        """Return how often each fault strikes, by its share; the largest remainders round up."""
        whole = sum(KINDS[name].share for name in self.names)
        exact = {name: self.total * KINDS[name].share / whole for name in self.names}
        counts = Counter({name: int(count) for name, count in exact.items()})
        for name in sorted(exact, key=lambda name: counts[name] - exact[name]):
            if counts.total() < self.total:
                counts[name] += 1
        return counts


@dataclass(frozen=True)
class Result:
    """A line of the file: a fault by its number, or the end of a scene without one.

    `recovery_s` is None if nothing has to recover, or did not. `seconds` is the whole time.
    """

    scene: int
    number: int | None
    fault: str
    problems: list[str]
    recovery_s: float | None = None
    seconds: float = 0.0


@dataclass
class State:
    """The file of a campaign, and its content so far."""

    plan: Plan
    file: Path | None = None
    results: list[Result] = field(default_factory=list)

    @classmethod
    def opened(cls, plan: Plan, file: Path | None) -> "State":
        """Read the file, or begin it. Raises ConfigurationError if it is of another plan."""
        head = json.loads(json.dumps(asdict(plan)))
        if file is None or not file.exists():
            state = cls(plan, file)
            state._append({"plan": head})
            return state
        lines = _whole_lines(file)
        if not lines or lines[0].get("plan") != head:
            raise ConfigurationError(f"{file}: it has the results of another plan")
        return cls(plan, file, [Result(**line) for line in lines[1:]])

    def add(self, result: Result) -> None:
        self.results.append(result)
        self._append(asdict(result))

    def done(self) -> set[int]:
        return {result.number for result in self.results if result.number is not None}

    def outcomes(self) -> list[Outcome]:
        """Return the results by fault, followed by those at the end of scenes."""
        found = {name: Outcome(name) for name in (*self.plan.names, AT_THE_END)}
        for result in self.results:
            found[result.fault].note(result.problems, result.recovery_s)
        return list(found.values())

    def _append(self, line: dict[str, Any]) -> None:
        if self.file is not None:
            with self.file.open("a", encoding="utf-8") as file:
                file.write(json.dumps(line) + "\n")


def _whole_lines(file: Path) -> list[dict[str, Any]]:
    """Return the lines of the file, and remove a last line that was not completed."""
    text = file.read_text(encoding="utf-8")
    whole = text[: text.rfind("\n") + 1]
    if whole != text:
        file.write_text(whole, encoding="utf-8")
    return [json.loads(line) for line in whole.splitlines()]


async def run(state: State, progress: Progress) -> None:
    """Inject the faults that the file does not have yet.

    After a first SIGINT or SIGTERM the present fault and the checks of its scene are completed.
    """
    await _Campaign(state, progress).run()


class _Campaign:
    def __init__(self, state: State, progress: Progress) -> None:
        self._state = state
        self._progress = progress
        self._began = time.monotonic()
        self._before = len(state.done())
        self._stop = asyncio.Event()
        self._trying: tuple[int | None, str] | None = None

    async def run(self) -> None:
        running = asyncio.current_task()
        assert running is not None

        def on_signal() -> None:
            if self._stop.is_set():
                running.cancel()
            self._stop.set()

        with handled(on_signal):
            for number, scene in enumerate(self._state.plan.scenes()):
                while missing := self._missing(scene):
                    if self._stop.is_set():
                        return
                    await self._try_scene(number, missing)

    def _missing(self, scene: Sequence[tuple[int, str]]) -> list[tuple[int, str]]:
        done = self._state.done()
        return [(number, name) for number, name in scene if number not in done]

    async def _try_scene(self, number: int, missing: Sequence[tuple[int, str]]) -> None:
        rng = random.Random(f"{self._state.plan.seed} {missing[0]}")
        with TemporaryDirectory(prefix="bluestone-chaos-") as folder:
            self._trying = None
            try:
                if KINDS[missing[0][1]].scene == WITH_DAMAGE:
                    await self._damage(number, missing, Path(folder), rng)
                else:
                    await self._strike_all(number, missing, Path(folder), rng)
            except Exception as error:
                if not self._is_noted(number, error):
                    raise

    def _is_noted(self, scene_number: int, error: Exception) -> bool:
        """Add the failure of a fault; not that of a scene that has not begun."""
        if self._trying is None:
            return False
        said = "".join(traceback.format_exception(error))
        self._add(Result(scene_number, *self._trying, [said]))
        return True

    async def _strike_all(
        self,
        scene_number: int,
        missing: Sequence[tuple[int, str]],
        folder: Path,
        rng: random.Random,
    ) -> None:
        """Inject faults in one scene, until all have struck or something is broken."""
        async with _scene(KINDS[missing[0][1]], folder, rng) as scene:
            for number, name in missing:
                if self._stop.is_set():
                    break
                self._trying = number, name
                began = time.monotonic()
                recovery_s = await strike(scene, KINDS[name].fault, WAIT_S)
                seconds = round(time.monotonic() - began, 2)
                problems = scene.new_problems()
                rounded = None if recovery_s is None else round(recovery_s, 2)
                self._add(Result(scene_number, number, name, problems, rounded, seconds))
                if recovery_s is None:
                    return
            self._trying = None, AT_THE_END
            began = time.monotonic()
            try:
                await scene.end()
            except (NotRecoveredError, DidNotStartError) as error:
                scene.ledger.problems.append(str(error))
            seconds = round(time.monotonic() - began, 2)
            self._add(Result(scene_number, None, AT_THE_END, scene.new_problems(), seconds=seconds))

    async def _damage(
        self,
        scene_number: int,
        missing: Sequence[tuple[int, str]],
        folder: Path,
        rng: random.Random,
    ) -> None:
        sound = await damage.sound_folder(folder / "sound")
        for number, name in missing:
            if self._stop.is_set():
                return
            each = damage.DAMAGES[number % len(damage.DAMAGES)]
            began = time.monotonic()
            problems = await damage.try_damage(each, sound, folder, rng)
            seconds = round(time.monotonic() - began, 2)
            self._add(Result(scene_number, number, name, problems, None, seconds))

    def _add(self, result: Result) -> None:
        self._state.add(result)
        done, total = len(self._state.done()), self._state.plan.total
        minutes = (time.monotonic() - self._began) / MINUTE_S
        rate = (done - self._before) / minutes
        left = f", about {(total - done) / rate:.0f} min left" if rate else ""
        recovered = "" if result.recovery_s is None else f" recovered in {result.recovery_s:.1f} s"
        lost = "".join(f"\n    {problem}" for problem in result.problems)
        self._progress(
            f"{done}/{total} {result.fault}:{recovered} in all {result.seconds:.1f} s;"
            f" {rate:.1f} a minute{left}{lost}"
        )


@asynccontextmanager
async def _scene(kind: Kind, folder: Path, rng: random.Random) -> AsyncIterator[Scene]:
    arena = STEPPED_ARENA if kind.scene == "stepped clock" else ARENA
    log_file = folder / "arena.log" if kind.fault.logs_to_disk else None
    more: dict[str, Any] = {"terms": SHORT_TERMS} if kind.scene == "stops" else {}
    async with playing(folder, rng, arena=arena, log_file=log_file, is_whole=True, **more) as scene:
        yield scene


def possible(names: Sequence[str]) -> list[str]:
    """Return the faults that this system can cause."""
    return [name for name in names if CAN_FILL_DISKS or name not in NEED_FULL_DISKS]
