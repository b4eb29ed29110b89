"""Ends of games by the rules of the host, from the winning chances that both engines report.

A turn without a reported chance is evidence for nothing.
"""

import asyncio
from collections.abc import Callable, Sequence
from typing import Final, Literal, Protocol

import structlog

import engine
from bot.engines.process import EngineProcess
from bot.engines.questions import Budget
from bot.engines.spec import EngineSpec
from bot.errors import EngineFailure, HostError
from bot.time_source import TimeSource
from bot.tournaments.conduct import Adjudication, HostConduct
from bot.tournaments.model import GameResult

PATIENCE_MS: Final = 600_000
JUDGE: Final = EngineSpec(name="judge", options={"Threads": "1", "Seed": "1", "Hash": "64"})
NODES: Final = 5_000


class ResultJudge:
    """Evaluates positions with an engine process, which starts with the first question.

    The same position always has the same answer: the number of nodes is fixed, and each search
    starts without memory of earlier ones.
    """

    def __init__(self, time: TimeSource, nodes: int = NODES, spec: EngineSpec = JUDGE) -> None:
        self._time = time
        self._spec = spec
        self._budget = Budget(PATIENCE_MS, PATIENCE_MS, f"nodes {nodes}")
        self._process: EngineProcess | None = None
        self._turn = asyncio.Lock()

    async def chance(self, position: engine.Position) -> float:
        """The first player's chance to win, 0 to 1. Raises HostError if the engine fails."""
        if position.over:
            return {1: 1.0, 2: 0.0}.get(position.winner or 0, 0.5)
        async with self._turn:
            try:
                own = await self._search(position)
            except EngineFailure as error:
                await self.close()
                raise HostError(f"the host's own engine fails: {error.message}") from error
        return own if position.to_play == 1 else 1 - own

    async def close(self) -> None:
        process, self._process = self._process, None
        if process is not None:
            await process.close()

    async def _search(self, position: engine.Position) -> float:
        """The chance of the player to move; 0.5 if the engine reports none."""
        if self._process is None or not self._process.alive:
            self._process = await EngineProcess.start(self._spec, self._time)
        await self._process.set_up(position.game)
        reply = await self._process.think(position, self._budget)
        return 0.5 if reply.info.winrate is None else reply.info.winrate


Seat = Literal[1, 2]


class Evaluator(Protocol):
    """Evaluates positions; `ResultJudge` does so with an engine."""

    async def chance(self, position: engine.Position) -> float:
        """The first player's chance to win. Raises HostError."""


class Adjudicator:
    """Applies the rules of the host to one game. Without a `judge` no win is adjudicated."""

    def __init__(self, conduct: HostConduct, judge: Evaluator | None) -> None:
        self._conduct = conduct
        self._judge = judge
        self._chances: tuple[list[float | None], list[float | None]] = ([], [])
        """The winning chances that each seat reported for itself, one per turn of its own."""

    def saw(self, seat: int, chance: float | None) -> None:
        """Record the chance that a seat reported with a turn; None if it reported none."""
        self._chances[seat - 1].append(chance)

    async def verdict(self, position: engine.Position) -> GameResult | None:
        """The result if a rule ends the game in this position; otherwise None."""
        ply = len(position.turns)
        return (
            self._resigned(ply)
            or self._agreed(ply)
            or await self._adjudicated(position)
            or self._too_long(ply)
        )

    # ---- inside ----------------------------------------------------------------------------

    def _resigned(self, ply: int) -> GameResult | None:
        rule = self._conduct.resign
        if rule is None or ply < rule.min_ply:
            return None
        for seat in (1, 2):
            if self._all(seat, rule.turns, lambda chance: chance <= rule.below):
                message = f"saw a chance of at most {rule.below:g} in {rule.turns} turns"
                return GameResult(winner=_other(seat), reason="resignation", message=message)
        return None

    def _agreed(self, ply: int) -> GameResult | None:
        rule = self._conduct.agree
        if rule is None or ply < rule.min_ply:
            return None
        margin = rule.margin

        def is_even(chance: float) -> bool:
            return abs(chance - 0.5) <= margin

        if not all(self._all(seat, rule.turns, is_even) for seat in _SEATS):
            return None
        message = f"both saw an even game in {rule.turns} turns each"
        return GameResult(winner=None, reason="draw_agreement", message=message)

    async def _adjudicated(self, position: engine.Position) -> GameResult | None:
        rule = self._conduct.adjudicate
        if rule is None or self._judge is None or len(position.turns) < rule.min_ply:
            return None
        winner = self._foreseen_winner(rule)
        if winner is None:
            return None
        try:
            chance = await self._judge.chance(position)
        except HostError as error:
            structlog.get_logger().warning("not_adjudicated", why=str(error))
            return None
        sees = chance if winner == 1 else 1 - chance
        if sees < rule.sure:
            return None
        message = (
            f"both engines for {rule.turns} turns, and the host, give it {rule.sure:g} or more"
        )
        return GameResult(winner=winner, reason="adjudication", message=message)

    def _foreseen_winner(self, rule: Adjudication) -> Seat | None:
        """The seat that both engines have expected to win for the last `rule.turns` turns."""
        for winner in _SEATS:
            wins = self._all(winner, rule.turns, lambda chance: chance >= rule.sure)
            loses = self._all(_other(winner), rule.turns, lambda chance: chance <= 1 - rule.sure)
            if wins and loses:
                return winner
        return None

    def _too_long(self, ply: int) -> GameResult | None:
        most = self._conduct.most_turns
        if most is None or ply < most:
            return None
        return GameResult(winner=None, reason="adjudication", message=f"not over after {ply} turns")

    def _all(self, seat: int, turns: int, test: Callable[[float], bool]) -> bool:
        """Whether all of the last `turns` chances of the seat pass the test."""
        last: Sequence[float | None] = self._chances[seat - 1][-turns:]
        return len(last) == turns and all(each is not None and test(each) for each in last)


_SEATS: tuple[Seat, Seat] = (1, 2)


def _other(seat: int) -> Seat:
    return 2 if seat == 1 else 1
