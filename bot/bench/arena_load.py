"""Many games at once on one arena: how soon a turn reaches the opponent."""

import asyncio
import random
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass, field

import engine
from bot.bench.guests import Guest, Json
from bot.bench.processes import serving
from bot.bench.summary import Times, summary

CLOCK = {"kind": "fischer", "initial_s": 3600, "increment_s": 10}


@dataclass(frozen=True)
class ArenaLoad:
    """Times from sending a turn to its arrival at the opponent, and to the acknowledgement."""

    games: int
    turns_a_second: float
    arrival_ms: Times
    acknowledged_ms: Times


@dataclass
class _Tally:
    arrivals: list[float] = field(default_factory=list)
    acknowledgements: list[float] = field(default_factory=list)


class _Table:
    """Two guests and the turns that they are going to play; the clients know no rules."""

    def __init__(self, turns: tuple[str, ...], pause_s: float, seed: int, tally: _Tally) -> None:
        self._turns = turns
        self._pause_s = pause_s
        self._chance = random.Random(seed)
        self._tally = tally
        self._sent_at: dict[int, float] = {}
        self._states: asyncio.Queue[Json] = asyncio.Queue()
        self.guests = (Guest(self._arrived(1)), Guest(self._arrived(2)))

    def _arrived(self, seat: int) -> Callable[[Json, float], None]:
        def note(state: Json, moment: float) -> None:
            ply = len(state["turns"])
            if state["state"] == "playing" and state["to_play"] == seat:
                if (sent := self._sent_at.pop(ply - 1, None)) is not None:
                    self._tally.arrivals.append((moment - sent) * 1000)
                self._states.put_nowait(state)

        return note

    async def play(self, game: engine.Game) -> None:
        """Play until cancelled or to the end of the prepared turns."""
        await self.guests[0].challenge(self.guests[1].name, game, CLOCK)
        ply = -1
        while ply + 1 < len(self._turns) - 1:
            state = await self._states.get()
            if len(state["turns"]) <= ply:
                continue
            ply = len(state["turns"])
            await asyncio.sleep(self._chance.uniform(0.5, 1.5) * self._pause_s)
            began = self._sent_at[ply] = time.monotonic()
            mover = self.guests[state["to_play"] - 1]
            await mover.ask("game.turn", game_id=state["game_id"], ply=ply, turn=self._turns[ply])
            self._tally.acknowledgements.append((time.monotonic() - began) * 1000)


async def measure(
    games: int,
    seconds: float,
    pause_s: float,
    game: engine.Game,
    on_progress: Callable[[str], None],
) -> ArenaLoad:
    """Let that many games go on for so many seconds, with a pause before every turn."""
    tally = _Tally()
    tables = [
        _Table(engine.play_out(game, seed=seed).turns, pause_s, seed, tally)
        for seed in range(games)
    ]
    with tempfile.TemporaryDirectory() as data:
        async with serving("arena", "--port", "0", "--data", data) as address:
            for table in tables:
                for guest in table.guests:
                    await guest.enter(address)
            on_progress(f"{2 * games} clients are connected")
            await _run(tables, game, seconds)
            for table in tables:
                await asyncio.gather(*(guest.leave() for guest in table.guests))
    rate = round(len(tally.acknowledgements) / seconds, 1)
    return ArenaLoad(games, rate, summary(tally.arrivals), summary(tally.acknowledgements))


async def _run(tables: list[_Table], game: engine.Game, seconds: float) -> None:
    tasks = [asyncio.create_task(table.play(game)) for table in tables]
    done, _ = await asyncio.wait(tasks, timeout=seconds)
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)
    for task in done:
        task.result()
