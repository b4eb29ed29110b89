"""The bot's machine in simulated time: the parts of the daemon on a folder, killed and restarted.

Only the sockets, the engine processes and the clock are simulated.
"""

import asyncio
import io
import random
import shutil
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Final

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey
from pydantic import SecretStr

import engine
from bot.daemon.identity import Identity, IdentityOptions
from bot.daemon.journal import JOURNAL, open_journal
from bot.daemon.record_book import RecordBook
from bot.daemon.run import RECORDS
from bot.daemon.scheduler import Scheduler
from bot.daemon.settings import Conduct, DrawSettings, PolicySettings, ResignSettings
from bot.daemon.supervisor import Supervisor
from bot.daemon.time_manager import TimePolicy
from bot.engines.channel import LineChannel
from bot.engines.conversation import EngineReply
from bot.engines.dialogue import UgiDialogue
from bot.engines.pool import EnginePool
from bot.engines.process import SETUP_MS, EngineProcess
from bot.engines.protocol import BestMove, InfoLine
from bot.engines.questions import Budget, PoolUser
from bot.engines.spec import EngineSpec
from bot.guests.abstract_play.client import Api, Client, ClientOptions
from bot.guests.abstract_play.keys import public_key_of
from bot.guests.abstract_play.platform import STORE, AbstractPlayPlatform, Endpoints
from bot.guests.abstract_play.rehearsal.credentials import Credentials
from bot.guests.abstract_play.rehearsal.simulated_site import BASE, TOKEN_URL, SimulatedSite
from bot.guests.abstract_play.signatures import Nonces
from bot.guests.abstract_play.store import Store
from bot.guests.abstract_play.webhooks import Handler, Webhooks
from bot.records.model import EngineSettings
from bot.runtime.simulated_time import SimulatedLoop, SimulatedTime
from bot.time_source import TimeSource


class SimulatedEngine(EngineProcess):
    """Plays random legal turns after the full thinking time, and never fails."""

    def __init__(self, spec: EngineSpec, time: TimeSource, rng: random.Random) -> None:
        channel = LineChannel(spec, io.BytesIO(), io.BytesIO())
        super().__init__(spec, channel, UgiDialogue(spec.name, channel, time), time)
        self._rng = rng

    async def set_up(
        self,
        game: engine.Game,
        options: Mapping[str, str] | None = None,
        within_ms: float = SETUP_MS,
    ) -> None:
        pass

    async def exclude(self, turns: frozenset[str], within_ms: float = SETUP_MS) -> None:
        del within_ms
        self._excluded = turns

    async def think(
        self,
        position: engine.Position,
        budget: Budget,
        on_go: Callable[[], None] | None = None,
        *,
        may_resign: bool = False,
    ) -> EngineReply:
        del may_resign
        if on_go is not None:
            on_go()
        await self._time.sleep(budget.think_ms / 1000)
        return EngineReply(BestMove(self._turn(position)), InfoLine(nodes=1), budget.think_ms)

    async def kill(self) -> None:
        pass

    async def close(self) -> None:
        pass

    def _turn(self, position: engine.Position) -> str:
        excluded = set(map(engine.stones_of, self._excluded))
        while engine.stones_of(turn := position.random_turn(self._rng)) in excluded:
            pass
        return turn


def simulated(rng: random.Random) -> Callable[[EngineSpec, TimeSource], Awaitable[EngineProcess]]:
    """Return a function with which a pool starts simulated engines."""

    async def start(spec: EngineSpec, time: TimeSource) -> EngineProcess:
        return SimulatedEngine(spec, time, rng)

    return start


LABEL: Final = "abstract-play"
SWEEP_S: Final = 300.0
ENGINES: Final = 2


@dataclass(frozen=True, slots=True)
class BotPlan:
    """The settings of the bot; `turn_s` is the longest time for a turn, in seconds."""

    credentials: Credentials
    games: int
    turn_s: float
    seed: int


