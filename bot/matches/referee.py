"""The referee of one game: it asks both engines in turn, and decides how the game ends."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final, Literal, NoReturn

import structlog

import engine
from bot.engines.conversation import EngineReply
from bot.engines.pondering import Pondering
from bot.engines.process import EngineProcess
from bot.engines.questions import Budget
from bot.errors import EngineDied, EngineFailure, EngineTimeout, HostError
from bot.matches.adjudication import Adjudicator, Evaluator
from bot.matches.clocks import Delays, GameClocks
from bot.matches.task import GameReport, GameTask
from bot.records.model import (
    GameRecord,
    RecordedPlayer,
    RecordedResult,
    RecordedTurn,
    early_end_words,
)
from bot.records.writing import game_record, setup_of
from bot.time_source import TimeSource
from bot.tournaments.model import GameResult, Reason


class Thinker:
    """One engine in a game. Between its turns it ponders, if its settings say so."""

    def __init__(self, process: EngineProcess, time: TimeSource) -> None:
        self._process = process
        self._time = time
        self._pondering: Pondering | None = None

    async def think(
        self, position: engine.Position, budget: Budget, on_go: Callable[[], None]
    ) -> EngineReply:
        """The reply of the engine: a turn, or that it resigns.

        `on_go` is called when its time begins to count. Raises EngineFailure, also for a failure
        while it was pondering.
        """
        pondering = self._pondering
        if pondering is not None and pondering.is_about(position):
            self._pondering = None
            on_go()
            return await pondering.hit(budget)
        await self._stop()
        return await self._process.think(position, budget, on_go, may_resign=True)

    def ponder(self, position: engine.Position, reply: str | None, budget: Budget) -> None:
        """Start pondering after its own turn, on the position after the `reply` that it expects."""
        if not self._process.spec.ponder or reply is None or not position.is_legal(reply):
            return
        expected = position.play(reply)
        if not expected.over:
            self._pondering = Pondering(
                self._process, expected, budget.go, self._time, may_resign=True
            )

    async def end(self) -> None:
        """Stop pondering at the end of the game. An engine that does not stop is killed."""
        try:
            await self._stop()
        except EngineFailure:
            await self._process.kill()

    async def _stop(self) -> None:
        pondering, self._pondering = self._pondering, None
        if pondering is None:
            return
        if (failure := await pondering.end()) is not None:
            raise failure
        await self._process.settle()


STILL_THERE_MS: Final = 5_000
"""How long the other engine has to answer `isready`: if it does not, the machine is at fault."""
MESSAGE_LETTERS: Final = 500


@dataclass(frozen=True)
class Officials:
    """Services that many games share: the judge of positions, and the measure of host delays."""

    judge: Evaluator | None = None
    lateness: Delays | None = None


async def play_game(
    task: GameTask,
    seats: tuple[EngineProcess, EngineProcess],
    time: TimeSource,
    officials: Officials = Officials(),
) -> GameReport:
    """Play a game from its opening to its end. Faults of an engine end it, and never raise.

    An engine that failed is killed. If this machine is at fault, the game is void.
    """
    try:
        table = _RefereedGame(task, seats, time, officials)
        result = await table.play()
    except _Void as void:
        return GameReport(game=task.number, void=str(void)[:MESSAGE_LETTERS])
    except (HostError, OSError, engine.EngineError) as error:
        why = f"the host failed: {error}" if str(error) else f"the host failed: {error!r}"
        return GameReport(game=task.number, void=why[:MESSAGE_LETTERS])
    return GameReport(game=task.number, result=result, record=table.record(result))


class _Void(Exception):
    """The game does not count; the text says why."""


class _Over(Exception):
    """The game has ended, but not by a turn."""

    def __init__(self, result: GameResult) -> None:
        super().__init__(result.message)
        self.result = result


class _RefereedGame:
    """One running game: its position, clocks, engines and recorded turns."""

    def __init__(
        self,
        task: GameTask,
        seats: tuple[EngineProcess, EngineProcess],
        time: TimeSource,
        officials: Officials,
    ) -> None:
        setup, conduct = task.setup, task.conduct
        self._task = task
        self._seats = seats
        self._thinkers = [Thinker(process, time) for process in seats]
        self._time = time
        self._lateness = officials.lateness
        self._game = engine.game_of(setup.game, setup.board, setup.rules, setup.options)
        limits = task.limit(1), task.limit(2)
        self._clocks = GameClocks(limits, conduct.margin_ms, conduct.patience_ms)
        self._onlooker = Adjudicator(conduct, officials.judge)
        self._position = self._game.start()
        self._turns: list[RecordedTurn] = []
        self._draw_is_offered = False
        self._unasked = [process.unasked_turns for process in seats]
        self._began = time.wall()
        self._log = structlog.get_logger().bind(game=task.game_id)

    async def play(self) -> GameResult:
        """Play the game. Raises _Void, HostError, and EngineError for an illegal opening."""
        for turn in self._task.scheduled.opening:
            self._position = self._position.play(turn)
            self._turns.append(self._recorded(source="opening"))
        try:
            for seat in (1, 2):
                await self._set_up(seat)
            return await self._play_on()
        except _Over as over:
            return over.result
        finally:
            for thinker in self._thinkers:
                await thinker.end()
            self._note_unasked_turns()

    async def _play_on(self) -> GameResult:
        while not self._position.has_ended:
            await self._turn()
            if not self._position.has_ended:
                verdict = await self._onlooker.verdict(self._position)
                if verdict is not None:
                    return verdict
        message = early_end_words(self._position, ("player 1", "player 2"))
        winner = _seat(self._position.final_winner)
        return GameResult(winner=winner, reason="played_out", message=message)

    # ---- turns ---------------------------------------------------------------------------------

    async def _set_up(self, seat: int) -> None:
        process = self._seats[seat - 1]
        try:
            within_ms = process.spec.start_timeout_s * 1000
            await process.set_up(self._game, self._options(seat), within_ms)
        except EngineFailure as error:
            await self._failed(seat, error)

    def _options(self, seat: int) -> dict[str, str]:
        """The options that the host sets for this game, unless the operator has set them."""
        process = self._seats[seat - 1]
        own = {name.lower() for name in process.spec.options}
        wanted = {"Seed": str(self._task.engine_seed(seat)), "Match": "true"}
        return {
            name: value
            for name, value in wanted.items()
            if name.lower() not in own and _offers(process, name, value)
        }

    async def _turn(self) -> None:
        """Ask the engine to move for a turn, and play it. Raises _Over and _Void."""
        seat, asked_at = self._position.to_play, self._time.monotonic()
        went_at: float | None = None

        def on_go() -> None:
            nonlocal went_at
            went_at = self._time.monotonic()

        budget = self._clocks.budget(seat)
        try:
            reply = await self._thinkers[seat - 1].think(self._position, budget, on_go)
        except EngineFailure as error:
            await self._failed(seat, error, went_at)
        self._check_time(seat, reply, asked_at)
        self._check_words(seat, reply)
        self._clocks.charge(seat, reply.time_ms)
        self._onlooker.saw(seat, reply.info.winrate)
        self._position = self._position.play(reply.best.turn)
        self._turns.append(self._recorded(seat, reply))
        if not self._position.has_ended:
            after = self._clocks.budget(seat)
            self._thinkers[seat - 1].ponder(self._position, reply.best.ponder, after)

    def _check_time(self, seat: int, reply: EngineReply, asked_at: float) -> None:
        late = 0 if self._lateness is None else self._lateness.worst_ms(asked_at)
        overrun = self._clocks.overrun_ms(seat, reply.time_ms, late)
        if overrun:
            left = self._clocks.left_ms(seat)
            message = f"took {reply.time_ms} ms of {left} ms: {overrun} ms too long"
            self._lose(seat, "time_forfeit", message)

    def _check_words(self, seat: int, reply: EngineReply) -> None:
        """Handle resignations and draw offers. Raises _Over."""
        if reply.best.resigns:
            self._lose(seat, "resignation", "resigned")
        if reply.best.offers_draw and self._draw_is_offered:
            message = "one offered a draw, and the other did so too"
            raise _Over(GameResult(winner=None, reason="draw_agreement", message=message))
        self._draw_is_offered = reply.best.offers_draw

    # ---- faults --------------------------------------------------------------------------------

    async def _failed(
        self, seat: int, error: EngineFailure, went_at: float | None = None
    ) -> NoReturn:
        """End the game after a failure of an engine: its seat loses. Always raises.

        After a timeout the game is void if the other engine is silent too. `went_at` is when `go`
        was written; None before that.
        """
        failed_at = self._time.monotonic()
        await self._seats[seat - 1].kill()
        if isinstance(error, EngineTimeout):
            other = self._seats[2 - seat]
            await self._thinkers[2 - seat].end()
            if not await other.is_ready(STILL_THERE_MS):
                await other.kill()
                raise _Void(f"both engines are silent: {error.message}")
            if went_at is not None:
                self._check_flag(seat, went_at, failed_at)
        self._lose(seat, fault_of(error, is_thinking=went_at is not None), error.message)

    def _check_flag(self, seat: int, went_at: float, failed_at: float) -> None:
        """Raise _Over if the seat's clock ran out, although no turn came.

        Raises _Void if a delay of this machine may explain it.
        """
        used_ms = round((failed_at - went_at) * 1000)
        overrun = self._clocks.overrun_ms(seat, used_ms)
        if not overrun:  # it has no clock, or failed before the clock ran out
            return
        late = 0 if self._lateness is None else self._lateness.worst_ms(went_at)
        if not self._clocks.overrun_ms(seat, used_ms, late):
            raise _Void(f"this machine stood still for {late} ms while an engine was waited for")
        left = self._clocks.left_ms(seat)
        message = f"no answer in {used_ms} ms of {left} ms: at least {overrun} ms too long"
        self._lose(seat, "time_forfeit", message)

    def _lose(self, seat: int, reason: Reason, message: str) -> NoReturn:
        text = f"{self._task.scheduled.seats[seat - 1]}: {message}"
        raise _Over(
            GameResult(winner=_seat(3 - seat), reason=reason, message=text[:MESSAGE_LETTERS])
        )

    def _note_unasked_turns(self) -> None:
        for process, before in zip(self._seats, self._unasked, strict=True):
            if (count := process.unasked_turns - before) > 0:
                self._log.warning("turns_unasked_for", engine=process.spec.name, count=count)

    # ---- the record ----------------------------------------------------------------------------

    def _recorded(
        self, seat: int | None = None, reply: EngineReply | None = None, source: str = "engine"
    ) -> RecordedTurn:
        """The record of the last turn of the position."""
        turn, captured = self._position.turns[-1], list(self._position.captured)
        if seat is None or reply is None:
            return RecordedTurn(turn=turn, captured=captured, source=source)
        return RecordedTurn(
            turn=turn,
            captured=captured,
            time_ms=reply.time_ms,
            clock=self._clocks.clock(seat),
            value=reply.info.winrate,
            visits=reply.info.nodes,
            pv=list(reply.info.pv),
            source=source,
        )

    def record(self, result: GameResult) -> GameRecord:
        return game_record(
            self._task.game_id,
            "match",
            setup_of(self._game, self._task.setup.limit.control),
            (self._player(1), self._player(2)),
            self._turns,
            RecordedResult(winner=result.winner, reason=result.reason, message=result.message),
            last=self._position,
            began=self._began,
            ended=self._time.wall(),
        )

    def _player(self, seat: int) -> RecordedPlayer:
        settings = self._seats[seat - 1].settings
        options = {**settings.options, **self._options(seat)}
        settings = settings.model_copy(update={"options": options})
        own_limit = self._task.own_limits[seat - 1]
        return RecordedPlayer(
            name=self._task.scheduled.seats[seat - 1],
            kind="bot",
            engine=settings,
            clock=None if own_limit is None else own_limit.control,
        )


def fault_of(error: EngineFailure, *, is_thinking: bool) -> Reason:
    """The reason of a result after a failure. `is_thinking` tells whether its time was running."""
    if isinstance(error, EngineDied):
        return "crash" if is_thinking or error.status else "disconnect"
    return "stall" if isinstance(error, EngineTimeout) else "illegal_turn"


def _offers(process: EngineProcess, name: str, value: str) -> bool:
    option = process.options.get(name.lower())
    return option is not None and option.takes(value)


def _seat(winner: int | None) -> Literal[1, 2] | None:
    return None if winner is None else 1 if winner == 1 else 2
