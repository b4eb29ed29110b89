"""Challenges to and from an identity, and the games that were agreed on."""

import asyncio
from collections.abc import Awaitable, Callable, Collection, Coroutine
from typing import Final, Generic, TypeVar

import structlog

from bot.daemon.policy import Circumstances, Declined, decide
from bot.daemon.settings import PolicySettings
from bot.daemon.status import IdentityStatus
from bot.errors import PeerError
from bot.platforms.base import (
    ChallengeFacts,
    ChallengeGone,
    ChallengingPlatform,
    Connected,
    GameFacts,
    NoAnswer,
    Platform,
    patiently,
)
from bot.runtime.bounded import BoundedMemory
from bot.runtime.database import WriteState
from bot.time_controls import Correspondence, Untimed
from bot.time_source import TimeSource

T = TypeVar("T")
REMEMBERED_BYTES: Final = 10_000_000


class Announcements(Generic[T]):
    """One fact per key: a task can wait for it before or after it is announced.

    The latest facts are remembered.
    """

    def __init__(self) -> None:
        self._announced: BoundedMemory[str, T] = BoundedMemory(REMEMBERED_BYTES)
        self._waiting: dict[str, asyncio.Future[T]] = {}

    def announce(self, key: str, fact: T) -> None:
        self._announced.put(key, fact)
        waiting = self._waiting.pop(key, None)
        if waiting is not None and not waiting.done():
            waiting.set_result(fact)

    def is_announced(self, key: str) -> bool:
        return key in self._announced

    async def wait_for(self, key: str) -> T:
        """Wait for the fact for `key` and return it. Only one task may wait for a key."""
        if key in self._announced:
            return self._announced[key]
        waiting: asyncio.Future[T] = asyncio.get_running_loop().create_future()
        self._waiting[key] = waiting
        try:
            return await waiting
        finally:
            self._waiting.pop(key, None)


class Promises:
    """Challenges that we accepted or made, and the games that they became.

    A restarted bot does not know the challenges that it made before, and withdraws them.
    """

    def __init__(self) -> None:
        self._promised: dict[str, str] = {}
        self._own: set[str] = set()
        self._starting: dict[str, str] = {}
        self._taking_back: set[str] = set()
        self._agreed: set[str] = set()
        self._fates: Announcements[ChallengeGone] = Announcements()

    # ---- challenges --------------------------------------------------------------------------

    def promise(self, challenge_id: str, opponent: str, *, own: bool = False) -> None:
        """Reserve room for the game that this challenge may become, unless it has already ended."""
        if self._fates.is_announced(challenge_id):
            return
        self._promised[challenge_id] = opponent
        if own:
            self._own.add(challenge_id)

    def is_promised(self, challenge_id: str) -> bool:
        return challenge_id in self._promised

    def drop(self, challenge_id: str) -> None:
        """Free the room: our acceptance was refused, or the challenge is gone."""
        self._promised.pop(challenge_id, None)
        self._own.discard(challenge_id)
        self._taking_back.discard(challenge_id)

    def gone(self, event: ChallengeGone, playing: Collection[str]) -> None:
        """Handle the end of a challenge. `playing` are the games that we know."""
        opponent = self._promised.get(event.challenge_id)
        if event.game_id is not None:
            if opponent is not None and event.challenge_id not in self._own:
                self._agreed.add(event.game_id)
            if event.game_id not in playing:
                self._starting[event.game_id] = opponent or ""
        self.drop(event.challenge_id)
        self._fates.announce(event.challenge_id, event)

    async def fate_of(self, challenge_id: str) -> ChallengeGone:
        return await self._fates.wait_for(challenge_id)

    @property
    def own(self) -> list[str]:
        """The open challenges that we made."""
        return list(self._own)

    # ---- games -------------------------------------------------------------------------------

    def began(self, game_id: str) -> None:
        self._starting.pop(game_id, None)

    def over(self, game_id: str) -> None:
        self._agreed.discard(game_id)

    def is_agreed(self, game_id: str) -> bool:
        """Return whether another player requested that game, as far as we know."""
        return game_id in self._agreed

    # ---- both --------------------------------------------------------------------------------

    def connected(self, event: Connected, playing: Collection[str]) -> list[str]:
        """Adopt the server's state, and return the challenges of ours that must be withdrawn."""
        self._starting = {game_id: "" for game_id in event.running if game_id not in playing}
        for challenge_id in [*self._promised]:
            if challenge_id not in event.open_challenges:
                self.gone(ChallengeGone(challenge_id, "expired", code="unseen"), playing)
        unknown = event.own_challenges - (self._own - self._taking_back)
        for challenge_id in unknown:
            self.promise(challenge_id, "", own=True)
        self._taking_back = set(unknown)
        return sorted(unknown)

    def forget(self) -> None:
        """Forget everything except the games that were agreed on."""
        for known in (self._promised, self._own, self._starting, self._taking_back):
            known.clear()

    @property
    def opponents(self) -> list[str]:
        """The opponents of games that may start; an empty name is an unknown opponent."""
        return [*self._starting.values(), *self._promised.values()]

    @property
    def are_clear(self) -> bool:
        """Whether all running games are known, and no forgotten challenge of ours is open."""
        return not (self._starting or self._taking_back)


