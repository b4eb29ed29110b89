"""What a person calls a device: the browser and the system that its User-Agent names."""

from collections.abc import Sequence
from typing import Final

# The first word that is found decides: a browser also names those that it is compatible with.
BROWSERS: Final[Sequence[tuple[str, str]]] = (
    ("Edg", "Edge"),
    ("OPR/", "Opera"),
    ("SamsungBrowser", "Samsung Internet"),
    ("Firefox", "Firefox"),
    ("FxiOS", "Firefox"),
    ("Chrome", "Chrome"),
    ("CriOS", "Chrome"),
    ("Chromium", "Chromium"),
    ("Safari", "Safari"),
)
SYSTEMS: Final[Sequence[tuple[str, str]]] = (
    ("iPhone", "iPhone"),
    ("iPad", "iPad"),
    ("Android", "Android"),
    ("CrOS", "ChromeOS"),
    ("Windows", "Windows"),
    ("Mac OS X", "Mac"),
    ("Linux", "Linux"),
)


def device_name(user_agent: str) -> str:
    """Return for example `Firefox on Linux`; an empty text if nothing is recognised."""
    browser, system = _first(BROWSERS, user_agent), _first(SYSTEMS, user_agent)
    return f"{browser} on {system}" if browser and system else browser or system


def _first(words: Sequence[tuple[str, str]], text: str) -> str:
    return next((name for word, name in words if word in text), "")
