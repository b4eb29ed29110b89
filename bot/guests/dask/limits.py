"""Time limits of games on many machines."""

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
"""Added for a machine that compiles its kernels first, and for the network."""


@dataclass(frozen=True)
class ClusterLimits:
    """The limits of a host with workers on many machines, in seconds except for counts."""

    poll_s: float = 1.0
    """The interval between two requests for the list of workers."""
    answer_s: float = 30.0
    """How long a worker or the scheduler may take to answer; a first import takes seconds."""
    silent_s: float = 60.0
    """A worker that the scheduler has not heard for this long is lost."""
    connect_s: float = 10.0
    """How long one attempt to connect to the scheduler may take."""
    scheduler_s: float = 300.0
    """How long the host tries to reconnect to a lost scheduler."""
    no_worker_s: float = 1800.0
    """How long games wait while no worker can play them."""
    say_again_s: float = 60.0
    """The interval between two messages that games are waiting."""
    ask_again_s: float = 60.0
    """When a worker that did not answer, or was silent, is asked again."""
    most_losses: int = 5
    """After this many failures of one game, with or without the loss of a worker, it is void."""
    grace_s: float = 30.0
    """How much longer than the worker's own limit the host waits for a game."""


USUAL: Final = ClusterLimits()


def longest_s(task: GameTask) -> float:
    """The longest possible duration of the game, if both players use all of their time."""
    setup = task.setup
    turns = engine.game_of(setup.game, setup.board, setup.rules, setup.options).most_turns
    if task.conduct.most_turns is not None:
        turns = min(turns, 2 * task.conduct.most_turns)
    margins = turns * task.conduct.margin_ms / 1000 + GRACE_MS / 1000
    starts = sum(spec.start_timeout_s for spec in task.engines)
    patience_s = task.conduct.patience_ms / 1000
    thinking = sum(_thinking_s(task.limit(seat).control, turns / 2, patience_s) for seat in (1, 2))
    return SPARE_S + starts + margins + thinking


def _thinking_s(control: TimeControl, turns: float, patience_s: float) -> float:
    """The longest thinking time of one player."""
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
