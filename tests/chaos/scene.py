"""A running arena with players, a bot and a network, and checks of its state afterwards."""

import asyncio
import random
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Sequence
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from dataclasses import dataclass
from itertools import cycle
from pathlib import Path
from typing import Final
from urllib.parse import urlsplit

from bot.bench.clients.frames import ConnectionLost, Json, Refused
from tests.chaos import daemon, evidence
from tests.chaos.ledger import Ledger, turns_of
from tests.chaos.players import Player
from tests.chaos.programs import OURS, Program
from tests.chaos.proxy import Proxy, forwarding

TURN_S: Final = 4.0
"""Seconds per turn at the tables.

Troubles of the arena last longer, and must not cost a player the game.
"""
PATIENCE_S: Final = 90.0
POLL_S: Final = 0.02
ASK_FOR_ENDS_S: Final = 1.0
PAUSE_S: Final = 0.15
MORE_PLIES: Final = 2
SETUPS: Final[Sequence[Json]] = (
    {"board": "pent-4", "clock": {"kind": "per_turn", "turn_s": TURN_S}},
    {"board": "pent-4", "clock": {"kind": "fischer", "initial_s": 120, "increment_s": 10}},
)
"""The setup of one table after the other. Only the second kind of clock shows lost time."""

ARENA: Final = (*OURS, "arena")


@dataclass
class Scene:
    """Made by `playing`.

    All clients reach the arena through `proxy`. If there is a bot, the last of `players` is its
    opponent.
    """

    data: Path
    rng: random.Random
    arena: Program
    bot: daemon.Bot | None
    proxy: Proxy
    ledger: Ledger
    players: Sequence[Player]

    async def start_arena(self) -> None:
        """Start the arena, again on the same port, and wait until people can play."""
        await self.arena.spawn("--port", str(self.proxy.port))
        address = await self.arena.says("http://")
        self.proxy.port = urlsplit(address).port or 0

    async def until_all_here(self) -> None:
        def missing() -> list[str]:
            return [player.name for player in self.players if not player.is_here]

        await self._until(lambda: not missing(), lambda: f"not back: {', '.join(missing())}")

    async def until_busy(self) -> None:
        """Wait until games are running at every table and with the bot."""

        def busy() -> bool:
            return all(player.is_here and player.games for player in self.players)

        def idle() -> str:
            names = [player.name for player in self.players if not player.games]
            return f"without a game: {', '.join(names)}"

        await self._until(busy, idle)
        await self._moved_on(self.ledger.running())

    async def recovered(self, since: float) -> float:
        """Return the seconds from that moment until all games continued."""
        await self._moved_on(self.ledger.running())
        return time.monotonic() - since

    async def _moved_on(self, before: dict[str, int]) -> None:
        """Wait until running games reach their players by themselves; request how others ended."""
        learning = asyncio.create_task(self._learn_of_ends(before))
        try:
            await self._until(
                lambda: self.ledger.moved_on(before, MORE_PLIES),
                lambda: f"games do not continue: {self.ledger.standing(before)}",
            )
        finally:
            learning.cancel()

    async def _learn_of_ends(self, games: Iterable[str]) -> None:
        """Request games that ended while their players were away, because the welcome does not list
        them.
        """
        with suppress(ConnectionLost, Refused):  # the waiting code reports that games have stopped
            while True:
                await asyncio.sleep(ASK_FOR_ENDS_S)
                for game_id in self.ledger.running().keys() & set(games):
                    state = await self.watched(game_id)
                    if state["result"] is not None:
                        self.ledger.saw(state)

    async def check(self) -> None:
        """Compare what players were told with the server's data; see `Ledger.problems`."""
        await self.until_all_here()
        for game_id, promised in self.ledger.promises().items():
            state = await self.watched(game_id)
            self.ledger.compare(game_id, promised, turns_of(state))
            self.ledger.saw(state)
        opponent = self.players[-1]
        if opponent.most_games > daemon.AT_ONCE:
            self.ledger.problems.append(f"the bot played {opponent.most_games} games at once")

    async def watched(self, game_id: str) -> Json:
        deadline = time.monotonic() + PATIENCE_S
        while True:
            try:
                answer = await self.players[0].ask("game.watch", game_id=game_id, follow=False)
            except Refused as refused:
                if refused.code == "unknown_game_id":
                    self.ledger.problems.append(f"{game_id}: the server does not know it")
                    raise
            except ConnectionLost:
                if time.monotonic() > deadline:
                    raise
            else:
                game: Json = answer["game"]
                return game
            await asyncio.sleep(POLL_S)

    async def _until(self, condition: Callable[[], bool], complaint: Callable[[], str]) -> None:
        deadline = time.monotonic() + PATIENCE_S
        while not condition():
            if time.monotonic() > deadline:
                raise NotRecoveredError(f"after {PATIENCE_S:.0f} s: {complaint()}")
            await asyncio.sleep(POLL_S)

    async def end(self) -> None:
        """Stop all programs as an operator would, and check their files."""
        programs: list[Program] = [self.arena]
        if self.bot is not None:
            await self._until(self._all_recorded, lambda: "the bot's records lack games")
            programs.insert(0, self.bot)
        for program in programs:
            status = await program.stop()
            if status != 0:
                self.ledger.problems.append(f"ended with status {status}: {program.log[-3:]}")
        self.ledger.problems += evidence.problems(self.data, self.ledger)
        if self.bot is not None:
            self.ledger.problems += evidence.repeated(self.bot.recorded())
        self.ledger.problems += evidence.misordered(self.arena.log)
        for program in programs:
            self.ledger.problems += evidence.surprises(program.all_lines())

    def new_problems(self) -> list[str]:
        """Return the problems since the last call."""
        found = [*self.ledger.problems]
        self.ledger.problems.clear()
        self.players[-1].most_games = 0
        return found

    def _all_recorded(self) -> bool:
        finished = {
            name
            for name, notes in self.ledger.games.items()
            if notes.result is not None and daemon.NAME in notes.players
        }
        return finished <= {record.id for record in self.the_bot.recorded()}

    @property
    def the_bot(self) -> daemon.Bot:
        assert self.bot is not None, "the scene has a bot"
        return self.bot


