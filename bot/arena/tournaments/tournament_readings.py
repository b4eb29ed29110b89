"""Metrics about tournaments, read at each scrape."""

from collections import Counter

from bot.arena.metrics import PREFIX
from bot.arena.tournaments.tournament_book import TournamentBook
from bot.runtime.metrics import Reading
from bot.time_source import TimeSource


def tournament_readings(book: TournamentBook, clock: TimeSource) -> list[Reading]:
    """Tournaments that are not over, and how long one has waited."""

    def by_state() -> dict[str, float]:
        stages = Counter(
            "running" if each.is_going_on else "open" if each.stage == "open" else "paused"
            for each in book.current
        )
        return {state: stages[state] for state in ("open", "running", "paused")}

    return [
        Reading(
            f"{PREFIX}tournaments",
            "Tournaments that are not over: open, running or paused.",
            by_state,
            ("state",),
        ),
        Reading(
            f"{PREFIX}tournament_waiting_seconds",
            "The longest time for which a running tournament has had no game and no event.",
            lambda: book.longest_wait_s(clock.monotonic()),
        ),
    ]
