"""A tournament from its settings to its end, in a folder, until it is interrupted."""

import asyncio
from collections.abc import Callable, Coroutine
from pathlib import Path

from bot.matches.event import LINES, OPENING_LINES, Lines, LocalEvent
from bot.matches.host import Host, Watch
from bot.matches.ledger import Ledger
from bot.matches.local_games import LocalGames
from bot.matches.opening_lines import opening_lines
from bot.matches.settings import LocalSettings
from bot.runtime.signals import handled
from bot.time_source import TimeSource
from bot.tournaments.state import Tournament


async def run_event(
    settings: LocalSettings,
    folder: Path,
    time: TimeSource,
    watch: Watch,
    note: Callable[[str], None],
) -> Tournament:
    """Where the tournament stands when it has ended, or when a signal ended this run of it.

    Raises ConfigurationError if an engine does not start, or if another tournament is in the
    folder; HostError as `Ledger` and `Host` do.
    """
    with Ledger.opened(folder, time) as ledger:
        for text in ledger.notes:
            note(text)
        event = LocalEvent(settings, await _openings(settings, ledger.before, time))
        ledger.begin(event.began())
        if ledger.tournament.ended is None:
            await _until_interrupted(_play(event, ledger, time, watch))
        return ledger.tournament


async def _openings(settings: LocalSettings, before: Tournament | None, time: TimeSource) -> Lines:
    """Those that the tournament began with, if it has begun."""
    if before is not None:
        return LINES.validate_python(before.began.settings.get(OPENING_LINES, []))
    return await opening_lines(settings, time)


async def _play(event: LocalEvent, ledger: Ledger, time: TimeSource, watch: Watch) -> None:
    async with LocalGames.open(time) as games:
        await games.check(event.specs())
        concurrency = event.settings.concurrency
        await Host(ledger, event.director(), event.task_of, games.play, concurrency, watch).run()


async def _until_interrupted(work: Coroutine[None, None, None]) -> None:
    task = asyncio.create_task(work)

    def end() -> None:
        task.cancel()

    with handled(end):
        await asyncio.wait([task])
    if not task.cancelled():
        task.result()
