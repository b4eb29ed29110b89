"""Engines behind the htttx bot API: a server is asked for turns, over HTTP or a WebSocket.

The server keeps its own time: it is given a limit, and nothing can make it answer earlier. So
`stop` has no effect, and a server that is late is left.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import ClassVar, Final, TypeVar

import orjson
from pydantic import BaseModel, ValidationError

import engine
from bot.engines.channel import User
from bot.engines.conversation import EngineReply
from bot.engines.protocol import BestMove, InfoLine, OptionLine
from bot.engines.spec import EngineSpec
from bot.errors import EngineDied, EngineProtocolError, EngineStartError
from bot.guests.hexo import htttx_messages as wire
from bot.guests.hexo.htttx_link import LONGEST_S, HtttxLink
from bot.guests.hexo.turns import (
    HEXO,
    OPENING,
    cells_of,
    side_of,
    stones_by_side,
    turn_of,
    without_surplus,
)
from bot.json_values import first_problem
from bot.runtime.names import cleaned
from bot.time_source import TimeSource

MOST_ANSWERS: Final = 20
"""Packets that answer no request, after which the server is left."""
LATENCY_MS: Final = 50
PLANNED_TURNS: Final = 25
"""With a clock, a turn gets this part of the time left, and most of the increment."""
INCREMENT_PART: Final = 0.75
LARGEST_PART: Final = 1 / 3
MOST_PLANNED_MS: Final = 60_000
"""A clock of days would otherwise give hours."""

M = TypeVar("M", bound=BaseModel)


class HtttxDialogue:
    """The exchanges of the htttx bot API with one server."""

    greeting: ClassVar[str] = f"a usable {wire.CAPABILITIES}"

    def __init__(self, spec: EngineSpec, link: HtttxLink, time: TimeSource) -> None:
        self.search_began = time.monotonic()
        self._name = spec.name
        self._link = link
        self._time = time
        self._way = "auto"
        self._turns: wire.StatelessVersion | None = None
        self._games: wire.WebSocketVersion | None = None
        self._position: engine.Position | None = None
        self._game: _SocketGame | None = None

    @property
    def searching(self) -> bool:
        return False

    @property
    def unasked(self) -> int:
        return 0

    def compiles_until(self) -> float:
        return -float("inf")

    def option_line(self, name: str, value: str) -> str:
        return f"{name} {value}"

    async def greet(self, declare: Callable[[OptionLine], None]) -> dict[str, str]:
        body = await self._link.get(wire.CAPABILITIES)
        found = self._read(wire.Capabilities, body, wire.CAPABILITIES)
        self._turns, self._games = found.turns, found.games
        if found.turns is None and found.games is None:
            message = f"its server has neither stateless nor basic_websocket {wire.VERSION}"
            raise EngineStartError(self._name, message)
        declare(OptionLine("Api", "combo", "auto", ("auto", "stateless", "basic_websocket")))
        meta = found.meta or wire.Meta()
        facts = {"name": meta.name or "", "author": ", ".join(meta.authors)}
        return {name: cleaned(text, 60) for name, text in facts.items()}

    def check_game(self, game: engine.Game, declared: Mapping[str, OptionLine]) -> None:
        del declared  # the only option of the game, `cap`, is the referee's
        if game.name != HEXO:
            raise EngineProtocolError(self._name, f"speaks htttx, which cannot play {game.name}")

    async def ready(self, *lines: str) -> None:
        for line in lines:
            name, _, value = line.partition(" ")
            if name == "Api":
                self._way = value
        if self._way != "auto" and self._api(self._way) is None:
            raise EngineProtocolError(self._name, f"its server does not offer {self._way}")

    async def new_game(self, lines: Sequence[str]) -> None:
        await self.ready(*lines)
        await self._leave_game()

    async def place(self, position: engine.Position) -> None:
        self._position = position

    async def search(
        self,
        go: str,
        *,
        on_sent: Callable[[], None] | None = None,
        on_info: Callable[[InfoLine], None] | None = None,
    ) -> EngineReply:
        position = self._position
        assert position is not None
        seconds = seconds_of(go, position.to_play)
        if seconds is None:
            message = "its server keeps time and cannot count nodes; give it a time of its own"
            raise EngineProtocolError(self._name, message)
        self.search_began = self._time.monotonic()
        if on_sent is not None:
            on_sent()
        if not position.turns:
            return EngineReply(BestMove(OPENING), InfoLine(), 0)  # no server is asked for it
        move = await self._asked(position, seconds)
        took_ms = max(0, round((self._time.monotonic() - self.search_began) * 1000))
        pieces = [(piece.q, piece.r) for piece in move.pieces]
        turn = without_surplus(position, turn_of(pieces))
        info = InfoLine(time_ms=took_ms, winrate=chance_of(move.evaluation, position.to_play))
        if on_info is not None:
            on_info(replace(info, pv=(turn,)))
        return EngineReply(BestMove(turn), info, took_ms)

    async def end_search(self) -> None:
        pass

    def stop(self) -> None:
        pass

    def ponderhit(self) -> None:
        pass

    def quit(self) -> None:
        self._link.fail(EngineDied(self._name, "was left"))

    # ---- inside --------------------------------------------------------------------------------

    def _api(self, name: str) -> BaseModel | None:
        return self._turns if name == "stateless" else self._games

    async def _asked(self, position: engine.Position, seconds: float) -> wire.MoveOption:
        if self._turns is not None and self._way != "basic_websocket":
            return await self._asked_once(self._turns, position, seconds)
        assert self._games is not None
        try:
            return await self._asked_in_a_game(self._games, position, seconds)
        except BaseException:
            await self._leave_game()  # an answer to this request may still come
            raise

    async def _asked_once(
        self, api: wire.StatelessVersion, position: engine.Position, seconds: float
    ) -> wire.MoveOption:
        x, o = stones_by_side(position)
        cells = [{"q": q, "r": r, "p": "x"} for q, r in x]
        cells += [{"q": q, "r": r, "p": "o"} for q, r in o]
        board = {"to_move": side_of(position.to_play), "cells": cells}
        url = self._link.address(api.api_root, "turn")
        body = await self._link.post(url, {"board": board, "time_limit": seconds})
        return self._read(wire.TurnAnswer, body, "turn").move

    async def _asked_in_a_game(
        self, api: wire.WebSocketVersion, position: engine.Position, seconds: float
    ) -> wire.MoveOption:
        game = self._game
        if game is None or not self._link.is_connected or not game.leads_to(position):
            await self._link.connect(self._link.address(api.api_root, "game"))
            game = self._game = _SocketGame(position.to_play)
            await self._link.send(_SETUP.json_fields())
        if not (api.move_skips or game.is_next(position)):
            message = "its server does not declare move_skips, so it cannot enter this position"
            raise EngineProtocolError(self._name, message)
        await self._link.send(game.request(position, seconds).json_fields())
        for _ in range(MOST_ANSWERS):
            body = await self._link.receive()
            if (move := self._move_in(body, game.number)) is not None:
                return move
        raise EngineProtocolError(self._name, "sends packets, but no move_response")

    def _move_in(self, body: bytes, number: int) -> wire.MoveOption | None:
        """The move, if the packet answers the request of that number."""
        try:
            kind = orjson.loads(body)
        except orjson.JSONDecodeError as error:
            raise EngineProtocolError(
                self._name, f"sends a packet that is not JSON: {error}"
            ) from None
        if not isinstance(kind, dict) or kind.get("type") != "move_response":
            return None
        response = self._read(wire.MoveResponse, body, "move_response")
        return response.move if response.request_id in (None, number) else None

    async def _leave_game(self) -> None:
        self._game = None
        await self._link.hang_up()

    def _read(self, model: type[M], body: bytes, what: str) -> M:
        try:
            return model.model_validate_json(body)
        except ValidationError as error:
            message = f"sends an invalid {what}: {first_problem(error)}"
            raise EngineProtocolError(self._name, message[:300]) from None


class _SocketGame:
    """What one connection knows: the turns so far, and the side that it plays."""

    def __init__(self, player: int) -> None:
        self.number = 0
        self._player = player
        self._known: tuple[str, ...] = (OPENING,)

    def leads_to(self, position: engine.Position) -> bool:
        known = position.turns[: len(self._known)]
        return position.to_play == self._player and known == self._known

    def is_next(self, position: engine.Position) -> bool:
        """Whether the turns since the last request are the server's own and the reply to it."""
        new = len(position.turns) - len(self._known)
        return new == (2 if self.number else self._player % 2)

    def request(self, position: engine.Position, seconds: float) -> wire.MoveRequest:
        new = position.turns[len(self._known) :]
        first = len(self._known)
        previous = [
            wire.PlayedMove(side=side_of(1 + at % 2), pieces=_pair(turn))
            for at, turn in enumerate(new, start=first)
        ]
        self.number += 1
        self._known = position.turns
        return wire.MoveRequest(
            side=side_of(position.to_play),
            previous=tuple(previous),
            move_time_limit=seconds,
            request_id=self.number,
        )


