"""Events to players, to watchers of games and to all, sent without waiting for slow clients."""

import asyncio
from collections import deque
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from typing import Final, Protocol

import structlog
from pydantic import BaseModel
from socketio import packet

from bot import wire
from bot.arena.model.refusals import Refused
from bot.arena.net.engine_io import MESSAGE, Socket, text_frame
from bot.arena.net.socket_io import SocketServer

SLICE: Final = 25
"""How many recipients are served before other work runs: about a quarter of a millisecond."""
MOST_CHANGES: Final = 50
"""The most changes that wait for a crowd; after a gap its members ask for the whole state."""

log = structlog.get_logger()


class Recipient(Protocol):
    """A connection that takes frames."""

    def put(self, frame: bytes) -> None: ...


@dataclass(frozen=True)
class _Batch:
    """A frame, and by identity the recipients who do not have it yet; served from the end."""

    frame: bytes
    recipients: dict[int, Recipient]


class Crowds:
    """Sends frames to crowds, by name. A whole state replaces everything that still waits.

    Recipients who missed an older state are served first, so that none misses all of them.
    """

    def __init__(self) -> None:
        self._waiting: dict[str, deque[_Batch]] = {}
        self._task: asyncio.Task[None] | None = None

    def is_busy_with(self, crowd: str) -> bool:
        return crowd in self._waiting

    def send(self, crowd: str, frame: bytes, recipients: Iterable[Recipient]) -> None:
        """Send a frame to each recipient soon, instead of the frames that still wait."""
        missed = {key for batch in self._waiting.get(crowd, ()) for key in batch.recipients}
        ordered = sorted(recipients, key=lambda each: id(each) in missed)
        self._waiting[crowd] = deque([_batch(frame, ordered)], MOST_CHANGES)
        self._serve_soon()

    def send_change(self, crowd: str, frame: bytes, recipients: Iterable[Recipient]) -> None:
        """Send a frame to each recipient soon, after the frames that still wait."""
        batches = self._waiting.setdefault(crowd, deque(maxlen=MOST_CHANGES))
        batches.append(_batch(frame, recipients))
        self._serve_soon()

    def forget(self, crowd: str, recipient: Recipient) -> None:
        """Drop the frames that still wait for a recipient."""
        for batch in self._waiting.get(crowd, ()):
            batch.recipients.pop(id(recipient), None)

    async def close(self) -> None:
        if self._task is not None:
            self._task.cancel()
            await asyncio.gather(self._task, return_exceptions=True)

    def _serve_soon(self) -> None:
        if self._task is None:
            self._task = asyncio.create_task(self._serve())

    async def _serve(self) -> None:
        """Serve a slice of each crowd in turn, until all are served."""
        try:
            while self._waiting:
                for crowd in list(self._waiting):
                    self._give_slice(crowd)
                    await asyncio.sleep(0)
        except Exception:
            log.exception("crowd_not_served")
        finally:
            self._task = None

    def _give_slice(self, crowd: str) -> None:
        batches = self._waiting[crowd]
        frame, recipients = batches[0].frame, batches[0].recipients
        for _ in range(min(SLICE, len(recipients))):
            recipients.popitem()[1].put(frame)
        if not recipients:
            batches.popleft()
        if not batches:
            del self._waiting[crowd]


def _batch(frame: bytes, recipients: Iterable[Recipient]) -> _Batch:
    return _Batch(frame, {id(each): each for each in recipients})


EVERYBODY: Final = "everybody"
MOST_WATCHED: Final = 100
FEW: Final = 20
"""Up to this many recipients get an event at once; more than that are a crowd."""


