"""`make lab ARGS=latency`: the time from a turn's arrival at the bot to the `go` for its engine."""

import asyncio
import random
import tempfile
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager
from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import orjson
from cyclopts import Parameter

import engine
from bot.bench.clients.frames import Json, payload
from bot.bench.clients.guests import Guest, as_setup
from bot.bench.clients.sources import open_sources
from bot.bench.processes import serving
from bot.bench.summary import Times, summary
from bot.cli.games import Board, GameName, chosen_game
from bot.cli.measurements import Count, FigureTable, MeasurementReport, measurement, progress

CLOCK = {"kind": "fischer", "initial_s": 600, "increment_s": 5}
OPPONENT = "Pebble"


@measurement
def latency(
    *,
    turns: Annotated[Count, Parameter(help="number of turns to measure")] = 200,
    game: GameName = "bluestone",
    board: Board = None,
) -> MeasurementReport:
    """Measure the latency from a turn's arrival at the bot to the `go` of its engine, in
    milliseconds.
    """
    found = asyncio.run(measure(turns, chosen_game(game, board, None), progress))
    figures = (found.median, found.p90, found.p95, found.p99, found.highest)
    table = FigureTable(
        ("ms", "count", "median", "p90", "p95", "p99", "highest"),
        [("arrival to go", f"{found.count}", *(f"{each:g}" for each in figures))],
    )
    return MeasurementReport([table], {"arrival to go": asdict(found)})


async def measure(turns: int, game: engine.Game, on_progress: Callable[[str], None]) -> Times:
    """Play random games against a bundled bot, and read the times from the bot's log."""
    with tempfile.TemporaryDirectory() as data:
        log = Path(data) / "logs" / "bot.log"
        async with serving("up", "--port", "0", "--data", data) as address:
            seed = 0
            while len(list(go_times(log))) < turns:
                seed += 1
                await _one_game(address, game, seed)
                on_progress(f"{len(list(go_times(log)))} of {turns} turns")
        return summary(list(go_times(log))[:turns])


def go_times(log: Path) -> Iterator[float]:
    """Yield the milliseconds to `go` of each turn in a bot's JSON log for which an engine was
    asked.
    """
    if not log.exists():
        return
    for line in log.read_bytes().splitlines():
        try:
            facts = orjson.loads(line)
        except orjson.JSONDecodeError:
            continue
        if facts.get("event") == "turn" and facts.get("go_after_ms") is not None:
            yield float(facts["go_after_ms"])


async def _one_game(address: str, game: engine.Game, seed: int) -> None:
    async with seated(address) as (guest, states):
        await guest.challenge(OPPONENT, as_setup(game, CLOCK))
        await play(guest, states, game, random.Random(seed))


@asynccontextmanager
async def seated(address: str) -> AsyncIterator[tuple[Guest, "asyncio.Queue[Json]"]]:
    """Enter as a guest; yield it, and the states of its games as they arrive."""
    states: asyncio.Queue[Json] = asyncio.Queue()
    async with open_sources() as sources:
        guest = Guest(sources.session(None), lambda text, _: states.put_nowait(payload(text)))
        try:
            yield await guest.enter(address), states
        finally:
            await guest.leave()


async def play(
    guest: Guest, states: "asyncio.Queue[Json]", game: engine.Game, chance: random.Random
) -> None:
    """Play random turns as player 1, to the end of the game."""
    ply = -1
    while True:
        state = await asyncio.wait_for(states.get(), 60)
        if state["state"] == "finished":
            return
        if state["to_play"] != 1 or len(state["turns"]) <= ply:
            continue
        ply = len(state["turns"])
        position = game.start()
        for played in state["turns"]:
            position = position.play(played["turn"])
        turn = chance.choice(
            [turn for turn in position.legal_turns() if turn != "pass"] or ["pass"]
        )
        await guest.ask("game.turn", game_id=state["game_id"], ply=ply, turn=turn)
