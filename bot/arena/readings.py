"""Metrics that services and stores know without counting, read at each scrape."""

import os
from collections.abc import Callable, Mapping
from pathlib import Path

from bot.arena.arena_clock import ArenaClock
from bot.arena.games.archive import RecordFile
from bot.arena.games.games_in_play import GamesInPlay
from bot.arena.lobby.challenge_service import Challenges
from bot.arena.metrics import KINDS, PREFIX, game_names
from bot.arena.players.presence import Presence
from bot.arena.processes import Processes
from bot.arena.settings import Place
from bot.arena.store.database import Database
from bot.arena.store.sqlite_database import FILE_NAME
from bot.runtime.metrics import Reading


def play_readings(
    playing: GamesInPlay,
    challenges: Challenges,
    presence: Presence,
    clock: ArenaClock,
    alarm_failures: Mapping[str, Callable[[], int]],
) -> list[Reading]:
    """Games, challenges, players and clocks, and deadlines that could not be executed."""
    return [
        Reading(
            f"{PREFIX}games_running",
            "Games that are running.",
            lambda: dict.fromkeys(game_names(), 0) | playing.count_by_game(),
            ("game",),
        ),
        Reading(f"{PREFIX}challenges_open", "Open challenges.", lambda: challenges.count),
        Reading(
            f"{PREFIX}connections",
            "Connections with a logged-in player, by kind of player.",
            lambda: dict.fromkeys(KINDS, 0) | presence.count_by_kind(),
            ("kind",),
        ),
        Reading(
            f"{PREFIX}clocks_stopped",
            "1 while no clock runs because the database cannot be written, else 0.",
            lambda: clock.is_paused,
        ),
        Reading(
            f"{PREFIX}clocks_stopped_seconds_total",
            "Time in which no clock ran: unwritable database, or a stopped process.",
            lambda: clock.stopped_s,
            kind="counter",
        ),
        Reading(
            f"{PREFIX}alarm_failures_total",
            "Deadlines whose step failed and is repeated a second later.",
            lambda: {of: failures() for of, failures in alarm_failures.items()},
            ("of",),
            kind="counter",
        ),
    ]


def store_readings(place: Place, database: Database, records: RecordFile | None) -> list[Reading]:
    """The writer of the database, the file of records, and the disk."""

    def disk_free() -> float:
        found = os.statvfs(place.folder)
        return float(found.f_bavail * found.f_frsize)

    return [
        Reading(
            f"{PREFIX}writer_waiting_jobs",
            "Writes that are not committed yet.",
            lambda: database.waiting_jobs,
        ),
        Reading(
            f"{PREFIX}writer_oldest_job_seconds",
            "Age of the oldest write that waits for its commit; 0 if no write waits.",
            lambda: database.oldest_job_s,
        ),
        Reading(
            f"{PREFIX}writer_trouble",
            "1 while the database cannot be written, else 0.",
            lambda: database.trouble is not None,
        ),
        Reading(
            f"{PREFIX}records_behind",
            "Finished games whose record is not in the file of records yet.",
            lambda: 0 if records is None else records.behind,
        ),
        *([] if place.database is not None else [_size_of(place.folder / FILE_NAME)]),
        Reading(
            f"{PREFIX}disk_free_bytes",
            "Free space of the disk that has the data folder.",
            disk_free,
        ),
    ]


def _size_of(file: Path) -> Reading:
    return Reading(
        f"{PREFIX}database_bytes",
        "Size of the database file, without its write-ahead log.",
        lambda: file.stat().st_size,
    )


def process_readings(processes: Processes | None, playing: GamesInPlay) -> list[Reading]:
    """The living processes, the hall, and the games of all processes.

    An arena of one process (`processes` is None) has the same metrics, so that one query does for
    both.
    """
    return [
        Reading(
            f"{PREFIX}processes",
            "Living processes of the arena, as this one last saw them.",
            lambda: 1 if processes is None else processes.process_count,
        ),
        Reading(
            f"{PREFIX}has_hall",
            "1 if this process has the lobby, challenges and tournaments, else 0.",
            lambda: processes is None or processes.has_hall,
        ),
        Reading(
            f"{PREFIX}games_known",
            "Running games of all processes that this one knows.",
            lambda: playing.count if processes is None else processes.games_known,
        ),
        Reading(
            f"{PREFIX}games_taken_over_total",
            "Running games that this process has taken over from others.",
            lambda: 0 if processes is None else processes.games_taken_over,
            kind="counter",
        ),
    ]
