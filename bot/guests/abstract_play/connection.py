"""An open connection to the platform: notices arrive, games are read, turns are sent."""

import asyncio
from contextlib import suppress
from itertools import count
from typing import Final

import structlog

from bot.errors import PeerError, RefusedByServer
from bot.guests.abstract_play.answers import Conclusion
from bot.guests.abstract_play.client import Api
from bot.guests.abstract_play.facts import NotOurs, setup_of_challenge
from bot.guests.abstract_play.game_reader import Attention, GameReader, Listing, Sweep
from bot.guests.abstract_play.messages import ChallengeNotice, MoveNotice
from bot.guests.abstract_play.store import Notice, Store
from bot.guests.abstract_play.submissions import Submissions
from bot.platforms.base import (
    ChallengeFacts,
    ChallengeGone,
    ChallengeOffered,
    EventSink,
    GameChanged,
    GameFacts,
    GameLost,
    GameUnread,
    Participant,
    Setup,
)
from bot.platforms.challenges import PendingChallenges
from bot.runtime.tasks import result_of, within
from bot.time_source import TimeSource

ANSWER_S: Final = 5.0
"""Seconds after which a challenge without a decision is declined; the platform waits for 30 s."""
PROMISED_S: Final = 600.0
"""Seconds in which an accepted challenge may become a game; it may also be withdrawn unseen."""


class Challenges:
    """Challenges that wait for an answer, and accepted ones that may become games."""

    def __init__(self, time: TimeSource) -> None:
        self._time = time
        self._numbers = count(1)
        self._asked: dict[str, asyncio.Future[bool]] = {}
        self._promised = PendingChallenges(PROMISED_S, time)

    @property
    def open(self) -> frozenset[str]:
        """Challenges that may still become games."""
        return self._promised.ids | self._asked.keys()

    async def ask(self, challenger: str, setup: Setup, sink: EventSink) -> bool:
        """Let the daemon decide. Return false if it does not decide in time."""
        challenge_id = f"challenge-{next(self._numbers)}"
        answer = self._asked[challenge_id] = asyncio.get_running_loop().create_future()
        opponent = Participant(challenger, account=challenger)
        accepted = False
        try:
            await sink(ChallengeOffered(ChallengeFacts(challenge_id, setup, opponent)))
            with suppress(TimeoutError):
                accepted = await within(self._time, ANSWER_S, result_of(answer))
        finally:
            del self._asked[challenge_id]
            if accepted:
                self._promised.accepting(challenge_id, challenger)
            else:
                await sink(ChallengeGone(challenge_id, "declined"))
        return accepted

    def answer(self, challenge_id: str, *, accept: bool) -> bool:
        """Answer a challenge, and return whether it was in time."""
        answer = self._asked.get(challenge_id)
        if answer is None or answer.done():
            return False
        answer.set_result(accept)
        return True

    def began(self, facts: GameFacts) -> ChallengeGone | None:
        """Return the end of the challenge that became this game."""
        return self._promised.began(facts.opponent.account, facts.game_id)[0]

    def expired(self) -> list[ChallengeGone]:
        """Return the ends of challenges that were accepted long ago and have not become games."""
        return self._promised.expired()


RESIGN = "resign"
UNANSWERED_S: Final = 600.0
"""If no request is answered for this many seconds, challenges are declined."""

log = structlog.get_logger()


