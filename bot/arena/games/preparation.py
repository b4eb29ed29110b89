"""Offered games that cannot be played yet, because their rules are still being compiled."""

import asyncio
from collections.abc import Callable, Collection, Sequence
from typing import Final

import engine
from bot import wire
from bot.arena.refusals import UNAVAILABLE, Refused
from bot.runtime.alarms import Alarms
from bot.runtime.kernels import Kernels
from bot.time_source import TimeSource
from engine.warming import CompiledPart

ASK_AGAIN_S: Final = 5.0
LOOKED_AT_TURNS: Final = 3
"""How many turns of a game are played to load its rules."""


class Preparation:
    """A game is ready once its rules are loaded. `on_change` is called when more are ready."""

    def __init__(
        self, offered: Sequence[engine.GameInfo], kernels: Kernels, time: TimeSource
    ) -> None:
        self._offered = offered
        self._kernels = kernels
        self._ready: set[str] = set()
        self._alarms = Alarms(time)
        self._now = time.monotonic
        self.on_change: list[Callable[[], None]] = []

    async def open(self, needed: Collection[str]) -> None:
        """Return when these games can be played; the others are loaded in the background."""
        await self._kernels.until_there([CompiledPart(game, "rules") for game in needed])
        await self._load(self._compiled())
        self._kernels.on_change.append(self._load_soon)
        self._load_soon()

    async def close(self) -> None:
        await self._alarms.close()

    def _load_soon(self) -> None:
        self._alarms.set("more", self._now(), self._load_more)

    async def _load_more(self) -> None:
        await self._load(self._compiled())
        for listener in self.on_change:
            listener()

    def check(self, game: str) -> None:
        """Raises Refused while a game cannot be played."""
        if game in self._waiting():
            title = next(info.title for info in self._offered if info.name == game)
            message = f"{title} is still being compiled, which happens once; try again in a minute."
            raise Refused(UNAVAILABLE, message, retry_after_s=ASK_AGAIN_S)

    @property
    def warming(self) -> list[wire.Warming]:
        """The games with parts that are not compiled yet, and these parts."""
        found = [
            wire.Warming(game=info.name, title=info.title, parts=self._parts_missing(info.name))
            for info in self._offered
        ]
        return [each for each in found if each.parts]

    def _parts_missing(self, game: str) -> list[wire.EnginePart]:
        missing: list[wire.EnginePart] = ["rules"] if game not in self._ready else []
        search = CompiledPart(game, "search")
        return missing if self._kernels.are_there([search]) else [*missing, "search"]

    def _waiting(self) -> list[str]:
        return [info.name for info in self._offered if info.name not in self._ready]

    def _compiled(self) -> list[str]:
        """The games that can be loaded now."""
        return [
            game
            for game in self._waiting()
            if self._kernels.are_there([CompiledPart(game, "rules")])
        ]

    async def _load(self, games: Sequence[str]) -> None:
        """Load the rules of games, so that the first player does not wait for it."""
        await asyncio.to_thread(_play_a_little, games)
        self._ready.update(games)


def _play_a_little(games: Sequence[str]) -> None:
    for game in games:
        position = engine.game(game).start()
        while position.turn_number < LOOKED_AT_TURNS and not position.over:
            position = position.play(next(position.legal_turns()))
