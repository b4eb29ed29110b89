"""Which challenges the bot accepts: a list of checks, each with a code and a sentence.

The checks run in the order of `CHECKS`. The first one that declines decides.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import Final

import engine
from bot.daemon.settings import PolicySettings
from bot.platforms.base import ChallengeFacts, Participant
from bot.time_controls import (
    Absolute,
    ByoYomi,
    Correspondence,
    Fischer,
    PerTurn,
    TimeControl,
    Untimed,
    full_clock,
    time_left_ms,
)


@dataclass(frozen=True, slots=True)
class Declined:
    """A reason to decline. `code` is for programs, `sentence` for people."""

    code: str
    sentence: str


@dataclass(frozen=True, slots=True)
class Circumstances:
    """The state of the bot: `busy_with` has the opponent of each game, agreed ones included.

    `can_write` is false while turns cannot be journalled, and so cannot be played. `is_ready` is
    false while the engine for the offered game is being compiled.
    """

    our_name: str
    draining: bool
    busy_with: Sequence[str]
    can_write: bool = True
    is_ready: bool = True


Check = Callable[[PolicySettings, Circumstances, ChallengeFacts], Declined | None]


def decide(
    policy: PolicySettings, circumstances: Circumstances, challenge: ChallengeFacts
) -> Declined | None:
    """Return why the challenge is declined; None to accept it."""
    for check in CHECKS:
        declined = check(policy, circumstances, challenge)
        if declined is not None:
            return declined
    return None


# ---- the opponent ----------------------------------------------------------------------------


def _not_draining(_: PolicySettings, now: Circumstances, __: ChallengeFacts) -> Declined | None:
    if now.draining:
        return Declined("draining", "I am about to stop and start no new games.")
    return None


def _can_write(_: PolicySettings, now: Circumstances, __: ChallengeFacts) -> Declined | None:
    if not now.can_write:
        return Declined("disk", "I cannot write to my disk, and start no new games until I can.")
    return None


def _not_itself(
    _: PolicySettings, now: Circumstances, challenge: ChallengeFacts
) -> Declined | None:
    if challenge.opponent.name == now.our_name:
        return Declined("itself", "I do not play against myself.")
    return None


def _not_blocked(
    policy: PolicySettings, _: Circumstances, challenge: ChallengeFacts
) -> Declined | None:
    if _is_one_of(challenge.opponent, policy.block):
        return Declined("blocked", "My operator does not want me to play against you.")
    return None


def _allowed(
    policy: PolicySettings, _: Circumstances, challenge: ChallengeFacts
) -> Declined | None:
    if policy.allow and not _is_one_of(challenge.opponent, policy.allow):
        return Declined("not_allowed", "I play only against chosen opponents.")
    return None


def _opponent_kind(
    policy: PolicySettings, _: Circumstances, challenge: ChallengeFacts
) -> Declined | None:
    kind = challenge.opponent.kind
    if kind is not None and kind not in policy.opponents:
        return Declined(f"no_{kind}s", f"I do not play against {kind}s.")
    return None


def _open_challenge(
    policy: PolicySettings, _: Circumstances, challenge: ChallengeFacts
) -> Declined | None:
    if challenge.is_open and not policy.open_challenges:
        return Declined("open_challenge", "I accept only challenges that name me.")
    return None


# ---- the game --------------------------------------------------------------------------------


def _game(policy: PolicySettings, _: Circumstances, challenge: ChallengeFacts) -> Declined | None:
    if challenge.setup.game not in policy.games:
        return Declined("game", f"I play {_list(policy.games)}.")
    return None


def _board(policy: PolicySettings, _: Circumstances, challenge: ChallengeFacts) -> Declined | None:
    if not any(fnmatchcase(challenge.setup.board, pattern) for pattern in policy.boards):
        return Declined("board", f"I play on {_list(policy.boards)}.")
    return None


def _rules(policy: PolicySettings, _: Circumstances, challenge: ChallengeFacts) -> Declined | None:
    if challenge.setup.rules not in policy.rules:
        return Declined("rules", f"I play by the rules {_list(policy.rules)}.")
    return None


def _playable(_: PolicySettings, __: Circumstances, challenge: ChallengeFacts) -> Declined | None:
    """The rules engine must know the game, whatever the policy lists."""
    setup = challenge.setup
    try:
        engine.game_of(setup.game, setup.board, setup.rules, setup.options)
    except engine.UnknownGame as error:
        return Declined("not_playable", f"I cannot play that: {error}.")
    return None


def _ready(_: PolicySettings, now: Circumstances, challenge: ChallengeFacts) -> Declined | None:
    if not now.is_ready:
        title = engine.game_info(challenge.setup.game).title
        message = f"My engine is still being compiled for {title}; try again in a minute."
        return Declined("warming", message)
    return None


# ---- clock and rating ------------------------------------------------------------------------


def _clock_kind(
    policy: PolicySettings, _: Circumstances, challenge: ChallengeFacts
) -> Declined | None:
    if challenge.setup.control.kind not in policy.clocks:
        return Declined("clock_kind", f"I play with these clocks: {_list(policy.clocks)}.")
    return None


def _clock_base(
    policy: PolicySettings, _: Circumstances, challenge: ChallengeFacts
) -> Declined | None:
    base_s = _base_s(challenge.setup.control)
    if base_s is None:
        return None
    if base_s < policy.min_base_s:
        return Declined("clock_too_short", f"I need at least {policy.min_base_s:g} s on the clock.")
    if policy.max_base_s is not None and base_s > policy.max_base_s:
        return Declined("clock_too_long", f"I allow at most {policy.max_base_s:g} s on the clock.")
    return None


def _clock_increment(
    policy: PolicySettings, _: Circumstances, challenge: ChallengeFacts
) -> Declined | None:
    increment_s = _increment_s(challenge.setup.control)
    if increment_s is None:
        return None
    if increment_s < policy.min_increment_s:
        least = policy.min_increment_s
        return Declined("increment_too_short", f"I need at least {least:g} s more per turn.")
    if policy.max_increment_s is not None and increment_s > policy.max_increment_s:
        most = policy.max_increment_s
        return Declined("increment_too_long", f"I allow at most {most:g} s more per turn.")
    return None


def _rated(policy: PolicySettings, _: Circumstances, challenge: ChallengeFacts) -> Declined | None:
    if policy.rated != "any" and challenge.setup.rated != (policy.rated == "rated"):
        return Declined(f"{policy.rated}_only", f"I play only {policy.rated} games.")
    return None


# ---- games at once ---------------------------------------------------------------------------


def _games_at_once(
    policy: PolicySettings, now: Circumstances, _: ChallengeFacts
) -> Declined | None:
    if len(now.busy_with) >= policy.max_games:
        return Declined("too_many_games", f"I play {policy.max_games} games at once; try later.")
    return None


def _games_with_one(
    policy: PolicySettings, now: Circumstances, challenge: ChallengeFacts
) -> Declined | None:
    running = sum(_is_in(name, [challenge.opponent.player_id]) for name in now.busy_with)
    if running >= policy.max_games_per_opponent:
        return Declined("too_many_with_you", f"We have {running} running; let us finish one first.")
    return None


CHECKS: Final[tuple[Check, ...]] = (
    _not_draining,
    _can_write,
    _not_itself,
    _not_blocked,
    _allowed,
    _opponent_kind,
    _open_challenge,
    _game,
    _board,
    _rules,
    _playable,
    _ready,
    _clock_kind,
    _clock_base,
    _clock_increment,
    _rated,
    _games_at_once,
    _games_with_one,
)


def _base_s(control: TimeControl) -> float | None:
    """Return the seconds on a full clock, byo-yomi periods included; None without a clock."""
    left_ms = time_left_ms(control, full_clock(control))
    return None if left_ms is None else left_ms / 1000


def _increment_s(control: TimeControl) -> float | None:
    """Return the seconds that a turn adds at most; None without a clock."""
    match control:
        case Fischer(increment_s=seconds) | Correspondence(increment_s=seconds):
            return seconds
        case ByoYomi(period_s=seconds) | PerTurn(turn_s=seconds):
            return seconds
        case Absolute():
            return 0.0
        case Untimed():
            return None


def _is_one_of(player: Participant, names: Sequence[str]) -> bool:
    """Return whether a player is listed, by name or by account."""
    return _is_in(player.name, names) or _is_in(player.player_id, names)


def _is_in(name: str, names: Sequence[str]) -> bool:
    return name.casefold() in {other.casefold() for other in names}


def _list(words: Sequence[str]) -> str:
    return ", ".join(words)
