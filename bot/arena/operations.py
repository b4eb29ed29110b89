"""The requests of clients, carried out on the services of this process.

Nothing here knows a connection, so that another process of the arena can ask for the same.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Final, Protocol

from pydantic import BaseModel

from bot import wire
from bot.arena.answers import Answer, Encoded, with_part
from bot.arena.games.archive import SOFTWARE
from bot.arena.games.game_service import Games
from bot.arena.http.costs import Cost
from bot.arena.lobby.challenge_service import Challenges
from bot.arena.lobby.lobby import Lobby
from bot.arena.request_table import Caller, Request, RequestTable
from bot.runtime.workers import working_for
from bot.time_source import TimeSource

WelcomePart = Callable[[wire.Player], Mapping[str, Any]]
"""Fields of the message `welcome` for a player."""


class Performer(Protocol):
    """Carries out requests, here or in another process. Each method raises Refused."""

    @property
    def requests(self) -> RequestTable:
        """The requests that this arena knows."""

    async def perform(
        self,
        event: str,
        player: wire.Player,
        message: BaseModel,
        arrived: float,
        origin: str = "",
    ) -> Answer:
        """Carry out the request of a player, which arrived at `arrived` on the arena's clock.

        `origin` is the player's address: an address has a share of the threads that work.
        """

    async def setup_of(self, game_id: str) -> wire.GameSetup:
        """The setup of a game, running or finished."""

    async def welcome(self, player: wire.Player, guest_key: str | None) -> wire.Welcome | Encoded:
        """The `welcome` message: everything that concerns a player."""

    async def lobby(self) -> wire.Lobby | Encoded:
        """The lobby as it was last sent, or as it is."""


class Operations:
    """The `Performer` of an arena that is one process."""

    def __init__(
        self,
        requests: Iterable[Request],
        welcome_parts: Sequence[WelcomePart],
        own_parts: Sequence[WelcomePart],
        games: Games,
        challenges: Challenges,
        lobby: Lobby,
        time: TimeSource,
    ) -> None:
        state = Request("state", self._state, Cost(2, is_question=True))
        self.requests: Final = RequestTable([*requests, state])
        self._welcome_parts = welcome_parts
        self._own_parts = own_parts
        self._games = games
        self._challenges = challenges
        self._lobby = lobby
        self._time = time

    async def perform(
        self,
        event: str,
        player: wire.Player,
        message: BaseModel,
        arrived: float,
        origin: str = "",
    ) -> Answer:
        """See `Performer`."""
        request = self.requests.find(event)
        with working_for(origin):
            return await request.handler(Caller(player, origin, arrived), message)

    async def setup_of(self, game_id: str) -> wire.GameSetup:
        """See `Performer`."""
        return (await self._games.find(game_id)).setup

    async def welcome(self, player: wire.Player, guest_key: str | None) -> wire.Welcome:
        """See `Performer`."""
        parts = _merged(self._welcome_parts, player) | self.own_fields(player)
        return wire.Welcome(
            you=player,
            guest_key=guest_key,
            server=SOFTWARE,
            server_time=self._time.wall(),
            games=self._games.of_player(player.name),
            challenges=self._challenges.of_player(player.name),
            **parts,
        )

    def own_fields(self, player: wire.Player) -> dict[str, Any]:
        """The fields of `welcome` that the process with the player's connection knows."""
        return _merged(self._own_parts, player)

    async def lobby(self) -> wire.Lobby:
        """See `Performer`."""
        return self._lobby.view()

    async def _state(self, caller: Caller, _message: wire.AskState) -> Answer:
        return with_part("welcome", (await self.welcome(caller.player, None)).as_json())


def _merged(parts: Iterable[WelcomePart], player: wire.Player) -> dict[str, Any]:
    return {name: value for part in parts for name, value in part(player).items()}
