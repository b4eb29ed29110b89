"""What a step of the check comes to."""

from dataclasses import dataclass
from typing import Literal

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
