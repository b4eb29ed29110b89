"""Our seat in one game: the websocket, the server's requests for turns, and our answers."""

# Keeping a seat
#
# Problem. The clock of a game runs before the bot has dialled. The token with which to dial lives
# for 60 s from the line of the stream that told it, and a replay of the stream makes the earlier
# one useless. A frame may be lost in either direction, and nothing is acknowledged: the next
# request, or the end of the game, is the answer.
#
# Idea. One task per game keeps a connection and does four things:
#
# - It dials as soon as there is a token that is young enough. Without one it asks the platform to
#   open the stream again, because only a replay makes a new one.
# - It builds the list of turns from what this connection has told: the setup, then the turns before
#   each request. A new connection tells everything again, so nothing is carried over.
# - It hands each request to the daemon, marked as read again if it is a repetition. The daemon then
#   sends the turn of its journal. The same turn for the same request cannot be played twice: the
#   server drops an answer to a request that it no longer holds.
# - It redials if the server says in a heartbeat that it waits for this bot, but no request is here:
#   the request, or our answer, was lost.
#
# Rejected:
#
# - Sending an answer again on the same connection after a while: the server counts frames that
#   answer nothing, and ends the connection after ten. A heartbeat says for certain.
# - Taking a new token from the stream for each redial: the stream may be opened once in 10 s.

import asyncio
import json
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Final, Protocol

import aiohttp
import structlog

from bot.backoff import Backoff
from bot.guests.hexo_arena.facts import (
    KnownGame,
    OtherGame,
    first_turns,
    two_stones,
    why_not_placeable,
    with_played,
)
from bot.guests.hexo_arena.messages import (
    MAX_FRAME,
    EngineSession,
    Heartbeat,
    MoveRequest,
    SetupPacket,
    read_packet,
)
from bot.guests.hexo_arena.sockets import CannotDial, Dial, Socket, SocketClosed
from bot.platforms.base import NoAnswer, TurnRefused
from bot.runtime.tasks import within
from bot.runtime.token_bucket import TokenBucket
from bot.time_source import TimeSource

TOKEN_S: Final = 57.0
"""Seconds for which a token is used; the server's limit is 60."""
DIALS: Final = 5
DIALS_PER_S: Final = 0.095
"""Just below the server's limit of dials for one seat: a burst, then a rate."""
JUST_ANSWERED_S: Final = 1.0
"""A heartbeat that comes sooner after our answer may have been sent before it arrived."""
OVER_S: Final = 3.0
"""Seconds for which the end of a game may be told after its connection was closed."""
CLOSE_S: Final = 2.0

log = structlog.get_logger()


@dataclass(frozen=True, slots=True)
class SeatRequest:
    """A turn that the server waits for; `limit_s` is our time at the moment `arrived`."""

    request_id: int | None
    ply: int
    arrived: float
    limit_s: float | None

    def no_later_than(self, first: "SeatRequest") -> "SeatRequest":
        """Return this repetition of `first`, with no more time than was left of that.

        Our clock has not stopped in between, whatever the server writes into the repetition.
        """
        if self.limit_s is None or first.limit_s is None:
            return self
        left_s = max(0.0, first.limit_s - (self.arrived - first.arrived))
        return replace(self, limit_s=min(self.limit_s, left_s))


@dataclass(frozen=True, slots=True)
class SeatOptions:
    """Seconds: a connection that is silent for `silence_s` is given up."""

    answer_s: float = 10.0
    silence_s: float = 21.0


class SeatHost(Protocol):
    """What a seat needs from the platform."""

    async def requested(self, seat: "Seat", *, again: bool) -> None:
        """The server waits for our turn; `again` if it did so before."""

    def need_token(self, game_id: str) -> None:
        """Open the stream again, which makes a new token for each game."""

    async def unreadable(self, game_id: str, why: str) -> None:
        """The server's messages about this game make no sense."""