class Connection:
    """A `Handler` of the platform's calls. `account` is the bot's id there."""

    def __init__(
        self,
        account: str,
        store: Store,
        api: Api,
        sink: EventSink,
        time: TimeSource,
        tasks: asyncio.TaskGroup,
    ) -> None:
        self.heard_at: float | None = None
        self.name = account
        self._account = account
        self._store = store
        self._api = api
        self._sink = sink
        self._time = time
        self._challenges = Challenges(time)
        self._reader = GameReader(api, account, time, self._deliver, self._note_gone)
        self._attention = Attention(self._reader.read, time, tasks)
        self._submissions = Submissions(
            self._send, self._reader.read, self._reader.ply_of, store, time
        )
        self._sweep = Sweep(api, self._reader, account, time)
        self._running: set[str] = set()
        self._is_refused = False
        self._failing_since: float | None = None

    @property
    def takes_games(self) -> bool:
        """Whether turns can be sent, now or soon.

        A pause or a short failure is no reason to decline: games are by correspondence.
        """
        since = self._failing_since
        is_lost = since is not None and self._time.monotonic() - since >= UNANSWERED_S
        return not (self._is_refused or is_lost)

    def failed(self, error: PeerError) -> None:
        """Record that a sweep failed with this error."""
        self._is_refused = self._is_refused or isinstance(error, RefusedByServer)
        if self._failing_since is None:
            self._failing_since = self._time.monotonic()

    @property
    def open_challenges(self) -> frozenset[str]:
        return self._challenges.open

    # ---- calls of the platform -----------------------------------------------------------------

    async def challenge(self, challenge: ChallengeNotice) -> bool:
        """Return whether we accept the challenge."""
        self._heard()
        if not self.takes_games:
            log.info(
                "challenge_declined",
                code="not_connected",
                why="the platform accepts no moves at present",
            )
            return False
        try:
            setup = setup_of_challenge(challenge)
        except NotOurs as error:
            log.info("challenge_declined", code=error.code, why=error.message)
            return False
        (challenger,) = challenge.challengers
        return await self._challenges.ask(challenger, setup, self._sink)

    async def take_up(self) -> None:
        """Read the games of notices that were not handled before a restart. Raises HostError."""
        for notice in await self._store.open_notices():
            self._reader.knows(notice.game_id, notice.meta_game)
            self._attention.want(notice.game_id, notice.plies)

    async def notice(self, notice: MoveNotice) -> None:
        """Commit the notice to disk, then read the game. Raises HostError."""
        self._heard()
        now = self._time.wall()
        await self._store.note(Notice(notice.game_id, notice.meta_game, notice.plies, now))
        self._reader.knows(notice.game_id, notice.meta_game)
        self._attention.want(notice.game_id, notice.plies)

    # ---- calls to the platform -----------------------------------------------------------------

    def answer_challenge(self, challenge_id: str, *, accept: bool) -> None:
        """Raises PeerError if it was too late."""
        if not self._challenges.answer(challenge_id, accept=accept):
            raise PeerError("too_late", "the challenge was not answered in time")

    async def submit(self, game_id: str, ply: int, turn: str) -> None:
        """Submit a turn as `Submissions.submit`, then pass the state after the turn to the
        daemon.
        """
        kind = self._reader.kind_of(game_id)
        conclusion = await self._submissions.submit(game_id, ply, turn)
        self._answered()
        log.debug("submitted", game=game_id, kind=kind, ply=ply, turn=turn)
        if conclusion.record is not None:
            await self._reader.take(conclusion.record, asked=False)
        else:
            await self._reader.read(game_id)

    async def resign(self, game_id: str) -> None:
        await self.submit(game_id, self._reader.ply_of(game_id), RESIGN)

    async def read(self, game_id: str) -> None:
        """Raises NoAnswer, NotNow and GameGone."""
        await self._reader.read(game_id)
        self._answered()

    async def authorize(self) -> None:
        """Make sure that moves can be sent. Raises RefusedByServer, NoAnswer and NotNow."""
        await self._api.authorize()
        self._is_refused = False

    async def listing(self) -> Listing:
        """Return the games that seem to run, by list and store.

        Raises NoAnswer, NotNow and HostError.
        """
        listed = await self._sweep.listed()
        self._answered()
        for each in listed.values():
            self.name = next(player.name for player in each.players if player.id == self._account)
            await self._store.note_game(each.id, each.meta_game, self._time.wall())
        held = await self._store.games()
        for game in held.values():
            self._reader.knows(game.game_id, game.meta_game)
        running = {game.game_id for game in held.values() if not game.is_over}
        return Listing({game_id: listed.get(game_id) for game_id in running})

    async def read_through(self, listing: Listing, *, everything: bool) -> None:
        """Look for turns and ends of games without a notice."""
        for gone in self._challenges.expired():
            await self._sink(gone)
        unread = await self._sweep.read_through(listing, everything=everything)
        for game_id, error in unread.items():
            unplayable = isinstance(error, NotOurs)
            await self._sink(GameUnread(game_id, str(error), unplayable=unplayable))

    # ---- inside --------------------------------------------------------------------------------

    async def _send(self, game_id: str, turn: str) -> Conclusion:
        return await self._api.submit(game_id, self._reader.kind_of(game_id), turn)

    async def _deliver(self, facts: GameFacts, asked: bool) -> None:
        """Pass a state to the daemon. The store keeps a finished game until the daemon has it."""
        if facts.game_id not in self._running and facts.outcome is None:
            self._running.add(facts.game_id)
            if (gone := self._challenges.began(facts)) is not None:
                await self._sink(gone)
        await self._sink(GameChanged(facts, resync=asked))
        if facts.outcome is not None:
            self._running.discard(facts.game_id)
            await self._store.note_over(facts.game_id, self._time.wall())
        else:
            await self._store.settle(facts.game_id, facts.ply)

    async def _note_gone(self, game_id: str) -> None:
        """Stop looking for a game, unless the list shows it again."""
        await self._store.note_over(game_id, self._time.wall())
        self._running.discard(game_id)
        await self._sink(GameLost(game_id))

    def _answered(self) -> None:
        """Record that the platform has answered a request of ours."""
        self._heard()
        self._failing_since = None

    def _heard(self) -> None:
        self.heard_at = self._time.monotonic()
