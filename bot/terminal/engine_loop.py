"""One engine process with an event loop of its own, for commands that have no loop."""

import asyncio
from abc import ABC, abstractmethod
from types import TracebackType
from typing import Self

import engine
from bot.engines.process import EngineProcess
from bot.engines.spec import EngineSpec


class EngineLoop(ABC):
    """A context with an engine process. The subclass starts the process in `_start`."""

    def __init__(self, spec: EngineSpec, game: engine.Game) -> None:
        self._spec = spec
        self._game = game
        self._runner = asyncio.Runner()
        self._process: EngineProcess | None = None

    def __enter__(self) -> Self:
        try:
            self._runner.run(self._start())
        except BaseException:
            self._runner.close()
            raise
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        with self._runner:
            if self._process is not None:
                self._runner.run(self._process.close())

    @abstractmethod
    async def _start(self) -> EngineProcess:
        """Start the process, set it up for the game, and keep it. Raises EngineFailure."""
