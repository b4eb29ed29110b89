"""Events to players, to watchers of games and to all, sent without waiting for slow clients."""

import asyncio
from collections import deque
from collections.abc import Callable, Iterable, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from functools import cache
from typing import Final, Protocol

import structlog

from bot import wire
from bot.arena.announcer import EVERYBODY, GAME, GameNews, game_room, player_room, tournament_room
from bot.arena.edge.packets import Encodable, event_frame
from bot.arena.edge.socket_server import SocketServer
from bot.arena.refusals import Refused

SLICE: Final = 25
"""How many recipients are served before other work runs: about a quarter of a millisecond."""
MOST_CHANGES: Final = 50
"""The most changes that wait for a crowd; after a gap its members ask for the whole state."""

log = structlog.get_logger()


class Recipient(Protocol):
    """A connection that takes frames."""

    def put(self, frame: bytes) -> None: ...


class _Held:
    """A connection whose frames wait until `release`."""

    def __init__(self, socket: Recipient) -> None:
        self._socket = socket
        self._waiting: list[bytes] | None = []

    def put(self, frame: bytes) -> None:
        if self._waiting is None:
            self._socket.put(frame)
        else:
            self._waiting.append(frame)

    def release(self) -> Recipient:
        """Send the frames that wait. Returns the connection itself."""
        waiting, self._waiting = self._waiting or [], None
        for frame in waiting:
            self._socket.put(frame)
        return self._socket

    @property
    def socket(self) -> Recipient:
        return self._socket


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


