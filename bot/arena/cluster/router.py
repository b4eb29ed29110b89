"""Where a request is carried out: by the owner of its game, by the hall, or here.

Problem. A client is connected to any process. Its game may be owned by another one, and that
process may end, be stopped or lose the game while the request is under way. A turn must then be
played once, by the new owner, and the client must not notice more than a delay.

Idea. A request for a game goes to the owner that the directory names. If that process does not
answer, or does not have the game any more, the database is asked for the owner, and the request is
sent again until `WAIT_S` is over. It may have been carried out the first time, so only requests
that may be repeated are sent again: a turn is recognised by its ply, a question changes nothing.
The answer is the owner's, after its commit, and is passed on as it is.

The time that a request has waited is sent with it (`age_s`), so that a player's clock is not
charged for it.
"""

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from typing import Any, Final

import orjson
from pydantic import BaseModel

from bot import wire
from bot.arena.answers import Answer, Encoded, with_part
from bot.arena.cluster.directory import Directory
from bot.arena.cluster.events import Events
from bot.arena.cluster.hall import Hall
from bot.arena.cluster.link import PeerGone
from bot.arena.cluster.peers import NOT_HERE, Peers
from bot.arena.games.archive import SOFTWARE
from bot.arena.games.game_service import Games
from bot.arena.games.running_games import RunningGame, RunningGames
from bot.arena.operations import Operations
from bot.arena.refusals import UNAVAILABLE, Refused, unavailable
from bot.arena.request_table import RequestTable
from bot.time_source import TimeSource

WAIT_S: Final = 10.0
"""How long a request waits for a new owner of its game: longer than a takeover takes."""
AGAIN_S: Final = 0.1
WELCOME_WAIT_S: Final = 1.0
"""How long a welcome waits for the hall: a player may have games to play."""


