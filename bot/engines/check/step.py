"""Steps of the engine check, and their verdicts."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Literal

from bot.engines.check.talk import Talk

Verdict = Literal["pass", "fail", "warn", "skipped"]


class NotPassed(Exception):
    verdict: Verdict


class Failed(NotPassed):
    """It breaks the protocol; the text says how."""

    verdict = "fail"


class Warned(NotPassed):
    """It works, and yet an operator should know."""

    verdict = "warn"


class Skipped(NotPassed):
    """It does not have what this step needs."""

    verdict = "skipped"


@dataclass(frozen=True)
class Finding:
    """A step, what was sent in it, and its verdict; `seen` is what there is to say of it."""

    name: str
    sent: tuple[str, ...]
    expected: str
    verdict: Verdict
    seen: str


@dataclass(frozen=True)
class Step:
    """`run` returns what is worth telling of a pass, and raises NotPassed or EngineFailure.

    With `fresh` the engine has been started for this step, and nothing was said to it. Without what
    is `essential` no other step makes sense.
    """

    name: str
    expected: str
    run: Callable[[Talk], Awaitable[str | None]]
    fresh: bool = False
    essential: bool = False