@dataclass(frozen=True)
class _Audience:
    """The connections of the players of a game, and those of its followers, by name."""

    players: dict[str, Recipient]
    followers: dict[str, Recipient]
    prefer_changes: AbstractSet[str]

    def of_changes(self) -> tuple[list[Recipient], list[Recipient]]:
        """Players and followers that get changes."""
        prefer = self.prefer_changes
        return (
            [socket for name, socket in self.players.items() if name in prefer],
            [socket for name, socket in self.followers.items() if name in prefer],
        )

    def of_wholes(self) -> tuple[list[Recipient], list[Recipient]]:
        """Players and followers that get whole games."""
        prefer = self.prefer_changes
        return (
            [socket for name, socket in self.players.items() if name not in prefer],
            [socket for name, socket in self.followers.items() if name not in prefer],
        )


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
        self._sockets: dict[str, Recipient] = {}
        self._members: dict[str, dict[str, Recipient]] = {}
        self._rooms: dict[str, set[str]] = {}
        self._prefer_changes: set[str] = set()
        self._crowds = Crowds()
        self.on_room: Callable[[str, bool], None] = lambda _room, _is_open: None
        self.on_followers: Callable[[str], None] = lambda _game_id: None
        """Called with the id of a game that gets or loses a follower."""

    async def close(self) -> None:
        await self._crowds.close()

    # ---- rooms -------------------------------------------------------------------------------

    def join(self, connection: str, room: str) -> None:
        """Add a connection to a room; does nothing if the connection is closed."""
        socket = self._sockets.get(connection) or self._server.find(connection)
        if socket is not None:
            self._sockets[connection] = socket
            if room not in self._members:
                self.on_room(room, True)
            self._members.setdefault(room, {})[connection] = socket
            self._rooms.setdefault(connection, set()).add(room)
            self._followers_changed(room)

    def leave(self, connection: str, room: str) -> None:
        self._rooms.get(connection, set()).discard(room)
        members = self._members.get(room)
        if members is None:
            return
        members.pop(connection, None)
        if not members:
            del self._members[room]
            self.on_room(room, False)
        self._followers_changed(room)

    def _followers_changed(self, room: str) -> None:
        kind, _, game_id = room.partition(":")
        if kind == GAME:
            self.on_followers(game_id)

    def drop(self, connection: str) -> None:
        """Remove a closed connection from all rooms."""
        for room in list(self._rooms.pop(connection, ())):
            self.leave(connection, room)
        self._sockets.pop(connection, None)
        self._prefer_changes.discard(connection)

    def hold(self, connection: str) -> None:
        """Let events to a connection wait until `release`, so that none precedes the welcome."""
        socket = self._server.find(connection)
        if socket is not None:
            self._sockets[connection] = _Held(socket)

    def release(self, connection: str, first: Iterable[tuple[str, Encodable]]) -> None:
        """Send these events, then those that waited since `hold`."""
        held = self._sockets.get(connection)
        if not isinstance(held, _Held):  # the connection is closed
            return
        for event, message in first:
            held.socket.put(event_frame(event, message.model_dump_json()))
        self._sockets[connection] = socket = held.release()
        for room in self._rooms.get(connection, ()):
            self._members[room][connection] = socket

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

    def game(self, news: GameNews) -> None:
        """See `Announcer`."""
        self._whole_game(news.game_id, news.names, news.whole, to_all=not news.has_change)
        if news.has_change:
            self._change(news.game_id, news.names, news.change)

    def _whole_game(
        self, game_id: str, names: Sequence[str], game: Callable[[], str], *, to_all: bool
    ) -> None:
        """Send a whole game; unless `to_all`, only to those who get no changes."""
        room, audience = game_room(game_id), self._audience(game_id, names)
        frame = cache(lambda: event_frame("game", game()))
        self._show(audience.of_wholes(), room, frame, is_whole=True)
        if to_all:
            self._show(audience.of_changes(), _changes_of(room), frame, is_whole=True)

    def _change(self, game_id: str, names: Sequence[str], change: Callable[[], str]) -> None:
        """Send a change to those who get changes."""
        crowd, audience = _changes_of(game_room(game_id)), self._audience(game_id, names)
        frame = cache(lambda: event_frame("change", change()))
        self._show(audience.of_changes(), crowd, frame, is_whole=False)

    def _audience(self, game_id: str, names: Iterable[str]) -> "_Audience":
        players = self._gathered(map(player_room, names))
        followers = self._members.get(game_room(game_id), {})
        others = {name: socket for name, socket in followers.items() if name not in players}
        return _Audience(players, others, self._prefer_changes)

    def _show(
        self,
        recipients: tuple[list[Recipient], list[Recipient]],
        crowd: str,
        frame: Callable[[], bytes],
        *,
        is_whole: bool,
    ) -> None:
        """Send a frame to players, and then to followers; make it only if somebody gets it."""
        players, followers = recipients
        if players or followers or self._crowds.is_busy_with(crowd):
            made = frame()
            for socket in players:
                socket.put(made)
            self._send(made, followers, crowd, is_whole=is_whole)

    # Events that another process has made, as JSON.

    def pass_on_change(self, game_id: str, names: Sequence[str], change: str) -> bool:
        """Send a change to those who get changes; returns whether others need the whole game."""
        self._change(game_id, names, lambda: change)
        rooms = [game_room(game_id), *map(player_room, names)]
        return any(name not in self._prefer_changes for name in self._gathered(rooms))

    def pass_on_game(
        self, game_id: str, names: Sequence[str], game: str, *, to_all: bool = True
    ) -> None:
        """Send a whole game; unless `to_all`, only to those who get no changes."""
        self._whole_game(game_id, names, lambda: game, to_all=to_all)

    def pass_on(self, event: str, rooms: Iterable[str], message: str) -> None:
        """Send an event to the connections in these rooms."""
        rooms = list(rooms)
        self._send(event_frame(event, message), list(self._gathered(rooms).values()), rooms[0])

    def has_members(self, rooms: Iterable[str]) -> bool:
        """Return whether any of these rooms has a connection."""
        return any(room in self._members for room in rooms)

    def forget_waiting(self, connection: str, room: str) -> None:
        """Drop frames that still wait for a connection in a room, because it gets a newer state."""
        socket = self._sockets.get(connection)
        if socket is not None:
            for crowd in (room, _changes_of(room)):
                self._crowds.forget(crowd, socket)

    async def challenge(self, challenge: wire.Challenge, names: Iterable[str]) -> None:
        frame = event_frame("challenge", challenge.model_dump_json())
        for socket in self._gathered(map(player_room, names)).values():
            socket.put(frame)

    def tell(self, event: str, message: Encodable, names: Iterable[str]) -> None:
        frame = event_frame(event, message.model_dump_json())
        for socket in self._gathered(map(player_room, names)).values():
            socket.put(frame)

    async def lobby(self, lobby: wire.Lobby) -> None:
        sockets = list(self._members.get(EVERYBODY, {}).values())
        self._send(event_frame("lobby", lobby.model_dump_json()), sockets, EVERYBODY)

    async def tournament(self, tournament: wire.TournamentState) -> int:
        room = tournament_room(tournament.tournament_id)
        frame = event_frame("tournament", tournament.model_dump_json())
        self._send(frame, list(self._members.get(room, {}).values()), room)
        return len(frame)

    def followers(self, tournament_id: str) -> int:
        return len(self._members.get(tournament_room(tournament_id), {}))

    def spectators(self, game_id: str, names: Iterable[str]) -> int:
        """How many connections follow a game, apart from those of its players."""
        players = self._gathered(map(player_room, names))
        return len(self._members.get(game_room(game_id), {}).keys() - players.keys())

    def followers_by_kind(self) -> dict[str, int]:
        """How many connections follow games, and how many tournaments."""
        found = {"game": 0, "tournament": 0}
        for room, members in self._members.items():
            kind = room.partition(":")[0]
            if kind in found:
                found[kind] += len(members)
        return found

    def send(self, connection: str, event: str, message: Encodable) -> None:
        """Send an event to one connection."""
        socket = self._sockets.get(connection) or self._server.find(connection)
        if socket is not None:
            socket.put(event_frame(event, message.model_dump_json()))

    def _gathered(self, rooms: Iterable[str]) -> dict[str, Recipient]:
        found: dict[str, Recipient] = {}
        for room in rooms:
            found.update(self._members.get(room, {}))
        return found

    def _send(
        self, frame: bytes, sockets: list[Recipient], crowd: str, *, is_whole: bool = True
    ) -> None:
        if len(sockets) > FEW or self._crowds.is_busy_with(crowd):
            send = self._crowds.send if is_whole else self._crowds.send_change
            send(crowd, frame, sockets)
        else:
            for socket in sockets:
                socket.put(frame)


def _changes_of(room: str) -> str:
    return f"{room}:changes"
