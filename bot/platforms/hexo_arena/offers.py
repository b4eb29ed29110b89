"""Challenges of ours on their way to the server: each is stored before it is sent, and sent once.

The server stores a challenge under the id that the request names. A repetition of the request
returns the stored challenge, so it may be repeated until an answer comes.
"""

import random
from datetime import timedelta
from typing import Final

import structlog

from bot.errors import PeerError
from bot.platforms.base import ChallengeGone, EventSink, NoAnswer, NotNow, Seat, Setup
from bot.platforms.hexo_arena.api import Api, DailyCap
from bot.platforms.hexo_arena.challenger import ALL, Challenger, Choice, bot_key
from bot.platforms.hexo_arena.challenges import Challenges
from bot.platforms.hexo_arena.facts import clock_of
from bot.platforms.hexo_arena.messages import Challenge
from bot.platforms.hexo_arena.store import SentChallenge, Store
from bot.time_source import TimeSource

ATTEMPTS: Final = 3
AGAIN_S: Final = 2.0
BUSY_S: Final = 60.0
"""Seconds for which a bot is left alone that cannot be challenged at present."""
BUSY: Final = frozenset({"bot_busy", "inbox_full", "challenge_pending", "not_open"})
OF_A_PAIR: Final = "daily_pair_cap"
NEXT_S: Final = 1.0

log = structlog.get_logger()


class Offers:
    """Sends challenges, and remembers what became of them."""

    def __init__(
        self,
        api: Api,
        store: Store,
        challenges: Challenges,
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

    async def send(self, choice: Choice, seat: Seat) -> str:
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
            await self.gone(challenge_id, gone)
            await self._sink(gone)
        return challenge_id

    async def _answered(self, choice: Choice, seat: Seat, request: str) -> Challenge:
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

    async def gone(self, challenge_id: str, gone: ChallengeGone) -> None:
        """Note what became of a challenge, if it was ours."""
        sent = self._sent.pop(challenge_id, None)
        if sent is None:
            return
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


def choice_for(opponent: str, setup: Setup) -> Choice:
    """Return the challenge of one player. Raises PeerError for a clock that is not offered."""
    return Choice(opponent, clock_of(setup.control))