_SETUP: Final = wire.Setup(board=wire.SetupBoard(cells=(wire.OccupiedCell(q=0, r=0, p="x"),)))


def _pair(turn: str) -> tuple[wire.Coordinates, wire.Coordinates]:
    one, other = (wire.Coordinates(q=q, r=r) for q, r in cells_of(turn))
    return one, other


def chance_of(evaluation: wire.Evaluation | None, player: int) -> float | None:
    """The player's own chance to win; an evaluation counts for x."""
    if evaluation is None:
        return None
    if evaluation.win_in:
        return float((evaluation.win_in > 0) == (player == 1))
    if evaluation.heuristic is None:
        return None
    for_x = min(1.0, max(0.0, (evaluation.heuristic + 1) / 2))
    return for_x if player == 1 else 1 - for_x


def seconds_of(go: str, player: int) -> float | None:
    """The time that a server gets for a turn within the limits `go`; None if nodes limit it."""
    words = go.split()
    if "infinite" in words:
        return LONGEST_S
    limits = {name: int(number) for name, number in zip(words[::2], words[1::2], strict=False)}
    if "movetime" in limits:
        return _without_latency(limits["movetime"])
    left = limits.get(f"p{player}time")
    if left is None:
        return None
    planned = left / PLANNED_TURNS + INCREMENT_PART * limits.get(f"p{player}inc", 0)
    return _without_latency(min(planned, left * LARGEST_PART, MOST_PLANNED_MS))


def _without_latency(milliseconds: float) -> float:
    return max(milliseconds / 2, milliseconds - LATENCY_MS, 1) / 1000


async def opened(
    spec: EngineSpec, time: TimeSource, user: User | None
) -> tuple[HtttxLink, HtttxDialogue]:
    """Return the dialogue with the server of an engine; nothing is asked yet."""
    del user  # no program is started
    link = HtttxLink(spec)
    return link, HtttxDialogue(spec, link, time)
