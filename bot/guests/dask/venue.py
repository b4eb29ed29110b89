"""The venue of a tournament whose games are played by the workers of a Dask scheduler."""

import uuid
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import partial
from importlib.util import find_spec
from typing import Final

from bot.errors import ConfigurationError
from bot.guests.dask.cluster import own_versions
from bot.guests.dask.games import DistributedGames
from bot.guests.dask.limits import USUAL, ClusterLimits
from bot.matches.host import Play
from bot.matches.local_games import Note
from bot.matches.settings import LocalSettings
from bot.matches.venues import WorkerFigures
from bot.runtime.extras import how_to_install
from bot.time_source import TimeSource

MOST_AT_ONCE: Final = 10_000
"""The most games that wait for workers at once. Waiting is cheap; the slots limit how many run."""
SLOW_SHOWN: Final = 3


class ManyMachines:
    """A venue on many machines; `address` is that of the scheduler.

    Raises ConfigurationError if `distributed` is not installed or the address is invalid.
    """

    def __init__(self, address: str, limits: ClusterLimits = USUAL) -> None:
        require_distributed()
        self._address = full_address(address)
        self._limits = limits
        self._games: DistributedGames | None = None

    @asynccontextmanager
    async def __call__(
        self, settings: LocalSettings, time: TimeSource, note: Note
    ) -> AsyncIterator[tuple[Play, int]]:
        from bot.guests.dask.dask_cluster import DaskCluster

        versions, engines = own_versions(), [player.spec for player in settings.players]
        run, within_s = uuid.uuid4().hex, self._limits.connect_s
        connect = partial(DaskCluster.connect, self._address, run, versions, within_s)
        async with DistributedGames.open(
            connect, engines, versions, time, note, self._limits
        ) as self._games:
            yield self._games.play, MOST_AT_ONCE

    def figures(self) -> list[WorkerFigures]:
        """The figures of the workers, during the games and afterwards."""
        return [] if self._games is None else self._games.figures()

    def line(self) -> str:
        """The state of the workers in one short line."""
        known = self.figures()
        there = [each for each in known if each.is_there]
        parts = [f"{sum(each.running for each in there)} games on {len(there)} workers"]
        if gone := len(known) - len(there):
            parts.append(f"{gone} gone")
        if slow := [each.worker for each in there if each.is_slow]:
            parts.append(f"slow: {', '.join(slow[:SLOW_SHOWN])}")
        return ", ".join(parts)


def require_distributed() -> None:
    """Raises ConfigurationError if the optional dependency `distributed` is not installed."""
    if find_spec("distributed") is None:
        raise ConfigurationError(f"--dask needs Dask; {how_to_install('distributed')}")


def full_address(address: str) -> str:
    """The address with its scheme. Raises ConfigurationError if it is not HOST:PORT."""
    full = address if "://" in address else f"tcp://{address}"
    host, _, port = full.partition("://")[2].rpartition(":")
    if not host or not (port.isascii() and port.isdigit() and 0 < int(port) < 65536):
        raise ConfigurationError(f"--dask {address!r}: write it as HOST:PORT or tcp://HOST:PORT")
    return full
