"""The time manager: how long an engine may think about one turn.

A turn has a recommended time, its even share of the clock, and a maximum, at which the engine is
stopped. Between the two the engine decides itself when to stop. Later turns share the rest.

All times are whole milliseconds. The network delay of this turn is subtracted once, and that of
later turns is held back. Only the hard deadline subtracts the reserve for the worst case.
"""

import math
from dataclasses import dataclass
from typing import Annotated, Final, Literal

from pydantic import BaseModel, ConfigDict, Field

import engine
from bot.engines.questions import Budget, latest_aim
from bot.platforms.base import GameFacts
from bot.time_controls import (
    Absolute,
    ByoYomi,
    Correspondence,
    Fischer,
    PerTurn,
    PlayerClock,
    TimeControl,
    Untimed,
    time_left_ms,
)

LEAST_CORRESPONDENCE_MS: Final = 500
"""The shortest time of a turn by correspondence, even if many wait or the clock is nearly out."""
HALF_AT_MS: Final = 4 * 3_600_000
"""With this time on the clock, a turn by correspondence gets half of the longest time."""
LEAST_LIVE_MS: Final = 500
"""The time that a live turn keeps for its engine while it waits for one."""
LONGEST_LIVE_MS: Final = 20_000
"""When a live turn is due at the latest, though its clock has hours: a person waits for it."""
UNTIMED_WAIT_S: Final = 600.0
"""How long a turn without a clock waits for an engine."""
OVERDUE_MS: Final = 5_000
"""The time to plan with after a clock by correspondence has run out."""
MAXIMUM = 4
"""An engine that plans with its clock is stopped at this multiple of the even share."""
LONG_GAME: Final = 150
"""On a board without an edge, time for the network is held back for a game of this many turns."""
LEAST_HARD_MS: Final = 500
"""An engine gets this time to answer, or a quarter of the clock: with less it is only killed."""
MOST_HELD: Final = 0.99
"""The greatest share of the clock that is held back for the network."""
LEAST_TURNS_LEFT = 4
"""Captures empty cells again, so a game that seems nearly over may last some more turns."""


