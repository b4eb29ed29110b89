"""What the arena counts, as metrics for Prometheus; docs/monitoring.md explains each of them.

Everything that the arena knows without counting is read at each scrape instead: see
`bot.arena.readings` and `bot.arena.edge.metrics_page`.
"""

from dataclasses import dataclass
from typing import Final, get_args

from prometheus_client import CollectorRegistry, Counter, Histogram

import engine
from bot import wire
from bot.runtime.metrics import ClosedCounter, latency, new_registry

LOGIN_CODES: Final = (
    *("bad_token", "bad_guest_key", "rate_limited", "too_many", "name_taken", "invalid"),
    *("wrong_version", "not_json", "too_long", "unavailable", "server_error"),
)
EDGE_EVENTS: Final = (
    *("accept_failed", "connection_refused", "connection_cut_for_room", "malformed_request"),
    *("socket_refused", "socket_without_login", "origin_refused", "login_refused"),
)
"""What strangers can cause before a login; the names are those of the log."""
STATUSES: Final = ("101", "200", "206", "304", "400", "403", "404", "405", "429", "500", "503")
PREFIX: Final = "bluestone_arena_"
KINDS: Final = ("bot", "person", "guest")
GROUP_BUCKETS: Final = (1, 2, 5, 10, 20, 50, 100, 200)


def game_names() -> list[str]:
    """The names of all games, for the label `game`."""
    return [info.name for info in engine.games()]


@dataclass(frozen=True)
class ArenaMetrics:
    """The counters and histograms of one arena, and the registry that has all its metrics."""

    registry: CollectorRegistry
    games_started: ClosedCounter
    games_finished: ClosedCounter
    turns: ClosedCounter
    turn_commit: Histogram
    turn_broadcast: Histogram
    messages: ClosedCounter
    message_refusals: ClosedCounter
    logins: ClosedCounter
    login_refusals: ClosedCounter
    edge_events: ClosedCounter
    http_responses: ClosedCounter
    commit: Histogram
    commit_jobs: Histogram
    rounds: Counter
    games_rated: Counter
    aborted_games_deleted: Counter

    def committed(self, seconds: float, jobs: int) -> None:
        """Count a transaction of the database; called in the thread that writes."""
        self.commit.observe(seconds)
        self.commit_jobs.observe(jobs)


def arena_metrics() -> ArenaMetrics:
    registry, prefix, games = new_registry(), PREFIX, game_names()

    def counter(name: str, text: str, **labels: tuple[str, ...] | list[str]) -> ClosedCounter:
        return ClosedCounter(registry, f"{prefix}{name}_total", text, **labels)

    def seconds(name: str, text: str) -> Histogram:
        return latency(registry, f"{prefix}{name}_seconds", text)

    return ArenaMetrics(
        registry=registry,
        games_started=counter("games_started", "Games that started.", game=games),
        games_finished=counter(
            "games_finished",
            "Games that ended, by the reason of the result.",
            game=games,
            reason=get_args(wire.ResultReason),
        ),
        turns=counter("turns", "Turns that were committed.", game=games),
        turn_commit=seconds("turn_commit", "From the arrival of a turn until it is on the disk."),
        turn_broadcast=seconds(
            "turn_broadcast", "From the commit of a turn until it is written to both players."
        ),
        messages=counter(
            "messages", "Messages of clients, by event.", event=list(wire.CLIENT_EVENTS)
        ),
        message_refusals=counter(
            "message_refusals", "Messages that were refused.", code=list(wire.REFUSAL_CODES)
        ),
        logins=counter("logins", "Connections that logged in, by kind of player.", kind=KINDS),
        login_refusals=counter("login_refusals", "Logins that were refused.", code=LOGIN_CODES),
        edge_events=counter(
            "edge_events",
            "Connections refused, cut or without a login, by the event in the log.",
            event=EDGE_EVENTS,
        ),
        http_responses=counter("http_responses", "HTTP responses, by status.", status=STATUSES),
        commit=seconds("writer_commit", "Duration of a transaction of the database."),
        commit_jobs=Histogram(
            f"{prefix}writer_commit_jobs",
            "Writes in one transaction of the database.",
            registry=registry,
            buckets=GROUP_BUCKETS,
        ),
        rounds=Counter(
            f"{prefix}tournament_rounds_total", "Rounds that were paired.", registry=registry
        ),
        games_rated=Counter(
            f"{prefix}games_rated_total", "Finished games that were rated.", registry=registry
        ),
        aborted_games_deleted=Counter(
            f"{prefix}aborted_games_deleted_total",
            "Aborted games that were deleted.",
            registry=registry,
        ),
    )
