"""What a host and its workers say to each other, as JSON: neither unpickles what the other made."""

from pydantic import Field

from bot.engines.spec import EngineSpec
from bot.matches.distributed.versions import Versions
from bot.matches.task import GameReport, GameTask
from bot.tournaments.model import Part


class Job(Part):
    """A game, and how long it may take altogether before the worker ends it."""

    task: GameTask
    limit_s: float = Field(gt=0)


class Outcome(Part):
    """What came of a job. Without a report the game was not the engines' to lose: it is played
    elsewhere, where `lacks` says that no engine of that name starts here, else `failure` why.
    """

    report: GameReport | None = None
    lacks: dict[str, str] = Field(default_factory=dict)
    """Why each of these engines cannot be started."""
    failure: str | None = None
    is_unhired: bool = False
    """This process was not asked before: it has come in the place of one that ended."""


class Question(Part):
    """Which engines will be needed."""

    engines: tuple[EngineSpec, ...]


class Answer(Part):
    """What a worker is, which engines it has not and why, and what is wrong with it altogether."""

    versions: Versions
    lacks: dict[str, str] = Field(default_factory=dict)
    problem: str | None = None
