"""A process that is stopped for longer than its lease, and wakes after others have its games.

In each round one of the processes is stopped by SIGSTOP for three leases, at a moment at which
turns are on their way to it. While it is stopped, its clients send more turns into their sockets,
and the other processes take its games over; in some of these games they are played on. Then it
wakes. It must write nothing, tell its clients nothing that is not in the table, and end itself.
"""

import asyncio
import random
import time
from collections.abc import AsyncIterator, Callable, Iterable, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field, replace
from itertools import islice
from pathlib import Path
from typing import Final

import aiohttp

import engine
from bot.bench.clients.frames import (
    FrameConnection,
    FramesLost,
    Json,
    RequestRefused,
    is_event,
    payload,
)
from tests.chaos.cluster_arena import (
    ArenaProcess,
    ClusterArena,
    ClusterTerms,
    Owned,
    running_cluster,
)
from tests.chaos.ledger import turns_of
from tests.chaos.trial import Outcome

LEASE_S: Final = 1.5
LIVING: Final = 3
"""The processes at the begin of a round. Another one may be starting meanwhile."""
TERMS: Final = ClusterTerms(count=LIVING + 1, lease_s=LEASE_S, renew_s=0.5, is_audited=True)
STOP_S: Final = 3 * LEASE_S
TAKEOVER_S: Final = 30.0
END_S: Final = 20.0
PATIENCE_S: Final = 60.0
POLL_S: Final = 0.05
BURST_S: Final = 0.03
"""The longest time from turns that are sent to the stop: some are committed then, some are not."""
REPLACED: Final = 75
PLAYERS: Final = ("Anna", "Ben")
GAMES: Final = 6
MOST_PLIES: Final = 12
"""Games with more turns are resigned, because the next turns may end them."""
CHOICES: Final = 50
SETUP: Final[Json] = {
    "board": "pent-4",
    "clock": {"kind": "fischer", "initial_s": 3600, "increment_s": 10},
}
PASSING: Final = frozenset({"unavailable", "rate_limited", "server_error"})


@dataclass
class Sent:
    """A turn that a client has sent. `outcome` is `ok`, the code of a refusal, or `lost`."""

    game: str
    ply: int
    turn: str
    process: int
    outcome: str = "lost"


class Line:
    """A connection of a player to one process. `states` has all games that it was told."""

    def __init__(self, player: str, process: ArenaProcess, sent: list[Sent]) -> None:
        self.player = player
        self.process = process
        self.states: list[Json] = []
        self._sent = sent
        self._connection: FrameConnection | None = None

    async def open(self, session: aiohttp.ClientSession, login: Json) -> Json:
        """Log in, and return the welcome."""
        welcomed = asyncio.get_running_loop().create_future()

        def hear(text: str, _moment: float) -> None:
            if is_event(text, "welcome"):
                welcomed.set_result(payload(text))
                self.states += payload(text)["games"]
            elif is_event(text, "game"):
                self.states.append(payload(text))

        address = self.process.address
        self._connection = await FrameConnection.open(session, address, {"v": 1, **login}, hear)
        # A process that cannot say which games run ends the connection instead.
        ended = asyncio.create_task(self._connection.lost())
        await asyncio.wait(
            {welcomed, ended}, timeout=PATIENCE_S, return_when=asyncio.FIRST_COMPLETED
        )
        ended.cancel()
        if not welcomed.done():
            raise FramesLost(f"no welcome: {self.process.program.log[-8:]}")
        welcome: Json = welcomed.result()
        return welcome

    async def ask(self, event: str, **fields: object) -> Json:
        """Raises Refused or ConnectionLost."""
        assert self._connection is not None
        answer = (await self._connection.ask(event, {"v": 1, **fields})).fields
        if "game" in answer:
            self.states.append(answer["game"])
        return answer

    async def patiently(self, event: str, **fields: object) -> Json:
        """Repeat the request while the arena asks for that. Raises Refused or ConnectionLost."""
        deadline = time.monotonic() + PATIENCE_S
        while True:
            try:
                return await self.ask(event, **fields)
            except RequestRefused as refused:
                if refused.code not in PASSING or time.monotonic() > deadline:
                    raise
            await asyncio.sleep(POLL_S)

    async def play(self, game: str, ply: int, turn: str, *, once: bool = False) -> Sent:
        """Send a turn. The answer is in `outcome`; with `once`, also that of a passing trouble."""
        sent = Sent(game, ply, turn, self.process.number)
        self._sent.append(sent)
        ask = self.ask if once else self.patiently
        try:
            await ask("game.turn", game_id=game, ply=ply, turn=turn)
        except RequestRefused as refused:
            sent.outcome = refused.code
        except FramesLost:
            pass
        else:
            sent.outcome = "ok"
        return sent

    async def close(self) -> None:
        if self._connection is not None:
            await self._connection.close()


