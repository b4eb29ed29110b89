"""A running arena with players, a bot and a network, and checks of its state afterwards."""

import asyncio
import random
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Sequence
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from dataclasses import dataclass, field
from itertools import cycle
from pathlib import Path
from typing import Final
from urllib.parse import urlsplit

from bot.arena.players.accounts import issue_token
from bot.arena.players.hosts import issue_key
from bot.bench.clients.frames import FramesLost, Json, RequestRefused
from tests.chaos import daemon, evidence
from tests.chaos.ledger import Ledger, turns_of
from tests.chaos.players import Player
from tests.chaos.processes import Marked
from tests.chaos.programs import OURS, Program
from tests.chaos.proxy import Proxy, forwarding
from tests.chaos.site import Site, SiteTerms
from tests.chaos.tournaments import Tournaments, TournamentTerms

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
ENTRANTS: Final = 3
"""Scripted bots of a tournament, besides the bot."""
HOST: Final = "Hanna"
MOST_PROCESSES: Final = 11
"""The arena, the bot, the platform's connections. Each of the bot's two engines has four: itself,
its child, its guardian, and the first process of its namespace.
"""


@dataclass(frozen=True)
class Terms:
    """All limits of time in a scene. `arena` is the arena's settings file.

    If it `has_health`, the bot serves its status.
    """

    arena: str = ""
    bot: daemon.BotTerms = field(default_factory=daemon.BotTerms)
    site: SiteTerms = field(default_factory=SiteTerms)
    tournament: TournamentTerms = field(default_factory=TournamentTerms)
    has_health: bool = False


USUAL_TERMS: Final = Terms()
SHORT_TERMS: Final = Terms(
    arena="""
[connections]
ping_interval_s = 1
ping_timeout_s = 1
request_s = 3
keep_alive_s = 3
login_s = 3
[play]
reconnect_grace_s = 2
first_turn_s = 5
abandonment_s = 5
creator_away_s = 2
challenge_s = 5
""",
    bot=daemon.BotTerms(clock="5/turn", answer_s=3, silence_s=4),
    site=SiteTerms(hours=(6, 6, 6), hour_ms=1_000, answer_s=3, webhook_s=3),
    tournament=TournamentTerms(clock="5/turn", no_show_s=5),
)
"""All limits are shorter than a stop (`tests.chaos.faults.STOP_S`)."""


