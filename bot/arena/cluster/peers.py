"""The other processes of the arena: where they are, and requests to them."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

import orjson

from bot.arena.cluster.leases import LeasedProcess
from bot.arena.cluster.link import Links, PeerGone

REQUEST_S: Final = 5.0
"""How long a request to another process may take."""
NOT_HERE: Final = b""
"""The answer of a process that does not have the game, or not the hall."""


@dataclass
class HallSeat:
    """Which process has the hall: the lobby, challenges and tournaments.

    `is_open` says that it is this process, and that its services run.
    """

    holder: str | None = None
    epoch: int = 0
    is_open: bool = False


class Peers:
    """Asks other processes by their ids."""

    def __init__(self, links: Links, process_id: str) -> None:
        self._links = links
        self.process_id = process_id
        self._addresses: dict[str, str] = {}

    @property
    def ids(self) -> list[str]:
        """The ids of the living processes other than this one."""
        return list(self._addresses)

    def update(self, members: Iterable[LeasedProcess]) -> list[str]:
        """Note the living processes. Returns the ids of those that are gone."""
        found = {each.id: each.address for each in members if each.id != self.process_id}
        gone = [process for process in self._addresses if process not in found]
        for process in gone:
            self._links.forget(self._addresses[process])
        self._addresses = found
        return gone

    async def ask(
        self, process: str, method: str, body: object, timeout_s: float = REQUEST_S
    ) -> bytes:
        """The answer of a process to a request whose body is sent as JSON.

        Raises Refused as the other process raised it, and PeerGone.
        """
        address = self._addresses.get(process)
        if address is None:
            raise PeerGone(f"{process}: the process has ended", was_sent=False)
        return await self._links.ask(address, method, orjson.dumps(body), timeout_s)
