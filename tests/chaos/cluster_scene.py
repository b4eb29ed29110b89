"""Games and a tournament in an arena of several processes, with everything that players saw."""

import asyncio
import json
import random
import time
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field
from itertools import cycle
from pathlib import Path
from typing import Any, Final

from bot.arena.players.accounts import issue_token
from bot.arena.players.hosts import issue_key
from bot.arena.settings import Place
from tests.chaos.cluster_arena import ArenaProcess, ClusterArena, ClusterTerms, running_cluster
from tests.chaos.cluster_players import ClusterPlayer, ClusterTournaments
from tests.chaos.ledger import GOOD_ENDS, Json, Ledger
from tests.chaos.programs import DidNotStartError
from tests.chaos.scene import ENTRANTS, HOST, background
from tests.chaos.tournaments import TournamentTerms

PATIENCE_S: Final = 90.0
STUCK_S: Final = 45.0
"""A running game without a turn for so long is stuck: players think for much less."""
TOURNAMENT_S: Final = 400.0
"""The longest time for a tournament of three rounds with slow players."""
POLL_S: Final = 0.05
LOOK_S: Final = 1.0
STARTS: Final = 5
REPLACED: Final = 75
AT_ONCE: Final = 4
"""Games of each pair of players."""
SETUPS: Final[tuple[Json, ...]] = (
    {"board": "pent-4", "clock": {"kind": "per_turn", "turn_s": 12}},
    {"board": "pent-4", "clock": {"kind": "fischer", "initial_s": 40, "increment_s": 8}},
)
"""A player thinks for at most 6 s, so that 6 s of a takeover that are charged lose a game."""
MORE: Final = """
[play]
abandonment_s = 20
first_turn_s = 30
reconnect_grace_s = 5
"""
NO_SHOW_S: Final = 30
TELLING: Final = ("process_", "lease_", "games_taken_over", "hall_taken", "bus_", "arena_", "disk")
"""Parts of log lines that say what happened to a process."""
SHARE_OF_PAUSE: Final = 0.3
"""How long the bots of a tournament think, compared with the others: three rounds take a while."""


@dataclass
class Takeover:
    """The games of a process that has ended.

    `taken_s` has the seconds until the table had another owner, by game, and `played_s` those until
    the players had the next turn, without the time for which the player to move still thought. An
    `is_clean` one had no other fault at the same time.
    """

    how: str
    began: float
    epochs: dict[str, int]
    plies: dict[str, int]
    is_clean: bool = True
    taken_s: dict[str, float] = field(default_factory=dict)
    played_s: dict[str, float] = field(default_factory=dict)

    @property
    def is_over(self) -> bool:
        return len(self.played_s) == len(self.plies)