class NotRecoveredError(Exception):
    """Games or programs did not recover."""


@asynccontextmanager
async def playing(
    folder: Path,
    rng: random.Random,
    tables: int = 2,
    arena: Sequence[str] = ARENA,
    log_file: Path | None = None,
    *,
    has_bot: bool = True,
) -> AsyncIterator[Scene]:
    """Run an arena on an empty folder, a bot and `tables` of players, all of them playing."""
    ledger, data = Ledger(), folder / "arena"
    async with AsyncExitStack() as stack:
        proxy = await stack.enter_async_context(forwarding(rng))
        program = Program([*arena, "--data", str(data)], log_file)
        stack.push_async_callback(program.kill)
        bot = daemon.Bot(folder / "bot") if has_bot else None
        if bot is not None:
            stack.callback(bot.engines.close)
            stack.push_async_callback(bot.kill)

        def player(name: str) -> Player:
            return Player(name, proxy.address, ledger, rng, PAUSE_S)

        pairs = [(player(f"One-{n}"), player(f"Two-{n}")) for n in range(tables)]
        players = [each for pair in pairs for each in pair]
        if has_bot:
            players.append(player(daemon.OPPONENT))
        scene = Scene(data, rng, program, bot, proxy, ledger, players)
        await scene.start_arena()
        if bot is not None:
            await bot.configure(proxy.address, data)
        async with background() as start:
            for each in players:
                start(each.run())
            await scene.until_all_here()
            if bot is not None:
                await bot.spawn()
            for (one, two), setup in zip(pairs, cycle(SETUPS), strict=False):
                start(one.keep_playing(two.name, setup))
            await scene.until_busy()
            yield scene


@asynccontextmanager
async def background() -> AsyncIterator[Callable[[Awaitable[object]], object]]:
    """Run tasks until the end of the block. The failure of any of them ends the block."""
    async with asyncio.TaskGroup() as tasks:
        running: list[asyncio.Future[object]] = []

        async def awaited(work: Awaitable[object]) -> object:
            return await work

        def start(work: Awaitable[object]) -> None:
            running.append(tasks.create_task(awaited(work)))

        try:
            yield start
        finally:
            for task in running:
                task.cancel()
