"""Metrics about the arena's processes, as this one knows them, read at each scrape."""

from bot.arena.cluster.cluster import Cluster
from bot.arena.games.games_in_play import GamesInPlay
from bot.arena.metrics import PREFIX
from bot.runtime.metrics import Reading


def cluster_readings(cluster: Cluster | None, playing: GamesInPlay) -> list[Reading]:
    """The living processes, the hall, and the games of all processes.

    An arena of one process (`cluster` is None) has the same metrics, so that one query does for
    both.
    """
    return [
        Reading(
            f"{PREFIX}processes",
            "Living processes of the arena, as this one last saw them.",
            lambda: 1 if cluster is None else cluster.process_count,
        ),
        Reading(
            f"{PREFIX}has_hall",
            "1 if this process has the lobby, challenges and tournaments, else 0.",
            lambda: cluster is None or cluster.hall.is_here,
        ),
        Reading(
            f"{PREFIX}games_known",
            "Running games of all processes that this one knows.",
            lambda: playing.count if cluster is None else len(cluster.directory),
        ),
        Reading(
            f"{PREFIX}games_taken_over_total",
            "Running games that this process has taken over from others.",
            lambda: 0 if cluster is None else cluster.games_taken_over,
            kind="counter",
        ),
    ]
