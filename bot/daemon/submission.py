"""Chosen turns on their way to the server. Each is played exactly once, whatever fails."""

# Problem. A game must get exactly one turn of ours per ply. Between the engine's answer and the
# server's own list of turns everything may fail: this process, the disk, the connection before or
# after the server has stored the turn, and the server, which may come back from a backup. An engine
# that is asked again may answer differently, so a second choice for the same ply can put a turn on
# the board that contradicts the first one.
#
# Idea. Three records, each of which decides one question:
#
# - The journal decides which turn is played. `Journal.choose` commits the turn to disk before it is
#   sent, and returns the turn that is already there if there is one. A restarted daemon therefore
#   sends the same turn as before.
# - The server's list of turns decides whether the turn must still be sent. If no answer came, or a
#   refusal, the game is read again. The turn is sent again only if the state that comes then still
#   waits for the ply. The request names the ply, so a server that has stored the turn can recognize
#   the repetition.
# - The journal and the list together decide when a ply is done: `confirm` marks it once the server
#   shows it. An acknowledgement is not enough, because a server that is restored from a backup
#   forgets turns that it has acknowledged. The digest of the earlier turns in the journal then
#   shows whether the chosen turn still fits the position.
#
# An acknowledgement has one use: states that were on their way before it do not trigger the same
# turn a second time. A state that was requested (`resync`) is newer, and counts.
#
# Rejected:
#
# - Choosing again after a restart, without a journal: two different turns for one ply.
# - Writing the journal after the acknowledgement: a crash in between forgets a turn that was sent.
# - Sending again after a timeout without reading first: on a platform whose requests do not name a
#   ply (Abstract Play) the turn could be played twice.

from dataclasses import dataclass
from typing import Protocol

import structlog

from bot.backoff import Backoff
from bot.daemon.inbox import Inbox
from bot.daemon.journal import Chosen
from bot.engines.questions import Budget, EngineAnswer
from bot.errors import PeerError
from bot.platforms.base import GameFacts, GameGone, NoAnswer, NotNow, Platform, TurnRefused
from bot.time_source import TimeSource

log = structlog.get_logger()


@dataclass(slots=True)
class Submission:
    """A chosen turn until the server shows it, with the data of its log line.

    `arrived` is when the opponent's turn arrived, on the monotonic clock. `takebacks` is that of
    the state for which the turn was chosen: the ply comes again if it is taken back.
    """

    ply: int
    takebacks: int | None
    chosen: Chosen
    arrived: float
    budget: Budget | None = None
    answer: EngineAnswer | None = None
    acknowledged: bool = False
    postponed: bool = False
    sent: int = 0
    sent_at: float | None = None

    def is_for(self, facts: GameFacts) -> bool:
        """Return whether the turn is for the ply that these facts wait for."""
        return (self.ply, self.takebacks) == (facts.ply, facts.takebacks)

    @property
    def go_after_ms(self) -> float | None:
        """Milliseconds from the arrival of the opponent's turn to the engine's `go`; None without
        one.
        """
        if self.answer is None or self.answer.asked_at is None:
            return None
        return round((self.answer.asked_at - self.arrived) * 1000, 1)

    def expected_reply(self, facts: GameFacts) -> str | None:
        """Return the reply that the engine expects, if `facts` show this turn as the last one."""
        if self.answer is None or facts.ply != self.ply + 1 or not self._is_played(facts):
            return None
        return self.answer.ponder

    def log_fields(self, facts: GameFacts, now: float) -> dict[str, object]:
        """Return the fields of the log line, for a state that shows the ply; `now` is monotonic."""
        answer, info = self.answer, self.chosen.info
        return {
            "ply": self.ply,
            "turn": facts.turns[self.ply].turn,
            "as_chosen": self._is_played(facts),
            "opponent": facts.opponent.name,
            "value": info.value,
            "visits": info.visits,
            "source": info.source,
            "engine": answer and answer.engine.name,
            "failure": answer and answer.failure,
            "think_ms": answer and answer.time_ms,
            "budget_ms": self.budget and self.budget.think_ms,
            "pondered": answer and answer.pondered,
            "pondered_ms": answer and answer.pondered_ms,
            "go_after_ms": self.go_after_ms,
            "total_ms": round((now - self.arrived) * 1000, 1),
            "sent": self.sent,
            "clock_ms": facts.clocks[facts.seat - 1].main_ms,
        }

    def _is_played(self, facts: GameFacts) -> bool:
        return facts.turns[self.ply].turn == self.chosen.turn


