"""`make lab ARGS=lateness`: how long after their time an engine's answers come, in every game."""

import random
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Annotated

from cyclopts import Parameter

import engine

MOST_TURNS = 60
"""Turns after which a game begins again."""
PAUSE_S = 0.01
"""Seconds of a pause that this process makes, to see how late the machine wakes it."""


class Program:
    """An engine program with pipes."""

    def __init__(self, game: str) -> None:
        command = [sys.executable, "-m", "engine.ugi"]
        pipe = subprocess.PIPE
        self.process = subprocess.Popen(command, stdin=pipe, stdout=pipe, text=True, bufsize=1)
        self.ask("ugi", "ugiok")
        self.say(f"setoption name game value {game}")
        self.ask("isready", "readyok")

    def say(self, line: str) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(line + "\n")

    def ask(self, line: str, answer: str) -> str:
        """Send a line; return the first line that begins with `answer`."""
        assert self.process.stdout is not None
        self.say(line)
        for found in self.process.stdout:
            if found.startswith(answer):
                return found.strip()
        raise RuntimeError("the engine ended")


@dataclass
class Delays:
    """Milliseconds: answers after their time, answers to `stop`, and late ends of pauses."""

    answers: list[float] = field(default_factory=list)
    stops: list[float] = field(default_factory=list)
    pauses: list[float] = field(default_factory=list)

    def rows(self) -> Iterator[str]:
        for name, found in vars(self).items():
            values = sorted(found)
            if values:
                at = [values[min(len(values) - 1, int(part * len(values)))] for part in PARTS]
                shown = " ".join(f"{value:8.1f}" for value in (*at, values[-1]))
                yield f"{name:8} {len(values):6} {shown}"


PARTS = (0.5, 0.9, 0.99, 0.999)


def lateness(
    *,
    games: Annotated[list[str] | None, Parameter(name="--game", negative="")] = None,
    turns: int = 2000,
    ms: int = 100,
    busy: int = 0,
    seed: int = 1,
) -> None:
    """Measure how long after their time answers to `go movetime` come, and answers to `stop`.

    The late ends of pauses of this process show what the machine alone delays.

    Parameters
    ----------
    games
        The games, by default all.
    turns
        Answers per game. Every fourth is followed by an endless search that is stopped.
    ms
        The time per turn.
    busy
        Processes that keep a core busy meanwhile.
    seed
        Of the times after which searches are stopped.
    """
    chance = random.Random(seed)
    for game in games or [info.name for info in engine.games()]:
        with busy_processes(busy):
            found = measure(game, turns, ms, chance)
        print(f"{game}: {ms} ms a turn, {busy} busy processes; ms at", *PARTS, "and worst")
        print("\n".join(found.rows()), flush=True)


@contextmanager
def busy_processes(count: int) -> Iterator[None]:
    """Keep `count` processes busy while the block runs."""
    command = [sys.executable, "-c", "while True: pass"]
    started = [subprocess.Popen(command) for _ in range(count)]
    try:
        yield
    finally:
        for process in started:
            process.kill()
            process.wait()


def measure(game: str, turns: int, ms: int, chance: random.Random) -> Delays:
    """Let an engine play against itself; return how late it answers."""
    found, program, played = Delays(), Program(game), list[str]()
    try:
        while len(found.answers) < turns:
            program.say(" ".join(["position startpos", *(["moves", *played] if played else [])]))
            over = "true" in program.ask("query gameover", "response")
            if over or len(played) == MOST_TURNS:
                played.clear()
                program.say("uginewgame")
                continue
            began = time.monotonic()
            best = program.ask(f"go movetime {ms}", "bestmove")
            found.answers.append(1000 * (time.monotonic() - began) - ms)
            played.append(best.split()[1])
            began = time.monotonic()
            time.sleep(PAUSE_S)
            found.pauses.append(1000 * (time.monotonic() - began - PAUSE_S))
            if len(found.answers) % 4 == 0:
                program.say("go infinite")
                time.sleep(chance.uniform(0.03, 0.2))
                began = time.monotonic()
                program.ask("stop", "bestmove")
                found.stops.append(1000 * (time.monotonic() - began))
    finally:
        program.process.kill()
        program.process.communicate()
    return found
