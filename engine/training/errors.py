"""What training refuses, and why."""

from engine.errors import EngineError


class TrainingError(EngineError):
    """A folder that cannot be gone on with; the message names the file."""
