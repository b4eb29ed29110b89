"""Where `engine.contract` stood before: engines of other packages may still import it from here."""

from engine.contract import (
    Answer,
    Candidate,
    Choice,
    Engine,
    Info,
    InfoListener,
    Limits,
    Option,
    OptionValue,
    Signals,
)

__all__ = [
    "Answer",
    "Candidate",
    "Choice",
    "Engine",
    "Info",
    "InfoListener",
    "Limits",
    "Option",
    "OptionValue",
    "Signals",
]
