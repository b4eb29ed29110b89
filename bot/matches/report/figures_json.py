"""Where a tournament stands, for programs."""

from collections.abc import Iterator
from dataclasses import asdict
from typing import Any

from bot.matches.report.chronicle import Chronicle
from bot.matches.report.head_to_head import head_to_head_fields, sequential_fields
from bot.matches.report.measures import ends_by_player, first_player_by_setup, times_used
from bot.matches.report.statistics import Statistics, format_kind, statistics
from bot.tournaments.elo import Estimate


def figures(story: Chronicle, anchor: str | None = None) -> dict[str, Any]:
    """All that the page has in figures; keys of players are their names.

    Ratings are relative to the mean of the players where `anchor` is None. A match of two has the
    difference of both under `match` instead. Raises ConfigurationError as `statistics` does.
    """
    tournament, found = story.tournament, statistics(story, anchor)
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
        "anchor": found.ratings.anchor,
        "ratings": [] if found.match else list(_ratings(found)),
        "advantage_elo": _estimate(found.ratings.advantage),
        "first_player": _first_player(story),
        "sprt": sequential_fields(found.sequential),
        "match": head_to_head_fields(found.match),
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


def _estimate(estimate: Estimate | None) -> dict[str, float] | None:
    return None if estimate is None else asdict(estimate)
