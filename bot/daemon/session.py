"""One game being played, from the server's facts to the submitted turn.

The server's list of turns is authoritative, and is replayed at every change. For a ply of ours the
session takes the turn from the journal, or lets an engine choose one and journals it. It sends only
that turn (see `bot.daemon.submission`).
"""

from collections.abc import Awaitable, Callable, Coroutine
from contextlib import suppress
from typing import Final, TypeVar

import structlog

import engine
from bot.backoff import Backoff
from bot.daemon.chooser import Chooser, Due
from bot.daemon.concessions import Concessions
from bot.daemon.inbox import Inbox
from bot.daemon.journal import Chosen, TurnJournal, Work, WorkKey, digest_of
from bot.daemon.metrics import IdentityMetrics, unmeasured
from bot.daemon.network_delay import NetworkDelay
from bot.daemon.queue_notice import QueueNotice
from bot.daemon.settings import Conduct
from bot.daemon.submission import Submission, Submitter
from bot.engines.fallback import NoTurnLeft
from bot.engines.questions import EngineAnswer
from bot.errors import HostError
from bot.platforms.base import GameChanged, GameFacts, Platform, TurnInfo, TurnRefused
from bot.records.model import EngineSettings
from bot.time_source import TimeSource

T = TypeVar("T")

MOST_REFUSALS: Final = 2
"""Refusals of our turns at one ply after which the bot assumes that the server has other rules."""

log = structlog.get_logger()


class RulesDisagreement(Exception):
    """Our engine rejects the server's list of turns, or the server rejects our turns."""


