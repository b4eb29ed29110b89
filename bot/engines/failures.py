"""Why an engine gave no answer: its own failures, and reasons that are not its fault."""

from collections import Counter
from collections.abc import Coroutine

from bot.engines.conversation import EngineReply
from bot.engines.protocol import OptionRefused
from bot.engines.questions import Patience
from bot.errors import (
    EngineDied,
    EngineFailure,
    EngineProtocolError,
    EngineStartError,
    EngineTimeout,
)
from bot.runtime.tasks import Overtaken, unless_overtaken

LONGEST_PAUSE_S = 60.0
UNHEALTHY_AFTER = 3
"""After this many failures in a row, urgent turns no longer wait for the engine."""

_KINDS: dict[type[EngineFailure], str] = {
    EngineStartError: "start",
    EngineDied: "died",
    EngineTimeout: "late",
    EngineProtocolError: "protocol",
}


CAUSES = (*_KINDS.values(), "other", "none_free", "too_late", "excluded", "option")
"""All kinds of failures, and the other reasons for which a fallback chooses a turn."""


def cause_of_fallback(error: EngineFailure) -> str:
    match error:
        case NoneFree():
            return "none_free"
        case TooLate():
            return "too_late"
        case Excluded():
            return "excluded"
        case OptionRefused():
            return "option"
        case _:
            return kind_of_failure(error)


def kind_of_failure(error: EngineFailure) -> str:
    return _KINDS.get(type(error), "other")


class Failures:
    """The failures of one engine, and the backoff before its restart."""

    def __init__(self) -> None:
        self.by_kind: Counter[str] = Counter()
        self.consecutive = 0
        self.last: str | None = None

    def add(self, error: EngineFailure) -> None:
        self.by_kind[kind_of_failure(error)] += 1
        self.consecutive += 1
        self.last = error.message

    def succeeded(self) -> None:
        self.consecutive = 0

    @property
    def healthy(self) -> bool:
        return self.consecutive < UNHEALTHY_AFTER

    @property
    def pause_s(self) -> float:
        """Seconds before a restart: 0 after the first failure, which may be the only one; then 1,
        2, 4, ...
        """
        if self.consecutive <= 1:
            return 0.0
        return float(min(LONGEST_PAUSE_S, 2.0 ** min(self.consecutive - 2, 10)))


async def unless_wanted(
    patience: Patience | None, work: Coroutine[object, object, EngineReply]
) -> EngineReply:
    """Return what `work` returns. Raises Interrupted as soon as `patience.wanted` is set."""
    if patience is None:
        return await work
    try:
        return await unless_overtaken(work, by=patience.wanted.wait())
    except Overtaken:
        raise SearchInterrupted from None


class SearchInterrupted(Exception):
    """The search was interrupted for a more urgent turn."""


class NoneFree(EngineFailure):
    """All processes were busy or restarting for too long; not the engine's fault."""


class TooLate(EngineFailure):
    """Too little time was left to ask the engine; not the engine's fault."""


class Excluded(EngineFailure):
    """The engine chose an excluded turn, which it may not know; not the engine's fault."""


class OptionsFailed(Exception):
    """The process must be replaced because of one user's options."""

    def __init__(self, error: EngineFailure) -> None:
        super().__init__(error.message)
        self.error = error
