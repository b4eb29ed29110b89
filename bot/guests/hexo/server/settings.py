"""The settings of the htttx server, and the tokens of its clients."""

import hmac
from collections.abc import Sequence
from dataclasses import dataclass
from ipaddress import ip_address
from pathlib import Path
from typing import Final

from bot.errors import ConfigurationError

LONGEST_TOKEN: Final = 200
MOST_TOKENS: Final = 100
LARGEST_FILE: Final = 64 << 10


@dataclass(frozen=True)
class HtttxSettings:
    """What the server offers. Times are in seconds.

    `longest_s` limits every turn, `usual_s` is the time of a request that names none. `at_once`
    requests are searched at the same time, and `waiting` more wait for that. `games` WebSockets
    may be open, each for `idle_s` without a packet. `origins` are the web pages that may ask.
    """

    name: str = "Bluestone"
    host: str = "127.0.0.1"
    port: int = 8799
    longest_s: float = 60.0
    usual_s: float = 2.0
    at_once: int = 1
    waiting: int = 8
    games: int = 16
    idle_s: float = 3600.0
    origins: tuple[str, ...] = ()
    tokens: tuple[str, ...] = ()

    def admits(self, authorization: str | None) -> bool:
        """Return whether a client with this header may ask. Takes as long for any wrong token."""
        if not self.tokens:
            return True
        scheme, _, token = (authorization or "").partition(" ")
        given = token.strip().encode()
        found = [hmac.compare_digest(given, known.encode()) for known in self.tokens]
        return scheme.lower() == "bearer" and any(found)

    def is_welcome(self, origin: str | None) -> bool:
        """Return whether a request from a web page of that origin is accepted.

        Programs send no origin. Without this check any page in a browser on this machine could use
        the engine.
        """
        return origin is None or "*" in self.origins or origin in self.origins


def read_tokens(path: Path) -> tuple[str, ...]:
    """Return the tokens of a file, one in each line. Raises ConfigurationError."""
    try:
        with path.open("rb") as file:
            content = file.read(LARGEST_FILE + 1)
        lines = content.decode("ascii").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        why = error.strerror if isinstance(error, OSError) else "it is not plain ASCII"
        raise ConfigurationError(f"--token-file {path}: cannot be read: {why}") from error
    tokens = tuple(line.strip() for line in lines if line.strip())
    if not tokens or len(content) > LARGEST_FILE or len(tokens) > MOST_TOKENS:
        problem = f"has {len(tokens)} tokens; 1 to {MOST_TOKENS} are allowed, one in each line"
        raise ConfigurationError(f"--token-file {path}: {problem}")
    if any(len(token) > LONGEST_TOKEN or len(token.split()) > 1 for token in tokens):
        problem = f"a token has blanks or is longer than {LONGEST_TOKEN} characters"
        raise ConfigurationError(f"--token-file {path}: {problem}")
    return tokens


def check_exposure(host: str, tokens: Sequence[str], *, is_open: bool) -> None:
    """Raise ConfigurationError if other machines could ask without a token."""
    if tokens or is_open or _is_loopback(host):
        return
    raise ConfigurationError(
        f"--host {host}: other machines could use the engine; name a --token-file, "
        "or let everyone in by --open"
    )


def _is_loopback(host: str) -> bool:
    if host == "localhost":
        return True
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return False
