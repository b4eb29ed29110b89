"""Where a tournament stands, for programs."""

from collections.abc import Iterator
from dataclasses import asdict
from typing import Any

from bot.matches.report.chronicle import Chronicle
from bot.matches.report.measures import ends_by_player, first_player_by_setup, times_used
from bot.matches.report.statistics import Sequential, Statistics, format_kind, statistics
from bot.tournaments.elo import Estimate


def figures(story: Chronicle) -> dict[str, Any]:
    """All that the page has in figures; keys of players are their names."""
    tournament, found = story.tournament, statistics(story)
    return {
        "name": tournament.began.name,
        "format": format_kind(story),
        "began_at": story.began_at.isoformat(),
        "last_at": story.last_at.isoformat(),
        "round": tournament.round,
        "played": len(tournament.played),
        "waiting": len(tournament.left),
        "voids": tournament.voids.total(),
        "paused": tournament.paused,
        "ended": tournament.ended,
        "stopped": tournament.stopped,
        "byes": [bye.model_dump() for bye in tournament.byes],
        "standings": [asdict(row) for row in found.standings],
        "ratings": list(_ratings(found)),
        "advantage_elo": _estimate(found.ratings.advantage),
        "first_player": _first_player(story),
        "sprt": None if found.sequential is None else _sequential(found.sequential),
        "pairs": [{"players": names, **asdict(counts)} for names, counts in found.pairs.items()],
        "repeats": [asdict(each) for each in found.repeats],
        "ends": {
            name: {f"{reason} {outcome}": count for (reason, outcome), count in ends.items()}
            for name, ends in ends_by_player(story).items()
        },
        "time": {name: asdict(used) for name, used in times_used(story).items()},
    }


def _ratings(found: Statistics) -> Iterator[dict[str, Any]]:
    rows = found.ratings.rows
    for row in rows:
        superiority = {
            other.name: round(found.ratings.superiority(row.name, other.name), 4)
            for other in rows
            if other.name != row.name
        }
        yield {**asdict(row), "superiority": superiority}


def _first_player(story: Chronicle) -> list[dict[str, Any]]:
    return [
        {"setup": place, **asdict(found), "elo": found.elo}
        for place, found in first_player_by_setup(story).items()
    ]


def _sequential(sequential: Sequential) -> dict[str, Any]:
    test = sequential.test
    return {
        "players": [sequential.player, sequential.opponent],
        **asdict(test.bounds),
        "lower": test.bounds.lower,
        "upper": test.bounds.upper,
        "ratio": test.ratio,
        "verdict": test.verdict,
        "elo": _estimate(test.elo),
        "pairs": test.counts.pairs,
    }


def _estimate(estimate: Estimate | None) -> dict[str, float] | None:
    return None if estimate is None else asdict(estimate)
