"""Each fault many times, at random moments, and its results."""

import asyncio
import random
import resource
import sys
from collections.abc import Awaitable, Callable, Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

from bot.bench.clients.frames import RequestRefused
from tests.chaos import damage, faults
from tests.chaos.programs import DidNotStartError
from tests.chaos.scene import ARENA, NotRecoveredError, Scene, playing

WAIT_S: Final = 2.0
"""The longest time for which games continue before the next fault."""
STEPPED_ARENA: Final = (sys.executable, "-m", "tests.chaos.stepped_arena")
CAN_FILL_DISKS: Final = hasattr(resource, "prlimit")

Progress = Callable[[str], None]


@dataclass(frozen=True)
class Fault:
    """`strike` injects the fault; `arena` is the scene's arena program, `logs_to_disk` where its
    log goes.

    A fault that `is_of_arena` has an effect without a bot, too.
    """

    strike: Callable[[Scene], Awaitable[float]]
    arena: Sequence[str] = ARENA
    logs_to_disk: bool = False
    is_of_arena: bool = False


SCENES: Final[dict[str, Fault]] = {
    "arena-killed": Fault(faults.kill_arena, is_of_arena=True),
    "bot-killed": Fault(faults.kill_bot),
    "engine-killed": Fault(faults.kill_engine),
    "arena-stopped": Fault(faults.stop_arena, is_of_arena=True),
    "arena-disk-full": Fault(faults.fill_arena_disk),
    "arena-and-log-disk-full": Fault(faults.fill_disk_with_log, logs_to_disk=True),
    "arena-locked": Fault(faults.lock_database),
    "bot-disk-full": Fault(faults.fill_bot_disk),
    "clock-stepped": Fault(faults.step_wall_clock, arena=STEPPED_ARENA),
    "cut": Fault(faults.cut_connections),
}
DAMAGED: Final = "damaged-files"
FAULTS: Final = (*SCENES, DAMAGED)
NEED_FULL_DISKS: Final = frozenset({"arena-disk-full", "arena-and-log-disk-full", "bot-disk-full"})


@dataclass
class Outcome:
    """The result of a fault.

    `lost` are sentences; `longest_s` is None if nothing has to recover.
    """

    fault: str
    times: int = 0
    survived: int = 0
    longest_s: float | None = None
    lost: list[str] = field(default_factory=list)

    def note(self, problems: Sequence[str], recovery_s: float | None = None) -> None:
        self.times += 1
        self.survived += not problems
        self.lost += problems
        if recovery_s is not None:
            self.longest_s = max(self.longest_s or 0.0, recovery_s)


async def try_fault(
    name: str, times: int, seed: int, progress: Progress, *, is_short: bool = False
) -> Outcome:
    """Inject one fault that many times. If `is_short`, run a bot only if the fault needs one."""
    rng, outcome = random.Random(f"{name} {seed}"), Outcome(name)
    while outcome.times < times:
        with TemporaryDirectory() as folder:
            if name == DAMAGED:
                await _try_damages(outcome, Path(folder), rng, progress)
            else:
                await _try_in_scene(outcome, times, Path(folder), rng, progress, is_short)
    return outcome


async def _try_damages(
    outcome: Outcome, folder: Path, rng: random.Random, progress: Progress
) -> None:
    sound = await damage.sound_folder(folder / "sound")
    for each in damage.DAMAGES:
        problems = await damage.try_damage(each, sound, folder, rng)
        outcome.note(problems)
        progress(f"{outcome.fault}: {each.__name__} {'; '.join(problems)}")


async def _try_in_scene(
    outcome: Outcome,
    times: int,
    folder: Path,
    rng: random.Random,
    progress: Progress,
    is_short: bool,
) -> None:
    """Inject the fault until the number is reached, or something is broken."""
    fault = SCENES[outcome.fault]
    log_file = folder / "arena.log" if fault.logs_to_disk else None
    has_bot = not (is_short and fault.is_of_arena)
    async with AsyncExitStack() as stack:
        scene = await stack.enter_async_context(
            playing(folder, rng, arena=fault.arena, log_file=log_file, has_bot=has_bot)
        )
        while outcome.times < times:
            recovery_s = await strike(scene, fault)
            problems = scene.new_problems()
            outcome.note(problems, recovery_s)
            told = "not recovered" if recovery_s is None else f"recovered in {recovery_s:.1f} s"
            progress(f"{outcome.fault} {outcome.times}/{times}: {told} {'; '.join(problems)}")
            if is_short and problems:
                outcome.times = times
            if recovery_s is None or (is_short and problems):
                return
        await scene.end()
        if problems := scene.new_problems():
            outcome.lost += problems
            progress(f"{outcome.fault}: at the end {'; '.join(problems)}")


async def strike(scene: Scene, fault: Fault, wait_s: float = WAIT_S) -> float | None:
    """Inject the fault, and return the recovery time; None if there was none, and the scene has the
    reason.
    """
    try:
        await scene.until_busy()
        await asyncio.sleep(scene.rng.uniform(0, wait_s))
        since = await fault.strike(scene)
        recovery_s = await scene.recovered(since)
        await scene.check()
    except (NotRecoveredError, DidNotStartError, RequestRefused) as error:
        scene.ledger.problems.append(str(error))
        return None
    finally:
        scene.ledger.stopped = None
    return recovery_s
