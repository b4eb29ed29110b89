"""One identity on one platform: a session for every game, from its first state to its record."""

import asyncio
import random
from collections.abc import Coroutine
from dataclasses import dataclass, replace
from typing import Final

import structlog

from bot.backoff import Backoff
from bot.daemon.chooser import Chooser, Engines
from bot.daemon.journal import TurnJournal, WorkKey
from bot.daemon.metrics import IdentityMetrics, unmeasured
from bot.daemon.offers import Offers
from bot.daemon.record_book import RecordBook, record_of
from bot.daemon.scheduler import Scheduler
from bot.daemon.seek import Seeker
from bot.daemon.session import GameSession
from bot.daemon.settings import Conduct, PolicySettings, SeekSettings
from bot.daemon.silence import USUAL, SilencePatience, SilenceWatch
from bot.daemon.status import IdentityStatus, StatusGame
from bot.daemon.watches import RestoreWatch, TokenWatch
from bot.engines.questions import PoolUser
from bot.errors import ConfigurationError, HostError, PeerError
from bot.platforms.base import (
    ChallengeGone,
    ChallengeOffered,
    Connected,
    Disconnected,
    GameChanged,
    GameFacts,
    GameGone,
    GameLost,
    GameUnread,
    Platform,
    PlatformEvent,
    TournamentsChanged,
)
from bot.platforms.settings import TokenFile
from bot.records.model import EngineSettings
from bot.time_controls import Correspondence
from bot.time_source import TimeSource

RETRY_FIRST_S: Final = 0.2
RETRY_LIMIT_S: Final = 15.0

log = structlog.get_logger()


@dataclass(frozen=True, slots=True)
class IdentityOptions:
    """`label` is the platform's name in the settings, `kind` its kind, for records.

    `engine` describes our engine in records of games in which it chose no turn. `user`
    identifies it to the engines; see `Question.user`.
    """

    label: str
    kind: str
    engine: EngineSettings
    policy: PolicySettings
    conduct: Conduct
    seek: SeekSettings | None = None
    user: PoolUser | None = None
    patience: SilencePatience = USUAL
    token_file: TokenFile | None = None
    metrics: IdentityMetrics | None = None