@dataclass
class Round:
    """The result of one round. `takeover_s` counts from the stop until others had all games."""

    problems: list[str] = field(default_factory=list)
    games: int = 0
    stale_turns: int = 0
    takeover_s: float = 0.0


class Fencing:
    """Rounds in one arena; made by `fencing`."""

    def __init__(
        self, arena: ClusterArena, session: aiohttp.ClientSession, rng: random.Random
    ) -> None:
        self.bystanders = 0
        """Processes that were replaced although nobody had stopped them: the machine was slow."""
        self._arena = arena
        self._session = session
        self._rng = rng
        self._logins: dict[str, Json] = {name: {"name": name} for name in PLAYERS}
        self._lines: dict[tuple[str, int], Line] = {}
        self._closed: list[Line] = []
        self._games: set[str] = set()
        self._players: dict[str, list[str]] = {}
        self._sent: list[Sent] = []
        self._starting: dict[int, asyncio.Task[list[str]]] = {}

    async def join(self, process: ArenaProcess) -> None:
        """Connect both players to a process; start it again if it was replaced meanwhile."""
        try:
            await self.connect(process)
        except (FramesLost, RequestRefused):
            if not process.program.has_ended:
                raise
            self._mend_bystanders()

    async def connect(self, process: ArenaProcess) -> None:
        """Connect both players to a process that has started."""
        for name in PLAYERS:
            line = Line(name, process, self._sent)
            welcome = await self._opened(line)
            if welcome["guest_key"]:
                self._logins[name] = {"guest_key": welcome["guest_key"]}
            self._lines[name, process.number] = line

    async def _opened(self, line: Line) -> Json:
        deadline = time.monotonic() + PATIENCE_S
        while True:
            try:
                return await line.open(self._session, self._logins[line.player])
            except (FramesLost, RequestRefused):
                await line.close()
                if time.monotonic() > deadline or line.process.program.has_ended:
                    raise
            await asyncio.sleep(POLL_S)

    async def close(self) -> None:
        for task in self._starting.values():
            task.cancel()
        await asyncio.gather(*self._starting.values(), return_exceptions=True)
        for line in [*self._lines.values(), *self._closed]:
            await line.close()

    # ---- a round -----------------------------------------------------------------------------

    async def round(self) -> Round:
        """Stop a process, let it wake, and check what it did."""
        result = Round()
        self._mend_bystanders()
        result.problems += await self._until_living()
        await self._begin_games()
        victim, owned = await self._victim()
        result.games = len(owned)
        theirs = [self._lines[name, victim.number] for name in PLAYERS]
        before = await self._arena.tables.turns(owned)

        # Some of these turns are committed when the process stops, and some are not.
        flying = [
            asyncio.create_task(self._play_next(theirs, game, before[game], once=True))
            for game in owned
            if self._rng.random() < 0.5
        ]
        await asyncio.sleep(self._rng.uniform(0, BURST_S))
        victim.suspend()
        stopped_at = time.monotonic()
        at_stop = await self._arena.tables.turns(owned)
        for game in owned:
            await asyncio.sleep(0)
            flying.append(
                asyncio.create_task(self._play_next(theirs, game, at_stop[game], once=True))
            )
        result.problems += await self._taken_over(owned, victim)
        result.takeover_s = time.monotonic() - stopped_at
        taken = len(await self._arena.tables.audited(owned))
        await self._play_on([game for game in owned if self._rng.random() < 0.5], victim)
        await asyncio.sleep(max(0.0, stopped_at + STOP_S - time.monotonic()))
        victim.resume()
        status = await victim.ended(END_S)
        if status != REPLACED:
            last = victim.program.log[-3:]
            result.problems.append(f"{victim.name} ended with status {status}: {last}")
        stale = await asyncio.gather(*flying)
        result.stale_turns = len(stale)
        await self._play_on(list(owned), victim)
        result.problems += await self._compare(owned, victim, taken)
        self._restart_soon(victim)
        return result

    async def _victim(self) -> tuple[ArenaProcess, dict[str, Owned]]:
        owners = {
            game: each for game, each in (await self._arena.owners()).items() if game in self._games
        }
        numbers = sorted({each.process for each in owners.values() if each.process is not None})
        number = self._rng.choice(numbers)
        owned = {game: each for game, each in owners.items() if each.process == number}
        return self._arena.processes[number], owned

    async def _taken_over(self, owned: dict[str, Owned], victim: ArenaProcess) -> list[str]:
        deadline = time.monotonic() + TAKEOVER_S
        while True:
            now = await self._arena.owners()
            left = [
                game
                for game, each in owned.items()
                if game in now and (now[game].epoch <= each.epoch or now[game].process is None)
            ]
            if not left:
                return []
            if time.monotonic() > deadline:
                return [f"{game}: {victim.name} still has it" for game in left]
            await asyncio.sleep(POLL_S)

    async def _play_on(self, games: Sequence[str], victim: ArenaProcess) -> None:
        """Play the next turn of these games at a process that was not stopped."""
        others = [each for each in self._arena.living() if each is not victim]
        turns = await self._arena.tables.turns(games)
        await asyncio.gather(
            *(
                self._play_next(self._at(self._rng.choice(others)), game, turns[game])
                for game in games
            )
        )

    def _at(self, process: ArenaProcess) -> list[Line]:
        return [self._lines[name, process.number] for name in PLAYERS]

    async def _play_next(
        self, lines: Sequence[Line], game: str, turns: dict[int, str], *, once: bool = False
    ) -> Sent | None:
        """Send a random legal turn as the player to move; None if the game is over."""
        position = engine.game("bluestone", board="pent-4").start()
        for ply in range(len(turns)):
            position = position.play(turns[ply])
        legal = list(islice(position.legal_turns(), CHOICES))
        if not legal:
            return None
        mover = self._players[game][len(turns) % 2]
        line = next(each for each in lines if each.player == mover)
        return await line.play(game, len(turns), self._rng.choice(legal), once=once)

    # ---- checks ------------------------------------------------------------------------------

    async def _compare(self, owned: Iterable[str], victim: ArenaProcess, taken: int) -> list[str]:
        audited = await self._arena.tables.audited(owned)
        found = [
            f"{each.game}: {victim.name} wrote turn {each.ply} after it was replaced"
            for each in audited[taken:]
            if each.process == victim.name and each.turn is not None
        ]
        turns = await self._arena.tables.turns(self._players)
        for game, stored in turns.items():
            if sorted(stored) != list(range(len(stored))):
                found.append(f"{game}: has the turns {sorted(stored)}")
        found += self._compare_sent(turns)
        for line in self._lines.values():
            for state in line.states:
                shown, stored = turns_of(state), turns.get(state["game_id"], {})
                if shown != [stored.get(ply) for ply in range(len(shown))]:
                    found.append(
                        f"{state['game_id']}: {line.player} at {line.process.name} "
                        f"was shown {shown}, the table has {stored}"
                    )
            line.states.clear()
        return found

    def _compare_sent(self, turns: Mapping[str, Mapping[int, str]]) -> list[str]:
        found = []
        for sent in self._sent:
            if sent.outcome == "ok" and turns[sent.game].get(sent.ply) != sent.turn:
                stored = turns[sent.game].get(sent.ply)
                found.append(f"{sent}: acknowledged, but the table has {stored}")
        tried = {(sent.game, sent.ply, sent.turn) for sent in self._sent}
        for game, stored_turns in turns.items():
            found += [
                f"{game}: turn {ply} is {turn}, which nobody sent"
                for ply, turn in stored_turns.items()
                if (game, ply, turn) not in tried
            ]
        return found

    # ---- between rounds ----------------------------------------------------------------------

    def _restart_soon(self, process: ArenaProcess) -> None:
        for name in PLAYERS:
            if (line := self._lines.pop((name, process.number), None)) is not None:
                self._closed.append(line)
        self._starting[process.number] = asyncio.create_task(self._restart(process))

    async def _restart(self, process: ArenaProcess) -> list[str]:
        await process.ended(END_S)
        found = [f"in the log: {line}" for line in process.program.log if "Traceback" in line]
        process.program.log.clear()
        await process.start()
        process.is_up = False  # until the players are there
        await self.connect(process)
        process.is_up = True
        return found

    def _mend_bystanders(self) -> None:
        for process in self._arena.living():
            if process.program.has_ended:
                self.bystanders += 1
                process.is_up = False
                self._restart_soon(process)

    async def _until_living(self) -> list[str]:
        """Wait until enough processes live. Returns what was found in the logs of others."""
        found: list[str] = []
        while True:
            for number in [number for number, task in self._starting.items() if task.done()]:
                found += await self._starting.pop(number)
            if len(self._arena.living()) >= LIVING:
                break
            await asyncio.wait(self._starting.values(), return_when=asyncio.FIRST_COMPLETED)
        for line in self._closed:
            await line.close()
        self._closed.clear()
        return found

    async def _begin_games(self) -> None:
        """Begin games until there are enough."""
        running = await self._arena.owners()
        turns = await self._arena.tables.turns(self._games & running.keys())
        self._games = {game for game in turns if len(turns[game]) < MOST_PLIES}
        line = self._lines[PLAYERS[0], self._rng.choice(self._arena.living()).number]
        for game in turns.keys() - self._games:
            await line.patiently("game.action", game_id=game, action="resign")
        while len(self._games) < GAMES:
            one, two = PLAYERS
            process = self._rng.choice(self._arena.living())
            creator, other = self._lines[one, process.number], self._lines[two, process.number]
            made = await creator.patiently("challenge.create", setup=SETUP, seats=[one, two])
            offer = made["challenge"]["challenge_id"]
            accepted = await other.patiently("challenge.accept", challenge_id=offer)
            game = accepted["challenge"]["game_id"]
            self._players[game] = [one, two]
            self._games.add(game)


