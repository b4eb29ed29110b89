"""One game between two running engines, each turn within its time or its nodes."""

from typing import Final

import engine
from bot.engines.budget import Budget
from bot.engines.process import EngineProcess, Reply
from bot.errors import EngineDied, EngineFailure, EngineTimeout
from bot.matches.task import GameReport, GameTask
from bot.records.model import GameRecord, RecordedPlayer, RecordedResult, RecordedTurn
from bot.records.writing import game_record, setup_of
from bot.time_controls import PerTurn
from bot.time_source import TimeSource
from bot.tournaments.model import Reason, Result

PATIENCE_MS: Final = 5000


async def play_game(
    task: GameTask, engines: tuple[EngineProcess, EngineProcess], time: TimeSource
) -> GameReport:
    """What an engine does wrong loses it the game."""
    return await _Game(task, engines, time).play()


class _Game:
    def __init__(
        self, task: GameTask, engines: tuple[EngineProcess, EngineProcess], time: TimeSource
    ) -> None:
        setup = task.setup
        self._task = task
        self._game = engine.game_of(setup.game, setup.board, setup.rules, setup.options)
        self._engines = engines
        self._time = time
        self._began = time.wall()
        self._turns: list[RecordedTurn] = []

    async def play(self) -> GameReport:
        position = self._game.replay(self._task.scheduled.opening)
        self._turns = [RecordedTurn(turn=turn, source="opening") for turn in position.turns]
        mover = 1
        try:
            for mover in (1, 2):
                options = {"Seed": str(self._task.engine_seed(mover))}
                await self._engines[mover - 1].set_up(self._game, options)
            while not position.over:
                mover = position.to_play
                position = await self._turn(self._engines[mover - 1], position)
        except EngineFailure as error:
            loss = Result.model_validate(
                {"winner": 3 - mover, "reason": _reason(error), "message": str(error)[:500]}
            )
            return self._report(position, loss)
        return self._report(position, Result(winner=position.winner, reason="played_out"))

    async def _turn(self, mover: EngineProcess, position: engine.Position) -> engine.Position:
        reply = await mover.think(position, self._budget)
        after = position.play(reply.best.turn)
        self._turns.append(_recorded(reply, after))
        return after

    @property
    def _budget(self) -> Budget:
        setup, patience = self._task.setup, self._task.conduct.patience_ms
        if isinstance(setup.clock, PerTurn):
            think = round(setup.clock.turn_s * 1000)
            return Budget(think, think + PATIENCE_MS, f"movetime {think}")
        return Budget(patience, patience, f"nodes {setup.nodes or 1000}")

    def _report(self, position: engine.Position, result: Result) -> GameReport:
        return GameReport(
            game=self._task.number, result=result, record=self._record(position, result)
        )

    def _record(self, position: engine.Position, result: Result) -> GameRecord:
        one, two = (
            RecordedPlayer(name=name, kind="bot", engine=process.settings)
            for name, process in zip(self._task.scheduled.seats, self._engines, strict=True)
        )
        return game_record(
            self._task.game_id,
            "tournament",
            setup_of(self._game, self._task.setup.clock),
            (one, two),
            self._turns,
            RecordedResult(winner=result.winner, reason=result.reason, message=result.message),
            last=position,
            began=self._began,
            ended=self._time.wall(),
        )


def _reason(error: EngineFailure) -> Reason:
    if isinstance(error, EngineTimeout):
        return "stall"
    return "crash" if isinstance(error, EngineDied) else "illegal_turn"


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
