"""What comes of trying a platform's settings out against the real server."""

from dataclasses import dataclass
from typing import Literal

State = Literal["ok", "failed", "not tried"]
"""Only what failed is a fault; what was not tried may work or not."""


@dataclass(frozen=True, slots=True)
class Finding:
    """One step, and what was found, in a sentence for whoever runs the bot."""

    step: str
    told: str
    state: State = "ok"