class Identity:
    """`run` ends by cancellation, or with an error of `Platform.run` in an exception group."""

    def __init__(
        self,
        options: IdentityOptions,
        platform: Platform,
        engines: Engines,
        scheduler: Scheduler,
        journal: TurnJournal,
        records: RecordBook,
        time_source: TimeSource,
        rng: random.Random,
    ) -> None:
        """Raises ConfigurationError if it must seek games on a platform that does not
        support it.
        """
        self.platform = platform
        self.status = IdentityStatus()
        self._options = options
        self._chooser = Chooser(engines, scheduler, journal, time_source, options.user)
        self._journal = journal
        self._records = records
        self._time = time_source
        self._rng = rng
        self._metrics = options.metrics or unmeasured()
        self._offers = Offers(
            platform,
            options.policy,
            self.status,
            journal.writing,
            engines.is_ready_for,
            time_source,
            self._start,
            self._metrics.challenge_answered,
        )
        self._seeker = self._new_seeker()
        self.tokens = TokenWatch(
            options.label, options.token_file, platform, self.status, time_source
        )
        self._restores = RestoreWatch(options.label, options.kind, journal, records)
        self._tasks: asyncio.TaskGroup | None = None

    def _new_seeker(self) -> Seeker | None:
        seek, offering = self._options.seek, self.platform.offering
        if seek is None:
            return None
        if offering is None:
            where = f"{self.label}, of kind {self._options.kind}"
            raise ConfigurationError(f"platforms.seek: a bot cannot offer games on {where}")
        return Seeker(seek, offering, self._offers, self._time, self._rng)

    def change(self, policy: PolicySettings, conduct: Conduct) -> None:
        """Use the policy for every challenge from now on, and the conduct for new games."""
        self._offers.policy = policy
        self._options = replace(self._options, conduct=conduct)
        self.status.note_change()

    def silence_watch(self) -> SilenceWatch:
        """Return a watch for a server that stops answering, across runs."""
        return SilenceWatch(self.platform, self.status, self._options.patience, self._time)

    @property
    def label(self) -> str:
        return self._options.label

    async def run(self) -> None:
        structlog.contextvars.bind_contextvars(platform=self.label)
        self.tokens.run_begins()
        self._offers.forget()
        try:
            async with asyncio.TaskGroup() as self._tasks:
                self._tasks.create_task(self.platform.run(self.handle))
                if self._seeker is not None:
                    self._tasks.create_task(self._seeker.run())
        finally:
            self.status.connected = False
            self.status.games.clear()
            self.status.unread.clear()
            self._tasks = None

    def drain(self) -> None:
        """Decline new games from now on."""
        self._offers.drain()
        self.status.note_change()

    async def until_drained(self) -> None:
        """Wait until no live game runs. Games by correspondence continue after a restart."""
        status = self.status
        await self.platform.retire()
        while any(map(_is_live, status.facts)) or (status.connected and self._offers.are_open):
            await status.change()

    # ---- events ----------------------------------------------------------------------------

    async def handle(self, event: PlatformEvent) -> None:
        """Handle an event of the platform. Its obligations are journalled when this returns.

        Raises HostError if the journal cannot be written; the event is handled nevertheless.
        """
        match event:
            case Connected():
                await self._on_connected(event)
            case Disconnected():
                if self.status.connected:
                    log.warning("disconnected", why=event.reason)
                self.status.connected, self.status.problem = False, event.reason
                if event.token_refused:
                    self.tokens.renew()
            case ChallengeOffered():
                self._offers.offered(event.challenge)
            case ChallengeGone():
                self._offers.gone(event)
            case GameChanged():
                await self._on_game(event)
            case GameLost():
                await self._on_lost(event.game_id)
            case GameUnread():
                self._on_unread(event)
            case TournamentsChanged():
                self._offers.tournaments_going_on = event.going_on
        self.status.note_change()

    async def _on_connected(self, event: Connected) -> None:
        """Also called while connected, after a silent server was asked for its state."""
        if not self.status.connected:
            log.info("connected", bot=event.name, server=event.server, games=len(event.running))
        self.status.name = event.name
        self.status.connected, self.status.problem = True, None
        self.status.unread.clear()
        self._offers.connected(event)
        self.status.note_change()
        unseen = (await self._journal.games(self.label)).keys() | self.status.games.keys()
        self._restores.connected(event.running, unseen)
        for game_id in unseen - event.running:
            self._start(self._look_up(game_id))

    async def _look_up(self, game_id: str) -> None:
        """Read a game that the server no longer lists as running, to learn how it ended."""
        try:
            await self.platform.watch(game_id)
        except PeerError as error:
            log.warning("game_unread", game=game_id, code=error.code, why=error.message)
            if isinstance(error, GameGone):
                await self._on_lost(game_id)
            else:
                self.status.unread[game_id] = str(error)

    async def _on_game(self, event: GameChanged) -> None:
        facts = event.facts
        self.status.unread.pop(facts.game_id, None)
        running = self.status.games.get(facts.game_id)
        if running is None:
            if facts.outcome is not None and not await self._is_unrecorded(facts):
                self._offers.began(facts.game_id)
                return
            running = self._begin(facts)
            await self._restores.compare(running, facts)
        elif facts.ply < running.latest.ply or running.plies_seen is not None:
            await self._restores.compare(running, facts)
        self._offers.began(facts.game_id)
        if running.latest.ply != facts.ply:
            running.ply_since = facts.arrived
        if not facts.our_turn:
            running.our_turn_since = None
        elif running.our_turn_since is None or running.latest.ply != facts.ply:
            running.our_turn_since = facts.arrived
        running.latest = facts
        running.session.notify(event)
        self.status.note_change()
        await self._write_down(running)

    def _on_unread(self, event: GameUnread) -> None:
        """Keep room for a game that may be readable later, and none for one that we cannot play."""
        if event.unplayable:
            self._offers.began(event.game_id)
            if self.status.unread.get(event.game_id) != event.why:
                log.error("alarm", why=event.why, game=event.game_id)
        self.status.unread[event.game_id] = event.why

    async def _on_lost(self, game_id: str) -> None:
        self._offers.began(game_id)
        self.status.unread.pop(game_id, None)
        running = self.status.games.get(game_id)
        seen: int | None = None
        try:
            seen = await self._journal.plies_seen(self.label, game_id)
            await self._journal.forget(self.label, game_id)
        finally:
            if running is not None or seen is not None:
                log.warning("game_lost", game=game_id, plies_seen=seen)
            if running is not None and running.task is not None:
                self._offers.over(game_id)
                running.task.cancel()

    async def _write_down(self, running: StatusGame) -> None:
        """Journal the game and the turn that is due.

        After a failure the next event does it again.
        """
        facts, journal = running.latest, self._journal
        if facts.outcome is None and not running.is_noted:
            await journal.begin(self.label, facts.game_id, self._records.size)
            running.is_noted = True
        if facts.our_turn:
            await journal.accept(WorkKey(self.label, facts.game_id, facts.ply))

    async def _is_unrecorded(self, facts: GameFacts) -> bool:
        """Return whether a game that ended unseen is ours to record, and has no record yet."""
        since = (await self._journal.games(self.label)).get(facts.game_id)
        if since is None:
            return False
        if await self._records.has(self._options.kind, facts.game_id, since):
            await self._journal.forget(self.label, facts.game_id)
            return False
        return True

    def _begin(self, facts: GameFacts) -> StatusGame:
        running = StatusGame(self._new_session(facts.game_id), facts, facts.arrived)
        self.status.games[facts.game_id] = running
        running.task = self._start(self._play(running))
        return running

    def _new_session(self, game_id: str) -> GameSession:
        return GameSession(
            game_id,
            self.label,
            self.platform,
            self._chooser,
            self._journal,
            self._options.conduct,
            self._time,
            self._new_backoff(),
            self._metrics,
        )

    def _new_backoff(self) -> Backoff:
        return Backoff(RETRY_FIRST_S, RETRY_LIMIT_S, self._rng)

    async def _play(self, running: StatusGame) -> None:
        """Play a game until its record is written. Failures on our side are logged and retried."""
        game_id = running.latest.game_id
        structlog.contextvars.bind_contextvars(game=game_id, bot=self.status.name)
        log.info("game_began", **_about(running.latest))
        backoff = self._new_backoff()
        try:
            while not await self._play_and_record(running):
                await self._time.sleep(backoff.next())
                running.session = self._new_session(game_id)
                running.session.notify(GameChanged(running.latest, resync=True))
            self._offers.over(game_id)
        finally:
            self.status.games.pop(game_id, None)
            self._chooser.forget(game_id)
            self.status.note_change()

    async def _play_and_record(self, running: StatusGame) -> bool:
        """Returns whether the game is finished for us."""
        try:
            await self._record(await running.session.run(), running.session.played_with)
        except GameGone as error:
            log.warning("game_lost", why=error.message)
            await self._journal.forget(self.label, running.latest.game_id)
        except HostError as error:  # journal and records log such failures themselves
            log.debug("game_waits", why=str(error))
            return False
        except Exception:  # one game must not stop the others
            log.exception("session_failed")
            return False
        return True

    async def _record(self, facts: GameFacts, played_with: EngineSettings | None) -> None:
        journal = self._journal
        record = record_of(
            facts,
            self._options.kind,
            await journal.turns(self.label, facts.game_id),
            played_with or self._options.engine,
            self._time.wall(),
        )
        await self._records.add(record)
        await journal.forget(self.label, facts.game_id)
        outcome = facts.outcome
        self._metrics.game_finished(facts)
        log.info(
            "game",
            **_about(facts),
            plies=facts.ply,
            winner=outcome and outcome.winner,
            won=outcome is not None and outcome.winner == facts.seat,
            reason=outcome and outcome.reason,
        )

    # ---- tasks -----------------------------------------------------------------------------

    def _start(self, work: Coroutine[object, object, None]) -> asyncio.Task[None] | None:
        if self._tasks is None:  # drained while it is not running
            work.close()
            return None
        return self._tasks.create_task(_guarded(work))


async def _guarded(work: Coroutine[object, object, None]) -> None:
    """Log a failure, which then costs one challenge or one look-up, not the identity."""
    try:
        await work
    except Exception:
        log.exception("task_failed")


def _is_live(facts: GameFacts) -> bool:
    return not isinstance(facts.setup.control, Correspondence)


def _about(facts: GameFacts) -> dict[str, object]:
    return {
        "opponent": facts.opponent.name,
        "seat": facts.seat,
        "board": facts.setup.board,
        "rules": facts.setup.rules,
        "clock": str(facts.setup.control),
        "rated": facts.setup.rated,
    }