class SimulatedBot:
    """One machine with one bot, on or off. Only the folder outlives a kill."""

    def __init__(
        self, plan: BotPlan, folder: Path, site: SimulatedSite, loop: SimulatedLoop
    ) -> None:
        self._plan = plan
        self._folder = folder
        self._site = site
        self._loop = loop
        self._rng = random.Random(plan.seed)
        self._running: asyncio.Task[int] | None = None

    @property
    def records(self) -> Path:
        return self._folder / RECORDS

    def start(self) -> None:
        self._running = asyncio.create_task(self._run(SimulatedTime(self._loop)))

    def check(self) -> None:
        """Raise the exception with which the daemon failed, if it failed."""
        if self._running is not None and self._running.done():
            self._running.result()

    async def kill(self) -> None:
        """Kill the bot as SIGKILL does: the folder stays as it is at this moment.

        Cancelled tasks may still write while they end, which killed ones cannot. So the folder is
        copied first, and the copy replaces it afterwards.
        """
        assert self._running is not None
        await self._loop.quiet()  # a copy in the middle of a transaction would not be valid
        left = self._folder.with_name(self._folder.name + ".left")
        shutil.copytree(self._folder, left)
        self._site.lost()
        self._running.cancel()
        await asyncio.gather(self._running, return_exceptions=True)
        self._running = None
        shutil.rmtree(self._folder)
        left.rename(self._folder)

    # ---- one life ------------------------------------------------------------------------------

    async def _run(self, time: SimulatedTime) -> int:
        async with AsyncExitStack() as stack:
            journal = await stack.enter_async_context(open_journal(self._folder / JOURNAL, time))
            records = RecordBook(self.records, time)
            start = simulated(self._rng)
            pool = EnginePool(EngineSpec(name="simulated"), ENGINES, time, start=start)
            await stack.enter_async_context(pool)
            identity = Identity(
                self._options(pool.user(LABEL, {})),
                self._platform(time),
                pool,
                Scheduler(lambda: pool.share, time),
                journal,
                records,
                time,
                self._rng,
            )
            files = (journal.writing, records.writing)
            pools = {"simulated": pool}
            supervisor = Supervisor([identity], pools, files, journal.open_work, time, 0.0)
            return await supervisor.run(asyncio.Event())

    def _options(self, user: PoolUser) -> IdentityOptions:
        games = 2 * self._plan.games
        return IdentityOptions(
            label=LABEL,
            kind="abstract_play",
            engine=EngineSettings(name="simulated"),
            policy=PolicySettings(max_games=games, max_games_per_opponent=games),
            conduct=Conduct(
                TimePolicy(max_turn_s=self._plan.turn_s), ResignSettings(), DrawSettings()
            ),
            user=user,
        )

    def _platform(self, time: SimulatedTime) -> AbstractPlayPlatform:
        endpoints = Endpoints(
            api=partial(self._api, time),
            store=partial(Store.opened, self._folder / LABEL / STORE, time),
            webhooks=partial(self._endpoint, time),
        )
        account = self._plan.credentials.client_id
        return AbstractPlayPlatform(account, "stand-in", endpoints, SWEEP_S, time, self._rng)

    @asynccontextmanager
    async def _api(self, time: SimulatedTime, store: Store) -> AsyncIterator[Api]:
        known = self._plan.credentials
        secret = SecretStr(known.client_secret)
        options = ClientOptions(BASE, TOKEN_URL, known.scope, known.client_id, secret)
        yield Client(options, self._site, store, time)

    @asynccontextmanager
    async def _endpoint(
        self, time: SimulatedTime, store: Store, handler: Handler
    ) -> AsyncIterator[None]:
        nonces = Nonces(await store.nonces())
        keys = _Key(public_key_of(self._site.signer.ssh2_block))
        self._site.reached(Webhooks(handler, keys, store, nonces, time, _refused))
        try:
            yield
        finally:
            self._site.lost()


@dataclass(frozen=True, slots=True)
class _Key:
    """The platform's key, which never changes."""

    current: Ed25519PublicKey

    def doubt(self) -> None:
        """Do nothing, because there is no other key."""


def _refused(status: int, code: str, why: str) -> None:
    """Do nothing, because the stand-in sees refused calls."""
    del status, code, why