class SubmissionMetrics(Protocol):
    """The part of `IdentityMetrics` that is used here."""

    def turn_sent(self, submission: Submission, facts: GameFacts, now: float) -> None: ...

    def submission_ended(self, outcome: str) -> None: ...

    def turn_confirmed(self, submission: Submission, now: float) -> None: ...


class Submitter:
    """Sends the chosen turn of one game until the server accepts it or shows another state.

    `retry` spaces the reads of a game whose server does not answer.
    """

    def __init__(
        self,
        game_id: str,
        platform: Platform,
        inbox: Inbox,
        time_source: TimeSource,
        retry: Backoff,
        metrics: "SubmissionMetrics",
    ) -> None:
        self._metrics = metrics
        self._game_id = game_id
        self._platform = platform
        self._inbox = inbox
        self._time = time_source
        self._retry = retry
        self._current: Submission | None = None

    def begin(self, submission: Submission) -> None:
        self._current = submission

    def resume(self, facts: GameFacts, chosen: Chosen) -> None:
        """Start with a turn from the journal, unless it is the current one."""
        if self._current is None or not self._current.is_for(facts):
            self._current = Submission(facts.ply, facts.takebacks, chosen, facts.arrived)

    def drop(self) -> None:
        """Forget the turn, because the server does not accept it."""
        self._current = None

    def is_acknowledged(self, facts: GameFacts) -> bool:
        """Return whether the server has acknowledged our turn for the ply of these facts."""
        current = self._current
        return current is not None and current.is_for(facts) and current.acknowledged

    def confirm(self, facts: GameFacts) -> Submission | None:
        """End the submission and log it, if `facts` show its ply; then return it."""
        current = self._current
        if current is None or current.is_for(facts):
            return None
        self._current = None
        if facts.ply <= current.ply or facts.takebacks != current.takebacks:
            return None  # turns were taken back, or the server undid them
        now = self._time.monotonic()
        log.info("turn", **current.log_fields(facts, now))
        self._metrics.turn_confirmed(current, now)
        return current

    async def submit(self, facts: GameFacts, chosen: Chosen) -> None:
        """Send the turn, and retry while the server cannot take one at present.

        Also returns when a newer state has arrived, which shows whether the ply is still open.
        Raises TurnRefused and GameGone.
        """
        while (wait_s := await self._send(facts, chosen)) is not None:
            await self._inbox.pause(wait_s)
            if self._inbox.has_news():
                return

    async def _send(self, facts: GameFacts, chosen: Chosen) -> float | None:
        """Send once. Return the seconds after which to send again; None for not at all."""
        current = self._current
        assert current is not None
        current.sent += 1
        if current.sent_at is None:
            current.sent_at = self._time.monotonic()
            self._metrics.turn_sent(current, facts, current.sent_at)
        about = {"ply": facts.ply, "turn": chosen.turn}
        try:
            await self._platform.submit(
                facts.game_id, facts.ply, chosen.turn, chosen.info, facts.takebacks
            )
        except NotNow as refusal:
            if not current.postponed:
                log.warning("turn_postponed", code=refusal.code, why=refusal.message, **about)
            current.postponed = True
            self._metrics.submission_ended("postponed")
            return refusal.retry_after_s
        except NoAnswer as error:
            log.warning("turn_unanswered", why=error.message, **about)
            self._metrics.submission_ended("unanswered")
            await self.read_again()
        except PeerError as error:
            log.warning("turn_refused", code=error.code, why=error.message, **about)
            is_illegal = isinstance(error, TurnRefused)
            self._metrics.submission_ended("illegal" if is_illegal else "refused")
            if is_illegal:
                raise
            await self.read_again()
        else:
            current.acknowledged = True
            self._metrics.submission_ended("acknowledged")
            self._retry.reset()
        return None

    async def read_again(self) -> None:
        """Request the game until a state of it arrives, requested or not. Raises GameGone."""
        while not self._inbox.has_news():
            await self._inbox.pause(self._retry.next())
            if self._inbox.has_news():
                return
            try:
                await self._platform.watch(self._game_id)
            except NoAnswer as error:
                log.info("game_unread", why=error.message)
            except GameGone:
                raise
            except PeerError as error:
                log.warning("game_unread", code=error.code, why=error.message)
            else:
                return
