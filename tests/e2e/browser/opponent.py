"""A scripted bot over the public protocol: it accepts challenges, and plays the script's turns."""

import asyncio
from collections.abc import Callable
from typing import Any, Self

import socketio

from bot import wire

DEADLINE_S = 60
Holds = Callable[[wire.GameState], bool]
Choose = Callable[[wire.GameState], wire.PlayTurn | None]
"""The turn to play in a state in which this bot must move; None to wait."""


def at_least(plies: int) -> Holds:
    """So many turns, or more: a state that is passed over is never seen."""
    return lambda state: len(state.turns) >= plies


class Opponent:
    """One connection of a bot; `choose` gives its turn each time it must move."""

    def __init__(
        self,
        name: str,
        token: str,
        choose: Choose,
        *,
        engine: str = "script",
        level: int | None = None,
    ) -> None:
        self.name = name
        who = wire.Credentials(v=wire.VERSION, token=token, engine=engine, level=level)
        self._credentials = wire.encode(who)
        self._choose = choose
        self._client = socketio.AsyncClient(reconnection=False)
        self._client.on("welcome", self._welcome)
        self._client.on("challenge", self._challenge)
        self._client.on("game", self._game)
        self.states: dict[str, wire.GameState] = {}
        self.refusal: str | None = None
        """The sentence with which challenges are declined; None accepts them."""
        self._news = asyncio.Condition()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self._client.disconnect()
        await self._client.shutdown()

    async def connect(self, address: str) -> None:
        """Connect to the arena, also again after it was stopped."""
        await self._client.connect(address, auth=self._credentials, transports=["websocket"])

    async def tell(self, event: str, message: dict[str, Any]) -> dict[str, Any]:
        """Send a client event; returns its acknowledgement."""
        answer: dict[str, Any] = await self._client.call(event, {"v": wire.VERSION, **message})
        return answer

    async def do(self, event: str, message: dict[str, Any]) -> dict[str, Any]:
        """Send a client event that the server must accept; returns its acknowledgement."""
        answer = await self.tell(event, message)
        assert answer["ok"], answer
        return answer

    async def wait_until(self, game_id: str, holds: Holds) -> wire.GameState:
        """The first state of a game, from now on, for which the condition holds."""
        async with asyncio.timeout(DEADLINE_S), self._news:
            await self._news.wait_for(
                lambda: game_id in self.states and holds(self.states[game_id])
            )
        return self.states[game_id]

    async def wait_for_game(self, after: int = 0) -> wire.GameState:
        """The state of the first game that this bot plays, or of the one after so many others."""
        async with asyncio.timeout(DEADLINE_S), self._news:
            await self._news.wait_for(lambda: len(self.states) > after)
        return list(self.states.values())[after]

    async def _welcome(self, data: dict[str, Any]) -> None:
        welcome = wire.Welcome.model_validate(data)
        for challenge in welcome.challenges:
            await self._consider(challenge)
        for state in welcome.games:
            await self._answer(state)

    async def _challenge(self, data: dict[str, Any]) -> None:
        await self._consider(wire.Challenge.model_validate(data))

    async def _consider(self, challenge: wire.Challenge) -> None:
        waits = challenge.state == "open" and self.name in challenge.seats
        if not waits or self.name in challenge.accepted:
            return
        answer = {"challenge_id": challenge.challenge_id}
        if self.refusal is None:
            await self.tell("challenge.accept", answer)
        else:
            message = {**answer, "code": "busy", "message": self.refusal}
            await self.tell("challenge.decline", message)

    async def _game(self, data: dict[str, Any]) -> None:
        await self._answer(wire.GameState.model_validate(data))

    async def _answer(self, state: wire.GameState) -> None:
        async with self._news:
            self.states[state.game_id] = state
            self._news.notify_all()
        mover = state.players[state.to_play - 1]
        if state.state == "playing" and mover.name == self.name:
            play = self._choose(state)
            if play is not None:
                await self.tell("game.turn", play.model_dump(mode="json", exclude={"v"}))