class Seat:
    """`run` keeps the connection until `end` is called, or until it is cancelled."""

    def __init__(
        self,
        game: KnownGame,
        session: EngineSession,
        dial: Dial,
        table: SeatHost,
        options: SeatOptions,
        time: TimeSource,
        retry: Backoff,
    ) -> None:
        self.game = game
        self.heard_at: float | None = None
        self.sent: tuple[int, str] | None = None
        """The last turn that we have sent, with its ply."""
        self._session: EngineSession | None = session
        self._session_at = time.monotonic()
        self._dial = dial
        self._table = table
        self._options = options
        self._time = time
        self._retry = retry
        self._bucket = TokenBucket(DIALS_PER_S, DIALS, time)
        self._socket: Socket | None = None
        self._request: SeatRequest | None = None
        self._answered_at: float | None = None
        self._last_request: SeatRequest | None = None
        self._changed = asyncio.Event()
        self._is_over = False

    # ---- from the stream -------------------------------------------------------------------

    def renew(self, session: EngineSession) -> None:
        """Use this token for the next dial; the former one is useless now."""
        self._session, self._session_at = session, self._time.monotonic()
        self._changed.set()

    def end(self) -> None:
        """The game is over: `run` returns."""
        self._is_over = True
        self._changed.set()

    @property
    def is_over(self) -> bool:
        return self._is_over

    @property
    def token(self) -> str | None:
        """The game's token, while it lives."""
        is_young = self._time.monotonic() - self._session_at < TOKEN_S
        return self._session.token if self._session is not None and is_young else None

    # ---- from the daemon -------------------------------------------------------------------

    @property
    def request(self) -> SeatRequest | None:
        """The turn that the server waits for and that was not sent on this connection."""
        is_open = self._socket is not None and self._answered_at is None
        return self._request if is_open else None

    async def answer(self, ply: int, turn: str) -> None:
        """Send our turn for that ply.

        Raises NoAnswer if it cannot be sent now, and TurnRefused if it would lose the game.
        """
        request, socket = self._request, self._socket
        if socket is None or request is None or request.ply != ply:
            raise NoAnswer(f"the server does not wait here for a turn at ply {ply}")
        if (why := why_not_placeable(turn, self.game.turns)) is not None:
            raise TurnRefused("illegal_turn", f"not sent: {why}", can_retry=True)
        if self._answered_at is not None:
            return  # it would answer nothing
        self._answered_at = self._time.monotonic()
        self.sent = (ply, turn)
        try:
            await within(
                self._time, self._options.answer_s, socket.send(self._response(request, turn))
            )
        except (TimeoutError, SocketClosed) as error:
            await self._drop(socket)
            raise NoAnswer(f"the turn may not have been sent: {error}") from error

    def _response(self, request: SeatRequest, turn: str) -> str:
        stones = two_stones(turn, self.game.turns)
        response: dict[str, object] = {
            "type": "move_response",
            "move": {"pieces": [{"q": q, "r": r} for q, r in stones]},
        }
        if request.request_id is not None:
            response["request_id"] = request.request_id
        text = json.dumps(response, separators=(",", ":"))
        assert len(text) <= MAX_FRAME
        return text

    # ---- the connection --------------------------------------------------------------------

    async def run(self) -> None:
        """Keep the connection. Returns after `end`."""
        structlog.contextvars.bind_contextvars(game=self.game.game_id)
        while not self._is_over:
            session = await self._fresh_session()
            if session is None:
                return
            await self._connect_and_serve(session)

    async def _fresh_session(self) -> EngineSession | None:
        """Return a session whose token lives, at a moment at which it may be dialled."""
        while not self._is_over:
            if self.token is None:
                self._table.need_token(self.game.game_id)
                await self._wait(None)
            elif not self._bucket.take():
                await self._wait(self._bucket.wait_s)
            else:
                return self._session
        return None

    async def _connect_and_serve(self, session: EngineSession) -> None:
        try:
            socket = await self._dial(session)
        except CannotDial as error:
            if error.is_unknown:
                self._forget(session)
            await self._pause(str(error), error.retry_after_s)
            return
        try:
            closed = await self._serve(socket)
        finally:
            self._socket = None
            await self._close(socket)
        if self._is_over:
            return
        if closed.code == aiohttp.WSCloseCode.OK:
            # Over, or our seat was taken by another connection: the stream tells.
            await self._wait(OVER_S)
            if session is self._session:
                self._session = None
        else:
            await self._pause(str(closed), 0.0)

    def _forget(self, session: EngineSession) -> None:
        if self._session is session:
            self._session = None

    async def _serve(self, socket: Socket) -> SocketClosed:
        """Handle packets until the connection is closed, and return why."""
        self._socket, self._request, self._answered_at = socket, None, None
        turns: list[str] | None = None
        try:
            while True:
                text = await within(self._time, self._options.silence_s, socket.receive())
                self.heard_at = self._time.monotonic()
                match read_packet(text):
                    case SetupPacket(board=board):
                        turns = first_turns(board.cells)
                    case MoveRequest() as request:
                        turns = await self._on_request(request, turns)
                        self._retry.reset()
                    case Heartbeat(waiting=True) if self._has_lost_something():
                        log.warning("request_lost", answered=self._answered_at is not None)
                        return SocketClosed("a request or its answer was lost")
                    case _:
                        pass
        except SocketClosed as closed:
            return closed
        except TimeoutError:
            return SocketClosed(f"silent for {self._options.silence_s:g} s")
        except (ValueError, OtherGame) as error:
            log.warning("packet_unread", why=str(error))
            await self._table.unreadable(self.game.game_id, str(error))
            return SocketClosed(str(error))

    async def _on_request(self, packet: MoveRequest, turns: list[str] | None) -> list[str]:
        """Hand a request to the daemon. Returns the turns with those before it."""
        if packet.side != self.game.side:
            raise OtherGame(f"a turn of {packet.side} is requested from {self.game.side}")
        if turns is None:
            raise OtherGame("a request without a setup")
        key = packet.request_id
        if self._request is not None and key is not None and key == self._request.request_id:
            after = turns  # told twice on this connection
        else:
            after = with_played(turns, packet.previous)
        self.game = self.game.with_turns(after)
        if not self.game.our_turn:
            raise OtherGame(f"it is not our turn at ply {len(after)}")
        request = SeatRequest(key, len(after), self._time.monotonic(), packet.move_time_limit)
        last = self._last_request
        is_again = last is not None and (last.request_id, last.ply) == (key, request.ply)
        if last is not None and is_again:
            request = request.no_later_than(last)
        is_thinking = self._request is not None and self._answered_at is None and is_again
        self._request = self._last_request = request
        self._answered_at = None
        if not is_thinking:
            await self._table.requested(self, again=is_again)
        return after

    def _has_lost_something(self) -> bool:
        """Return whether the server waits for us although we have sent a turn, or know of none."""
        if self._request is None:
            return True
        if self._answered_at is None:
            return False
        return self._time.monotonic() - self._answered_at >= JUST_ANSWERED_S

    async def _drop(self, socket: Socket) -> None:
        """Close a broken connection; `run` then dials again."""
        if self._socket is socket:
            self._socket = None
        await self._close(socket)

    async def _close(self, socket: Socket) -> None:
        with suppress(TimeoutError, SocketClosed):
            await within(self._time, CLOSE_S, socket.close())

    async def _pause(self, why: str, at_least_s: float) -> None:
        wait_s = max(self._retry.next(), at_least_s)
        log.info("seat_lost", why=why, wait_s=round(wait_s, 2))
        await self._wait(wait_s)

    async def _wait(self, seconds: float | None) -> None:
        """Wait for a new token or the end of the game, for that many seconds at most."""
        self._changed.clear()
        if seconds is None:
            await self._changed.wait()
            return
        with suppress(TimeoutError):
            await within(self._time, seconds, self._until_changed())

    async def _until_changed(self) -> None:
        await self._changed.wait()
