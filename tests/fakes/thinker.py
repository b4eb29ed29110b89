"""An engine pool that needs no process: it answers when, and what, a test says."""

import asyncio

from bot.engines.questions import Budget, EngineAnswer, PoolUser, Question
from bot.records.model import EngineSettings
from bot.runtime.kernels import Kernels
from engine.warming import parts_of


class FakeThinker:
    """The `Engines` of a session: takes the first legal stones unless `turn` is set.

    After `hold` it thinks until `release`; `cancelled` counts how often that was cut short. A live
    turn begins at once, another one at `release`; `budgets` are what they began with. It expects
    `reply` to every turn, and `expected` is what it was to ponder about.
    """

    def __init__(self) -> None:
        self.questions: list[Question] = []
        self.budgets: list[Budget] = []
        self.expected: list[Question] = []
        self.reply: str | None = None
        self.turn: str | None = None
        self.value: float | None = 0.5
        self.turn_error: Exception | None = None
        self.cancelled = 0
        self.kernels = Kernels()
        self._may_answer = asyncio.Event()
        self._may_answer.set()

    def hold(self) -> None:
        self._may_answer.clear()

    def release(self) -> None:
        self._may_answer.set()

    async def ask(self, question: Question) -> EngineAnswer:
        self.questions.append(question)
        patience = question.patience
        if patience is not None and patience.is_live:
            self.budgets.append(patience.begin())
        try:
            await self._may_answer.wait()
        except asyncio.CancelledError:
            self.cancelled += 1
            raise
        if patience is not None and not patience.is_live:
            self.budgets.append(patience.begin())
        if self.turn_error is not None:
            raise self.turn_error
        turn = self.turn or _first_legal(question)
        settings = EngineSettings(name="Fake")
        return EngineAnswer(
            turn,
            "engine",
            settings,
            time_ms=7,
            value=self.value,
            visits=10,
            pv=(turn,),
            ponder=self.reply,
        )

    def ponder(self, expected: Question) -> None:
        self.expected.append(expected)

    def forget(self, game_id: str, user: PoolUser | None = None) -> None:
        """Nothing is kept."""

    def is_ready_for(self, game: str) -> bool:
        """Whether the kernels that this engine would use are there."""
        return self.kernels.are_there(parts_of(game))

    async def until_ready_for(self, game: str) -> None:
        """Until they are."""
        await self.kernels.until_there(parts_of(game))


def _first_legal(question: Question) -> str:
    excluded = {"pass", *question.excluded}
    return next(turn for turn in question.position.legal_turns() if turn not in excluded)