class Router:
    """The `Performer` of an arena of several processes."""

    def __init__(
        self,
        here: Operations,
        games: Games,
        directory: Directory,
        running: RunningGames,
        peers: Peers,
        hall: Hall,
        events: Events,
        time: TimeSource,
    ) -> None:
        self._here = here
        self._games = games
        self._directory = directory
        self._running = running
        self._peers = peers
        self._hall = hall
        self._events = events
        self._time = time
        self._is_closed = False
        self.stored: Callable[[str], Awaitable[str | None]] = nothing
        """Returns a running game as the database has it, as JSON."""
        self._wanted: set[str] = set()
        self._looking_up: asyncio.Task[None] | None = None
        self._incomplete: set[str] = set()

    def close(self) -> None:
        """Stop waiting for new owners of games: the process ends."""
        self._is_closed = True

    def take_incomplete(self) -> set[str]:
        """Return the players whose last welcome was made without the hall, and forget them."""
        taken, self._incomplete = self._incomplete, set()
        return taken

    # ---- what clients ask ------------------------------------------------------------------

    @property
    def requests(self) -> RequestTable:
        """See `Performer`."""
        return self._here.requests

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
        if request.place == "anywhere":
            return await self._here.perform(event, player, message, arrived, origin)
        if request.place == "owner":
            return await self._at_owner(event, player, message, arrived, origin)
        if event == "state":
            welcome = await self.welcome(player, None)
            return with_part("welcome", welcome.text)
        answer = await self._hall.ask(
            "perform",
            lambda: self._request(event, player, message, arrived, origin),
            may_repeat=request.may_repeat,
        )
        if answer is None:
            return await self._here.perform(event, player, message, arrived, origin)
        return Encoded(answer.decode())

    async def setup_of(self, game_id: str) -> wire.GameSetup:
        """See `Performer`."""
        entry = await self._entry(game_id)
        return await self._here.setup_of(game_id) if entry is None else entry.setup

    async def welcome(self, player: wire.Player, guest_key: str | None) -> Encoded:
        """See `Performer`."""
        await self._events.settle()
        own = await self._hall_welcome(player, guest_key)
        entries = self._directory.of_player(player.name)
        games = await asyncio.gather(*(self._state(each.game_id) for each in entries))
        shown = own.model_dump(mode="json", exclude={"games"})
        shown["games"] = [orjson.Fragment(each) for each in games if each is not None]
        return Encoded(orjson.dumps(shown).decode())

    async def lobby(self) -> wire.Lobby | Encoded:
        """See `Performer`."""
        if self._hall.is_here:
            return await self._here.lobby()
        if self._events.last_lobby is None:
            answer = await self._hall.ask("lobby", dict)
            if answer is None:
                return await self._here.lobby()
            self._events.last_lobby = answer.decode()
        return Encoded(self._events.last_lobby)

    # ---- games -----------------------------------------------------------------------------

    async def game(self, game_id: str) -> str:
        """A whole game, as JSON. Raises Refused."""
        arrived = self._time.monotonic()
        message = wire.AskGame(v=wire.VERSION, game_id=game_id)
        done = await self._at_owner("game.state", NOBODY, message, arrived)
        return _game_in(done.model_dump_json())

    async def _state(self, game_id: str) -> str | None:
        """A whole game, as JSON; None if the id is unknown. Raises Refused if it is unavailable."""
        try:
            return await self._now(game_id)
        except Refused as refused:
            if refused.code == UNAVAILABLE:
                raise
            return None

    async def _now(self, game_id: str) -> str:
        """A whole game as JSON, from its owner, or else from the database. Raises Refused.

        This does not wait for a takeover: a late welcome costs time in the player's other games.
        """
        message = wire.AskGame(v=wire.VERSION, game_id=game_id)
        entry, now = await self._entry(game_id), self._time.monotonic()
        done = await self._try_owner(entry, "game.state", NOBODY, message, now)
        if done is not None:
            return _game_in(done.model_dump_json())
        return await self.stored(game_id) or await self.game(game_id)

    async def _at_owner(
        self,
        event: str,
        player: wire.Player,
        message: BaseModel,
        arrived: float,
        origin: str = "",
    ) -> Answer:
        game_id: str = message.game_id  # type: ignore[attr-defined]
        deadline = self._time.monotonic() + WAIT_S
        await self._events.settle()
        while True:
            entry = await self._entry(game_id)
            done = await self._try_owner(entry, event, player, message, arrived, origin)
            if done is not None:
                return done
            if self._is_closed or self._time.monotonic() > deadline:
                raise unavailable()
            await self._look_up_together(game_id)

    async def _try_owner(
        self,
        entry: RunningGame | None,
        event: str,
        player: wire.Player,
        message: BaseModel,
        arrived: float,
        origin: str = "",
    ) -> Answer | None:
        """The answer of the process in the entry; None if it is gone or does not have the game."""
        owner = None if entry is None else entry.owner
        if entry is None or self._games.owns(entry.game_id):
            return await self._here.perform(event, player, message, arrived, origin)
        if owner is None or owner == self._peers.process_id:  # it is being taken over
            return None
        try:
            request = self._request(event, player, message, arrived, origin)
            answer = await self._peers.ask(owner, "perform", request)
        except PeerGone as gone:
            if gone.was_sent and not self.requests.find(event).may_repeat:
                raise unavailable() from None
            return None
        return None if answer == NOT_HERE else Encoded(answer.decode())

    async def _entry(self, game_id: str) -> RunningGame | None:
        """The entry of a running game; None if it has ended, or if the id is unknown."""
        if (known := self._directory.find(game_id)) is not None:
            return known
        return await self._look_up(game_id)

    async def _look_up(self, game_id: str) -> RunningGame | None:
        """Read the owner of a game from the database."""
        for each in await self._running.find([game_id]):
            self._directory.add(each)
            return self._directory.find(game_id)
        self._directory.end(game_id)
        return None

    async def _look_up_together(self, game_id: str) -> None:
        """Read the owner after AGAIN_S, in one query with the other games that wait for owners.

        After the end of a process, hundreds of requests wait for the takeover of their games.
        """
        self._wanted.add(game_id)
        if self._looking_up is None:
            self._looking_up = asyncio.create_task(self._look_up_wanted())
        await asyncio.shield(self._looking_up)

    async def _look_up_wanted(self) -> None:
        try:
            await self._time.sleep(AGAIN_S)
        finally:
            wanted, self._wanted, self._looking_up = self._wanted, set(), None
        found = {each.game_id: each for each in await self._running.find(list(wanted))}
        for game_id in wanted:
            if game_id in found:
                self._directory.add(found[game_id])
            else:
                self._directory.end(game_id)

    # ---- the hall --------------------------------------------------------------------------

    async def _hall_welcome(self, player: wire.Player, guest_key: str | None) -> wire.Welcome:
        try:
            answer = await self._hall.ask(
                "welcome", lambda: player.model_dump(mode="json"), WELCOME_WAIT_S
            )
        except Refused:  # no process has the hall now: another welcome follows
            self._incomplete.add(player.name)
            return wire.Welcome(
                you=player,
                guest_key=guest_key,
                server=SOFTWARE,
                server_time=self._time.wall(),
                games=[],
                challenges=[],
                tournaments=[],
                **self._here.own_fields(player),
            )
        if answer is None:
            return await self._here.welcome(player, guest_key)
        welcome = wire.Welcome.model_validate_json(answer)
        # The login in this process has read whether the player is a host.
        own = {"guest_key": guest_key, **self._here.own_fields(player)}
        return welcome.model_copy(update=own)

    def _request(
        self,
        event: str,
        player: wire.Player,
        message: BaseModel,
        arrived: float,
        origin: str = "",
    ) -> Mapping[str, object]:
        return {
            **({"origin": origin} if origin else {}),
            "event": event,
            "player": player.model_dump(mode="json"),
            "message": orjson.Fragment(message.model_dump_json(by_alias=True)),
            "age_s": max(0.0, self._time.monotonic() - arrived),
        }

    # ---- what other processes ask ------------------------------------------------------------

    async def answer(self, body: bytes) -> bytes:
        """Carry out the request of another process, if its game or the hall is here."""
        asked = orjson.loads(body)
        event, player = asked["event"], wire.Player.model_validate(asked["player"])
        message: Any = self.requests.find(event).model.model_validate(asked["message"])
        if self.requests.find(event).place == "owner":
            if not self._games.owns(message.game_id):
                return NOT_HERE
        elif not self._hall.is_here:
            return NOT_HERE
        arrived = self._time.monotonic() - asked["age_s"]
        origin = asked.get("origin", "")
        done = await self._here.perform(event, player, message, arrived, origin)
        return done.model_dump_json().encode()

    async def answer_welcome(self, body: bytes) -> bytes:
        """The hall's part of the welcome of a player at another process."""
        if not self._hall.is_here:
            return NOT_HERE
        player = wire.Player.model_validate_json(body)
        welcome = await self._here.welcome(player, None)
        return welcome.model_copy(update={"games": []}).model_dump_json().encode()

    async def answer_lobby(self, _body: bytes) -> bytes:
        """The lobby, for another process."""
        if not self._hall.is_here:
            return NOT_HERE
        return (await self._here.lobby()).model_dump_json().encode()


async def nothing(_game_id: str) -> None:
    """No game is read from the database."""


NOBODY: Final = wire.Player(id=None, name="arena", kind="guest")


def _game_in(done: str) -> str:
    """The game in the answer to `game.state`: the text as it is, because digests depend on it."""
    return done.partition('"game":')[2][:-1]
