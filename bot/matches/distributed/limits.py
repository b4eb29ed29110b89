"""How long things may take where many machines play."""

from dataclasses import dataclass
from typing import Final

import engine
from bot.matches.clocks import GRACE_MS
from bot.matches.task import GameTask
from bot.time_controls import (
    Absolute,
    ByoYomi,
    Correspondence,
    Fischer,
    PerTurn,
    TimeControl,
    Untimed,
)

SPARE_S: Final = 60.0
"""For a machine that compiles its kernels, and for the way."""
TURNS_A_CELL: Final = 2
"""Stones are captured too, so that a game may have more turns than its board has cells."""


@dataclass(frozen=True)
class ClusterLimits:
    """In seconds, but for the counts."""

    poll_s: float = 1.0
    """How often it is asked which workers are there."""
    answer_s: float = 30.0
    """For a worker or the scheduler to answer a question; a first import takes a while."""
    silent_s: float = 60.0
    """A worker that the scheduler has not heard for so long plays no more."""
    connect_s: float = 10.0
    scheduler_s: float = 300.0
    """How long a scheduler that is lost is looked for."""
    no_worker_s: float = 1800.0
    """How long games wait while no worker may play them."""
    say_again_s: float = 60.0
    ask_again_s: float = 60.0
    """When a worker that did not answer, or was silent, is asked again."""
    most_losses: int = 5
    """So many workers lost, or failures, with one game: it counts for nothing."""
    grace_s: float = 30.0
    """How much longer than the worker's own limit a game is waited for."""


USUAL: Final = ClusterLimits()


def longest_s(task: GameTask) -> float:
    """How long the game could take if both used all that they have, and no turn more."""
    setup = task.setup
    board = engine.game_of(setup.game, setup.board, setup.rules, setup.options).board
    turns = TURNS_A_CELL * len(board.cells)
    if task.conduct.most_turns is not None:
        turns = min(turns, 2 * task.conduct.most_turns)
    margins = turns * task.conduct.margin_ms / 1000 + GRACE_MS / 1000
    starts = sum(spec.start_timeout_s for spec in task.engines)
    patience_s = task.conduct.patience_ms / 1000
    thinking = sum(_thinking_s(task.limit(seat).control, turns / 2, patience_s) for seat in (1, 2))
    return SPARE_S + starts + margins + thinking


def _thinking_s(control: TimeControl, turns: float, patience_s: float) -> float:
    """Of one player."""
    match control:
        case Fischer(initial_s=initial, increment_s=increment):
            return initial + turns * increment
        case Correspondence(initial_s=initial, increment_s=increment):
            return initial + turns * increment
        case Absolute(initial_s=initial):
            return initial
        case ByoYomi(main_s=main, period_s=period, periods=periods):
            return main + (turns + periods) * period
        case PerTurn(turn_s=turn):
            return turns * turn
        case Untimed():
            return turns * patience_s
