"""Turns of our engine: the position of a request, its time, and the answer for the client."""

import asyncio
import itertools
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from functools import cache
from typing import Final, Protocol

import engine
from bot.engines.questions import Budget, EngineAnswer, Question, latest_aim
from bot.guests.hexo import htttx_messages as wire
from bot.guests.hexo.server.settings import HtttxSettings
from bot.guests.hexo.stones import PartialTurn, TooHard, Unreachable, ordered
from bot.guests.hexo.turns import HEXO, cells_of, side_of, with_pair
from bot.time_source import TimeSource

RESERVE_MS: Final = 50
"""Kept back from a client's limit, for the way of the answer."""
LEAST_MS: Final = 100
DIRECTIONS: Final = ((1, 0), (0, 1), (-1, 1), (-1, 0), (0, -1), (1, -1))


class NoTurn(Exception):
    """A request that gets no turn: the status, code and sentence of the answer."""

    def __init__(self, status: int, code: str, message: str) -> None:
        super().__init__(message)
        self.status = status
        self.code = code
        self.message = message


class Asked(Protocol):
    """What gives turns; `EnginePool` is the implementation."""

    async def ask(self, question: Question) -> EngineAnswer: ...

    def forget(self, game_id: str) -> None: ...


@cache
def _game() -> engine.Game:
    """HeXO without the cap on turns: the servers that ask have their own."""
    return engine.game(HEXO, cap=0)


def load_rules() -> None:
    """Load what would delay the first request by a second."""
    origin = wire.OccupiedCell(q=0, r=0, p="x")
    next(start_of([origin], "o").legal_turns())


def start_of(cells: Sequence[wire.OccupiedCell], to_move: wire.Side | None) -> engine.Position:
    """Return a position with these stones. Raises Refused if no game leads to it."""
    sides: dict[wire.Side, list[tuple[int, int]]] = {"x": [], "o": []}
    for cell in cells:
        sides[cell.p].append((cell.q, cell.r))
    if not cells:
        raise NoTurn(409, "no_choice", "The first stone of x is at 0,0, so there is no choice.")
    try:
        turns = ordered(sides["x"], sides["o"])
    except Unreachable as error:
        raise NoTurn(400, "unreachable", f"No game leads to this board: {error}.") from None
    except PartialTurn as error:
        raise NoTurn(409, "partial_turn", f"Turns have two stones: {error}.") from None
    except TooHard as error:
        raise NoTurn(503, "too_hard", f"The order of the stones was not found: {error}.") from None
    position = _replayed(turns)
    if to_move is not None and to_move != side_of(position.to_play):
        message = f"With these stones it is {side_of(position.to_play)}'s turn, not {to_move}'s."
        raise NoTurn(400, "wrong_side", message)
    return position


def _replayed(turns: Sequence[str]) -> engine.Position:
    try:
        position = _game().replay(turns)
    except engine.IllegalTurn:  # the turns are legal, but for a win on the way
        position = None
    if position is None or position.over:
        raise NoTurn(409, "finished", "The game is over: a side has six in a row.")
    return position


def played(position: engine.Position, moves: Sequence[wire.PlayedMove]) -> engine.Position:
    """Return the position after more moves. Raises Refused."""
    for number, move in enumerate(moves, start=1):
        if position.over:
            raise NoTurn(409, "finished", "The game is over.")
        if move.side != side_of(position.to_play):
            message = f"Move {number} belongs to {side_of(position.to_play)}, not to {move.side}."
            raise NoTurn(400, "wrong_side", message)
        try:
            position = with_pair(position, [(piece.q, piece.r) for piece in move.pieces])
        except engine.IllegalTurn as error:
            raise NoTurn(400, "illegal_turn", f"Move {number}: {error.reason}.") from None
    return position


class AskedEngine:
    """Our engine, asked by clients at the same time; more than it can take are refused."""

    def __init__(self, pool: Asked, settings: HtttxSettings, time: TimeSource) -> None:
        self._pool = pool
        self._settings = settings
        self._time = time
        self._places = asyncio.Semaphore(settings.at_once)
        self._present = 0
        self._numbers = itertools.count(1)

    async def turn(
        self,
        position: engine.Position,
        limit_s: float | None,
        arrived: float,
        game_id: str | None = None,
    ) -> wire.MoveOption:
        """Return a turn within the limit, which counts from `arrived`. Raises Refused.

        `game_id` names a game in which more turns will be asked for.
        """
        if position.over:
            raise NoTurn(409, "finished", "The game is over.")
        limit_ms = self._limit_ms(limit_s)
        async with self._admitted(limit_ms, arrived):
            left = limit_ms - round((self._time.monotonic() - arrived) * 1000)
            if left < LEAST_MS // 2:
                raise NoTurn(503, "busy", "No engine was free within the time limit.")
            name = game_id or f"turn-{next(self._numbers)}"
            try:
                answer = await self._pool.ask(Question(name, position, budget(left)))
            finally:
                if game_id is None:
                    self._pool.forget(name)
        return option_of(position, answer)

    def forget(self, game_id: str) -> None:
        self._pool.forget(game_id)

    def _limit_ms(self, limit_s: float | None) -> int:
        usual, longest = self._settings.usual_s, self._settings.longest_s
        seconds = min(usual if limit_s is None else limit_s, longest)
        return max(LEAST_MS, round(seconds * 1000) - RESERVE_MS)

    @asynccontextmanager
    async def _admitted(self, limit_ms: int, arrived: float) -> AsyncIterator[None]:
        if self._present >= self._settings.at_once + self._settings.waiting:
            raise NoTurn(503, "busy", "The engine has too many requests; try again later.")
        self._present += 1
        try:
            left = limit_ms / 1000 - (self._time.monotonic() - arrived)
            try:
                await asyncio.wait_for(self._places.acquire(), max(0.0, left))
            except TimeoutError:
                message = "No engine was free within the time limit."
                raise NoTurn(503, "busy", message) from None
            try:
                yield
            finally:
                self._places.release()
        finally:
            self._present -= 1


def budget(left_ms: int) -> Budget:
    think = max(1, latest_aim(left_ms))
    return Budget(think, left_ms, f"movetime {think}", stop_ms=think)


def option_of(position: engine.Position, answer: EngineAnswer) -> wire.MoveOption:
    """The turn as two pieces, with the engine's evaluation, which counts for x."""
    cells = cells_of(answer.turn)
    if len(cells) == 1:
        cells = (*cells, _filler(position, answer.turn))
    one, other = (wire.Coordinates(q=q, r=r) for q, r in cells)
    evaluation = None
    if answer.value is not None:
        for_x = answer.value if position.to_play == 1 else 1 - answer.value
        evaluation = wire.Evaluation(heuristic=round(2 * for_x - 1, 4))
    return wire.MoveOption(pieces=(one, other), evaluation=evaluation)


def _filler(position: engine.Position, turn: str) -> tuple[int, int]:
    """An empty cell for the second piece of a turn that its first stone wins.

    The API wants two pieces, and no server looks at this one.
    """
    (cell,) = cells_of(turn)
    taken = {cell, *(found for each in position.stones for found in cells_of(each))}
    return next(
        near
        for distance in range(1, len(taken) + 2)
        for near in ((cell[0] + distance * q, cell[1] + distance * r) for q, r in DIRECTIONS)
        if near not in taken
    )
