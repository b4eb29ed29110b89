"""Matches between two engines on our own referee: no server, seats alternating.

What an engine does wrong (an illegal turn, a crash, no answer) loses it that game, and is counted.
"""

import math
from collections import Counter
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass

import engine
from bot.engines.budget import Budget
from bot.engines.process import EngineProcess, Reply
from bot.engines.slots import kind_of_failure
from bot.engines.spec import EngineSpec
from bot.errors import EngineFailure
from bot.records.model import GameRecord, RecordedPlayer, RecordedResult, RecordedTurn
from bot.records.writing import game_record, setup_of
from bot.time_controls import PerTurn, TimeControl, Untimed
from bot.time_source import TimeSource

PATIENCE_MS = 5000
"""How much longer than it was told an engine may take before it loses the game."""
NODES_PATIENCE_MS = 600_000


@dataclass(frozen=True)
class TurnLimit:
    """What an engine may use for each turn: either milliseconds or nodes."""

    movetime_ms: int | None = None
    nodes: int | None = None

    @property
    def budget(self) -> Budget:
        if self.movetime_ms is None:
            return Budget(NODES_PATIENCE_MS, NODES_PATIENCE_MS, f"nodes {self.nodes}")
        hard = self.movetime_ms + PATIENCE_MS
        return Budget(self.movetime_ms, hard, f"movetime {self.movetime_ms}")

    @property
    def control(self) -> TimeControl:
        if self.movetime_ms is None:
            return Untimed()
        return PerTurn(turn_s=self.movetime_ms / 1000)


@dataclass(frozen=True)
class MatchGame:
    """A game of a match; `score` is the first engine's: 1, 0.5 or 0."""

    record: GameRecord
    score: float
    fault: str | None = None


@dataclass(frozen=True)
class MatchScore:
    """How the first engine did; `low` and `high` bound its true score with 95 % confidence."""

    games: int
    wins: int
    draws: int
    losses: int
    score: float
    low: float
    high: float
    faults: dict[str, int]
    """Kinds of faults that decided games, by `engine: kind`."""


def match_score(games: Sequence[MatchGame]) -> MatchScore:
    """The result so far, with Wilson's interval (a draw counts as half a win)."""
    points = sum(game.score for game in games)
    low, high = wilson_interval(points, len(games))
    return MatchScore(
        games=len(games),
        wins=sum(game.score == 1 for game in games),
        draws=sum(game.score == 0.5 for game in games),
        losses=sum(game.score == 0 for game in games),
        score=points / len(games) if games else 0.5,
        low=low,
        high=high,
        faults=dict(Counter(game.fault for game in games if game.fault is not None)),
    )


def wilson_interval(points: float, games: int, z: float = 1.96) -> tuple[float, float]:
    """Wilson's score interval for a proportion (J. Am. Stat. Assoc. 22, 1927)."""
    if games == 0:
        return 0.0, 1.0
    share = points / games
    middle = share + z * z / (2 * games)
    spread = z * math.sqrt(share * (1 - share) / games + z * z / (4 * games * games))
    scale = 1 + z * z / games
    return max(0.0, (middle - spread) / scale), min(1.0, (middle + spread) / scale)


async def play_match(
    specs: tuple[EngineSpec, EngineSpec],
    game: engine.Game,
    limit: TurnLimit,
    games: int,
    time: TimeSource,
    on_game: Callable[[MatchGame], None],
    seed: int = 0,
) -> MatchScore:
    """Play so many games one after the other, the first engine beginning every second one.

    Engines get other random numbers for every game, and for every `seed`.

    Raises EngineStartError if an engine does not start.
    """
    played: list[MatchGame] = []
    for number in range(games):
        async with _processes(specs, game, 2 * (seed + number), time) as processes:
            seats = processes if number % 2 == 0 else processes[::-1]
            referee = _Referee(game, seats, limit, time)
            record, fault = await referee.play(f"match-{number + 1}")
        score = _score_of(record.result, first_seat=1 if number % 2 == 0 else 2)
        played.append(MatchGame(record, score, fault))
        on_game(played[-1])
    return match_score(played)


@asynccontextmanager
async def _processes(
    specs: tuple[EngineSpec, EngineSpec], game: engine.Game, seed: int, time: TimeSource
) -> AsyncIterator[tuple[EngineProcess, EngineProcess]]:
    """Both engines, started and set up; other seeds for every game."""
    async with AsyncExitStack() as stack:
        started = []
        for place, spec in enumerate(specs):
            process = await EngineProcess.start(spec, time)
            stack.push_async_callback(process.close)
            await process.set_up(game, {"Seed": str(seed + place + 1)})
            started.append(process)
        yield started[0], started[1]


def _score_of(result: RecordedResult | None, first_seat: int) -> float:
    assert result is not None
    if result.winner is None:
        return 0.5
    return 1.0 if result.winner == first_seat else 0.0


class _Referee:
    """One game: asks the engines in turn and checks every answer."""

    def __init__(
        self,
        game: engine.Game,
        seats: tuple[EngineProcess, EngineProcess],
        limit: TurnLimit,
        time: TimeSource,
    ) -> None:
        self._game = game
        self._seats = seats
        self._limit = limit
        self._time = time
        self._began = time.wall()
        self._turns: list[RecordedTurn] = []

    async def play(self, name: str) -> tuple[GameRecord, str | None]:
        """The finished game, and the fault that ended it if there was one."""
        position = self._game.start()
        while not position.over:
            mover = self._seats[position.to_play - 1]
            try:
                position = await self._turn(mover, position)
            except EngineFailure as error:
                fault = f"{mover.spec.name}: {kind_of_failure(error)}"
                winner = 3 - position.to_play
                result = RecordedResult.model_validate(
                    {"winner": winner, "reason": "engine_fault", "message": str(error)}
                )
                return self._record(name, position, result), fault
        result = RecordedResult.model_validate({"winner": position.winner, "reason": "played_out"})
        return self._record(name, position, result), None

    async def _turn(self, mover: EngineProcess, position: engine.Position) -> engine.Position:
        reply = await mover.think(position, self._limit.budget)
        after = position.play(reply.best.turn)
        self._turns.append(_recorded(reply, after))
        return after

    def _record(self, name: str, position: engine.Position, result: RecordedResult) -> GameRecord:
        one, two = (
            RecordedPlayer(name=seat.spec.name, kind="bot", engine=seat.settings)
            for seat in self._seats
        )
        return game_record(
            name,
            "match",
            setup_of(self._game, self._limit.control),
            (one, two),
            self._turns,
            result,
            last=position,
            began=self._began,
            ended=self._time.wall(),
        )


def _recorded(reply: Reply, after: engine.Position) -> RecordedTurn:
    return RecordedTurn(
        turn=after.turns[-1],
        captured=list(after.captured),
        time_ms=reply.time_ms,
        value=reply.info.winrate,
        visits=reply.info.nodes,
        pv=list(reply.info.pv),
        source="engine",
    )