class GameSession:
    """Plays one game. `notify` receives every change; `run` plays until the game is over.

    `label` is the platform's name in the settings, under which the journal keeps the game.
    `played_with` is the engine that has chosen a turn, None before that.
    """

    def __init__(
        self,
        game_id: str,
        label: str,
        platform: Platform,
        chooser: Chooser,
        journal: TurnJournal,
        conduct: Conduct,
        time_source: TimeSource,
        retry: Backoff,
        metrics: IdentityMetrics | None = None,
    ) -> None:
        self.played_with: EngineSettings | None = None
        self._label = label
        self._platform = platform
        self._time = time_source
        self._chooser = chooser
        self._journal = journal
        self._conduct = conduct
        self._inbox = Inbox(time_source)
        self._submitter = Submitter(
            game_id, platform, self._inbox, time_source, retry, metrics or unmeasured()
        )
        self._concessions = Concessions(game_id, label, platform, journal, self._inbox, time_source)
        self._position: engine.Position | None = None
        self._delay = NetworkDelay()
        self._due: GameFacts | None = None
        """The state in which our last turn was due, with our clock at that moment."""

    def notify(self, change: GameChanged) -> None:
        self._inbox.put(change)

    async def run(self) -> GameFacts:
        """Play, and return the finished game. Raises GameGone."""
        while True:
            change = await self._inbox.take()
            confirmed = await self._confirm(change.facts)
            if change.facts.outcome is not None:
                return change.facts
            try:
                await self._respond(change, confirmed)
            except RulesDisagreement as error:
                await self._concessions.give_up(change.facts, str(error))

    async def _confirm(self, facts: GameFacts) -> Submission | None:
        """Mark our turns that the server shows as done. Return the last one, if it is new."""
        with suppress(HostError):  # the next state confirms it as well
            await self._journal.confirm(self._label, facts.game_id, facts.ply)
        confirmed = self._submitter.confirm(facts)
        self._measure_delay(confirmed, facts)
        return confirmed

    def _measure_delay(self, confirmed: Submission | None, facts: GameFacts) -> None:
        """Measure the network by a turn that was sent once, without an interruption."""
        due = self._due
        if confirmed is None or due is None or due.ply != confirmed.ply:
            return
        if confirmed.sent == 1 and confirmed.sent_at is not None:
            self._delay.note(due, confirmed.sent_at - due.arrived, facts)

    async def _respond(self, change: GameChanged, confirmed: Submission | None) -> None:
        facts = change.facts
        await self._chooser.engines.until_ready_for(facts.setup.game)
        position = self._replay(facts)
        agreed = await self._answer_offers(facts)
        if agreed or self._concessions.gave_up:
            return
        if not facts.our_turn:
            self._ponder(facts, position, confirmed)
            return
        if self._submitter.is_acknowledged(facts) and not change.resync:
            return  # the server has stored our turn; this state was sent before
        await self._play(facts, position)

    def _replay(self, facts: GameFacts) -> engine.Position:
        """Return the position after the server's turns. Raises RulesDisagreement."""
        setup, turns = facts.setup, [played.turn for played in facts.turns]
        try:
            game = engine.game_of(setup.game, setup.board, setup.rules, setup.options)
            position = game.replay(turns, self._position)
        except (engine.UnknownGame, engine.IllegalTurn) as error:
            raise RulesDisagreement(str(error)) from error
        self._position = position
        if facts.outcome is None and (position.over or position.to_play != facts.to_play):
            raise RulesDisagreement(f"after ply {facts.ply} the server waits for {facts.to_play}")
        return position

    async def _answer_offers(self, facts: GameFacts) -> bool:
        """Answer what the opponent offers, and return whether that ends the game."""
        await self._concessions.decline_abort(facts)
        return await self._concessions.answer_draw(self._conduct.draws, facts)

    def _ponder(
        self, facts: GameFacts, position: engine.Position, confirmed: Submission | None
    ) -> None:
        """Ponder on the reply that the engine expects, once the server shows our turn."""
        reply = None if confirmed is None else confirmed.expected_reply(facts)
        if reply is not None and position.is_legal(reply):
            policy = self._delay.applied_to(self._conduct.time)
            self._chooser.ponder(facts, position.play(reply), policy)

    # ---- a turn of ours ------------------------------------------------------------------------

    async def _play(self, facts: GameFacts, position: engine.Position) -> None:
        key = WorkKey(self._label, facts.game_id, facts.ply)
        work = await self._work_at(key, position, facts.takebacks or 0)
        if work.given_up and await self._journal.take_up(key):
            work = await self._journal.work(key)
        if work.given_up:
            return  # until `GIVEN_UP_S` have passed, or until there is another ply
        chosen = work.chosen
        if chosen is None:
            chosen = await self._choose(key, facts, position, work.refused)
        else:
            self._submitter.resume(facts, chosen)
        if chosen is None:
            return
        try:
            await self._submitter.submit(facts, chosen)
        except TurnRefused as error:
            if not error.can_retry:
                why = f"the server refuses {chosen.turn}: {error.message}"
                raise RulesDisagreement(why) from error
            await self._note_refusal(key, position, chosen, error)
            if not self._inbox.has_news():
                await self._play(facts, position)

    async def _work_at(self, key: WorkKey, position: engine.Position, takebacks: int) -> Work:
        """Return the journal's facts about the ply in this position.

        A choice for another position is discarded. Turns are taken back in casual games, a server
        that is restored from a backup undoes turns, and Abstract Play sometimes does so too. In the
        same position the same turn is played again.
        """
        work = await self._journal.work(key)
        if work.position in (None, digest_of(position.turns)):
            return work
        forgotten = work.chosen and work.chosen.turn
        if takebacks:
            log.info("position_changed", ply=key.ply, forgotten=forgotten, takebacks=takebacks)
        else:
            log.warning("position_changed", ply=key.ply, forgotten=forgotten)
        await self._until_written(lambda: self._journal.start_over(key))
        return Work()

    async def _choose(
        self, key: WorkKey, facts: GameFacts, position: engine.Position, refused: frozenset[str]
    ) -> Chosen | None:
        """Let an engine choose a turn, and journal it before it is sent.

        Returns None if the turn is no longer ours to play, if we resign, or if the server refuses
        every legal turn.
        """
        due = Due(key, facts, position, refused)
        self._due = facts
        try:
            policy = self._delay.applied_to(self._conduct.time)
            async with QueueNotice(self._platform, facts, self._time) as notice:
                choosing = self._chooser.choose(due, policy, notice.note)
                considered = await self._unless_outdated(facts, choosing)
        except NoTurnLeft:
            await self._leave_to_a_person(key, "the server refuses every legal turn")
            return None
        if considered is None:
            log.info("thinking_stopped", ply=facts.ply)
            return None
        answer = considered.answer
        if answer.source == "engine":
            self.played_with = answer.engine
        if await self._resigns(facts, answer):
            return None
        digest = digest_of(position.turns)
        writing = self._until_written(lambda: self._journal.choose(key, _chosen(answer), digest))
        standing = await self._unless_outdated(facts, writing)
        if standing is not None:
            submission = Submission(
                facts.ply, facts.takebacks, standing, facts.arrived, considered.budget, answer
            )
            self._submitter.begin(submission)
        return standing

    async def _resigns(self, facts: GameFacts, answer: EngineAnswer) -> bool:
        if not await self._concessions.should_resign(self._conduct.resign, facts, answer.value):
            return False
        if not await self._concessions.resign(facts, answer.value):
            await self._submitter.read_again()
        return True

    async def _unless_outdated(
        self, facts: GameFacts, work: Coroutine[object, object, T]
    ) -> T | None:
        """Return what `work` returns, or None as soon as the server shows another position."""

        async def is_wanted(newer: GameFacts) -> bool:
            if not _is_same_position(facts, newer):
                return False
            await self._answer_offers(newer)
            return True

        return await self._inbox.during(work, is_wanted)

    async def _until_written(self, write: Callable[[], Awaitable[T]]) -> T:
        """Return what `write` returns, repeated until the journal can be written."""
        while True:
            try:
                return await write()
            except HostError:
                await self._journal.writing.until_works()

    # ---- refused turns -------------------------------------------------------------------------

    async def _note_refusal(
        self, key: WorkKey, position: engine.Position, chosen: Chosen, error: TurnRefused
    ) -> None:
        """Journal the refusal, so that another turn is chosen; after `MOST_REFUSALS` give up."""
        self._submitter.drop()
        why = f"the server refuses {chosen.turn}: {error.message}"
        log.error(
            "turn_refused_as_illegal",
            ply=key.ply,
            board=position.game.board.name,
            rules=position.game.rule_set,
            turns=list(position.turns),
            turn=chosen.turn,
            why=why,
        )
        await self._until_written(lambda: self._journal.refuse(key, chosen.turn, why))
        refused = (await self._journal.work(key)).refused
        if len(refused) >= MOST_REFUSALS:
            await self._leave_to_a_person(key, why)

    async def _leave_to_a_person(self, key: WorkKey, why: str) -> None:
        """Mark the ply as given up; the health page counts such plies as alarms."""
        log.error("alarm", why=why, game=key.game, ply=key.ply)
        await self._until_written(lambda: self._journal.give_up(key, why))


def _is_same_position(facts: GameFacts, newer: GameFacts) -> bool:
    """Return whether a turn for the position of `facts` can still be played."""
    if newer.outcome is not None or newer.ply != facts.ply:
        return False
    return all(a.turn == b.turn for a, b in zip(facts.turns, newer.turns, strict=True))


def _chosen(answer: EngineAnswer) -> Chosen:
    return Chosen(answer.turn, TurnInfo(answer.value, answer.visits, answer.pv, answer.source))
