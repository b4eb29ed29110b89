"""A daemon that only listens, and one that answers challenges."""

from datetime import UTC, datetime

from bot.platforms.base import (
    GameChanged,
    GameFacts,
    GameOutcome,
    Participant,
    PlatformEvent,
    Setup,
    TurnPlayed,
)
from bot.time_controls import Correspondence, PlayerClock

US, ANN = "bot-1", "7b1e"
CLOCK = Correspondence(initial_s=48 * 3600, increment_s=12 * 3600, maximum_s=96 * 3600)
SETUP = Setup("bluestone", "pent-6", "abstractplay", CLOCK)


class Listener:
    """Remembers what it was told."""

    def __init__(self) -> None:
        self.events: list[PlatformEvent] = []

    async def __call__(self, event: PlatformEvent) -> None:
        self.events.append(event)

    @property
    def games(self) -> list[GameFacts]:
        return [event.facts for event in self.events if isinstance(event, GameChanged)]


def facts(
    plies: int, *, ours: bool = True, game_id: str = "g1", outcome: GameOutcome | None = None
) -> GameFacts:
    """We sit second; `ours` says whether it is our turn, whatever the plies."""
    turns = tuple(TurnPlayed("pass") for _ in range(plies))
    clock = PlayerClock(main_ms=48 * 3_600_000)
    return GameFacts(
        game_id=game_id,
        setup=SETUP,
        seat=2,
        players=(Participant("Ann", account=ANN), Participant("Granite", "bot", account=US)),
        turns=turns,
        to_play=2 if ours else 1,
        clocks=(clock, clock),
        draw_offered=False,
        outcome=outcome,
        started_at=datetime(2026, 1, 1, tzinfo=UTC),
        arrived=0.0,
    )
