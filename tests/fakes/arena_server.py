"""A real Socket.IO server that plays the arena's part, and fails when it is told to.

It speaks `bot.wire` over a real socket, knows players by their tokens, and keeps games in memory
even while it is stopped. The opponent's turns are played by the test.
"""

import asyncio
import socket
from collections import Counter
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import timedelta
from itertools import count
from typing import Any

import socketio
from aiohttp import web
from pydantic import BaseModel
from socketio.exceptions import ConnectionRefusedError as NotLetIn

import engine
from bot import wire
from bot.arena.games import referee
from bot.time_controls import Fischer, full_clock
from tests.fakes.ports import HeldPort
from tests.fakes.time import EPOCH

SETUP = wire.GameSetup(board="pent-4", clock=Fischer(initial_s=300, increment_s=5))
LATER = EPOCH + timedelta(hours=1)


@dataclass
class FakeGame:
    """A game on the fake server; `turns` is what it accepted."""

    game_id: str
    names: tuple[str, str]
    setup: wire.GameSetup
    turns: list[str] = field(default_factory=list)
    result: wire.Result | None = None
    abort_offer: wire.Seat | None = None
    revision: int = 1

    @property
    def position(self) -> engine.Position:
        game = engine.game(self.setup.game, self.setup.board, self.setup.rules)
        position = game.start()
        for turn in self.turns:
            position = position.play(turn)
        return position

    def play(self, turn: str) -> None:
        position = self.position.play(turn)
        self.turns.append(turn)
        self.revision += 1
        if position.over:
            self.finish(position.winner, "played_out")

    def finish(self, winner: int | None, reason: str) -> None:
        self.revision += 1
        fields = {"winner": winner, "reason": reason, "message": reason}
        self.result = wire.Result.model_validate(fields)

    def state(self) -> wire.GameState:
        position, clock = self.position, full_clock(self.setup.clock)
        seat = wire.Seat.__args__[position.to_play - 1]  # type: ignore[attr-defined]
        return wire.GameState(
            game_id=self.game_id,
            revision=self.revision,
            setup=self.setup,
            players=(
                wire.Player(name=self.names[0], kind="bot"),
                wire.Player(name=self.names[1], kind="bot"),
            ),
            connected=(True, True),
            state="finished" if self.result else "playing",
            turns=[
                wire.PlayedTurn(turn=turn, captured=[], time_ms=0, clock=clock)
                for turn in self.turns
            ],
            to_play=seat,
            position=_view(position, seat),
            clocks=wire.ClockView(players=(clock, clock), running=seat),
            draw_offer=None,
            abort_offer=self.abort_offer,
            result=self.result,
            created_at=EPOCH,
            server_time=EPOCH,
        )


def _view(position: engine.Position, seat: wire.Seat) -> wire.PositionView:
    return wire.PositionView(
        ply=len(position.turns),
        to_play=seat,
        stones={},
        last=[],
        captured=[],
        scores=([], []),
        over=position.over,
        winner=None,
    )


@dataclass
class Faults:
    """What goes wrong; a number counts down."""

    refuse: wire.Refusal | None = None
    """Every connection is turned down with this."""
    lose_turns: int = 0
    """Turns that are neither played nor acknowledged."""
    refuse_turn: wire.Refusal | None = None
    """The next turns are refused with this, as many as `refuse_turns`."""
    refuse_turns: int = 1
    lose_answers: int = 0
    """Turns that are played, but not acknowledged, and the new state is not announced."""
    silent: bool = False
    """Nothing is answered."""
    duplicate: bool = False
    """Every event is sent twice."""
    slow_s: float = 0.0
    """Every acknowledgement is this late."""


