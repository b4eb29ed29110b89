"""Where a tournament stands, for programs."""

from dataclasses import asdict
from typing import Any

from bot.matches.report.chronicle import Chronicle
from bot.matches.report.measures import ends_by_player, times_used
from bot.matches.report.placings import placings


def figures(story: Chronicle) -> dict[str, Any]:
    """Standings, counts and measures; keys of players are their names."""
    tournament = story.tournament
    return {
        "name": tournament.began.name,
        "began_at": story.began_at.isoformat(),
        "last_at": story.last_at.isoformat(),
        "round": tournament.round,
        "played": len(tournament.played),
        "waiting": len(tournament.waiting()),
        "voids": tournament.voids.total(),
        "paused": tournament.paused,
        "ended": tournament.ended,
        "stopped": tournament.stopped,
        "standings": [asdict(each) for each in placings(story)],
        "ends": {
            name: {f"{reason} {outcome}": count for (reason, outcome), count in ends.items()}
            for name, ends in ends_by_player(story).items()
        },
        "time": {name: asdict(used) for name, used in times_used(story).items()},
    }
