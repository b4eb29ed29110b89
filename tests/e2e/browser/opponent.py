"""A bot as any stranger could write it: it accepts challenges and plays what a script says."""

from collections.abc import Callable
from typing import Any

import socketio

from bot import wire

Choose = Callable[[wire.GameState], wire.PlayTurn | None]
"""What to play in a state in which it is this bot's turn; None to wait."""


class Opponent:
    """One connection of a bot; `choose` is asked each time the server says that it is to move."""

    def __init__(self, name: str, token: str, choose: Choose, *, engine: str = "script") -> None:
        self.name = name
        self._credentials = {"v": wire.VERSION, "token": token, "engine": engine}
        self._choose = choose
        self._client = socketio.AsyncClient(reconnection_delay=0.2, reconnection_delay_max=0.5)
        self._client.on("welcome", self._welcome)
        self._client.on("challenge", self._challenge)
        self._client.on("game", self._game)
        self.states: dict[str, wire.GameState] = {}

    async def __aenter__(self) -> "Opponent":
        return self

    async def __aexit__(self, *_: object) -> None:
        await self._client.disconnect()
        await self._client.shutdown()

    async def connect(self, address: str) -> None:
        await self._client.connect(
            address, auth=self._credentials, transports=["websocket"], retry=True
        )

    async def tell(self, event: str, message: dict[str, Any]) -> dict[str, Any]:
        """Send a client event; its acknowledgement."""
        answer: dict[str, Any] = await self._client.call(event, {"v": wire.VERSION, **message})
        return answer

    async def _welcome(self, data: dict[str, Any]) -> None:
        welcome = wire.Welcome.model_validate(data)
        for challenge in welcome.challenges:
            await self._consider(challenge)
        for state in welcome.games:
            await self._answer(state)

    async def _challenge(self, data: dict[str, Any]) -> None:
        await self._consider(wire.Challenge.model_validate(data))

    async def _consider(self, challenge: wire.Challenge) -> None:
        if challenge.state == "open" and self.name in challenge.seats:
            await self.tell("challenge.accept", {"challenge_id": challenge.challenge_id})

    async def _game(self, data: dict[str, Any]) -> None:
        await self._answer(wire.GameState.model_validate(data))

    async def _answer(self, state: wire.GameState) -> None:
        self.states[state.game_id] = state
        mover = state.players[state.to_play - 1]
        if state.state == "playing" and mover.name == self.name:
            play = self._choose(state)
            if play is not None:
                await self.tell("game.turn", play.model_dump(mode="json", exclude={"v"}))