class ClusterScene:
    """Made by `playing_cluster`. `replaced` counts processes that others replaced while alive."""

    def __init__(self, arena: ClusterArena, rng: random.Random) -> None:
        self.arena = arena
        self.rng = rng
        self.ledger = Ledger()
        self.players: list[ClusterPlayer] = []
        self.tournaments: ClusterTournaments | None = None
        self.takeovers: list[Takeover] = []
        self.replaced = 0
        self.acknowledged = 0
        self.settled: set[str] = set()
        self._stuck: set[str] = set()
        self._noted_logs: dict[int, int] = {}

    # ---- processes ---------------------------------------------------------------------------

    async def start_again(self, process: ArenaProcess) -> None:
        """Start a process that has ended, as a service manager does."""
        for attempt in range(STARTS):
            try:
                await process.start()
            except DidNotStartError as error:
                await process.kill()
                if attempt == STARTS - 1:
                    self.ledger.problems.append(f"{process.name} does not start: {error}")
            else:
                return

    async def watch_processes(self) -> None:
        """Start processes again that end by themselves."""
        while True:
            await asyncio.sleep(LOOK_S)
            for process in self.arena.living():
                if process.program.has_ended:
                    status = await process.ended(PATIENCE_S)
                    self.replaced += status == REPLACED
                    if status != REPLACED:
                        last = process.program.log[-5:]
                        self.ledger.problems.append(f"{process.name} ended: {status}, {last}")
                    await self.start_again(process)

    def story(self, game: str) -> list[str]:
        """Return the lines of all logs about a game, and those about processes, by time.

        They are preceded by what the players of the game did lately.
        """
        parts = (game, *TELLING)
        names = self.ledger.games[game].players
        theirs = [line for each in self.players if each.name in names for line in each.story]
        return sorted(theirs) + sorted(
            f"{line.rpartition('timestamp')[2][3:26]} {process.name} {line[:400]}"
            for process in self.arena.processes
            for line in process.program.log
            if any(part in line for part in parts)
        )

    def surprises(self) -> list[str]:
        """Return unexpected errors in the logs since the last call."""
        found = []
        for process in self.arena.processes:
            lines = process.program.log
            since = self._noted_logs.get(process.number, 0)
            found += [
                f"in the log of {process.name}: {line[-1500:]}"
                for line in lines[since:]
                if "Traceback" in line or "never retrieved" in line
            ]
            self._noted_logs[process.number] = len(lines)
        return found

    # ---- games that must go on ---------------------------------------------------------------

    async def games_of(self, process: ArenaProcess) -> dict[str, int]:
        """Return the epochs of the running games of a process."""
        return {
            game: each.epoch
            for game, each in (await self.arena.owners()).items()
            if each.process == process.number
        }

    async def follow(self, how: str, began: float, epochs: Mapping[str, int]) -> Takeover:
        """Return when all of these games have another owner and another turn, or are over."""
        stored = await self.arena.tables.turns(epochs)
        seen = {game: self.ledger.games[game].seen for game in epochs if game in self.ledger.games}
        plies = {game: max(len(turns), len(stored[game])) for game, turns in seen.items()}
        takeover = Takeover(how, began, dict(epochs), plies)
        self.takeovers.append(takeover)
        deadline = began + PATIENCE_S
        while not takeover.is_over:
            if time.monotonic() > deadline:
                left = [game for game in plies if game not in takeover.played_s]
                self.ledger.problems.append(f"{how}: these games do not go on: {left}")
                break
            if len(takeover.taken_s) < len(takeover.epochs):
                owners = await self.arena.owners()
                for game, epoch in epochs.items():
                    if game not in owners or owners[game].epoch > epoch:
                        takeover.taken_s.setdefault(game, time.monotonic() - began)
            for game, count in plies.items():
                notes = self.ledger.games[game]
                if game not in takeover.played_s and (
                    len(notes.seen) > count or notes.result is not None
                ):
                    ready_at = self._ready_at(notes.players[count % 2], game, count)
                    takeover.played_s[game] = time.monotonic() - max(began, ready_at)
            await asyncio.sleep(POLL_S)
        return takeover

    def _ready_at(self, player: str, game: str, ply: int) -> float:
        found = [each.ready_at(game, ply) for each in self.players if each.name == player]
        return found[0] if found else 0.0

    async def watch_games(self) -> None:
        """Note running games that nobody plays on."""
        while True:
            await asyncio.sleep(LOOK_S)
            since = time.monotonic() - STUCK_S
            old = [
                game
                for game, notes in self.ledger.games.items()
                if notes.result is None and notes.moved_at < since and game not in self._stuck
            ]
            for game in old:
                self._stuck.add(game)
                row = await self.arena.tables.rows(
                    "SELECT running, owner, epoch, result FROM games WHERE id = %s", game
                )
                names = self.ledger.games[game].players
                self.ledger.problems.append(
                    f"{game} of {names}: no news for {STUCK_S:.0f} s; in the table: {row}"
                )

    async def until(self, condition: Callable[[], bool], patience_s: float = PATIENCE_S) -> bool:
        """Wait for the condition. Returns whether it came true in time."""
        deadline = time.monotonic() + patience_s
        while not condition():
            if time.monotonic() > deadline:
                return False
            await asyncio.sleep(POLL_S)
        return True

    # ---- checks ------------------------------------------------------------------------------

    async def check(self) -> None:
        """Compare what players know with the tables."""
        promises = {
            game: turns
            for game, turns in self.ledger.promises().items()
            if game not in self.settled
        }
        over = {game for game in promises if self.ledger.games[game].result is not None}
        stored = await self.arena.tables.turns(promises)
        for game, promised in promises.items():
            plies = sorted(stored[game])
            if plies != list(range(len(plies))):
                self.ledger.problems.append(f"{game}: the table has the turns {plies}")
            self.ledger.compare(game, promised, [stored[game][ply] for ply in plies])
        await self._compare_ends(over)
        self.settled |= over
        self.ledger.problems += self.surprises()

    async def _compare_ends(self, seen_over: set[str]) -> None:
        rows = await self.arena.tables.rows(
            "SELECT id, result, record IS NOT NULL FROM games WHERE NOT running"
        )
        for game, result, has_record in rows:
            if game in self.settled:
                continue
            stored = json.loads(result)
            if stored["reason"] not in GOOD_ENDS:
                self.settled.add(game)
                self.ledger.problems.append(f"{game}: the table has the end {stored}")
            if not has_record:
                self.ledger.problems.append(f"{game}: has no record")
            notes = self.ledger.games.get(game)
            if notes is not None and notes.result is not None:
                self._compare_result(game, notes.result, stored)
        ended = {row[0] for row in rows}
        for game in seen_over - ended:
            self.ledger.problems.append(f"{game}: players saw its end, and the table has none")

    def _compare_result(self, game: str, seen: Mapping[str, Any], stored: Json) -> None:
        for part in ("winner", "reason"):
            if seen[part] != stored[part]:
                self.ledger.problems.append(f"{game}: players saw {seen}, the table has {stored}")

    def new_problems(self) -> list[str]:
        """Return the problems since the last call."""
        found = [*self.ledger.problems]
        self.ledger.problems.clear()
        return found

    async def end(self) -> None:
        """Let the tournament end, and compare everything once more."""
        if self.tournaments is not None:
            tournaments, over = self.tournaments, self.tournaments.over
            if not await self.until(lambda: tournaments.over > over, TOURNAMENT_S):
                self.ledger.problems.append("the tournament does not end")
            await tournaments.check()
        await self.check()


