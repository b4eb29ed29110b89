"""Dask as a venue, as the door `bluestone.venues` gives it."""

from typing import Final

from bot.matches.venues import VenueKind

DASK: Final = VenueKind(
    help="HOST:PORT of a Dask scheduler whose workers play the games",
    venue="bot.matches.distributed.venue:ManyMachines",
    pool="bot.matches.distributed.process_pool:dask_pool",
)
