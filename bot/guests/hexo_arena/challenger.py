"""Whom the bot challenges, and when: its policy, the server's caps, and the directory of bots."""

# Choosing an opponent
#
# Problem. The ladder pairs nobody: a bot that wants a rating sends challenges itself. The server
# limits them by day, by pair and by minute, and a bot that asks the same few others again and again
# annoys their owners. The limits must hold across restarts.
#
# Idea. Everything that was sent is in the store, with its time. A choice is a pure function of the
# directory, the policy and these rows: leave out who cannot or shall not be asked, and take the one
# with the fewest games of this day, then the nearest rating. What the server refuses until a time
# is a row too, so it is not asked again before.
#
# Rejected: counting in memory, which forgets after a crash; and asking until the server refuses,
# which spends the day's cap on refusals.

import random
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from fnmatch import fnmatchcase
from typing import Final

from bot.guests.hexo_arena.api import Api
from bot.guests.hexo_arena.facts import clock_of
from bot.guests.hexo_arena.messages import (
    Accepts,
    BotListing,
    Clock,
    MatchClock,
    TurnClock,
    Unlimited,
)
from bot.guests.hexo_arena.store import SentChallenge, Store
from bot.platforms.base import NotNow
from bot.time_controls import TimeControl
from bot.time_source import TimeSource

MOST_LIVE: Final = 4
"""Games that a bot may play at once; the server's cap."""
CHALLENGES_A_DAY: Final = 200
GAMES_A_DAY: Final = 100
GAMES_A_PAIR: Final = 20
"""The server's caps for one day, UTC."""
ALL: Final = "all challenges"
"""What is held back if the server accepts no challenge at all any more this day."""
LIVES_S: Final = 75.0
"""Seconds in which a challenge may be pending: it lives for 60 s after its last repetition."""
LONGEST_S: Final = 60.0


@dataclass(frozen=True, slots=True)
class ChallengePolicy:
    """Whom to challenge, with which clocks, and how often. Times are in seconds."""

    opponents: tuple[str, ...] = ("*",)
    block: tuple[str, ...] = ()
    clocks: tuple[TimeControl, ...] = ()
    opening_plies: int = 5
    rating_range: float | None = None
    every_s: float = 60.0
    rest_s: float = 600.0
    per_day: int = 100
    per_opponent: int = 10
    directory_s: float = 180.0


@dataclass(frozen=True, slots=True)
class ChosenOpponent:
    opponent: str
    clock: Clock


@dataclass(frozen=True, slots=True)
class Day:
    """What was sent and played this day, and what is held back, each until a moment."""

    now: datetime
    challenges: Sequence[SentChallenge]
    opponents: Sequence[str]
    held_back: Mapping[str, datetime]

    @property
    def last_at(self) -> datetime | None:
        return self.challenges[-1].at if self.challenges else None

    def pending(self) -> set[str]:
        """Return the opponents whose challenge may still be open.

        One that began counts too: the game may be that of another challenge by the same opponent.
        """
        since = self.now - timedelta(seconds=LIVES_S)
        return {
            each.opponent
            for each in self.challenges
            if each.fate not in {"declined", "refused"} and each.at > since
        }


def wait_s(policy: ChallengePolicy, day: Day) -> float:
    """Return the seconds until a challenge may be sent at all; 0 for now."""
    tomorrow = start_of_day(day.now) + timedelta(days=1)
    waits = [0.0]
    if (until := day.held_back.get(ALL)) is not None:
        waits.append((until - day.now).total_seconds())
    is_spent = len(day.challenges) >= CHALLENGES_A_DAY
    if is_spent or len(day.opponents) >= min(policy.per_day, GAMES_A_DAY):
        waits.append((tomorrow - day.now).total_seconds())
    if day.last_at is not None:
        waits.append(policy.every_s - (day.now - day.last_at).total_seconds())
    return max(waits)


