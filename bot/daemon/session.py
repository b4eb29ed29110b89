"""One game being played, from the server's facts to the submitted turn.

The server's list of turns is replayed at every change, and is the truth. A turn is chosen once
for a ply and journalled before it is sent; whatever happens to the answer, only that turn is
ever sent again, and only after the server has been seen to wait for it still.
"""

from collections.abc import Awaitable, Callable, Coroutine
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from typing import Final, TypeVar

import structlog

import engine
from bot.backoff import Backoff
from bot.daemon.chooser import Chooser, Due, accepts_draw, should_resign
from bot.daemon.inbox import Inbox
from bot.daemon.journal import Chosen, Journal, Work, WorkKey, digest_of
from bot.daemon.settings import DrawSettings, ResignSettings
from bot.daemon.submission import Submission
from bot.daemon.time_manager import TimePolicy
from bot.engines.fallback import NothingLeft
from bot.engines.questions import Answer
from bot.errors import HostError, PeerError
from bot.platforms.base import (
    GameChanged,
    GameFacts,
    GameGone,
    NoAnswer,
    NotNow,
    Platform,
    TurnInfo,
    TurnRefused,
    patiently,
)
from bot.records.model import EngineSettings
from bot.time_controls import Correspondence
from bot.time_source import TimeSource

T = TypeVar("T")

MOST_REFUSALS: Final = 2
"""So many turns of ours may be illegal for the server at one ply; then its rules are not ours."""

log = structlog.get_logger()


class RulesDisagreement(Exception):
    """The server's list of turns is not legal for our engine, or ours not for the server."""


@dataclass(frozen=True, slots=True)
class Conduct:
    """How games are played, as an operator may change it while others run."""

    time: TimePolicy
    resign: ResignSettings
    draws: DrawSettings