@asynccontextmanager
async def playing_cluster(
    folder: Path, rng: random.Random, games: int, pause_s: float, bus: str
) -> AsyncIterator[ClusterScene]:
    """Run three processes with games of many pairs, and one tournament after another."""
    terms = ClusterTerms(bus=bus, more=MORE, has_relays=True)
    async with AsyncExitStack() as stack:
        arena = await stack.enter_async_context(running_cluster(folder, terms))
        scene = ClusterScene(arena, rng)

        def address() -> str:
            return arena.any_address(rng)

        def player(name: str, login: Json | None = None) -> ClusterPlayer:
            pause = pause_s if login is None else pause_s * SHARE_OF_PAUSE
            return ClusterPlayer(name, address, scene.ledger, rng, pause, login)

        per_pair = min(AT_ONCE, games)
        pairs = [(player(f"One-{n}"), player(f"Two-{n}")) for n in range(games // per_pair)]
        place = Place(folder, arena.tables.url)
        bots = [
            player(name, {"token": await issue_token(place, name), "engine": "random"})
            for name in (f"Entrant-{n}" for n in range(ENTRANTS + 1))
        ]
        host = player(HOST, {"guest_key": await issue_key(place, HOST)})
        scene.tournaments = ClusterTournaments(
            arena.tables,
            address,
            scene.ledger,
            host,
            bots,
            TournamentTerms(no_show_s=NO_SHOW_S, clock="40+8"),
        )
        scene.players = [*(each for pair in pairs for each in pair), *bots, host]

        def count(_seconds: float) -> None:
            scene.acknowledged += 1

        async with background() as start:
            for each in scene.players:
                each.on_acknowledged = count
                start(each.run())
            for (one, two), setup in zip(pairs, cycle(SETUPS), strict=False):
                start(one.keep_several(two.name, setup, per_pair))
            start(scene.tournaments.run())
            start(scene.watch_games())
            start(scene.watch_processes())
            if not await scene.until(lambda: len(scene.ledger.running()) >= games):
                scene.ledger.problems.append(f"only {len(scene.ledger.running())} games run")
            yield scene
