"""One identity on one platform: answers challenges, and has a session for every game."""

import asyncio
import random
from collections.abc import Awaitable, Callable, Coroutine
from dataclasses import dataclass, replace
from typing import Final

import structlog

from bot.announcements import Announcements
from bot.backoff import Backoff
from bot.errors import HostError, PeerError
from bot.journal import WorkKey
from bot.offers import Offers
from bot.own_records import RecordBook, record_of
from bot.platforms.base import (
    Challenge,
    ChallengeGone,
    ChallengeOffered,
    ChallengingPlatform,
    Connected,
    Disconnected,
    GameChanged,
    GameFacts,
    NoAnswer,
    PlatformEvent,
    patiently,
)
from bot.policy import Circumstances, decide
from bot.records.model import EngineSettings
from bot.seek import Seeker
from bot.session import GameSession, GameUnknown, SessionTools
from bot.settings_model import PolicySettings, SeekSettings, Settings
from bot.status import IdentityStatus, RunningGame
from bot.time_controls import Correspondence, Untimed

RETRY_FIRST_S: Final = 0.2
RETRY_LIMIT_S: Final = 15.0
UNBEGUN_S: Final = 600.0
"""A game that its opponent has not begun for so long gives up its place to somebody else."""

log = structlog.get_logger()


@dataclass(frozen=True, slots=True)
class IdentityOptions:
    """`kind` is the platform's, for records; `engine` describes ours before it has answered."""

    kind: str
    policy: PolicySettings
    engine: EngineSettings
    seek: SeekSettings | None = None


