"""The lines of an analysis: turns that an engine considers, with their values."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

import engine
from bot.engines.process import EngineProcess
from bot.engines.protocol import InfoLine

MULTI_PV: Final = "MultiPV"
"""The option that makes a program report several lines."""


def chance_of(value: float | None, visits: int | None) -> float | None:
    """The chance that may be shown as an engine's `value` after that many playouts.

    Returns None after no playout, unless the value is a sure win or loss, which needs none.
    """
    return None if visits == 0 and value not in (0.0, 1.0) else value


@dataclass(frozen=True)
class EngineLine:
    """A turn and the turns expected after it; `value` is the mover's chance to win.

    External programs may leave out value and visits. See `chance_of` for a line without a playout.
    """

    turn: str
    value: float | None
    visits: int | None
    pv: tuple[str, ...]

    def __post_init__(self) -> None:
        object.__setattr__(self, "value", chance_of(self.value, self.visits))


def lines_option(process: EngineProcess, lines: int) -> dict[str, str]:
    """The option that makes an engine report that many lines, or as many as it can."""
    option = process.options.get(MULTI_PV.lower())
    if option is None or option.kind != "spin" or option.high == 1:
        return {}
    number = str(min(lines, option.high or lines))
    return {MULTI_PV: number} if option.takes(number) and int(number) > 0 else {}


def reported_line(info: InfoLine) -> EngineLine:
    """A reported line. If the engine reports no visits, all playouts count for the line."""
    visits = info.nodes if info.visits is None else info.visits
    return EngineLine(info.pv[0], info.winrate, visits, info.pv)


def final_lines(turn: str, reports: Mapping[int, InfoLine]) -> tuple[EngineLine, ...]:
    """The lines, each turn once, with the turn that the engine answered first."""
    lines = [reported_line(reports[number]) for number in sorted(reports)]
    stones = engine.stones_of(turn)
    chosen = [line for line in lines if engine.stones_of(line.turn) == stones][:1]
    if not chosen:
        best = reports.get(1, InfoLine())
        visits = best.nodes if best.visits is None else best.visits
        chosen, lines = [EngineLine(turn, best.winrate, visits, (turn,))], lines[1:]
    seen, others = {stones}, list[EngineLine]()
    for line in lines:
        if (of_line := engine.stones_of(line.turn)) not in seen:
            seen.add(of_line)
            others.append(line)
    return (*chosen, *others)
