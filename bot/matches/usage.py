"""What the time of a run was spent on: thinking, and all else."""

from dataclasses import dataclass
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
    began: datetime | None = None
    ended: datetime | None = None

    def add(self, event: Event) -> None:
        if not isinstance(event, Finished) or (record := event.record) is None:
            return
        self.thinking_ms += _thinking_ms(event, record)
        self.turns += len(record.turns)
        begins = [each for each in (self.began, record.started_at) if each is not None]
        ends = [each for each in (self.ended, record.ended_at) if each is not None]
        self.began, self.ended = min(begins), max(ends, default=None)

    @property
    def seconds(self) -> float:
        """From the beginning of the first game to the end of the last."""
        if self.began is None or self.ended is None:
            return 0.0
        return (self.ended - self.began).total_seconds()

    @property
    def host_share(self) -> float:
        """Of the time that there was for thinking, what was not thought in: 0 to 1."""
        there_was = self.seconds * self.concurrency
        return max(0.0, 1 - self.thinking_ms / 1000 / there_was) if there_was else 0.0

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