class Identity:
    """`run` ends only by cancellation, or by RefusedByServer."""

    def __init__(
        self,
        options: IdentityOptions,
        tools: SessionTools,
        platform: ChallengingPlatform,
        records: RecordBook,
        rng: random.Random,
    ) -> None:
        self.platform = platform
        self.status = IdentityStatus()
        self.name = ""
        self._options = options
        self._tools = tools
        self._records = records
        self._rng = rng
        self._draining = False
        self._offers = Offers()
        self._ends: Announcements[None] = Announcements()
        seek = options.seek
        self._seeker = Seeker(seek, self, tools.time_source, rng) if seek else None
        self._changed = asyncio.Event()
        self._tasks: asyncio.TaskGroup | None = None

    def change(self, policy: PolicySettings, settings: Settings) -> None:
        """From now on: the policy for every challenge, time, resigning and draws for new games."""
        self._options = replace(self._options, policy=policy)
        self._tools = replace(
            self._tools,
            time_policy=settings.time,
            resign=settings.resign,
            draws=settings.draws,
        )
        self._note_change()

    @property
    def label(self) -> str:
        return self._tools.label

    async def run(self) -> None:
        structlog.contextvars.bind_contextvars(platform=self.label)
        self._offers.forget()
        try:
            async with asyncio.TaskGroup() as self._tasks:
                self._tasks.create_task(self.platform.run(self.handle))
                if self._seeker is not None:
                    self._tasks.create_task(self._seeker.run())
        finally:
            self.status.connected = False
            self.status.games.clear()
            self._tasks = None

    # ---- stopping --------------------------------------------------------------------------

    def drain(self) -> None:
        """From now on take no new games."""
        self._draining = True
        for challenge_id in self._offers.own:
            self._start(self._withdraw(challenge_id))
        self._note_change()

    async def until_drained(self) -> None:
        """Until no live game runs; games by correspondence outlast the daemon."""
        while any(map(_is_live, self._games())) or (
            self.status.connected and self._offers.opponents
        ):
            await self._change()

    async def _withdraw(self, challenge_id: str) -> None:
        try:
            await self._patiently(lambda: self.platform.withdraw(challenge_id))
        except NoAnswer as error:  # the next connection shows what became of it
            log.info("withdrawing_unanswered", why=error.message)
        except PeerError as error:
            log.info("withdrawing_failed", code=error.code, why=error.message)
            self._offers.drop(challenge_id)
            self._note_change()

    def _games(self) -> list[GameFacts]:
        return [game.latest for game in self.status.games.values()]

    # ---- what a seeker needs -----------------------------------------------------------------

    async def until_free(self) -> None:
        while True:
            await self._tools.journal.writing.until_works()
            if self._is_free():
                return
            await self._change()

    def _is_free(self) -> bool:
        if self._draining or not self.status.connected or not self._offers.are_clear:
            return False
        return len(self._busy_with()) < self._options.policy.max_games

    def own_games(self) -> list[GameFacts]:
        return [
            game
            for game in self._games()
            if game.outcome is None and not self._offers.is_agreed(game.game_id)
        ]

    def promise(self, challenge_id: str, opponent: str) -> None:
        self._offers.promise(challenge_id, opponent, own=True)
        if self._draining:
            self._start(self._withdraw(challenge_id))

    async def fate_of(self, challenge_id: str) -> ChallengeGone:
        return await self._offers.fate_of(challenge_id)

    async def end_of(self, game_id: str) -> None:
        await self._ends.wait_for(game_id)

    # ---- events ----------------------------------------------------------------------------

    async def handle(self, event: PlatformEvent) -> None:
        """The platform's sink: what an event obliges us to is journalled when this returns.

        Raises HostError if it could not be; it is known all the same.
        """
        match event:
            case Connected():
                await self._on_connected(event)
            case Disconnected():
                self.status.connected = False
                log.warning("disconnected", why=event.reason)
            case ChallengeOffered():
                self._start(self._answer(event.challenge))
            case ChallengeGone():
                self._offers.gone(event, self.status.games)
            case GameChanged():
                await self._on_game(event)
        self._note_change()

    async def _on_connected(self, event: Connected) -> None:
        """Also comes while connected, when a silent server was asked for its state."""
        if not self.status.connected:
            log.info("connected", bot=event.name, server=event.server, games=len(event.running))
        self.name = event.name
        self.status.connected = True
        for challenge_id in self._offers.connected(event, self.status.games):
            log.info("offer_taken_back", challenge=challenge_id)
            self._start(self._withdraw(challenge_id))
        self._note_change()
        unseen = (await self._tools.journal.games(self.label)) | set(self.status.games)
        for game_id in unseen - event.running:
            self._start(self._look_up(game_id))

    async def _look_up(self, game_id: str) -> None:
        """A game that the server no longer counts as running: how did it end?"""
        try:
            await self.platform.watch(game_id)
        except PeerError as error:
            log.warning("game_unread", game=game_id, code=error.code, why=error.message)
            if error.code == "unknown_game_id":
                await self._tools.journal.forget(self.label, game_id)

    async def _on_game(self, event: GameChanged) -> None:
        facts = event.facts
        running = self.status.games.get(facts.game_id)
        if running is None:
            if facts.outcome is not None and not await self._is_unrecorded(facts):
                return
            running = self._begin(facts)
        self._offers.began(facts.game_id)
        if running.latest.ply != facts.ply:
            running.ply_since = facts.arrived
        if not facts.our_turn:
            running.our_turn_since = None
        elif running.our_turn_since is None or running.latest.ply != facts.ply:
            running.our_turn_since = facts.arrived
        running.latest = facts
        running.session.notify(event)
        self._note_change()
        await self._write_down(running)

    async def _write_down(self, running: RunningGame) -> None:
        """What fails is made good by the next event, and a turn is not sent before it is noted."""
        facts, journal = running.latest, self._tools.journal
        if facts.outcome is None and not running.is_noted:
            await journal.begin(self.label, facts.game_id)
            running.is_noted = True
        if facts.our_turn:
            await journal.accept(WorkKey(self.label, facts.game_id, facts.ply))

    async def _is_unrecorded(self, facts: GameFacts) -> bool:
        """A finished game that we did not see end: was it ours to record, and is it not yet?"""
        begun = facts.game_id in await self._tools.journal.games(self.label)
        if begun and await self._records.has(self._options.kind, facts.game_id):
            await self._tools.journal.forget(self.label, facts.game_id)
            return False
        return begun

    def _begin(self, facts: GameFacts) -> RunningGame:
        running = RunningGame(self._new_session(facts.game_id), facts, facts.arrived)
        self.status.games[facts.game_id] = running
        self._start(self._play(running))
        return running

    def _new_session(self, game_id: str) -> GameSession:
        return GameSession(game_id, self._tools, self._new_backoff())

    def _new_backoff(self) -> Backoff:
        return Backoff(RETRY_FIRST_S, RETRY_LIMIT_S, self._rng)

    async def _play(self, running: RunningGame) -> None:
        """A game to its record. What goes wrong on our side is logged, and tried again."""
        game_id = running.latest.game_id
        structlog.contextvars.bind_contextvars(game=game_id, bot=self.name)
        log.info("game_began", **_about(running.latest))
        backoff = self._new_backoff()
        try:
            while not await self._play_and_record(running):
                await self._tools.time_source.sleep(backoff.next())
                running.session = self._new_session(game_id)
                running.session.notify(GameChanged(running.latest, resync=True))
            self._offers.over(game_id)
            self._ends.tell(game_id, None)
        finally:
            self.status.games.pop(game_id, None)
            self._tools.engines.forget(game_id)
            self._note_change()

    async def _play_and_record(self, running: RunningGame) -> bool:
        """Whether the game is settled."""
        try:
            await self._record(await running.session.run(), running.session.played_with)
        except GameUnknown as error:
            log.warning("game_lost", why=str(error))
            await self._tools.journal.forget(self.label, running.latest.game_id)
        except HostError as error:  # journal and records tell of themselves, once
            log.debug("game_waits", why=str(error))
            return False
        except Exception:  # the boundary of one game: the others go on
            log.exception("session_failed")
            return False
        return True

    async def _record(self, facts: GameFacts, played_with: EngineSettings | None) -> None:
        journal = self._tools.journal
        record = record_of(
            facts,
            self._options.kind,
            await journal.turns(self.label, facts.game_id),
            played_with or self._options.engine,
            self._tools.time_source.wall(),
        )
        await self._records.add(record)
        await journal.forget(self.label, facts.game_id)
        outcome = facts.outcome
        log.info(
            "game",
            **_about(facts),
            plies=facts.ply,
            winner=outcome and outcome.winner,
            won=outcome is not None and outcome.winner == facts.seat,
            reason=outcome and outcome.reason,
        )

    # ---- challenges --------------------------------------------------------------------------

    async def _answer(self, challenge: Challenge) -> None:
        known_as = challenge.challenge_id
        if self._offers.is_promised(known_as):
            return
        refusal = decide(self._options.policy, self._circumstances(), challenge)
        about = {"challenge": known_as, "opponent": challenge.opponent.name}
        try:
            if refusal is None:
                self._offers.promise(known_as, challenge.opponent.name)
                await self._patiently(lambda: self.platform.accept(known_as))
                log.info("challenge_accepted", **about)
            elif not challenge.is_open:
                code, sentence = refusal.code, refusal.sentence
                await self._patiently(lambda: self.platform.decline(known_as, code, sentence))
                log.info("challenge_declined", code=code, **about)
                if code == "too_many_games":
                    self._start(self._make_room())
        except NoAnswer as error:
            # The next connection shows what became of it.
            log.warning("challenge_unanswered", why=error.message, **about)
        except PeerError as error:
            self._offers.drop(known_as)
            log.warning("challenge_refused", code=error.code, why=error.message, **about)

    async def _make_room(self) -> None:
        """People take any time over a first turn on the arena, but not while others wait for us."""
        long_ago = self._tools.time_source.monotonic() - UNBEGUN_S
        unbegun = [
            each
            for each in self.status.games.values()
            if _is_unbegun(each.latest) and each.ply_since <= long_ago
        ]
        if not unbegun:
            return
        oldest = min(unbegun, key=lambda each: each.ply_since).latest
        try:
            await self._patiently(lambda: self.platform.abort(oldest.game_id))
            log.info("unbegun_game_aborted", game=oldest.game_id, opponent=oldest.opponent.name)
        except PeerError as error:  # such as an opponent who has begun just now
            log.info("unbegun_game_not_aborted", game=oldest.game_id, why=error.message)

    async def _patiently(self, ask: Callable[[], Awaitable[None]]) -> None:
        """Raises PeerError, but for a server that cannot at present: it is asked again."""
        await patiently(ask, self._tools.time_source)

    def _circumstances(self) -> Circumstances:
        can_write = self._tools.journal.writing.problem is None
        return Circumstances(self.name, self._draining, self._busy_with(), can_write)

    def _busy_with(self) -> list[str]:
        playing = [facts.opponent.name for facts in self._games()]
        return [*playing, *self._offers.opponents]

    # ---- tasks -----------------------------------------------------------------------------

    def _start(self, work: Coroutine[object, object, None]) -> None:
        if self._tasks is None:  # it is asked to drain while it is down
            work.close()
            return
        self._tasks.create_task(_guarded(work))

    def _note_change(self) -> None:
        self._changed.set()
        self._changed = asyncio.Event()

    async def _change(self) -> None:
        await self._changed.wait()


async def _guarded(work: Coroutine[object, object, None]) -> None:
    """A failure here costs one challenge or one look-up, not the identity."""
    try:
        await work
    except Exception:
        log.exception("task_failed")


def _is_live(facts: GameFacts) -> bool:
    return not isinstance(facts.setup.control, Correspondence)


def _is_unbegun(facts: GameFacts) -> bool:
    """Whether a live game waits for its opponent's first turn."""
    is_live = not isinstance(facts.setup.control, Correspondence | Untimed)
    waits = facts.outcome is None and not facts.our_turn and facts.ply < len(facts.players)
    return is_live and waits


def _about(facts: GameFacts) -> dict[str, object]:
    return {
        "opponent": facts.opponent.name,
        "seat": facts.seat,
        "board": facts.setup.board,
        "rules": facts.setup.rules,
        "clock": str(facts.setup.control),
        "rated": facts.setup.rated,
    }
