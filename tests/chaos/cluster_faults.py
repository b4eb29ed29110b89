"""Faults at random in an arena of several processes, while many games and a tournament run."""

import asyncio
import random
import statistics
import time
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from tests.chaos.cluster_arena import ArenaProcess
from tests.chaos.cluster_scene import REPLACED, ClusterScene, Takeover, playing_cluster
from tests.chaos.trial import Outcome

PAUSE_S: Final = 4.0
"""The mean time for which players think."""
TAKEOVER_S: Final = 8.0
"""A game whose process was killed has its next turn within this time, with the default lease."""
RESTART_S: Final = (0.3, 8.0)
OUTAGE_S: Final = (0.2, 8.0)
BETWEEN_S: Final = (0.5, 4.0)
CALM: Final = 0.6
"""How often the next fault waits until the games of a killed process go on."""
FEWEST: Final = 2
"""Processes that live before one of them is killed or stopped."""
EACH: Final = 20
"""After how many faults the figures so far are told."""
AT_THE_END: Final = "at the end"


class Faults:
    """Injects faults into a scene. Processes start again in the background."""

    def __init__(self, scene: ClusterScene) -> None:
        self._scene = scene
        self._rng = scene.rng
        self._tasks: set[asyncio.Task[Any]] = set()

    async def strike(self, name: str) -> float | None:
        """Inject one fault. Returns the seconds until it was repaired; None if that is later."""
        began = time.monotonic()
        self._disturb()
        return await _KINDS[name](self, began)

    async def settle(self) -> None:
        """Wait until all processes run and all games go on."""
        while self._tasks:
            await asyncio.gather(*self._tasks)

    def _disturb(self) -> None:
        for takeover in self._scene.takeovers:
            if not takeover.is_over:
                takeover.is_clean = False

    async def _one_to_end(self) -> ArenaProcess:
        await self._scene.until(lambda: len(self._scene.arena.living()) >= FEWEST)
        return self._rng.choice(self._scene.arena.living())

    async def kill(self, _began: float) -> float | None:
        """SIGKILL of a process."""
        victim = await self._one_to_end()
        epochs = await self._scene.games_of(victim)
        self._disturb()
        began = time.monotonic()
        await victim.kill()
        self._restart(victim, self._rng.uniform(*RESTART_S))
        return await self._followed(self._follow("killed", began, epochs))

    async def stop(self, _began: float) -> float | None:
        """SIGTERM to a process, which gives its games away."""
        victim = await self._one_to_end()
        epochs = await self._scene.games_of(victim)
        following = self._follow("stopped", time.monotonic(), epochs)
        status = await victim.stop()
        self._scene.replaced += status == REPLACED
        if status not in {0, REPLACED}:
            last = victim.program.log[-5:]
            self._scene.ledger.problems.append(f"{victim.name} stopped with {status}: {last}")
        self._restart(victim, 0.0)
        return await self._followed(following)

    def _follow(self, how: str, began: float, epochs: dict[str, int]) -> "asyncio.Task[Takeover]":
        task = asyncio.create_task(self._scene.follow(how, began, epochs))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return task

    async def _followed(self, following: "asyncio.Task[Takeover]") -> float | None:
        """Return the time until all of the games went on; None if that is not awaited."""
        if self._rng.random() > CALM:
            return None
        takeover = await following
        if takeover.how == "killed" and takeover.is_clean:
            self._scene.ledger.problems += [
                f"{game}: had its next turn {seconds:.1f} s after the kill of its process, "
                f"and another owner after {takeover.taken_s.get(game, 0.0):.1f} s"
                for game, seconds in takeover.played_s.items()
                if seconds > TAKEOVER_S
            ]
        return time.monotonic() - takeover.began

    def _restart(self, process: ArenaProcess, after_s: float) -> None:
        async def again() -> None:
            await asyncio.sleep(after_s)
            await self._scene.start_again(process)

        self._tasks.add(task := asyncio.create_task(again()))
        task.add_done_callback(self._tasks.discard)

    async def kill_postgres(self, began: float) -> float | None:
        """SIGKILL of PostgreSQL, which starts again after some seconds."""
        arena = self._scene.arena
        arena.kill_postgres()
        await asyncio.sleep(self._rng.uniform(*OUTAGE_S))
        await arena.start_postgres()
        return await self._moving_again(began)

    async def kill_valkey(self, began: float) -> float | None:
        """SIGKILL of Valkey, which starts again after some seconds."""
        valkey = self._scene.arena.valkey
        assert valkey is not None
        valkey.stop()
        await asyncio.sleep(self._rng.uniform(*OUTAGE_S))
        await asyncio.to_thread(valkey.start)
        return await self._moving_again(began)

    async def cut(self, began: float) -> float | None:
        """Cut all connections of a process to PostgreSQL; or lose the answer to a commit."""
        number = self._rng.choice(self._scene.arena.living()).number
        relay = self._scene.arena.relays[number]
        if self._rng.random() < 0.5:
            relay.cut()
        else:
            relay.lose()
        return await self._moving_again(began)

    async def _moving_again(self, began: float) -> float | None:
        """Wait until a turn is acknowledged after now."""
        acknowledged = self._scene.acknowledged
        if not await self._scene.until(lambda: self._scene.acknowledged > acknowledged):
            self._scene.ledger.problems.append("no turn is acknowledged any more")
            return None
        return time.monotonic() - began