class GameSession:
    """Told of every change by `notify`; `run` plays until the game is over.

    `label` is the platform's name in the settings, under which the journal keeps the game.
    """

    def __init__(
        self,
        game_id: str,
        label: str,
        platform: Platform,
        chooser: Chooser,
        journal: Journal,
        conduct: Conduct,
        time_source: TimeSource,
        retry: Backoff,
    ) -> None:
        self._game_id = game_id
        self._label = label
        self._platform = platform
        self._chooser = chooser
        self._journal = journal
        self._conduct = conduct
        self._time = time_source
        self._retry = retry
        self._inbox = Inbox(time_source)
        self._submission: Submission | None = None
        self._position: engine.Position | None = None
        self._gave_up, self._alarmed_at = False, -1
        self.played_with: EngineSettings | None = None
        self._draw_answered_at: int | None = None

    def notify(self, change: GameChanged) -> None:
        self._inbox.put(change)

    async def run(self) -> GameFacts:
        """Returns the finished game. Raises GameGone."""
        while True:
            change = await self._inbox.take()
            confirmed = await self._confirm(change.facts)
            if change.facts.outcome is not None:
                return change.facts
            try:
                await self._respond(change, confirmed)
            except RulesDisagreement as error:
                await self._give_up(change.facts, str(error))

    async def _respond(self, change: GameChanged, confirmed: Submission | None) -> None:
        facts = change.facts
        await self._chooser.until_ready_for(facts.setup.game)
        position = self._replay(facts)
        agreed = await self._answer_draw(facts)
        if agreed or self._gave_up:
            return
        if not facts.our_turn:
            self._ponder(facts, position, confirmed)
            return
        sent = self._submission
        if sent is not None and sent.ply == facts.ply and sent.acknowledged and not change.resync:
            return  # the server has our turn on its disk; this state is from before
        await self._play(facts, position)

    def _replay(self, facts: GameFacts) -> engine.Position:
        """The position after the server's turns. Raises RulesDisagreement."""
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

    def _ponder(
        self, facts: GameFacts, position: engine.Position, confirmed: Submission | None
    ) -> None:
        """Think on, once the server shows our turn, about the reply that the engine expects."""
        reply = None if confirmed is None else confirmed.expected_reply(facts)
        if reply is not None and position.is_legal(reply):
            self._chooser.ponder(facts, position.play(reply), self._conduct.time)

    # ---- a turn of ours ------------------------------------------------------------------------

    async def _play(self, facts: GameFacts, position: engine.Position) -> None:
        key = WorkKey(self._label, facts.game_id, facts.ply)
        work = await self._work_at(key, position)
        if work.given_up and await self._journal.take_up(key):
            work = await self._journal.work(key)
        if work.given_up:
            return  # until much later, or until there is another ply
        chosen = work.chosen
        if chosen is None:
            chosen = await self._choose(key, facts, position, work.refused)
        elif self._submission is None or self._submission.ply != facts.ply:
            self._submission = Submission(facts.ply, chosen, facts.arrived)
        if chosen is None:
            return
        try:
            await self._submit(facts, chosen)
        except TurnRefused as error:
            if not error.can_retry:
                why = f"the server refuses {chosen.turn}: {error.message}"
                raise RulesDisagreement(why) from error
            await self._note_refusal(key, position, chosen, error)
            if not self._has_news():
                await self._play(facts, position)

    async def _work_at(self, key: WorkKey, position: engine.Position) -> Work:
        """What is known of the ply; nothing if that was after other turns, which a server that
        is restored from a backup takes back, and Abstract Play at times.
        """
        work = await self._journal.work(key)
        if work.position in (None, digest_of(position.turns)):
            return work
        log.warning("position_changed", ply=key.ply, forgotten=work.chosen and work.chosen.turn)
        await self._until_written(lambda: self._journal.start_over(key))
        return Work()

    async def _note_refusal(
        self, key: WorkKey, position: engine.Position, chosen: Chosen, error: TurnRefused
    ) -> None:
        """Another turn may be sent for the ply; after so many refusals a person has to look."""
        self._submission = None
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
        """What stands in the journal as given up is what the health page counts."""
        log.error("alarm", why=why, game=key.game, ply=key.ply)
        await self._until_written(lambda: self._journal.give_up(key, why))

    async def _choose(
        self, key: WorkKey, facts: GameFacts, position: engine.Position, refused: frozenset[str]
    ) -> Chosen | None:
        """None if the turn is not ours to play any more, or we resign, or nothing is left."""
        due = Due(key, facts, position, refused)
        try:
            choosing = self._chooser.choose(due, self._conduct.time)
            considered = await self._unless_outdated(facts, choosing)
        except NothingLeft:
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
        chosen = self._write_down(key, _chosen(answer), digest_of(position.turns))
        standing = await self._unless_outdated(facts, chosen)
        if standing is not None:
            self._submission = Submission(
                facts.ply, standing, facts.arrived, considered.budget, answer
            )
        return standing

    async def _write_down(self, key: WorkKey, chosen: Chosen, position: str) -> Chosen:
        """The turn that stands, as soon as the journal can be written."""
        return await self._until_written(lambda: self._journal.choose(key, chosen, position))

    async def _until_written(self, write: Callable[[], Awaitable[T]]) -> T:
        while True:
            try:
                return await write()
            except HostError:
                await self._journal.writing.until_works()

    async def _unless_outdated(
        self, facts: GameFacts, work: Coroutine[object, object, T]
    ) -> T | None:
        """What `work` returns, or None as soon as the server shows another position."""

        async def is_wanted(newer: GameFacts) -> bool:
            if not _still_stands(facts, newer):
                return False
            await self._answer_draw(newer)
            return True

        return await self._inbox.during(work, is_wanted)

    async def _submit(self, facts: GameFacts, chosen: Chosen) -> None:
        """Send the turn; again while the server says that it cannot take one at present.

        Raises TurnRefused.
        """
        while (wait_s := await self._send(facts, chosen)) is not None:
            await self._inbox.pause(wait_s)
            if self._has_news():
                return  # and that says whether the ply is still open

    async def _send(self, facts: GameFacts, chosen: Chosen) -> float | None:
        """In how many seconds to send it again; None if there is no reason to."""
        sent = self._submission
        assert sent is not None
        sent.sent += 1
        about = {"ply": facts.ply, "turn": chosen.turn}
        try:
            await self._platform.submit(facts.game_id, facts.ply, chosen.turn, chosen.info)
        except NotNow as refusal:
            if not sent.postponed:
                log.warning("turn_postponed", code=refusal.code, why=refusal.message, **about)
            sent.postponed = True
            return refusal.retry_after_s
        except NoAnswer as error:
            log.warning("turn_unanswered", why=error.message, **about)
            await self._read_again()
        except PeerError as error:
            log.warning("turn_refused", code=error.code, why=error.message, **about)
            if isinstance(error, TurnRefused):
                raise
            await self._read_again()
        else:
            sent.acknowledged = True
            self._retry.reset()
        return None

    async def _read_again(self) -> None:
        """Ask for the game until a state of it arrives, from whatever side. Raises GameGone."""
        while not self._has_news():
            await self._inbox.pause(self._retry.next())
            if self._has_news():
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

    def _has_news(self) -> bool:
        return self._inbox.newest is not None

    async def _confirm(self, facts: GameFacts) -> Submission | None:
        """The server's own state shows a turn of ours: it is done, and gets its line."""
        with suppress(HostError):  # the next state makes up for it
            await self._journal.confirm(self._label, facts.game_id, facts.ply)
        sent = self._submission
        if sent is None or facts.ply == sent.ply:
            return None
        self._submission = None
        if facts.ply < sent.ply:  # the server took turns back
            return None
        log.info("turn", **sent.told(facts, self._time.monotonic()))
        return sent

    # ---- giving up, and draws --------------------------------------------------------------------

    async def _resigns(self, facts: GameFacts, answer: Answer) -> bool:
        if not self._conduct.resign.enabled:
            return False
        values = [*await self._own_values(facts), answer.value]
        if not should_resign(self._conduct.resign, facts.ply, values):
            return False
        log.info("resigning", ply=facts.ply, value=answer.value)
        try:
            await self._patiently(lambda: self._platform.resign(facts.game_id))
        except PeerError as error:
            log.warning("resign_failed", code=error.code, why=error.message)
            await self._read_again()
        return True

    async def _answer_draw(self, facts: GameFacts) -> bool:
        """Answer an offer, once a ply; true if that ended the game."""
        if not facts.draw_offered or facts.ply == self._draw_answered_at:
            return False
        self._draw_answered_at = facts.ply
        accept = accepts_draw(self._conduct.draws, facts.ply, await self._own_values(facts))
        log.info("draw_offer", ply=facts.ply, accepted=accept)
        answer = self._platform.answer_draw
        try:
            await self._patiently(lambda: answer(facts.game_id, accept=accept))
        except NotNow:
            self._draw_answered_at = None  # there is a newer state, which is answered
            return False
        except PeerError as error:
            log.warning("draw_answer_failed", code=error.code, why=error.message)
            return False
        return accept

    async def _own_values(self, facts: GameFacts) -> list[float | None]:
        turns = await self._journal.turns(self._label, self._game_id)
        return [chosen.info.value for ply, chosen in turns.items() if ply < facts.ply]

    async def _give_up(self, facts: GameFacts, why: str) -> None:
        """The rules differ: nothing sensible can be played, so let the opponent go."""
        if self._gave_up or facts.outcome is not None:
            return
        if isinstance(facts.setup.control, Correspondence):  # the server may yet show it otherwise
            if self._alarmed_at != facts.ply:
                log.error("alarm", why=why, game=facts.game_id, ply=facts.ply)
            self._alarmed_at = facts.ply
            return
        log.error("rules_disagreement", ply=facts.ply, why=why)
        platform = self._platform
        for leave in (platform.abort, platform.resign) if facts.ply < 2 else (platform.resign,):
            try:
                await self._patiently(partial(leave, facts.game_id))
            except PeerError as error:
                log.warning("giving_up_failed", code=error.code, why=error.message)
            else:
                self._gave_up = True
                return

    async def _patiently(self, ask: Callable[[], Awaitable[None]]) -> None:
        """Raises PeerError; NotNow only if meanwhile there is a newer state."""
        await patiently(ask, self._time, lambda: not self._has_news())


def _still_stands(facts: GameFacts, newer: GameFacts) -> bool:
    """Whether a turn for the position of `facts` is still of use."""
    if newer.outcome is not None or newer.ply != facts.ply:
        return False
    return all(a.turn == b.turn for a, b in zip(facts.turns, newer.turns, strict=True))


def _chosen(answer: Answer) -> Chosen:
    return Chosen(answer.turn, TurnInfo(answer.value, answer.visits, answer.pv, answer.source))
