"""Ends of a game without playing on: resigning, answering offers, or giving it up."""

from collections.abc import Awaitable, Callable, Sequence
from functools import partial

import structlog

from bot.daemon.inbox import Inbox
from bot.daemon.journal import TurnJournal
from bot.daemon.settings import DrawSettings, ResignSettings
from bot.errors import PeerError
from bot.platforms.base import GameFacts, NotNow, Platform, patiently
from bot.time_controls import Correspondence
from bot.time_source import TimeSource

log = structlog.get_logger()


def should_resign(settings: ResignSettings, ply: int, values: Sequence[float | None]) -> bool:
    """Return whether to resign. `values` are our chances to win at each turn of ours, up to now.

    A turn without a value (a fallback's or a forced one) is no reason to resign.
    """
    if not settings.enabled or ply < settings.min_ply or len(values) < settings.turns:
        return False
    return all(v is not None and v < settings.below for v in values[-settings.turns :])


def accepts_draw(settings: DrawSettings, ply: int, values: Sequence[float | None]) -> bool:
    """Return whether to accept a draw, by the latest value.

    Without a value the offer is declined.
    """
    value = values[-1] if values else None
    if not settings.accept or ply < settings.min_ply or value is None:
        return False
    return settings.lowest <= value <= settings.highest


class Concessions:
    """Resigns, answers offers and gives up, in one game. `label` is the platform's name."""

    def __init__(
        self,
        game_id: str,
        label: str,
        platform: Platform,
        journal: TurnJournal,
        inbox: Inbox,
        time_source: TimeSource,
    ) -> None:
        self.gave_up = False
        self._game_id = game_id
        self._label = label
        self._platform = platform
        self._journal = journal
        self._inbox = inbox
        self._time = time_source
        self._draw_answered_at: tuple[int, int | None] | None = None
        self._abort_declined_at: tuple[int, int | None] | None = None
        self._alarmed_at = -1

    async def should_resign(
        self, settings: ResignSettings, facts: GameFacts, value: float | None
    ) -> bool:
        """Return whether to resign instead of playing a turn of that value."""
        if not settings.enabled:
            return False
        return should_resign(settings, facts.ply, [*await self._own_values(facts), value])

    async def resign(self, facts: GameFacts, value: float | None) -> bool:
        """Resign, and return whether the server has accepted it."""
        log.info("resigning", ply=facts.ply, value=value)
        try:
            await self._patiently(lambda: self._platform.resign(facts.game_id))
        except PeerError as error:
            log.warning("resign_failed", code=error.code, why=error.message)
            return False
        return True

    async def answer_draw(self, settings: DrawSettings, facts: GameFacts) -> bool:
        """Answer an offer, once per ply, and return whether that ends the game."""
        ply = facts.ply, facts.takebacks
        if not facts.draw_offered or ply == self._draw_answered_at:
            return False
        self._draw_answered_at = ply
        accept = accepts_draw(settings, facts.ply, await self._own_values(facts))
        log.info("draw_offer", ply=facts.ply, accepted=accept)
        answer = self._platform.answer_draw
        try:
            await self._patiently(lambda: answer(facts.game_id, accept=accept))
        except NotNow:
            self._draw_answered_at = None  # a newer state has arrived, and is answered instead
            return False
        except PeerError as error:
            log.warning("draw_answer_failed", code=error.code, why=error.message)
            return False
        return accept

    async def decline_abort(self, facts: GameFacts) -> None:
        """Decline an offer to end the game without a result, once per ply.

        A bot has time to play on, and an opponent who has not may resign: otherwise a game that is
        nearly lost would have no result.
        """
        ply = facts.ply, facts.takebacks
        if not facts.abort_offered or ply == self._abort_declined_at:
            return
        self._abort_declined_at = ply
        log.info("abort_offer", ply=facts.ply, accepted=False)
        try:
            await self._patiently(lambda: self._platform.decline_abort(facts.game_id))
        except NotNow:
            self._abort_declined_at = None  # as with a draw
        except PeerError as error:
            log.warning("abort_answer_failed", code=error.code, why=error.message)

    async def give_up(self, facts: GameFacts, why: str) -> None:
        """Leave a game whose rules differ here and on the server, to free the opponent.

        A game by correspondence continues, because the server may show it differently later.
        """
        if self.gave_up or facts.outcome is not None:
            return
        if isinstance(facts.setup.control, Correspondence):
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
                self.gave_up = True
                return

    async def _own_values(self, facts: GameFacts) -> list[float | None]:
        turns = await self._journal.turns(self._label, self._game_id)
        return [chosen.info.value for ply, chosen in turns.items() if ply < facts.ply]

    async def _patiently(self, ask: Callable[[], Awaitable[None]]) -> None:
        """Ask, and retry while the server is busy.

        Raises PeerError; NotNow only if a newer state has arrived.
        """
        await patiently(ask, self._time, lambda: not self._inbox.has_news())
