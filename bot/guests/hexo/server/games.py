"""A game over a WebSocket (basic_websocket): setup, moves that were played, turns that are asked.

A request is outstanding until it is answered, interrupted, or replaced by another one. Then the
moves that it brought do not count, because the client may send them again. So each request is
replayed from the position before it, and from the position after it if that fits better.
"""

import asyncio
from collections.abc import AsyncIterator, Callable, Coroutine
from dataclasses import dataclass
from typing import Any, Final, Protocol

import structlog
from pydantic import ValidationError

import engine
from bot.guests.hexo import htttx_messages as wire
from bot.guests.hexo.server.asking import AskedEngine, NoTurn, played, start_of
from bot.guests.hexo.turns import side_of
from bot.json_values import first_problem
from bot.time_source import TimeSource

POLICY_VIOLATION: Final = 1008
TRY_AGAIN_LATER: Final = 1013
MOST_PACKETS_PER_S: Final = 200
CROSSING_S: Final = 5.0
LONGEST_REASON: Final = 120
"""A close frame has 125 bytes."""

log = structlog.get_logger()


class TextConnection(Protocol):
    """The texts of a WebSocket; the server's implementation is over aiohttp."""

    def texts(self) -> AsyncIterator[str]: ...

    async def send(self, text: str) -> None: ...

    async def close(self, code: int, reason: str) -> None: ...


@dataclass(frozen=True)
class _Outstanding:
    """A request that is being answered, and the position before its moves."""

    task: "asyncio.Task[None]"
    before: engine.Position
    number: int | None


class SocketGame:
    """One connection. `run` returns when the client has gone or has been left."""

    def __init__(
        self,
        connection: TextConnection,
        asked: AskedEngine,
        game_id: str,
        time: TimeSource,
        note: Callable[[str, float | None], None],
    ) -> None:
        self._connection = connection
        self._engine = asked
        self._game_id = game_id
        self._time = time
        self._note = note
        self._position: engine.Position | None = None
        self._outstanding: _Outstanding | None = None
        self._second, self._packets = time.monotonic(), 0
        self._answered_at = time.monotonic()

    async def run(self) -> None:
        """Answer packets until the connection ends.

        `note` gets the outcome of each request, and when one that is answered has arrived.
        """
        try:
            async for text in self._connection.texts():
                await self._obey(text)
        except NoTurn as refused:
            log.info("htttx_game_refused", game=self._game_id, why=refused.message)
            self._note(refused.code, None)
            code = TRY_AGAIN_LATER if refused.status == 503 else POLICY_VIOLATION
            reason = f"{refused.code}: {refused.message}".encode()[:LONGEST_REASON]
            await self._connection.close(code, reason.decode(errors="ignore"))
        finally:
            await self._drop()
            self._engine.forget(self._game_id)

    # ---- packets -------------------------------------------------------------------------------

    async def _obey(self, text: str) -> None:
        self._check_flood()
        match self._packet(text):
            case wire.Setup(board=board):
                await self._drop()
                self._position = await asyncio.to_thread(start_of, board.cells, None)
            case wire.MoveRequest() as request:
                await self._ask(request)
            case wire.Interrupt(request_id=number):
                await self._interrupt(number)
            case wire.Heartbeat(waiting=True) if self._has_nothing_to_answer():
                raise NoTurn(400, "nothing_asked", "You wait, and no request is outstanding.")
            case _:
                pass

    def _has_nothing_to_answer(self) -> bool:
        """An answer may have crossed the heartbeat on its way."""
        since = self._time.monotonic() - self._answered_at
        return self._outstanding is None and since > CROSSING_S

    def _packet(self, text: str) -> object:
        try:
            return wire.CLIENT_PACKET.validate_json(text)
        except ValidationError as error:
            raise NoTurn(400, "bad_packet", first_problem(error)) from None

    def _check_flood(self) -> None:
        now = self._time.monotonic()
        if now - self._second >= 1:
            self._second, self._packets = now, 0
        self._packets += 1
        if self._packets > MOST_PACKETS_PER_S:
            message = f"More than {MOST_PACKETS_PER_S} packets in a second."
            raise NoTurn(400, "too_many_packets", message)

    async def _ask(self, request: wire.MoveRequest) -> None:
        arrived = self._time.monotonic()
        before = await self._before(request)
        self._position = await asyncio.to_thread(played, before, request.previous)
        if self._position.over:
            raise NoTurn(409, "finished", "The game is over.")
        if request.side != side_of(self._position.to_play):
            message = f"It is {side_of(self._position.to_play)}'s turn, not {request.side}'s."
            raise NoTurn(400, "wrong_side", message)
        answering = self._answer(request, self._position, arrived)
        self._outstanding = _Outstanding(self._task(answering), before, request.request_id)

    async def _before(self, request: wire.MoveRequest) -> engine.Position:
        """The position that the moves of a request follow."""
        after = self._position
        if after is None:
            raise NoTurn(400, "no_setup", "A setup must come before the first request.")
        outstanding = self._outstanding
        await self._drop()
        if outstanding is None:
            return after
        try:
            await asyncio.to_thread(played, after, request.previous)
        except NoTurn:
            return outstanding.before
        return after

    async def _interrupt(self, number: int | None) -> None:
        """Drop the outstanding request, unless the client means another one."""
        outstanding = self._outstanding
        if outstanding is None or number not in (None, outstanding.number):
            return
        await self._drop()
        self._position = outstanding.before

    async def _answer(
        self, request: wire.MoveRequest, position: engine.Position, arrived: float
    ) -> None:
        limit = request.move_time_limit
        try:
            option = await self._engine.turn(position, limit, arrived, self._game_id)
        except NoTurn as refused:
            self._note(refused.code, None)
            log.info("htttx_game_refused", game=self._game_id, why=refused.message)
            reason = f"{refused.code}: {refused.message}"[:LONGEST_REASON]
            await self._connection.close(TRY_AGAIN_LATER, reason)
            return
        self._outstanding, self._answered_at = None, self._time.monotonic()
        response = wire.MoveResponse(move=option, request_id=request.request_id)
        await self._connection.send(
            response.model_dump_json(exclude_none=True, exclude={"considerations"})
        )
        self._note("answered", arrived)

    # ---- the outstanding request ---------------------------------------------------------------

    def _task(self, work: Coroutine[Any, Any, None]) -> "asyncio.Task[None]":
        task = asyncio.create_task(work)
        task.add_done_callback(self._finished)
        return task

    def _finished(self, task: "asyncio.Task[None]") -> None:
        if not task.cancelled() and (error := task.exception()) is not None:
            log.error("htttx_answer_failed", game=self._game_id, exc_info=error)

    async def _drop(self) -> None:
        """End the search of an outstanding request without an answer."""
        outstanding, self._outstanding = self._outstanding, None
        if outstanding is not None:
            outstanding.task.cancel()
            await asyncio.wait({outstanding.task})