class FakeArena:
    """Start it with `running`; `url` is good across `stop` and `start`."""

    def __init__(self) -> None:
        self.tokens: dict[str, str] = {"granite-token": "Granite", "basalt-token": "Basalt"}
        self.faults = Faults()
        self.games: dict[str, FakeGame] = {}
        self.challenges: dict[str, wire.Challenge] = {}
        self.received: list[tuple[str, str, dict[str, Any]]] = []
        """(player, event, payload) in order of arrival."""
        self.connections: Counter[str] = Counter()
        """How often each player came."""
        self.credentials: dict[str, wire.Credentials] = {}
        """With what each player came last."""
        self._ids = count(1)
        self._names: dict[str, str] = {}
        self._port = HeldPort()
        self._runner: web.AppRunner | None = None
        self._changed = asyncio.Condition()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._port.number}"

    # ---- its life --------------------------------------------------------------------------

    @classmethod
    @asynccontextmanager
    async def running(cls) -> AsyncIterator["FakeArena"]:
        arena = cls()
        await arena.start()
        try:
            yield arena
        finally:
            await arena.stop()
            arena._port.close()

    async def start(self) -> None:
        self._server = socketio.AsyncServer(
            async_mode="aiohttp", cors_allowed_origins="*", ping_interval=300
        )
        self._server.on("connect", self._on_connect)
        self._server.on("disconnect", self._on_disconnect)
        self._server.on("*", self._on_event)
        app = web.Application()
        self._server.attach(app)
        self._runner = web.AppRunner(app, access_log=None, shutdown_timeout=0.1)
        await self._runner.setup()
        listener = socket.create_server(("127.0.0.1", self._port.number))
        await web.SockSite(self._runner, listener).start()

    async def stop(self) -> None:
        """Everybody is cut off, and nobody can come; games stay."""
        if self._runner is not None:
            await self.cut()
            await self._server.shutdown()
            await self._runner.cleanup()
            self._runner = None

    async def cut(self) -> None:
        """Break every connection, without a goodbye."""
        for connection in list(self._server.eio.sockets.values()):
            await connection.close(wait=False)
        self._names.clear()

    # ---- what tests do and see ---------------------------------------------------------------

    async def begin(self, first: str, second: str, setup: wire.GameSetup = SETUP) -> FakeGame:
        game = FakeGame(f"game{next(self._ids)}", (first, second), setup)
        self.games[game.game_id] = game
        await self.announce(game)
        return game

    async def play(self, game: FakeGame, turn: str) -> None:
        """The opponent's turn."""
        game.play(turn)
        await self.announce(game)

    async def offer(
        self, creator: str, seats: tuple[str | None, str | None], setup: wire.GameSetup = SETUP
    ) -> wire.Challenge:
        challenge = wire.Challenge(
            challenge_id=f"challenge{next(self._ids)}",
            creator=wire.Player(name=creator, kind="person"),
            setup=setup,
            seats=seats,
            random_seats=False,
            accepted=[creator] if creator in seats else [],
            state="open",
            created_at=EPOCH,
            expires_at=LATER,
        )
        await self._challenge_is(challenge)
        return challenge

    async def announce(self, game: FakeGame) -> None:
        await self._tell(game.names, "game", game.state())
        await self._note()

    async def say(self, event: str, data: object) -> None:
        """Anything at all, to everybody."""
        await self._server.emit(event, data)

    async def say_raw(self, packet: str) -> None:
        """Send a packet of Socket.IO as it is, to everybody."""
        for connection in list(self._server.eio.sockets):
            await self._server.eio.send(connection, packet)

    def asked(self, event: str) -> list[dict[str, Any]]:
        """The payloads of one kind of request."""
        return [payload for _, name, payload in self.received if name == event]

    async def until(self, event: str, times: int = 1) -> dict[str, Any]:
        """The payload of the nth request of that kind, as soon as it is answered."""
        async with self._changed:
            await self._changed.wait_for(lambda: len(self.asked(event)) >= times)
        return self.asked(event)[times - 1]

    async def until_connected(self, name: str, times: int = 1) -> None:
        async with self._changed:
            await self._changed.wait_for(lambda: self.connections[name] >= times)

    # ---- the server's side -------------------------------------------------------------------

    async def _on_connect(self, sid: str, _: object, auth: dict[str, Any]) -> None:
        name = self.tokens.get(str(auth.get("token")))
        refusal = self.faults.refuse
        if name is None:
            refusal = wire.Refusal(code="bad_token", message="the token is not known")
        if refusal is not None:
            raise NotLetIn(refusal.message, wire.encode(refusal))
        assert name is not None
        self._names[sid] = name
        self.credentials[name] = wire.Credentials.model_validate(auth)
        self._server.start_background_task(self._welcome, sid, name)

    async def _on_disconnect(self, sid: str, _: object = None) -> None:
        self._names.pop(sid, None)

    async def _welcome(self, sid: str, name: str) -> None:
        await self._emit("welcome", self._welcome_of(name), sid)
        self.connections[name] += 1
        await self._note()

    def _welcome_of(self, name: str) -> wire.Welcome:
        return wire.Welcome(
            you=wire.Player(name=name, kind="bot"),
            server="fake",
            server_time=EPOCH,
            games=[
                game.state()
                for game in self.games.values()
                if name in game.names and game.result is None
            ],
            challenges=[
                challenge
                for challenge in self.challenges.values()
                if name in {*challenge.seats, challenge.creator.name} and challenge.state == "open"
            ],
        )

    async def _on_event(self, event: str, sid: str, payload: dict[str, Any]) -> Any:
        name = self._names.get(sid)
        if name is None:
            return await asyncio.Event().wait()
        answer = await self._answer(name, event, payload)
        self.received.append((name, event, payload))
        await self._note()
        if answer is None:
            return await asyncio.Event().wait()  # an acknowledgement that never goes out
        if self.faults.slow_s:
            await asyncio.sleep(self.faults.slow_s)
        return wire.encode(answer)

    async def _answer(self, name: str, event: str, payload: dict[str, Any]) -> BaseModel | None:
        if self.faults.silent:
            return None
        match event:
            case "game.turn":
                return await self._on_turn(wire.PlayTurn.model_validate(payload))
            case "game.watch":
                game = self.games.get(payload["game_id"])
                if game is None:
                    return wire.Refusal(code="unknown_game_id", message="no game with that id")
                return wire.GameDone(game=game.state())
            case "game.action":
                return await self._on_action(name, wire.GameAction.model_validate(payload))
            case "state":
                return wire.WelcomeDone(welcome=self._welcome_of(name))
            case _ if not event.startswith("challenge."):
                return wire.Refusal(code="unknown_event", message="There is no such event.")
            case _:
                return await self._on_challenge(name, event, payload)

    async def _on_turn(self, asked: wire.PlayTurn) -> BaseModel | None:
        game = self.games[asked.game_id]
        if self.faults.lose_turns > 0:
            self.faults.lose_turns -= 1
            return None
        if self.faults.refuse_turn is not None and self.faults.refuse_turns > 0:
            self.faults.refuse_turns -= 1
            return self.faults.refuse_turn
        done = wire.TurnDone(game_id=asked.game_id, ply=asked.ply, duplicate=False)
        if asked.ply < len(game.turns) and game.turns[asked.ply] == asked.turn:
            return done.model_copy(update={"duplicate": True})
        if asked.ply != len(game.turns) or game.result is not None:
            return wire.Refusal(code="stale_ply", message="that ply has been played")
        game.play(asked.turn)
        if self.faults.lose_answers > 0:
            self.faults.lose_answers -= 1
            return None
        await self.announce(game)
        return done

    async def _on_action(self, name: str, asked: wire.GameAction) -> BaseModel:
        game = self.games[asked.game_id]
        if asked.action == "resign":
            game.finish(2 - game.names.index(name), "resignation")
        elif asked.action == "abort":
            game.finish(None, "aborted")
        await self.announce(game)
        return wire.GameDone(game=game.state())

    async def _on_challenge(
        self, name: str, event: str, payload: dict[str, Any]
    ) -> BaseModel | None:
        if event == "challenge.create":
            asked = wire.CreateChallenge.model_validate(payload)
            setup = referee.settled(asked.setup)
            return wire.ChallengeDone(challenge=await self.offer(name, asked.seats, setup))
        challenge = self.challenges[payload["challenge_id"]]
        if event == "challenge.accept":
            first, second = (seat or name for seat in challenge.seats)
            game = await self.begin(first, second, challenge.setup)
            change = {"state": "started", "game_id": game.game_id}
        elif event == "challenge.decline":
            names = {"code": payload["code"], "message": payload["message"]}
            change = {"state": "declined", **names}
        else:
            change = {"state": "cancelled"}
        challenge = challenge.model_copy(update=change)
        await self._challenge_is(challenge)
        if event == "challenge.accept":
            return wire.ChallengeDone(challenge=challenge)
        return wire.Done()

    async def _challenge_is(self, challenge: wire.Challenge) -> None:
        self.challenges[challenge.challenge_id] = challenge
        everybody = [name for name in challenge.seats if name] + [challenge.creator.name]
        await self._tell(everybody, "challenge", challenge)

    async def _tell(self, names: list[str] | tuple[str, ...], event: str, what: BaseModel) -> None:
        for sid, name in list(self._names.items()):
            if name in names:
                await self._emit(event, what, sid)

    async def _emit(self, event: str, what: BaseModel, sid: str) -> None:
        for _ in range(2 if self.faults.duplicate else 1):
            await self._server.emit(event, wire.encode(what), to=sid)

    async def _note(self) -> None:
        async with self._changed:
            self._changed.notify_all()