class Outbox:
    """The `Announcer` over Socket.IO; each player, each game and the lobby has a room.

    A connection gets an event once, even if it is in several of its rooms. Players come first. A
    crowd (spectators, the lobby) is served in slices, so that other work runs in between; a crowd
    that still waits for one state gets the next one instead. A game is encoded once for clients
    that get whole games, and once for those that get changes.
    """

    def __init__(self, server: SocketServer) -> None:
        self._server = server
        self._sockets: dict[str, Socket] = {}
        self._members: dict[str, dict[str, Socket]] = {}
        self._rooms: dict[str, set[str]] = {}
        self._prefer_changes: set[str] = set()
        self._crowds = Crowds()

    async def close(self) -> None:
        await self._crowds.close()

    # ---- rooms -------------------------------------------------------------------------------

    def join(self, connection: str, room: str) -> None:
        """Add a connection to a room; does nothing if the connection is closed."""
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
        """Remove a closed connection from all rooms."""
        for room in list(self._rooms.pop(connection, ())):
            self.leave(connection, room)
        self._sockets.pop(connection, None)
        self._prefer_changes.discard(connection)

    def prefer_changes(self, connection: str) -> None:
        """Send a connection changes of games, and the whole game only at its end."""
        self._prefer_changes.add(connection)

    def follow(self, connection: str, room: str) -> None:
        """Add a connection to the room of a game or tournament.

        Raises Refused if it follows too many.
        """
        rooms = self._rooms.get(connection, set())
        if len(rooms) >= MOST_WATCHED and room not in rooms:
            raise Refused("too_many", f"You already follow {MOST_WATCHED} games and tournaments.")
        self.join(connection, room)

    def members(self, room: str) -> list[str]:
        """The connections in a room."""
        return list(self._members.get(room, ()))

    # ---- events ------------------------------------------------------------------------------

    async def game(self, state: wire.GameState, change: wire.GameChange | None = None) -> None:
        whole = cache(lambda: _frame("game", state.as_json()))
        room = game_room(state.game_id)
        players = self._gathered(player_room(player.name) for player in state.players)
        followers = self._members.get(room, {})
        others = {name: socket for name, socket in followers.items() if name not in players}
        for crowd, is_new in ((room, False), (_changes_of(room), True)):
            first, rest = self._of_form(players, is_new), self._of_form(others, is_new)
            if first or rest or self._crowds.is_busy_with(crowd):
                news = change if is_new else None
                frame = whole() if news is None else _frame("change", news.as_json())
                for socket in first:
                    socket.put(frame)
                self._send(frame, rest, crowd, is_whole=news is None)

    def _of_form(self, sockets: dict[str, Socket], is_new: bool) -> list[Socket]:
        prefer = self._prefer_changes
        return [socket for name, socket in sockets.items() if (name in prefer) is is_new]

    def forget_waiting(self, connection: str, room: str) -> None:
        """Drop frames that still wait for a connection in a room, because it gets a newer state."""
        socket = self._sockets.get(connection)
        if socket is not None:
            for crowd in (room, _changes_of(room)):
                self._crowds.forget(crowd, socket)

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

    def followers_by_kind(self) -> dict[str, int]:
        """How many connections follow games, and how many tournaments."""
        found = {"game": 0, "tournament": 0}
        for room, members in self._members.items():
            kind = room.partition(":")[0]
            if kind in found:
                found[kind] += len(members)
        return found

    def send(self, connection: str, event: str, message: BaseModel) -> None:
        """Send an event to one connection."""
        socket = self._sockets.get(connection) or self._server.socket_of(connection)
        if socket is not None:
            socket.put(event_frame(event, message))

    def _gathered(self, rooms: Iterable[str]) -> dict[str, Socket]:
        found: dict[str, Socket] = {}
        for room in rooms:
            found.update(self._members.get(room, {}))
        return found

    def _send(
        self, frame: bytes, sockets: list[Socket], crowd: str, *, is_whole: bool = True
    ) -> None:
        if len(sockets) > FEW or self._crowds.is_busy_with(crowd):
            send = self._crowds.send if is_whole else self._crowds.send_change
            send(crowd, frame, sockets)
        else:
            for socket in sockets:
                socket.put(frame)


def player_room(name: str) -> str:
    return f"player:{name}"


def game_room(game_id: str) -> str:
    return f"game:{game_id}"


def _changes_of(room: str) -> str:
    return f"{room}:changes"


def tournament_room(tournament_id: str) -> str:
    return f"tournament:{tournament_id}"


def event_frame(event: str, message: BaseModel) -> bytes:
    """A Socket.IO event of the default namespace, as it goes over the wire."""
    return _frame(event, message.model_dump_json())


def _frame(event: str, message: str) -> bytes:
    return text_frame(f'{MESSAGE}{packet.EVENT}["{event}",{message}]'.encode())
