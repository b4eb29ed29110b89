"""What comes of trying a platform's settings out against the real server."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Finding:
    """One step, and what was found, in a sentence for whoever runs the bot."""

    step: str
    told: str
    is_fine: bool = True