@asynccontextmanager
async def fencing(
    folder: Path, rng: random.Random, terms: ClusterTerms = TERMS
) -> AsyncIterator[Fencing]:
    """Run an arena with two players at each process."""
    async with AsyncExitStack() as stack:
        arena = await stack.enter_async_context(running_cluster(folder, terms))
        session = await stack.enter_async_context(aiohttp.ClientSession())
        made = Fencing(arena, session, rng)
        stack.push_async_callback(made.close)
        for process in arena.processes:
            await made.join(process)
        yield made


async def try_fencing(
    folder: Path, times: int, seed: int, progress: Callable[[str], object], bus: str = "postgres"
) -> Outcome:
    """Run that many rounds. The recovery is the time until others had all games."""
    outcome = Outcome("process-stopped-for-3-leases")
    async with fencing(folder, random.Random(f"fencing {seed}"), replace(TERMS, bus=bus)) as made:
        for number in range(1, times + 1):
            began = time.monotonic()
            each = await made.round()
            outcome.note(each.problems, each.takeover_s)
            progress(
                f"{number}/{times}: {each.games} games taken over in {each.takeover_s:.1f} s, "
                f"{each.stale_turns} stale turns, {time.monotonic() - began:.1f} s in all, "
                f"{made.bystanders} bystanders replaced; {'; '.join(each.problems)}"
            )
    return outcome