def choose(
    policy: ChallengePolicy,
    bots: Sequence[BotListing],
    our_name: str,
    our_rating: float,
    day: Day,
    busy_with: Collection[str],
    rng: random.Random,
) -> ChosenOpponent | None:
    """Return whom to challenge now; None if there is nobody."""
    owner = next((bot.owner_name for bot in bots if bot.name == our_name), None)
    games, pending = Counter(day.opponents), day.pending()
    found = list[tuple[int, float, float, ChosenOpponent]]()
    for bot in bots:
        clock = first_clock(policy.clocks, bot.accepts)
        nearness = abs(bot.rating - our_rating)
        is_excluded = (
            clock is None
            or bot.name == our_name
            or bot.name in busy_with
            or bot.name in pending
            or bot_key(bot.name) in day.held_back
            or (owner is not None and bot.owner_name == owner)
            or not (bot.online and bot.open_for_challenges and bot.live_games < MOST_LIVE)
            or games[bot.name] >= min(policy.per_opponent, GAMES_A_PAIR)
            or not _is_wanted(policy, bot.name)
            or (policy.rating_range is not None and nearness > policy.rating_range)
        )
        if not is_excluded and clock is not None:
            choice = ChosenOpponent(bot.name, clock)
            found.append((games[bot.name], nearness, rng.random(), choice))
    return min(found, key=lambda each: each[:3])[3] if found else None


def first_clock(clocks: Sequence[TimeControl], accepts: Accepts | None) -> Clock | None:
    """Return the first of our clocks that the other bot plays."""
    wire = (clock_of(control) for control in clocks)
    return next((clock for clock in wire if covers(accepts, clock)), None)


def covers(accepts: Accepts | None, clock: Clock) -> bool:
    """Return whether a bot plays that clock. One that declared nothing plays none."""
    if accepts is None:
        return False
    match clock:
        case Unlimited():
            return accepts.unlimited
        case MatchClock():
            return accepts.match
        case TurnClock(turn_time_ms=turn):
            low, high = accepts.turn_ms or (1, 0)
            return low <= turn <= high


def bot_key(name: str) -> str:
    """Return what is held back if one bot is not to be challenged."""
    return f"bot {name}"


def start_of_day(now: datetime) -> datetime:
    return now.astimezone(UTC).replace(hour=0, minute=0, second=0, microsecond=0)


def _is_wanted(policy: ChallengePolicy, name: str) -> bool:
    def is_in(patterns: Sequence[str]) -> bool:
        return any(fnmatchcase(name.casefold(), pattern.casefold()) for pattern in patterns)

    return is_in(policy.opponents) and not is_in(policy.block)


class Challenger:
    """Chooses opponents for one bot.

    The directory is read once in `directory_s`, and once a minute while it names no opponent.
    """

    def __init__(
        self,
        policy: ChallengePolicy,
        api: Api,
        store: Store,
        time: TimeSource,
        rng: random.Random,
    ) -> None:
        self.policy = policy
        self._api = api
        self._store = store
        self._time = time
        self._rng = rng
        self._bots: list[BotListing] = []
        self._read_at: float | None = None

    async def choose(
        self, our_name: str, our_rating: float, busy_with: Collection[str]
    ) -> ChosenOpponent:
        """Return whom to challenge now. Raises NotNow if nobody may be, and NoAnswer."""
        day = await self._day()
        if (seconds := wait_s(self.policy, day)) > 0:
            raise NotNow("pace", "no challenge is due yet", min(seconds, LONGEST_S))
        bots = await self._directory()
        choice = choose(self.policy, bots, our_name, our_rating, day, busy_with, self._rng)
        if choice is None:
            self._read_at = None  # a bot that comes should not wait for `directory_s`
            raise NotNow("nobody", "no bot is there to be challenged", LONGEST_S)
        return choice

    async def _day(self) -> Day:
        now = self._time.wall()
        since = start_of_day(now)
        return Day(
            now,
            await self._store.challenges_since(since),
            await self._store.games_since(since),
            await self._store.held_back(now),
        )

    async def _directory(self) -> list[BotListing]:
        now = self._time.monotonic()
        if self._read_at is None or now - self._read_at >= self.policy.directory_s:
            self._bots = await self._api.directory()
            self._read_at = now
        return self._bots
