"""What an illegal turn breaks."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Refusal:
    """Why a turn is illegal: a stable code, a sentence, and the cell or part at fault."""

    rule: str
    reason: str
    where: str | None = None
