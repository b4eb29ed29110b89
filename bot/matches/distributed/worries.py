"""What a person should know: that no game can be played, or that one takes long."""

import math
from collections.abc import Callable
from typing import Final

from bot.errors import HostError
from bot.matches.distributed.fleet import Fleet
from bot.matches.distributed.limits import Limits
from bot.time_source import TimeSource

Note = Callable[[str], None]
LONG_FACTOR: Final = 10
LONG_S: Final = 60.0
"""A game is spoken of when it has run for longer than this, and so many times the usual."""


class Worries:
    """To be asked for again and again."""

    def __init__(self, fleet: Fleet, time: TimeSource, note: Note, limits: Limits) -> None:
        self._fleet = fleet
        self._time = time
        self._note = note
        self._limits = limits
        self._long_games: set[tuple[str, int]] = set()
        self._stuck_since: float | None = None
        self._said, self._said_at = "", -math.inf

    def check(self, refused: int) -> None:
        """`refused` workers are there and not used. Raises HostError if games wait for too long."""
        self._check_long_games()
        why = self._fleet.stuck()
        if why is None:
            self._stuck_since = None
        else:
            self._stuck(f"{why} ({refused} refused)" if refused else why)

    def _stuck(self, why: str) -> None:
        now = self._time.monotonic()
        self._stuck_since = now if self._stuck_since is None else self._stuck_since
        if now - self._stuck_since >= self._limits.no_worker_s:
            raise HostError(
                f"{why}, for {self._limits.no_worker_s:.0f} s. Start workers with `dask worker "
                "ADDRESS`, and run the same command again: it goes on from here"
            )
        if why != self._said or now - self._said_at >= self._limits.say_again_s:
            self._note(f"{why}; waiting, as {self._fleet.waiting} games are")
            self._said, self._said_at = why, now

    def _check_long_games(self) -> None:
        longest = max(LONG_S, LONG_FACTOR * self._usual_s())
        now = self._time.monotonic()
        for member in self._fleet.members.values():
            for game, began in member.running.items():
                place = member.address, game
                if now - began > longest and place not in self._long_games:
                    self._long_games.add(place)
                    name = member.facts.name
                    self._note(f"game {game} has run for {now - began:.0f} s on worker {name}")

    def _usual_s(self) -> float:
        members = self._fleet.members.values()
        games = sum(each.games for each in members)
        return sum(each.seconds for each in members) / games if games else 0.0
