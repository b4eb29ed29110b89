"""The check of a server with the htttx bot API: its steps in order."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import Final

import orjson
from pydantic import ValidationError

import engine
from bot.engines.check.script import EngineCheck
from bot.engines.check.step import Failed, Finding, NotPassed, Skipped, Verdict, Warned
from bot.engines.spec import EngineSpec
from bot.errors import EngineFailure, EngineProtocolError
from bot.guests.hexo import htttx_messages as wire
from bot.guests.hexo.htttx_link import HtttxLink
from bot.guests.hexo.turns import OPENING, side_of, stones_by_side, turn_of, without_surplus
from bot.time_source import TimeSource

MOST_SENT: Final = 6
ANSWER_S: Final = 60.0
LIMIT_S: Final = 1.0
LATE_S: Final = 0.5
MIDDLE: Final = (OPENING, "1:0,0:1", "-1:1,1:-1", "2:-1,-2:1", "3:0,0:-1")
FIVE: Final = (OPENING, "0:1,0:2", "1:0,2:0", "0:3,1:1", "3:0,4:0", "5:5,6:6")


class ServerTalk:
    """A server, what it offers, and what was sent to it in this step."""

    def __init__(self, spec: EngineSpec, time: TimeSource) -> None:
        self.time = time
        self.link = HtttxLink(spec)
        self.sent: list[str] = []
        self.capabilities = wire.Capabilities()
        self.link.line_watcher = self._note

    def _note(self, direction: str, line: str) -> None:
        if direction == ">":
            self.sent.append(line[:400])

    @property
    def turns(self) -> wire.StatelessVersion:
        if self.capabilities.turns is None:
            raise Skipped("it does not offer stateless")
        return self.capabilities.turns

    @property
    def games(self) -> wire.WebSocketVersion:
        if self.capabilities.games is None:
            raise Skipped("it does not offer basic_websocket")
        return self.capabilities.games

    async def turn(self, turns: Sequence[str], *, backwards: bool = False) -> str:
        """Ask for a turn by the stateless API and return it, legal. Raises Failed."""
        position = engine.game("hexo").replay(turns)
        x, o = stones_by_side(position)
        cells = [*({"q": q, "r": r, "p": "x"} for q, r in x)]
        cells += [{"q": q, "r": r, "p": "o"} for q, r in o]
        board = {
            "to_move": side_of(position.to_play),
            "cells": cells[::-1] if backwards else cells,
        }
        address = self.link.address(self.turns.api_root, "turn")
        body = await self.link.post(address, {"board": board, "time_limit": LIMIT_S})
        try:
            answer = wire.TurnAnswer.model_validate_json(body)
        except ValidationError as error:
            raise Failed(f"an invalid answer: {error.errors()[0]['msg']}") from None
        return legal_turn(position, answer.move)


def legal_turn(position: engine.Position, move: wire.MoveOption) -> str:
    turn = without_surplus(position, turn_of((piece.q, piece.r) for piece in move.pieces))
    try:
        position.play(turn)
    except engine.IllegalTurn as error:
        raise Failed(f"{error}") from None
    return turn


@dataclass(frozen=True)
class ServerStep:
    name: str
    expected: str
    run: Callable[[ServerTalk], Awaitable[str | None]]


async def has_capabilities(talk: ServerTalk) -> str:
    body = await talk.link.get(wire.CAPABILITIES)
    try:
        talk.capabilities = wire.Capabilities.model_validate_json(body)
    except ValidationError as error:
        raise Failed(f"not valid: {error.errors()[0]['msg']}") from None
    found = talk.capabilities
    ways = {"stateless": found.turns, "basic_websocket": found.games}
    offered = [name for name, way in ways.items() if way is not None]
    if not offered:
        raise Failed(f"neither stateless nor basic_websocket in version {wire.VERSION}")
    return ", ".join(offered)


async def says_who_it_is(talk: ServerTalk) -> str:
    meta = talk.capabilities.meta
    if meta is None or not meta.name:
        raise Warned("no `meta.name`")
    return f"{meta.name} {meta.version or ''}".strip()


async def gives_a_turn(talk: ServerTalk) -> str:
    return await talk.turn((OPENING,))


async def reads_cells_in_any_order(talk: ServerTalk) -> str:
    return await talk.turn(MIDDLE, backwards=True)


async def wins_with_one_stone(talk: ServerTalk) -> str:
    turn = await talk.turn(FIVE)
    if not engine.game("hexo").replay([*FIVE, turn]).over:
        raise Warned(f"does not win at once, and plays {turn}")
    return turn


async def keeps_its_time(talk: ServerTalk) -> str:
    if not talk.turns.move_time_limit:
        raise Skipped("it does not declare move_time_limit")
    began = talk.time.monotonic()
    await talk.turn(MIDDLE)
    took = talk.time.monotonic() - began
    if took > LIMIT_S + LATE_S:
        raise Warned(f"took {took:.1f} s of {LIMIT_S:g}")
    return f"{took:.1f} s"


async def refuses_an_impossible_board(talk: ServerTalk) -> str:
    cells = [{"q": 0, "r": 0, "p": "x"}, {"q": 0, "r": 0, "p": "o"}]
    address = talk.link.address(talk.turns.api_root, "turn")
    try:
        await talk.link.post(address, {"board": {"to_move": "o", "cells": cells}})
    except EngineProtocolError as error:
        return error.message
    raise Warned("answers a board with two stones in a cell")


async def plays_over_a_websocket(talk: ServerTalk) -> str:
    """Two requests of one game, as a site sends them."""
    api, position = talk.games, engine.game("hexo").replay([OPENING])
    await talk.link.connect(talk.link.address(api.api_root, "game"))
    board = wire.SetupBoard(cells=(wire.OccupiedCell(q=0, r=0, p="x"),))
    await talk.link.send(wire.Setup(board=board).json_fields())
    previous: tuple[wire.PlayedMove, ...] = ()
    turns = []
    for number in (1, 2):
        request = wire.MoveRequest(
            side="o", previous=previous, move_time_limit=LIMIT_S, request_id=number
        )
        await talk.link.send(request.json_fields())
        response = await _response(talk)
        if api.request_id and response.request_id != number:
            raise Failed(f"answers with the request_id {response.request_id}, not {number}")
        turns.append(legal_turn(position, response.move))
        position = position.play(turns[-1])
        reply = next(position.legal_turns())
        position = position.play(reply)
        previous = (
            wire.PlayedMove(side="o", pieces=response.move.pieces),
            wire.PlayedMove(side="x", pieces=_pieces(reply)),
        )
    await talk.link.hang_up()
    return " ".join(turns)


def _pieces(turn: str) -> tuple[wire.Coordinates, wire.Coordinates]:
    one, other = (tuple(map(int, stone.split(":"))) for stone in turn.split(","))
    return wire.Coordinates(q=one[0], r=one[1]), wire.Coordinates(q=other[0], r=other[1])


async def _response(talk: ServerTalk) -> wire.MoveResponse:
    while True:
        body = await talk.link.receive()
        try:
            packet = orjson.loads(body)
            if isinstance(packet, dict) and packet.get("type") == "move_response":
                return wire.MoveResponse.model_validate(packet)
        except (orjson.JSONDecodeError, ValidationError) as error:
            raise Failed(f"an invalid packet: {str(error)[:200]}") from None


SERVER_SCRIPT: Final[tuple[ServerStep, ...]] = (
    ServerStep("capabilities", f"{wire.CAPABILITIES} with {wire.VERSION}", has_capabilities),
    ServerStep("identity", "`meta.name`", says_who_it_is),
    ServerStep("turn", "two pieces, both legal", gives_a_turn),
    ServerStep("order of cells", "a legal turn for cells in any order", reads_cells_in_any_order),
    ServerStep("win", "a win with one stone is played", wins_with_one_stone),
    ServerStep("time_limit", f"an answer within {LIMIT_S:g} s and {LATE_S:g} more", keeps_its_time),
    ServerStep("impossible board", "a status other than 200", refuses_an_impossible_board),
    ServerStep("WebSocket", "two answers in a game, with their request_id", plays_over_a_websocket),
)


async def check_server(
    spec: EngineSpec, time: TimeSource, on_finding: Callable[[Finding], None] = lambda _: None
) -> list[Finding]:
    """Return a finding for each step. Without usable capabilities all others are skipped."""
    talk = ServerTalk(spec, time)
    findings: list[Finding] = []
    try:
        for step in SERVER_SCRIPT:
            talk.sent.clear()
            outcome: tuple[Verdict, str]
            if findings and findings[0].verdict == "fail":
                outcome = "skipped", f"failed in: {findings[0].name}"
            else:
                outcome = await _outcome(step, talk)
            sent = tuple(talk.sent[-MOST_SENT:])
            findings.append(Finding(step.name, sent, step.expected, *outcome))
            on_finding(findings[-1])
    finally:
        await talk.link.kill()
    return findings


async def _outcome(step: ServerStep, talk: ServerTalk) -> tuple[Verdict, str]:
    try:
        async with asyncio.timeout(ANSWER_S):
            return "pass", await step.run(talk) or ""
    except NotPassed as problem:
        return problem.verdict, str(problem)
    except EngineFailure as error:
        return "fail", error.message
    except TimeoutError:
        return "fail", f"no answer within {ANSWER_S:g} s"


def checked() -> tuple[EngineCheck, int]:
    """Return the check of a server with the htttx bot API, and its number of steps."""
    return check_server, len(SERVER_SCRIPT)
