"""A tournament from its settings to its end, in a folder, until it is interrupted."""

import asyncio
from collections.abc import Coroutine
from pathlib import Path

from bot.matches.event import LocalEvent
from bot.matches.host import Host, Watch
from bot.matches.ledger import Ledger
from bot.matches.openings import opening_lines
from bot.matches.settings import LocalSettings
from bot.matches.venues import Note, OpenedVenue, Venue, this_machine
from bot.runtime.signals import handled
from bot.time_source import TimeSource
from bot.tournaments.formats.choice import doubts_about, format_of
from bot.tournaments.openings import LINES, OPENING_LINES
from bot.tournaments.state import Tournament


async def run_event(
    settings: LocalSettings,
    folder: Path,
    time: TimeSource,
    watch: Watch,
    note: Note,
    venue: Venue = this_machine,
) -> Tournament | None:
    """Where the tournament stands when it has ended, or when a signal ended this run of it; None
    if that was before it began.

    Raises ConfigurationError if an engine does not start, and a new folder has no tournament then,
    or if another tournament is in the folder; HostError as `Ledger` and `Host` do.
    """
    with Ledger.opened(folder, time) as ledger:
        for text in ledger.notes:
            note(text)
        if ledger.before is not None:
            began = _event(settings, ledger.before).began()
            ledger.begin(began)
            if ledger.before.ended is None:
                games = len(ledger.before.played)
                note(f"going on after {games} {'game' if games == 1 else 'games'}")
                if began.paired_by != ledger.before.began.paired_by:
                    note(f"rounds from now on are paired by {began.paired_by}")
        else:
            form = format_of(settings.format.kind, **settings.format.options)
            for doubt in doubts_about(form, len(settings.players)):
                note(doubt)
        if ledger.before is None or ledger.before.ended is None:
            opened = venue(settings, time, note)
            await _until_interrupted(_play(settings, ledger, time, watch, note, opened))
        return ledger.tournament if ledger.has_begun else None


def _event(settings: LocalSettings, before: Tournament) -> LocalEvent:
    """With the openings that it began with: a file of them may be another one by now."""
    lines = before.began.settings.get(OPENING_LINES, [])
    return LocalEvent(settings, LINES.validate_python(lines))


async def _play(
    settings: LocalSettings,
    ledger: Ledger,
    time: TimeSource,
    watch: Watch,
    note: Note,
    venue: OpenedVenue,
) -> None:
    async with venue as (play, concurrency):
        if ledger.before is not None:
            event = _event(settings, ledger.before)
        else:
            event = LocalEvent(settings, await opening_lines(settings, time, note))
            ledger.begin(event.began())
        await Host(ledger, event.director(), event.task_of, play, concurrency, watch).run()


async def _until_interrupted(work: Coroutine[None, None, None]) -> None:
    task = asyncio.create_task(work)

    def end() -> None:
        task.cancel()

    with handled(end):
        await asyncio.wait([task])
    if not task.cancelled():
        task.result()
