"""Progress of an analysis: one temporary line on a terminal, nothing in a pipe."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager

from rich.console import Console
from rich.status import Status

import engine
from bot.engines.lines import EngineLine
from bot.terminal.analysis import Analysis, Analyst, OnProgress, SearchEffort

Monotonic = Callable[[], float]


@contextmanager
def position_progress(
    console: Console, searcher: Analyst, effort: SearchEffort
) -> Iterator[Callable[[engine.Position], Analysis]]:
    """Yield a function that searches single positions and shows progress."""
    with console.status("") as status:

        def analyse(position: engine.Position) -> Analysis:
            heading = f"after turn {len(position.turns)}"
            status.update(heading)
            return searcher.analyse(position, effort, _reporter(status, heading))

        yield analyse


@contextmanager
def game_progress(
    console: Console,
    searcher: Analyst,
    effort: SearchEffort,
    positions: Sequence[engine.Position],
    monotonic: Monotonic,
) -> Iterator[Callable[[engine.Position], Analysis]]:
    """Yield a function that searches the positions of a `review`, in its order, and shows
    progress.
    """
    began, turns = monotonic(), len(positions) - 1
    with console.status("") as status:

        def analyse(position: engine.Position) -> Analysis:
            number = max(1, len(position.turns))
            heading = f"turn {number} of {turns}{time_left(monotonic() - began, number - 1, turns)}"
            status.update(heading)
            return searcher.analyse(position, effort, _reporter(status, heading))

        yield analyse


def time_left(seconds: float, done: int, turns: int) -> str:
    """Estimate the remaining time from the time per turn so far; empty for the first turns."""
    if done < 2:
        return ""
    left = round(seconds / done * (turns - done))
    return f", about {left // 60}:{left % 60:02} left"


def _reporter(status: Status, heading: str) -> OnProgress:
    def report(nodes: int | None, line: EngineLine) -> None:
        value = "" if line.value is None else f"{line.value:.1%} "
        status.update(f"{heading}: {nodes or 0} playouts, {value}{' '.join(line.pv[:2])}")

    return report
