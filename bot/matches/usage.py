"""What the time of a run was spent on: thinking, and all else."""

from dataclasses import dataclass, field
from datetime import datetime

from bot.records.model import GameRecord
from bot.tournaments.events import Event, Finished
from bot.tournaments.model import FAULTS


@dataclass
class Usage:
    """Of the games of this run, so many of which are played at once."""

    concurrency: int
    thinking_ms: int = 0
    turns: int = 0
    _games: list[tuple[datetime, datetime]] = field(default_factory=list)
    """When each began and ended."""

    def add(self, event: Event) -> None:
        if not isinstance(event, Finished) or (record := event.record) is None:
            return
        self.thinking_ms += _thinking_ms(event, record)
        self.turns += len(record.turns)
        if record.ended_at is not None:
            self._games.append((record.started_at, record.ended_at))

    @property
    def seconds(self) -> float:
        """From the beginning of the first game to the end of the last."""
        if not self._games:
            return 0.0
        return (max(e for _, e in self._games) - min(b for b, _ in self._games)).total_seconds()

    @property
    def busy_s(self) -> float:
        """For which games could be played, added up: as many as may be at once until the last one
        begins, then those that still run.
        """
        if not self._games:
            return 0.0
        first, last = min(b for b, _ in self._games), max(b for b, _ in self._games)
        rest = sum((end - last).total_seconds() for _, end in self._games if end > last)
        return (last - first).total_seconds() * self.concurrency + rest

    @property
    def host_share(self) -> float:
        """Of the time that there was for thinking, what was not thought in: 0 to 1."""
        return max(0.0, 1 - self.thinking_ms / 1000 / self.busy_s) if self.busy_s else 0.0

    def __str__(self) -> str:
        return (
            f"{self.turns} turns in {self.seconds:.1f} s, {self.concurrency} at once; "
            f"no engine was thinking in {self.host_share:.1%} of the time"
        )


def _thinking_ms(event: Finished, record: GameRecord) -> int:
    """A turn that never came is in no record: all of such a game is the engines' time."""
    if event.result.reason in FAULTS and record.ended_at is not None:
        return round((record.ended_at - record.started_at).total_seconds() * 1000)
    return sum(turn.time_ms or 0 for turn in record.turns)
