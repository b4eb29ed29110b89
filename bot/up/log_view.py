"""What a person sees of the logs of `bluestone up`: games, and what needs attention."""

from collections.abc import Callable, Mapping
from typing import Any, Final

import orjson

ALARMING: Final = ("warning", "error", "critical")
THE_FIRST: Final = ("arena", "arena-1")
"""The arena whose compiling is shown; the others compile the same."""
_ALWAYS_THERE: Final = ("event", "level", "timestamp")

Show = Callable[[str], None]


class LogView:
    """Receives the lines of all children; `show` gets the few that a user needs."""

    def __init__(self, show: Show) -> None:
        self._show = show
        self.quiet = False

    def listener(self, child: str) -> Show:
        """Return the listener for one child's lines."""

        def take(line: str) -> None:
            text = readable(child, line)
            if text is not None and not self.quiet:
                self._show(text)

        return take


def readable(child: str, line: str) -> str | None:
    """Return the line in words, or None for an unimportant log line. Other lines stay whole."""
    event = log_event(line)
    if event is None:
        return None if line.startswith("http://") or not line else f"{child}: {line}"
    if child in THE_FIRST and event.get("event") == "compiling":
        first, *others = event.get("parts", ("nothing",))
        return f"compiling the engine, once: {first}, then {len(others)} more"
    if child in THE_FIRST and event.get("event") == "compiled":
        return f"compiled {event.get('part')}"
    if child in THE_FIRST and event.get("event") == "all_compiled":
        return "compiled everything"
    if child.startswith("arena") and event.get("event") == "game":
        return _finished(event)
    if event.get("level") not in ALARMING:
        return None
    facts = " ".join(f"{key}={value}" for key, value in event.items() if key not in _ALWAYS_THERE)
    return f"{child}: {event['level']}: {event.get('event')} {facts}".rstrip()


def log_event(line: str) -> Mapping[str, Any] | None:
    """The fields of a JSON log line; None for any other line."""
    try:
        event = orjson.loads(line)
    except orjson.JSONDecodeError:
        return None
    return event if isinstance(event, dict) and "level" in event else None


def _finished(event: Mapping[str, Any]) -> str:
    """One line per game, once it is over: the logs have the rest."""
    players = " - ".join(str(name) for name in event.get("players", ()))
    return f"game {event.get('game')}: {players} on {event.get('rules')}: {_ending(event)}"


def _ending(event: Mapping[str, Any]) -> str:
    winner, players = event.get("winner"), event.get("players", ())
    reason = str(event.get("reason", "")).replace("_", " ")
    if winner in (1, 2) and len(players) == 2:
        return f"{players[winner - 1]} won after {event.get('plies')} turns, {reason}"
    return f"no winner after {event.get('plies')} turns, {reason}"
