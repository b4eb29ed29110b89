"""The engine that a person plays against in the terminal."""

import random
import time
from dataclasses import dataclass
from typing import Protocol

import engine
from bot.engines.conversation import EngineReply
from bot.engines.fallback import fallback_turn
from bot.engines.process import EngineProcess
from bot.engines.questions import Budget
from bot.engines.spec import EngineSpec
from bot.errors import EngineFailure
from bot.records.model import EngineSettings
from bot.terminal.engine_loop import EngineLoop
from bot.time_source import SystemTime


@dataclass(frozen=True)
class EngineTurn:
    """A turn that an engine chose; `value` is its own chance to win.

    `failure` says why the engine gave no turn and the fallback chose one.
    """

    turn: str
    time_ms: int
    value: float | None = None
    visits: int | None = None
    pv: tuple[str, ...] = ()
    source: str = "engine"
    failure: str | None = None


class Opponent(Protocol):
    """An engine that is asked for turns, one at a time."""

    @property
    def settings(self) -> EngineSettings: ...

    def choose(self, position: engine.Position) -> EngineTurn:
        """Return the engine's turn in a position that is not over."""


class EngineOpponent(EngineLoop):
    """One engine process, which thinks only between the person's turns.

    Entering the context raises EngineStartError. If the engine fails later, the built-in fallback
    plays that turn, and the engine is restarted for the next one.
    """

    def __init__(self, spec: EngineSpec, game: engine.Game, turn_s: float) -> None:
        super().__init__(spec, game)
        think_ms = round(turn_s * 1000)
        self._budget = Budget(think_ms, 2 * think_ms + 3000, f"movetime {think_ms}")
        self._settings = EngineSettings(name=spec.name)

    @property
    def settings(self) -> EngineSettings:
        return self._settings

    def choose(self, position: engine.Position) -> EngineTurn:
        """Return the engine's turn, or the fallback's turn with the failure."""
        began = time.monotonic()
        try:
            reply = self._runner.run(self._ask(position))
        except EngineFailure as error:
            turn = fallback_turn(position, time.monotonic, random.Random())
            took = round((time.monotonic() - began) * 1000)
            return EngineTurn(turn, took, source="fallback", failure=error.message)
        return EngineTurn(
            turn=reply.best.turn,
            time_ms=reply.time_ms,
            value=reply.info.winrate,
            visits=reply.info.nodes,
            pv=reply.info.pv,
        )

    async def _start(self) -> EngineProcess:
        process = await EngineProcess.start(self._spec, SystemTime())
        self._process = process
        await process.set_up(self._game)
        self._settings = process.settings
        return process

    async def _ask(self, position: engine.Position) -> EngineReply:
        process = self._process or await self._start()
        try:
            return await process.think(position, self._budget)
        except BaseException:
            self._process = None
            await process.kill()
            raise
