"""Dask as a venue, as the door `bluestone.venues` gives it."""

from typing import Final

from bot.matches.venues import VenueKind

DASK: Final = VenueKind(
    help="HOST:PORT of a Dask scheduler whose workers play the games",
    venue="bot.guests.dask.venue:ManyMachines",
    pool="bot.guests.dask.process_pool:dask_pool",
)