class TimePolicy(BaseModel):
    """The operator's settings about time."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    network_overhead_ms: Annotated[int, Field(ge=0, le=60_000)] = Field(
        50, description="mean network time of a turn, to the server and from it"
    )
    reserve_ms: Annotated[int, Field(ge=10, le=60_000)] = Field(
        300, description="reserve for the worst case: a slow network, a turn of the fallback"
    )
    max_turn_s: Annotated[float, Field(ge=0.05, le=3600)] = Field(
        30, description="longest time for a turn, for any time on the clock"
    )
    correspondence_turn_s: Annotated[float, Field(ge=0.5, le=3600)] | None = Field(
        None,
        description="the same for games by correspondence; if it is not set, `max_turn_s` applies",
    )
    untimed_turn_s: Annotated[float, Field(ge=0.05, le=3600)] = Field(
        5, description="time for a turn in a game without a clock"
    )


@dataclass(frozen=True)
class Moment:
    """A turn that is due, with the clocks as the server sent them `elapsed_ms` ago.

    `turn_number` counts both players' turns from 1. `turns_left` is an estimate of how many more
    turns the player to move will play, this one included; `most_turns_left` is the same for a long
    game, None if no game is longer than expected.
    """

    control: TimeControl
    clocks: tuple[PlayerClock, PlayerClock]
    to_play: Literal[1, 2]
    elapsed_ms: int
    turn_number: int
    turns_left: int
    most_turns_left: int | None = None


def moment_of(facts: GameFacts, position: engine.Position, elapsed_ms: int) -> Moment:
    """Return the turn that is due in a game, `elapsed_ms` after the facts arrived.

    The position may also be one that is expected after these facts.
    """
    turns_left = expected_turns_left(position.room)
    return Moment(
        control=facts.setup.control,
        clocks=facts.clocks,
        to_play=1 if position.to_play == 1 else 2,
        elapsed_ms=elapsed_ms,
        turn_number=position.turn_number,
        turns_left=turns_left,
        most_turns_left=_most_turns_left(position),
    )


def turn_budget(policy: TimePolicy, moment: Moment, at_most_s: float = math.inf) -> Budget:
    """Return the budget for the turn at `moment`, which is positive even if the clock has run out.

    `at_most_s` is the time that the scheduler allows.
    """
    if isinstance(moment.control, Correspondence):
        return _by_correspondence(policy, moment, at_most_s)
    cap = max(1, min(_ms(policy.max_turn_s), _ms_at_most(at_most_s)))
    available = _available(policy, moment)
    if available is None:
        think = min(cap, _ms(policy.untimed_turn_s))
        return Budget(think, _late(think), f"movetime {think}")
    hard = _hard(policy, moment, available)
    share = _share(policy, moment, available)
    think = max(1, min(share, cap, latest_aim(hard)))
    if _engine_may_plan(moment.control, share, cap, hard):
        words = _clock_words(policy, moment, available)
        maximum = min(MAXIMUM * think, cap, latest_aim(hard))
        return Budget(think, min(hard, _late(maximum)), words, maximum)
    return Budget(think, min(hard, _late(think)), f"movetime {think}")


def _by_correspondence(policy: TimePolicy, moment: Moment, at_most_s: float) -> Budget:
    """Return the longest time multiplied by left / (left + 4 h).

    That is half of it with four hours on the clock, and nearly all of it with days. It never
    exceeds the even share of the clock.
    """
    available = _available(policy, moment)
    assert available is not None
    available = available if available > 1 else OVERDUE_MS
    longest = _ms(policy.correspondence_turn_s or policy.max_turn_s)
    wish = max(LEAST_CORRESPONDENCE_MS, int(longest * available / (available + HALF_AT_MS)))
    wish = min(wish, longest, max(LEAST_CORRESPONDENCE_MS, _ms_at_most(at_most_s)))
    hard = _hard(policy, moment, available)
    think = max(1, min(wish, _share(policy, moment, available), latest_aim(hard)))
    return Budget(think, min(hard, _late(think)), f"movetime {think}")


@dataclass(frozen=True)
class LiveWait:
    """How long a turn of a live game may wait for an engine, in seconds from now.

    It is due after its even share of the clock, so that waiting costs no later turn its time. With
    the last of its clock it may wait until `latest_s`, and then think for a moment.
    """

    due_s: float
    latest_s: float


def live_wait(policy: TimePolicy, moment: Moment) -> LiveWait:
    """Return how long the live turn at `moment` may wait for an engine."""
    available = _available(policy, moment)
    if available is None:
        return LiveWait(LONGEST_LIVE_MS / 1000, UNTIMED_WAIT_S)
    hard = _hard(policy, moment, available)
    latest = hard - min(_late(LEAST_LIVE_MS), hard // 2)
    due = min(latest, _share(policy, moment, available), LONGEST_LIVE_MS)
    return LiveWait(due / 1000, latest / 1000)


def latest_s(think_s: float) -> float:
    """Return how long an engine can be busy, at most, with a turn of `think_s` seconds."""
    return _late(_ms(think_s)) / 1000


def expected_turns_left(empty_cells: int) -> int:
    """Return how many more turns a player has, two stones each, if `empty_cells` are open
    to both.
    """
    return max(LEAST_TURNS_LEFT, -(-empty_cells // 4))


def _most_turns_left(position: engine.Position) -> int | None:
    if position.game.board.is_bounded:
        return None
    return max(0, LONG_GAME + 1 - position.turn_number) // 2


def _available(policy: TimePolicy, moment: Moment) -> int | None:
    """Return the time before the flag or a period is lost; at least 1 ms, None if untimed."""
    spent = max(0, moment.elapsed_ms) + policy.network_overhead_ms
    clock = moment.clocks[moment.to_play - 1]
    left = time_left_ms(moment.control, clock)
    if left is None:
        return None
    left -= spent
    if isinstance(moment.control, ByoYomi):
        left = min(left, _until_a_period_is_lost(moment.control, clock, spent))
    return max(1, left)


def _until_a_period_is_lost(control: ByoYomi, clock: PlayerClock, spent: int) -> int:
    """Return the main time and one period; at least one period while another one is left."""
    period = _ms(control.period_s)
    return max(period, (clock.main_ms or 0) + period - clock.period_used_ms - spent)


def _hard(policy: TimePolicy, moment: Moment, available: int) -> int:
    """Return when the engine must have answered, before the reserve for the worst case.

    An engine that hangs must not spend what later turns need for the network.
    """

    def less_reserve(left: int) -> int:
        return max(1, left - min(policy.reserve_ms, -(-left // 4)))

    latest = less_reserve(available)
    free = less_reserve(available - _held_back(policy, moment, available))
    return min(latest, max(free, min(LEAST_HARD_MS, -(-available // 4))))


def _held_back(policy: TimePolicy, moment: Moment, available: int) -> int:
    """Return the part of `available` that later turns will spend on the network.

    It includes the time of one engine that hangs. Increments pay for the network first, and nothing
    is held back if they suffice. Without this, a long game without an increment is lost on time
    although every turn takes only its share.
    """
    if not isinstance(moment.control, Fischer | Absolute):
        return 0
    each = max(0, policy.network_overhead_ms - _added(moment.control))
    if each == 0:
        return 0
    later = max(moment.turns_left, moment.most_turns_left or 0, 1) - 1
    held = each * later + policy.reserve_ms + LEAST_HARD_MS
    return min(held, int(MOST_HELD * available))


def _added(control: Fischer | Absolute) -> int:
    return _ms(control.increment_s) if isinstance(control, Fischer) else 0


def _added_to_think(policy: TimePolicy, control: Fischer | Absolute) -> int:
    """Return what is left of an increment after the network."""
    return max(0, _added(control) - policy.network_overhead_ms)


def _share(policy: TimePolicy, moment: Moment, available: int) -> int:
    """Return the even share of `available` for this turn."""
    control = moment.control
    if isinstance(control, PerTurn | Untimed):
        return available
    share = (available - _held_back(policy, moment, available)) / max(1, moment.turns_left)
    if isinstance(control, ByoYomi):
        share = max(share, 0.9 * _ms(control.period_s))
    elif isinstance(control, Fischer):
        share += 0.85 * _added_to_think(policy, control)
    elif isinstance(control, Correspondence):
        share += 0.85 * _ms(control.increment_s)
    if moment.turn_number <= 2:  # an empty board has little to decide
        share /= 2
    if not isinstance(control, ByoYomi):
        share = min(share, 0.6 * available)
    return max(1, int(share))


def _engine_may_plan(control: TimeControl, share: int, cap: int, hard: int) -> bool:
    """Return whether the engine gets the clock, and may stop early or think up to the maximum.

    It does not if the cap is below the even share, nor on a clock that is nearly empty: a few times
    the share would use that up.
    """
    planned = isinstance(control, Fischer | Absolute)
    return planned and share <= cap and 3 * share <= hard and hard >= 2000


def _clock_words(policy: TimePolicy, moment: Moment, available: int) -> str:
    assert isinstance(moment.control, Fischer | Absolute)
    held = _held_back(policy, moment, available)
    mine = max(1, available - policy.reserve_ms - held), _added_to_think(policy, moment.control)
    theirs = moment.clocks[2 - moment.to_play].main_ms or 0, _added(moment.control)
    first, second = (mine, theirs) if moment.to_play == 1 else (theirs, mine)
    return f"p1time {first[0]} p2time {second[0]} p1inc {first[1]} p2inc {second[1]}"


def _late(think: int) -> int:
    """Return when an engine that should think for `think` counts as hung."""
    return think + think // 4 + 1000


def _ms_at_most(seconds: float) -> int:
    return _ms(min(seconds, 3600))


def _ms(seconds: float) -> int:
    return round(seconds * 1000)