@dataclass
class Scene:
    """Made by `playing`.

    All clients reach the arena through `proxy`. If there is a bot, the last of `players` is its
    opponent. A whole scene also has a rehearsed platform, `site`, and `tournaments`.
    """

    data: Path
    rng: random.Random
    arena: Program
    bot: daemon.Bot | None
    proxy: Proxy
    ledger: Ledger
    players: Sequence[Player]
    marked: Marked
    site: Site | None = None
    tournaments: Tournaments | None = None
    _settled: set[str] = field(default_factory=set)

    def everyone(self) -> list[Player]:
        """Return all players, those of tournaments included."""
        entrants = [] if self.tournaments is None else self.tournaments.bots
        return [*self.players, *entrants]

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
        site_turns = 0 if self.site is None else self.site.turns
        await self._moved_on(self.ledger.running())
        if self.site is not None:
            site = self.site
            await self._until(
                lambda: site.turns > site_turns, lambda: "the bot plays no turn on the platform"
            )
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
        with suppress(
            FramesLost, RequestRefused
        ):  # the waiting code reports that games have stopped
            while True:
                await asyncio.sleep(ASK_FOR_ENDS_S)
                for game_id in self.ledger.running().keys() & set(games):
                    state = await self.watched(game_id)
                    if state["result"] is not None:
                        self.ledger.saw(state)

    async def check(self) -> None:
        """Compare what players were told with the server's data; see `Ledger.problems`.

        Games that were over at the last check are compared again at the end, in the files.
        """
        await self.until_all_here()
        for game_id, promised in self.ledger.promises().items():
            if game_id in self._settled:
                continue
            state = await self.watched(game_id)
            self.ledger.compare(game_id, promised, turns_of(state))
            self.ledger.saw(state)
            if state["result"] is not None:
                self._settled.add(game_id)
        if self.tournaments is not None:
            await self.tournaments.check()
        if self.site is not None:
            self.ledger.problems += self.site.new_problems()
        if self.bot is not None:
            self.ledger.problems += await self.marked.left_behind(self._pids(), MOST_PROCESSES)
        opponent = self.players[-1]
        if opponent.most_games > daemon.AT_ONCE:
            self.ledger.problems.append(f"the bot played {opponent.most_games} games at once")

    def _programs(self) -> list[Program]:
        """Return the programs, in the order in which an operator stops them."""
        site = None if self.site is None else self.site.connections
        return [each for each in (self.bot, self.arena, site) if each is not None]

    def _pids(self) -> set[int]:
        return {program.pid for program in self._programs() if program.is_running}

    async def watched(self, game_id: str) -> Json:
        deadline = time.monotonic() + PATIENCE_S
        while True:
            try:
                answer = await self.players[0].ask("game.watch", game_id=game_id, follow=False)
            except RequestRefused as refused:
                if refused.code == "unknown_game_id":
                    self.ledger.problems.append(f"{game_id}: the server does not know it")
                    raise
            except FramesLost:
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
        if self.tournaments is not None:
            await self._last_tournament(self.tournaments)
        if self.site is not None:
            self.site.stand_in.freeze()
        if self.bot is not None:
            await self._until(self._all_recorded, lambda: "the bot's records lack games")
        programs = [program for program in (self.bot, self.arena) if program is not None]
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
        if self.site is not None:
            await self.site.connections.kill()
            self.ledger.problems += self.site.new_problems()
            self.ledger.problems += self.site.end_problems(self.the_bot.records)
        self.ledger.problems += await self.marked.left_behind((), 0)

    async def _last_tournament(self, tournaments: Tournaments) -> None:
        """Wait until the present tournament is over, and check it."""
        over = tournaments.over
        await self._until(lambda: tournaments.over > over, lambda: "the tournament does not end")
        await tournaments.check()

    def new_problems(self) -> list[str]:
        """Return the problems since the last call."""
        found = [*self.ledger.problems]
        self.ledger.problems.clear()
        self.players[-1].most_games = 0
        return found

    def _all_recorded(self) -> bool:
        """Return whether the bot has recorded each game in which it has played a turn.

        A game may begin and be lost while the bot is stopped, without its knowledge. While the
        bot is to move on the platform, its next turn may end a game.
        """
        finished = {
            name
            for name, notes in self.ledger.games.items()
            if notes.result is not None and daemon.NAME in notes.players[: len(notes.seen)]
        }
        bot = self.the_bot
        if self.site is not None and (
            self.site.waits_for_bot() or self.site.unrecorded(bot.records)
        ):
            return False
        return finished <= {record.id for record in bot.recorded()}

    @property
    def the_bot(self) -> daemon.Bot:
        assert self.bot is not None, "the scene has a bot"
        return self.bot

    @property
    def the_site(self) -> Site:
        assert self.site is not None, "the scene has a rehearsed platform"
        return self.site


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
    is_whole: bool = False,
    terms: Terms = USUAL_TERMS,
    pause_s: float = PAUSE_S,
) -> AsyncIterator[Scene]:
    """Run an arena on an empty folder, a bot and `tables` of players, all of them playing.

    If the scene `is_whole`, the bot also plays on the rehearsed platform, and in tournaments.
    """
    ledger, data, marked = Ledger(), folder / "arena", Marked()
    async with AsyncExitStack() as stack:
        proxy = await stack.enter_async_context(forwarding(rng))
        command = [*arena, "--data", str(data), *_with_settings(folder, terms.arena)]
        program = Program(command, log_file, marked.environ)
        stack.push_async_callback(program.kill)
        bot = daemon.Bot(folder / "bot", marked.environ) if has_bot else None
        if bot is not None:
            stack.callback(bot.engines.close)
            stack.push_async_callback(bot.kill)
        site = None
        if is_whole:
            site = Site(folder, rng.getrandbits(32), marked.environ, terms.site)
            stack.push_async_callback(site.connections.kill)

        def player(name: str, login: Json | None = None) -> Player:
            return Player(name, proxy.address, ledger, rng, pause_s, login)

        pairs = [(player(f"One-{n}"), player(f"Two-{n}")) for n in range(tables)]
        players = [each for pair in pairs for each in pair]
        if has_bot:
            players.append(player(daemon.OPPONENT))
        scene = Scene(data, rng, program, bot, proxy, ledger, players, marked, site)
        await scene.start_arena()
        if bot is not None:
            more = "" if site is None else site.settings(daemon.ENGINE_NAME)
            more += "[health]\nport = 0\n" if terms.has_health else ""
            await bot.configure(proxy.address, data, terms.bot, more)
        if is_whole:
            scene.tournaments = await _tournaments(scene, player, terms.tournament)
        async with background() as start:
            await _begin_whole(scene, start)
            for each in players:
                start(each.run())
            await scene.until_all_here()
            if bot is not None:
                await bot.spawn()
            if site is not None:
                site.stand_in.people_come()
            for (one, two), setup in zip(pairs, cycle(SETUPS), strict=False):
                start(one.keep_playing(two.name, setup))
            await scene.until_busy()
            yield scene


def _with_settings(folder: Path, text: str) -> list[str]:
    """Return the arguments that give an arena these settings."""
    if not text:
        return []
    (folder / "arena.toml").write_text(text)
    return ["--config", str(folder / "arena.toml")]


async def _tournaments(
    scene: Scene, player: Callable[[str, Json], Player], terms: TournamentTerms
) -> Tournaments:
    names = [f"Entrant-{n}" for n in range(ENTRANTS)]
    tokens = [await issue_token(scene.data, name) for name in names]
    bots = [
        player(name, {"token": token, "engine": "random"})
        for name, token in zip(names, tokens, strict=True)
    ]
    host = player(HOST, {"guest_key": await issue_key(scene.data, HOST)})
    entrants = [*names, daemon.NAME]
    return Tournaments(scene.data, scene.proxy.address, scene.ledger, host, bots, entrants, terms)


async def _begin_whole(scene: Scene, start: Callable[[Awaitable[object]], object]) -> None:
    """Start the platform and the tournaments of a scene that has them."""
    if scene.site is not None:
        start(scene.site.run())
        await scene.site.start()
    if scene.tournaments is not None:
        for each in (scene.tournaments.host, *scene.tournaments.bots):
            start(each.run())
        start(scene.tournaments.run())


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
