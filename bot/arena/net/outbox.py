"""An `Announcer` over Socket.IO: each player, each game and everybody is a room.

Players come first. What goes to a crowd (spectators, the lobby) is sent in slices between which
everything else has its turn; a crowd that has not got one state yet gets the next one instead.
"""

from collections.abc import Iterable
from typing import Final

from pydantic import BaseModel
from socketio import packet

from bot import wire
from bot.arena.model.refusals import Refused
from bot.arena.net.crowd import Crowds
from bot.arena.net.socket_server import SocketServer
from bot.arena.net.transport import MESSAGE, Socket, text_frame

EVERYBODY: Final = "everybody"
MOST_WATCHED: Final = 100
FEW: Final = 20
"""So many get an event at once; more than that are a crowd."""


class Outbox:
    """Sends events to rooms; each connection gets an event once, however many rooms it is in."""

    def __init__(self, server: SocketServer) -> None:
        self._server = server
        self._sockets: dict[str, Socket] = {}
        self._members: dict[str, dict[str, Socket]] = {}
        self._rooms: dict[str, set[str]] = {}
        self._crowds = Crowds()

    async def close(self) -> None:
        await self._crowds.close()

    # ---- rooms -------------------------------------------------------------------------------

    def join(self, connection: str, room: str) -> None:
        """Let a connection get what is sent to a room; nothing if it is gone."""
        socket = self._sockets.get(connection) or self._server.socket_of(connection)
        if socket is not None:
            self._sockets[connection] = socket
            self._members.setdefault(room, {})[connection] = socket
            self._rooms.setdefault(connection, set()).add(room)

    def leave(self, connection: str, room: str) -> None:
        self._rooms.get(connection, set()).discard(room)
        members = self._members.get(room, {})
        members.pop(connection, None)
        if not members:
            self._members.pop(room, None)

    def drop(self, connection: str) -> None:
        """A connection is gone."""
        for room in list(self._rooms.pop(connection, ())):
            self.leave(connection, room)
        self._sockets.pop(connection, None)

    def follow(self, connection: str, room: str) -> None:
        """Let a connection get what is said of a game or a tournament; Refused if it follows too
        many.
        """
        rooms = self._rooms.get(connection, set())
        if len(rooms) >= MOST_WATCHED and room not in rooms:
            raise Refused("too_many", f"You follow {MOST_WATCHED} games and tournaments already.")
        self.join(connection, room)

    def members(self, room: str) -> list[str]:
        """The connections that a room has."""
        return list(self._members.get(room, ()))

    # ---- events ------------------------------------------------------------------------------

    async def game(self, state: wire.GameState) -> None:
        frame = _frame("game", state.as_json())
        players = self._gathered(player_room(player.name) for player in state.players)
        for socket in players.values():
            socket.put(frame)
        room = game_room(state.game_id)
        others = self._members.get(room, {})
        rest = [socket for name, socket in others.items() if name not in players]
        self._send(frame, rest, room)

    async def challenge(self, challenge: wire.Challenge, names: Iterable[str]) -> None:
        frame = event_frame("challenge", challenge)
        for socket in self._gathered(map(player_room, names)).values():
            socket.put(frame)

    async def lobby(self, lobby: wire.Lobby) -> None:
        sockets = list(self._members.get(EVERYBODY, {}).values())
        self._send(event_frame("lobby", lobby), sockets, EVERYBODY)

    async def tournament(self, tournament: wire.TournamentState) -> int:
        room = tournament_room(tournament.tournament_id)
        frame = event_frame("tournament", tournament)
        self._send(frame, list(self._members.get(room, {}).values()), room)
        return len(frame)

    def followers(self, tournament_id: str) -> int:
        return len(self._members.get(tournament_room(tournament_id), {}))

    def tell(self, connection: str, event: str, message: BaseModel) -> None:
        """Send an event to one connection."""
        socket = self._sockets.get(connection) or self._server.socket_of(connection)
        if socket is not None:
            socket.put(event_frame(event, message))

    def _gathered(self, rooms: Iterable[str]) -> dict[str, Socket]:
        found: dict[str, Socket] = {}
        for room in rooms:
            found.update(self._members.get(room, {}))
        return found

    def _send(self, frame: bytes, sockets: list[Socket], crowd: str) -> None:
        if len(sockets) > FEW or self._crowds.is_busy_with(crowd):
            self._crowds.send(crowd, frame, sockets)
        else:
            for socket in sockets:
                socket.put(frame)


def player_room(name: str) -> str:
    return f"player:{name}"


def game_room(game_id: str) -> str:
    return f"game:{game_id}"


def tournament_room(tournament_id: str) -> str:
    return f"tournament:{tournament_id}"


def event_frame(event: str, message: BaseModel) -> bytes:
    """A Socket.IO event of the default namespace, as it goes over the wire."""
    return _frame(event, message.model_dump_json())


def _frame(event: str, message: str) -> bytes:
    return text_frame(f'{MESSAGE}{packet.EVENT}["{event}",{message}]'.encode())
