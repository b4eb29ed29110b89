"""The faults of the simulated HeXO-Arena: the chance of each, and its limits in seconds."""

from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True)
class Faults:
    """Chances from 0 to 1, each time it can happen. The defaults are a server without faults."""

    request_lost: float = 0.0
    """A request for a turn that is not sent; a heartbeat tells of it."""
    answer_lost: float = 0.0
    """A turn of the bot that does not arrive."""
    request_twice: float = 0.0
    """A request that is sent a second time on the same connection."""
    socket_cut: float = 0.0
    """A websocket that breaks when a request is due."""
    socket_closed: float = 0.0
    """A websocket that the server closes with 1008 after a turn."""
    stream_cut: float = 0.0
    """The stream breaks when a game starts or ends; the line is lost."""
    stream_ended: float = 0.0
    """The server ends the stream after a game, as if another program had opened it."""
    token_dies: float = 0.0
    """The token of a game is useless before it is used."""
    finish_lost: float = 0.0
    """The end of a game is not told on the stream."""
    answer_cut: float = 0.0
    """A request over HTTP has its effect, and its answer is cut."""
    unavailable: float = 0.0
    """A request over HTTP is answered with 502, without an effect."""
    paused: float = 0.0
    """A challenge is answered with 503 `paused`."""
    unknown_line: float = 0.0
    """A line of a kind that the bot does not know."""


@dataclass(frozen=True)
class ServerLimits:
    """The server's own limits, in seconds. Those of real servers are the defaults."""

    heartbeat_s: float = 10.0
    token_s: float = 60.0
    orphan_s: float = 30.0
    challenge_s: float = 60.0
    opens: int = 5
    opens_per_s: float = 0.1
    swept_s: float = 3.0
    """For how long after a crash the games that it ended are not found."""


NONE: Final = Faults()
NASTY: Final = Faults(
    request_lost=0.01,
    answer_lost=0.01,
    request_twice=0.03,
    socket_cut=0.02,
    socket_closed=0.01,
    stream_cut=0.04,
    stream_ended=0.01,
    token_dies=0.04,
    finish_lost=0.05,
    answer_cut=0.05,
    unavailable=0.03,
    paused=0.01,
    unknown_line=0.05,
)
