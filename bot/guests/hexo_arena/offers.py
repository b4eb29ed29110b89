"""Challenges of others and of ours. Each of ours is stored before it is sent, and sent once.

The server stores a challenge under the id that the request names. A repetition of the request
returns the stored challenge, so it may be repeated until an answer comes.
"""

import random
from collections.abc import Collection
from contextlib import suppress
from datetime import timedelta
from typing import Final

import structlog

from bot.errors import HostError, PeerError, RefusedByServer
from bot.guests.hexo_arena.api import Api, DailyCap
from bot.guests.hexo_arena.challenger import ALL, Challenger, ChosenOpponent, bot_key
from bot.guests.hexo_arena.facts import clock_of, setup_of_challenge
from bot.guests.hexo_arena.messages import Account, Challenge
from bot.guests.hexo_arena.store import SentChallenge, Store
from bot.platforms.base import (
    ChallengeFacts,
    ChallengeGone,
    ChallengeOffered,
    EventSink,
    NoAnswer,
    NotNow,
    Participant,
    Seat,
    Setup,
)
from bot.platforms.challenges import PendingChallenges
from bot.runtime.bounded import BoundedMemory
from bot.time_source import TimeSource

ATTEMPTS: Final = 3
AGAIN_S: Final = 2.0
BUSY_S: Final = 60.0
"""Seconds for which a bot is left alone that cannot be challenged at present."""
BUSY: Final = frozenset({"bot_busy", "inbox_full", "challenge_pending", "not_open"})
OF_A_PAIR: Final = "daily_pair_cap"
NEXT_S: Final = 1.0
REMEMBERED_BYTES: Final = 1_000_000

log = structlog.get_logger()