UNBEGUN_S: Final = 600.0
"""Seconds for which a game may wait for its opponent's first turn before another player gets its
place.
"""

log = structlog.get_logger()

Start = Callable[[Coroutine[object, object, None]], object]
"""Start a task that ends with the identity."""


class Offers:
    """Answers challenges by the policy, reserves room for agreed games, withdraws offers.

    `policy` may change at any time, `tournaments_going_on` when the server reports it. While
    `writing` fails, no game starts. `is_ready_for` returns whether the engine can already play a
    game. `on_answer` gets the reason why a challenge was declined, or None if it was accepted.
    """

    def __init__(
        self,
        platform: Platform,
        policy: PolicySettings,
        status: IdentityStatus,
        writing: WriteState,
        is_ready_for: Callable[[str], bool],
        time_source: TimeSource,
        start: Start,
        on_answer: Callable[[str | None], None] = lambda _declined: None,
    ) -> None:
        self.policy = policy
        self._platform = platform
        self._status = status
        self._writing = writing
        self._is_ready_for = is_ready_for
        self._time = time_source
        self._start = start
        self._on_answer = on_answer
        self._draining = False
        self.tournaments_going_on = 0
        self._promises = Promises()
        self._ends: Announcements[None] = Announcements()

    # ---- events of the server -----------------------------------------------------------------

    def forget(self) -> None:
        """Forget all, because the identity restarts and the server will send its state."""
        self._promises.forget()

    def connected(self, event: Connected) -> None:
        for challenge_id in self._promises.connected(event, self._status.games):
            log.info("offer_taken_back", challenge=challenge_id)
            self._take_back(challenge_id)

    def offered(self, challenge: ChallengeFacts) -> None:
        self._start(self._answer(challenge))

    def gone(self, event: ChallengeGone) -> None:
        self._promises.gone(event, self._status.games)

    def began(self, game_id: str) -> None:
        self._promises.began(game_id)

    def over(self, game_id: str) -> None:
        self._promises.over(game_id)
        self._ends.announce(game_id, None)

    # ---- stopping ----------------------------------------------------------------------------

    def drain(self) -> None:
        """Decline new games from now on."""
        self._draining = True
        for challenge_id in self._promises.own:
            self._take_back(challenge_id)

    @property
    def are_open(self) -> bool:
        """Whether a challenge that was accepted or made may still become a game."""
        return bool(self._promises.opponents)

    # ---- for the seeker -----------------------------------------------------------------

    async def until_free(self) -> None:
        """Wait until connected, with all running games known, not draining, and room for a game."""
        while True:
            await self._writing.until_works()
            if self._is_free():
                return
            await self._status.change()

    def _is_free(self) -> bool:
        if self._draining or not self._status.connected or not self._promises.are_clear:
            return False
        return len(self._busy_with()) < self.policy.max_games

    def own_games(self) -> list[GameFacts]:
        """Return the running games that neither another player nor a tournament requested."""
        return [
            game
            for game in self._status.facts
            if game.outcome is None
            and not game.in_tournament
            and not self._promises.is_agreed(game.game_id)
        ]

    def note_seeking(self, why_not: str | None) -> None:
        """Note why no game is offered at present; None after an offer, or without a wish."""
        self._status.seeking = why_not

    def promise(self, challenge_id: str, opponent: str) -> None:
        """Reserve room for the game that this challenge of ours may become."""
        self._promises.promise(challenge_id, opponent, own=True)
        if self._draining:
            self._take_back(challenge_id)

    async def fate_of(self, challenge_id: str) -> ChallengeGone:
        return await self._promises.fate_of(challenge_id)

    async def end_of(self, game_id: str) -> None:
        await self._ends.wait_for(game_id)

    # ---- our own challenges ------------------------------------------------------------------

    def _take_back(self, challenge_id: str) -> None:
        if (platform := self._platform.offering) is not None:
            self._start(self._withdraw(platform, challenge_id))

    async def _withdraw(self, platform: ChallengingPlatform, challenge_id: str) -> None:
        try:
            await self._patiently(lambda: platform.withdraw(challenge_id))
        except NoAnswer as error:  # the next connection shows the result
            log.info("withdrawing_unanswered", why=error.message)
        except PeerError as error:
            log.info("withdrawing_failed", code=error.code, why=error.message)
            self._promises.drop(challenge_id)
            self._status.note_change()

    # ---- challenges of others ----------------------------------------------------------------

    async def _answer(self, challenge: ChallengeFacts) -> None:
        challenge_id = challenge.challenge_id
        if self._promises.is_promised(challenge_id):
            return
        is_ready = self._is_ready_for(challenge.setup.game)
        declined = decide(self.policy, self._circumstances(is_ready), challenge)
        try:
            if declined is None:
                await self._accept(challenge)
            elif not challenge.is_open:
                await self._decline(challenge, declined)
        except NoAnswer as error:
            # The next connection shows the result.
            log.warning("challenge_unanswered", why=error.message, **_about(challenge))
        except PeerError as error:
            self._promises.drop(challenge_id)
            about = _about(challenge)
            log.warning("challenge_refused", code=error.code, why=error.message, **about)

    async def _accept(self, challenge: ChallengeFacts) -> None:
        challenge_id = challenge.challenge_id
        self._promises.promise(challenge_id, challenge.opponent.player_id)
        await self._patiently(lambda: self._platform.accept(challenge_id))
        log.info("challenge_accepted", **_about(challenge))
        self._on_answer(None)

    async def _decline(self, challenge: ChallengeFacts, declined: Declined) -> None:
        challenge_id, code, sentence = challenge.challenge_id, declined.code, declined.sentence
        await self._patiently(lambda: self._platform.decline(challenge_id, code, sentence))
        log.info("challenge_declined", code=code, **_about(challenge))
        self._on_answer(code)
        if code == "too_many_games":
            self._start(self._make_room())

    async def _make_room(self) -> None:
        """Abort the oldest game whose opponent has not played, because another player
        waits for us.
        """
        long_ago = self._time.monotonic() - UNBEGUN_S
        unbegun = [
            each
            for each in self._status.games.values()
            if _is_unbegun(each.latest) and each.ply_since <= long_ago
        ]
        if not unbegun:
            return
        oldest = min(unbegun, key=lambda each: each.ply_since).latest
        try:
            await self._patiently(lambda: self._platform.abort(oldest.game_id))
            log.info("unbegun_game_aborted", game=oldest.game_id, opponent=oldest.opponent.name)
        except PeerError as error:  # for example, the opponent has just played
            log.info("unbegun_game_not_aborted", game=oldest.game_id, why=error.message)

    async def _patiently(self, ask: Callable[[], Awaitable[None]]) -> None:
        """Ask, and retry while the server cannot answer at present. Raises other PeerErrors."""
        await patiently(ask, self._time)

    def _circumstances(self, is_ready: bool) -> Circumstances:
        return Circumstances(
            our_name=self._status.name,
            draining=self._draining,
            busy_with=self._busy_with(),
            can_write=self._writing.problem is None,
            is_ready=is_ready,
        )

    def _busy_with(self) -> list[str]:
        playing = [
            facts.opponent.player_id for facts in self._status.facts if not _waits_for_absent(facts)
        ]
        return [*playing, *self._promises.opponents, *self._expected()]

    def _expected(self) -> list[str]:
        """Return a place for the next game of each running tournament, against an unknown
        opponent.
        """
        running = sum(facts.in_tournament for facts in self._status.facts)
        return [""] * max(0, self.tournaments_going_on - running)


def _is_live(facts: GameFacts) -> bool:
    return not isinstance(facts.setup.control, Correspondence | Untimed)


def _is_unbegun(facts: GameFacts) -> bool:
    """Return whether a live game waits for its opponent's first turn."""
    waits = facts.outcome is None and not facts.our_turn and facts.ply < len(facts.players)
    return _is_live(facts) and waits and not facts.in_tournament


def _waits_for_absent(facts: GameFacts) -> bool:
    """Return whether a game takes no place: its opponent is to move and away, for days maybe."""
    waits = facts.outcome is None and not facts.our_turn and not facts.opponent_here
    return waits and not _is_live(facts)


def _about(challenge: ChallengeFacts) -> dict[str, object]:
    return {"challenge": challenge.challenge_id, "opponent": challenge.opponent.name}