_KINDS: Final[dict[str, Callable[[Faults, float], Awaitable[float | None]]]] = {
    "process-killed": Faults.kill,
    "process-stopped": Faults.stop,
    "postgres-killed": Faults.kill_postgres,
    "valkey-killed": Faults.kill_valkey,
    "postgres-cut": Faults.cut,
}
SHARES: Final = {
    "process-killed": 38,
    "process-stopped": 20,
    "postgres-killed": 12,
    "valkey-killed": 12,
    "postgres-cut": 18,
}


@dataclass
class Report:
    """The results: outcomes by fault, and the times of takeovers."""

    outcomes: dict[str, Outcome] = field(default_factory=dict)
    takeovers: list[Takeover] = field(default_factory=list)
    turns: int = 0
    games: int = 0
    tournaments: int = 0
    replaced: int = 0

    def summary(self) -> list[str]:
        """Return sentences about the takeovers, and what was played."""
        lines = [
            f"{self.turns} acknowledged turns in {self.games} games",
            f"{self.tournaments} tournaments, {self.replaced} living processes were replaced",
        ]
        for how in ("killed", "stopped"):
            for is_clean in (True, False):
                found = [
                    each
                    for each in self.takeovers
                    if each.how == how and each.is_clean is is_clean and each.epochs
                ]
                kind = "alone" if is_clean else "with other faults at the same time"
                taken = [seconds for each in found for seconds in each.taken_s.values()]
                played = [seconds for each in found for seconds in each.played_s.values()]
                if taken and played:
                    lines.append(
                        f"{how}, {kind}: {len(found)} times, {len(taken)} games; new owner after "
                        f"{_spread(taken)}; next turn after {_spread(played)}"
                    )
        return lines


def _write_stories(scene: ClusterScene, problems: Sequence[str], folder: Path) -> None:
    folder.mkdir(exist_ok=True)
    for problem in problems:
        game = problem.partition(":")[0].partition(" ")[0]
        if game in scene.ledger.games:
            story = [problem, *scene.story(game)]
            (folder / f"{game}.log").write_text("\n".join(story) + "\n")


def _spread(seconds: Sequence[float]) -> str:
    return f"{statistics.median(seconds):.1f} s (median), {max(seconds):.1f} s (worst)"


async def try_faults(
    folder: Path,
    times: int,
    games: int,
    seed: int,
    progress: Callable[[str], object],
    bus: str = "valkey",
    pause_s: float = PAUSE_S,
    kinds: Sequence[str] | None = None,
    evidence: Path | None = None,
) -> Report:
    """Inject that many faults, chosen at random or in the order of `kinds`.

    The folder `evidence` gets the log lines about each game with a problem.
    """
    rng = random.Random(f"cluster {seed}")
    report = Report()
    possible = [name for name in SHARES if bus == "valkey" or name != "valkey-killed"]
    async with playing_cluster(folder, rng, games, pause_s, bus) as scene:
        faults = Faults(scene)

        def note_figures() -> None:
            report.takeovers, report.turns = scene.takeovers, scene.acknowledged
            report.games, report.replaced = len(scene.ledger.games), scene.replaced
            if scene.tournaments is not None:
                report.tournaments = scene.tournaments.over

        for number in range(1, times + 1):
            name = (
                kinds[number - 1]
                if kinds
                else rng.choices(possible, [SHARES[each] for each in possible])[0]
            )
            await asyncio.sleep(rng.uniform(*BETWEEN_S))
            seconds = await faults.strike(name)
            await scene.check()
            problems = scene.new_problems()
            if evidence is not None:
                _write_stories(scene, problems, evidence)
            report.outcomes.setdefault(name, Outcome(name)).note(problems, seconds)
            told = "" if seconds is None else f" {seconds:.1f} s"
            progress(
                f"{number}/{times} {name}:{told}; {len(scene.ledger.running())} games, "
                f"{scene.acknowledged} turns; {'; '.join(problems)}"
            )
            if number % EACH == 0:
                note_figures()
                for line in report.summary():
                    progress(line)
        await faults.settle()
        await scene.end()
        problems = scene.new_problems()
        report.outcomes.setdefault(AT_THE_END, Outcome(AT_THE_END)).note(problems)
        progress(f"at the end: {'; '.join(problems)}")
        note_figures()
    return report
