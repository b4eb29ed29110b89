"""The cluster as what makes processes one arena, by the door `bluestone.clusters`."""

from typing import Final

from bot.arena.cluster.bus import bus_key
from bot.arena.cluster.cluster import new_bus, opened
from bot.arena.cluster.leases import living
from bot.arena.processes import Clustering
from bot.arena.settings import ArenaSettings

NAME: Final = "doctor"
"""How the bus's server sees a check."""


async def check_bus(settings: ArenaSettings) -> None:
    """See `Clustering`."""
    bus = new_bus(settings, NAME, bus_key(""))  # it says nothing, so any key will do
    await bus.open()
    await bus.close()


CLUSTER: Final = Clustering(opened, check_bus, living)
