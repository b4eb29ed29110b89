"""The platform's faults: the chance of each, and durations in milliseconds."""

import random
from dataclasses import dataclass
from typing import Final

Span = tuple[int, int]


def within(rng: random.Random, span: Span) -> int:
    """Return a uniformly random moment of the span."""
    return rng.randint(*span)


@dataclass(frozen=True)
class Faults:
    """Chances from 0 to 1. The defaults are a platform without faults."""

    # Calls of the webhook.
    lost: float = 0.0
    twice: float = 0.0
    again_a_minute_later: float = 0.0
    delayed: float = 0.0
    stale: float = 0.0
    """Built from a read that lacks the last ply, as get_game does for a while then."""
    forged: float = 0.0
    """Another caller also sends a call; over HTTP only, where calls are signed."""
    replayed: float = 0.0
    """The same call also comes once more, byte for byte; over HTTP only."""
    withdrawn: float = 0.0
    """Accepted challenges that do not become games."""

    # Submissions.
    cut_after: float = 0.0
    """The move is played, and no answer is sent."""
    late: float = 0.0
    """The gateway answers 504, and the move is stored before or after that."""
    unwrapped: float = 0.0
    """The move is played, and the answer has no envelope."""
    crashed_after: float = 0.0
    """The move is played, and a later step fails: 500 inside, or no statusCode."""
    not_played: float = 0.0
    """500 inside, and the move is not played."""
    bad_gateway: float = 0.0
    """502 or 504, and the move is not played."""
    too_many: float = 0.0
    """429, with or without Retry-After; for queries and submissions alike."""
    token_expires: float = 0.0
    """The token becomes invalid with a request."""

    # Queries.
    query_fails: float = 0.0
    left_out: float = 0.0
    """Running games that are missing from a list, each time it is requested."""

    # Durations.
    sending_ms: Span = (20, 200)
    delay_ms: Span = (1_000, 20_000)
    repeat_ms: int = 60_000
    stale_ms: Span = (300, 2_500)
    latency_ms: Span = (10, 150)
    late_ms: Span = (50, 6_000)
    killed_ms: int = 6_000
    """Milliseconds after which the gateway answers 504."""
    token_lives_s: int = 3_600


NONE: Final = Faults()

NASTY: Final = Faults(
    lost=0.05,
    twice=0.10,
    again_a_minute_later=0.02,
    delayed=0.10,
    stale=0.10,
    forged=0.03,
    replayed=0.03,
    withdrawn=0.05,
    cut_after=0.05,
    late=0.02,
    unwrapped=0.01,
    crashed_after=0.01,
    not_played=0.03,
    bad_gateway=0.02,
    too_many=0.01,
    token_expires=0.01,
    query_fails=0.03,
    left_out=0.10,
    token_lives_s=300,
)