class Offers:
    """Passes challenges on and sends our own, and remembers what became of them.

    `challenges` has those that may become games.
    """

    def __init__(
        self,
        api: Api,
        store: Store,
        challenges: PendingChallenges,
        challenger: Challenger,
        sink: EventSink,
        time: TimeSource,
        rng: random.Random,
    ) -> None:
        self._api = api
        self._store = store
        self._challenges = challenges
        self._challenger = challenger
        self._sink = sink
        self._time = time
        self._rng = rng
        self._sent: dict[str, SentChallenge] = {}
        self._challengers: BoundedMemory[str, str] = BoundedMemory(REMEMBERED_BYTES)

    # ---- challenges of others ------------------------------------------------------------------

    async def arrived(self, challenge: Challenge, our_name: str) -> None:
        """Tell the daemon about a challenge, unless it is ours or is accepted already."""
        challenger, challenge_id = challenge.challenger, challenge.challenge_id
        if challenger.name == our_name or challenge_id in self._challenges.ids:
            return
        self._challengers.put(challenge_id, challenger.name)
        opponent = Participant(challenger.name, "bot", account=challenger.name)
        facts = ChallengeFacts(challenge_id, setup_of_challenge(challenge), opponent)
        await self._sink(ChallengeOffered(facts))

    async def accept(self, challenge_id: str) -> None:
        """Raises PeerError."""
        # Before the request, because the game may be told before the answer comes.
        self._challenges.accepting(challenge_id, self._challengers.get(challenge_id) or "")
        try:
            await self._api.answer_challenge(challenge_id, "accept")
        except PeerError as error:
            if not isinstance(error, NoAnswer):
                self._challenges.drop(challenge_id)
            raise

    # ---- our own -------------------------------------------------------------------------------

    async def send_by_policy(self, ours: Account, busy_with: Collection[str], seat: Seat) -> str:
        """Challenge the bot that the policy chooses. Raises PeerError."""
        busy_with = {*busy_with, *self._challenges.opponents}
        choice = await self._challenger.choose(ours.name, ours.rating, busy_with)
        try:
            return await self.send(choice, seat)
        except (NotNow, NoAnswer, RefusedByServer):
            raise
        except PeerError as error:  # another bot may be there
            raise NotNow(error.code, error.message, NEXT_S) from error

    async def send(self, choice: ChosenOpponent, seat: Seat) -> str:
        """Send a challenge and return its id. Raises PeerError, NotNow and NoAnswer."""
        request = f"{self._rng.getrandbits(128):032x}"
        sent = SentChallenge(request, choice.opponent, self._time.wall(), "sent")
        await self._store.note_challenge(sent)
        pending = self._challenges.offering(choice.opponent)
        try:
            answer = await self._answered(choice, seat, request)
        except BaseException as error:
            self._challenges.drop(pending)
            if isinstance(error, PeerError):
                await self._note_refusal(sent, error)
            raise
        challenge_id = answer.challenge_id
        if answer.status not in {"created", "accepted"}:
            self._challenges.drop(pending)
            await self._declined(sent)
            raise PeerError(answer.status, f"the challenge of {choice.opponent} is {answer.status}")
        await self._store.settle_challenge(request, "open")
        self._sent[challenge_id] = sent
        gone = self._challenges.offered(pending, challenge_id)
        log.info("challenge_sent", challenge=challenge_id, opponent=choice.opponent)
        if gone is not None:
            await self.gone(gone)
        return challenge_id

    async def _answered(self, choice: ChosenOpponent, seat: Seat, request: str) -> Challenge:
        """Send the request until an answer comes. Raises NoAnswer after the last attempt."""
        opening = self._challenger.policy.opening_plies
        first = first_player(seat, opening)
        for _ in range(ATTEMPTS - 1):
            try:
                return await self._api.challenge(
                    choice.opponent, choice.clock, opening, first, request
                )
            except NoAnswer as error:
                log.info("challenge_unanswered", why=error.message, opponent=choice.opponent)
                await self._time.sleep(AGAIN_S)
        return await self._api.challenge(choice.opponent, choice.clock, opening, first, request)

    async def gone(self, gone: ChallengeGone) -> None:
        """Forget a challenge that is not pending any more, and tell the daemon."""
        self._challenges.drop(gone.challenge_id)
        sent = self._sent.pop(gone.challenge_id, None)
        if sent is not None:
            with suppress(HostError):  # the store logs its failures itself
                await self._settle(sent, gone)
        await self._sink(gone)

    async def expire(self) -> None:
        """Report challenges whose fate was not told in time."""
        for gone in self._challenges.expired():
            await self.gone(gone)

    async def _settle(self, sent: SentChallenge, gone: ChallengeGone) -> None:
        """Note what became of a challenge of ours."""
        if gone.state == "started":
            await self._store.settle_challenge(sent.request, "began")
        else:
            await self._declined(sent)

    async def _declined(self, sent: SentChallenge) -> None:
        await self._store.settle_challenge(sent.request, "declined")
        await self._leave_alone(sent.opponent, self._challenger.policy.rest_s)

    async def _note_refusal(self, sent: SentChallenge, error: PeerError) -> None:
        if isinstance(error, NoAnswer):
            return  # it may be open; the store counts it as pending
        await self._store.settle_challenge(sent.request, "refused")
        if isinstance(error, DailyCap):
            what = bot_key(sent.opponent) if error.code == OF_A_PAIR else ALL
            until = self._time.wall() + timedelta(seconds=error.until_s)
            await self._store.hold_back(what, until)
            log.info("daily_cap", code=error.code, what=what, until=until.isoformat())
        elif not isinstance(error, NotNow):
            rest_s = BUSY_S if error.code in BUSY else self._challenger.policy.rest_s
            await self._leave_alone(sent.opponent, rest_s)

    async def _leave_alone(self, opponent: str, seconds: float) -> None:
        until = self._time.wall() + timedelta(seconds=seconds)
        await self._store.hold_back(bot_key(opponent), until)


def first_player(seat: Seat, opening_plies: int) -> str:
    """Return who makes the first free turn, so that we get that seat.

    After 1, 5 or 9 stones of the opening it is o who moves, after 3 or 7 it is x.
    """
    first: Seat = 2 if opening_plies % 4 == 1 else 1
    return "challenger" if seat == first else "challenged"


def choice_for(opponent: str, setup: Setup) -> ChosenOpponent:
    """Return the challenge of one player. Raises PeerError for a clock that is not offered."""
    return ChosenOpponent(opponent, clock_of(setup.control))
