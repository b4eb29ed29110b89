"""One engine, usually a process, in the protocol that it speaks: greeting, options, search."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine, Mapping
from contextlib import suppress
from pkgutil import resolve_name
from typing import Any, Self, TypeVar

import engine
from bot.engines.channel import LineChannel, LineWatcher, User, with_box_hint
from bot.engines.conversation import EngineReply
from bot.engines.dialogue import Dialogue, Link, UgiDialogue
from bot.engines.dialogues import DIALOGUES, UGI
from bot.engines.protocol import (
    BestMove,
    InfoLine,
    OptionLine,
    OptionRefused,
    OptionValues,
    game_options,
)
from bot.engines.questions import Budget
from bot.engines.spec import EngineSpec
from bot.errors import EngineFailure, EngineProtocolError, EngineStartError, EngineTimeout
from bot.records.model import EngineSettings
from bot.runtime.tasks import never, result_of, within
from bot.time_source import TimeSource

MAX_WAITING_INFOS = 100
STOP_BEFORE_MS = 250
"""Milliseconds before the hard deadline at which `stop` is sent; engines have 100 ms to obey."""
SETTLE_S = 1.0
SETUP_MS = 30_000.0

T = TypeVar("T")
EngineOpener = Callable[[EngineSpec, TimeSource, User | None], Awaitable[tuple[Link, Dialogue]]]
"""Reaches an engine, and returns the dialogue in its protocol. Raises EngineStartError."""


class EngineProcess:
    """A started engine. One question at a time; after an EngineFailure it must be killed."""

    def __init__(self, spec: EngineSpec, link: Link, dialogue: Dialogue, time: TimeSource) -> None:
        self.spec = spec
        self.settings = EngineSettings(name=spec.name)
        self._link = link
        self._dialogue = dialogue
        self._options = OptionValues(spec.name, dialogue.option_line)
        self._excluded = frozenset[str]()
        self._time = time

    # ---- life ------------------------------------------------------------------------------

    @classmethod
    async def start(cls, spec: EngineSpec, time: TimeSource, user: User | None = None) -> Self:
        """Start the program, send the greeting and set its options, all within `start_timeout_s`.

        An engine that reports compiling has more time. Raises EngineStartError.
        """
        process = cls(spec, *await _opened(spec, time, user), time)
        started = False
        try:
            extended_to = process._dialogue.compiles_until
            await within(time, spec.start_timeout_s, process._greet(), extended_to)
            started = True
        except TimeoutError:
            greeting = process._dialogue.greeting
            message = f"did not send {greeting} within {spec.start_timeout_s:g} s"
            raise EngineStartError(spec.name, message + process._link.hint) from None
        except EngineFailure as error:
            message = with_box_hint(spec, error.message)
            raise EngineStartError(spec.name, message) from error
        finally:
            if not started:
                await process.kill()
        return process

    @property
    def alive(self) -> bool:
        return self._link.alive

    @property
    def options(self) -> Mapping[str, OptionLine]:
        """The options that it has declared, by their names in small letters."""
        return self._options.declared

    def watch_lines(self, watcher: LineWatcher | None) -> None:
        """Pass each line to `watcher` from now on; None ends that."""
        self._link.line_watcher = watcher

    async def kill(self) -> None:
        """End the process and all that it started."""
        await self._link.kill()

    async def close(self) -> None:
        """Send `quit`, give the engine a moment to end by itself, then kill it."""
        with suppress(EngineFailure, TimeoutError):
            self._dialogue.quit()
            await within(self._time, SETTLE_S, self._link.ended())
        await self.kill()

    # ---- questions -------------------------------------------------------------------------

    async def set_up(
        self,
        game: engine.Game,
        options: Mapping[str, str] | None = None,
        within_ms: float = SETUP_MS,
    ) -> None:
        """Start another game with these options of the engine, leaving out those that it lacks.

        Raises EngineFailure, also if the engine does not offer the value, or lacks an option
        without which it would play another game.
        """
        self._dialogue.check_game(game, self.options)
        lines = self._options.lines({**game_options(game), **(options or {})})
        begun = self._dialogue.new_game(lines)
        await self._within_ms(within_ms, begun, "to a new game", may_compile=True)

    async def configure(
        self,
        options: Mapping[str, str],
        within_ms: float = SETUP_MS,
        *,
        is_shared: bool = False,
    ) -> None:
        """Set exactly these options; any other option returns to its default.

        Options that the engine lacks are left out. If the process is shared, each option must have
        a default to which it can return. Raises EngineFailure, including OptionRefused.
        """
        try:
            if is_shared:
                self._options.check_ways_back(options, self.spec.options)
            lines = self._options.changing_to(options)
        except EngineProtocolError as error:
            raise OptionRefused(self.spec.name, error.message) from error
        self._note(options)  # the engine obeys the lines even if this call is cancelled
        if lines:
            ready = self._dialogue.ready(*lines)
            await self._within_ms(within_ms, ready, "to its options", may_compile=True)

    async def exclude(self, turns: frozenset[str], within_ms: float = SETUP_MS) -> None:
        """Exclude these turns, if the engine has that option. Raises EngineFailure."""
        option = self.options.get("exclude")
        if option is None or turns == self._excluded:
            return
        self._excluded = turns  # the engine obeys the line even if this call is cancelled
        line = self._dialogue.option_line(option.name, " ".join(sorted(turns))).rstrip()
        await self._within_ms(within_ms, self._dialogue.ready(line), "to its options")

    async def think(
        self,
        position: engine.Position,
        budget: Budget,
        on_go: Callable[[], None] | None = None,
        *,
        may_resign: bool = False,
    ) -> EngineReply:
        """Return the engine's turn in `position`, which is legal, within the budget's hard
        deadline.

        If it `may_resign`, the answer may be a resignation. `on_go` is called when `go` has been
        written. Raises EngineFailure. When cancelled, the search continues until `settle`.
        """
        began = self._time.monotonic()
        await self._within_ms(budget.hard_ms, self._dialogue.place(position), "to the position")
        left = max(1.0, budget.hard_ms - self._ms_since(began))
        go = self._limits(budget.go)
        search = self._dialogue.search(go, on_sent=on_go)
        reply = await self._answer(search, left, budget.stop_ms, f"to `go {go}`")
        self._check_legal(position, reply.best, may_resign=may_resign)
        return reply

    async def ponder(
        self,
        position: engine.Position,
        go: str,
        hit: "asyncio.Future[Budget]",
        *,
        may_resign: bool = False,
    ) -> EngineReply:
        """Search `position` on the opponent's time, until `hit` reports that it has been reached.

        The budget and the reply's time count from then. The engine has the limits `go` from the
        start. Raises EngineFailure, also before that. See `think` for the rest.
        """
        await self.exclude(frozenset())
        await self._within_ms(SETUP_MS, self._dialogue.place(position), "to the position")
        search = asyncio.create_task(self._dialogue.search(f"ponder {self._limits(go)}"))
        either: set[asyncio.Future[Any]] = {search, hit}
        try:
            await asyncio.wait(either, return_when=asyncio.FIRST_COMPLETED)
            if search.done():
                early = search.result()  # a failure is raised, an answer is kept if it is playable
                self._check_legal(position, early.best, may_resign=may_resign)
            budget = await hit
            self._dialogue.search_began = self._time.monotonic()
            if not search.done():
                self._dialogue.ponderhit()
            left, stop_ms = budget.hard_ms, budget.stop_ms
            reply = await self._answer(result_of(search), left, stop_ms, "to `ponderhit`")
        finally:
            search.cancel()
            await asyncio.gather(search, return_exceptions=True)
        self._check_legal(position, reply.best, may_resign=may_resign)
        return reply

    async def analyse(
        self, position: engine.Position, go: str
    ) -> AsyncIterator[InfoLine | BestMove]:
        """Search from `position` and yield each `info`, then the turn, which is legal.

        Runs until the engine answers, for example after `stop`. Raises EngineFailure.
        """
        await self._within_ms(SETUP_MS, self._dialogue.place(position), "to the position")
        said: asyncio.Queue[InfoLine | BestMove | EngineFailure] = asyncio.Queue()

        def on_info(info: InfoLine) -> None:
            if said.qsize() < MAX_WAITING_INFOS:  # a slow reader misses some
                said.put_nowait(info)

        async def search() -> None:
            try:
                reply = await self._dialogue.search(self._limits(go), on_info=on_info)
            except EngineFailure as error:
                said.put_nowait(error)
            else:
                said.put_nowait(reply.best)

        task = asyncio.create_task(search())
        try:
            while not isinstance(news := await said.get(), BestMove):
                if isinstance(news, EngineFailure):
                    raise news
                yield news
            self._check_legal(position, news)
            yield news
        finally:
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)

    async def is_ready(self, within_ms: float) -> bool:
        """Return whether the engine answers `isready` in that time."""
        try:
            await self._within_ms(within_ms, self._dialogue.ready(), "to `isready`")
        except EngineFailure:
            return False
        return True

    @property
    def unasked_turns(self) -> int:
        """The number of turns that the engine named without a question. None of them is played."""
        return self._dialogue.unasked

    def stop(self) -> None:
        """Ask for the answer now, if a search is running."""
        if self._dialogue.searching and self.alive:
            self._dialogue.stop()

    async def settle(self) -> None:
        """End the search of a cancelled question. Raises EngineFailure if it does not stop."""
        if self._dialogue.searching:
            await self._within_ms(SETTLE_S * 1000, self._dialogue.end_search(), "to `stop`")

    # ---- inside ----------------------------------------------------------------------------

    async def _answer(
        self,
        search: Coroutine[Any, Any, EngineReply],
        left_ms: float,
        stop_ms: int | None,
        what: str,
    ) -> EngineReply:
        """Return what `search` returns; send `stop` in `stop_ms` or shortly before `left_ms`."""
        stop_in = left_ms - min(STOP_BEFORE_MS, left_ms / 4)
        if stop_ms is not None:
            stop_in = min(stop_in, stop_ms)
        stopper = asyncio.create_task(self._stop_after(stop_in / 1000))
        try:
            return await self._within_ms(left_ms, search, what)
        finally:
            stopper.cancel()
            await asyncio.gather(stopper, return_exceptions=True)

    def _limits(self, go: str) -> str:
        """The limits of a search: those of the host, unless the engine counts nodes instead."""
        return go if self.spec.turn_nodes is None else f"nodes {self.spec.turn_nodes}"

    async def _greet(self) -> None:
        facts = await self._dialogue.greet(self._options.declare)
        wanted = self.spec.options
        name, author = facts.get("name") or self.spec.name, facts.get("author") or None
        self.settings = EngineSettings(name=name, author=author)
        lines = self._options.changing_to(wanted)
        self._note(wanted)
        await self._dialogue.ready(*lines)

    def _note(self, options: Mapping[str, str]) -> None:
        """Store the options with which turns are chosen from now on."""
        known = self._options.note(options)
        self.settings = self.settings.model_copy(update={"options": known})

    def _check_legal(
        self, position: engine.Position, best: BestMove, *, may_resign: bool = False
    ) -> None:
        if may_resign and best.resigns:
            return
        try:
            position.play(best.turn)
        except engine.IllegalTurn as refusal:
            raise EngineProtocolError(self.spec.name, f"plays an {refusal}") from refusal

    async def _stop_after(self, seconds: float) -> None:
        await self._time.sleep(seconds)
        with suppress(EngineFailure):  # the search itself reports the engine's death
            self.stop()

    async def _within_ms(
        self, ms: float, work: Coroutine[Any, Any, T], what: str, *, may_compile: bool = False
    ) -> T:
        extended_to = self._dialogue.compiles_until if may_compile else never
        try:
            return await within(self._time, ms / 1000, work, extended_to)
        except TimeoutError:
            raise EngineTimeout(self.spec.name, f"no answer {what} within {ms:.0f} ms") from None

    def _ms_since(self, moment: float) -> float:
        return (self._time.monotonic() - moment) * 1000


async def _opened(spec: EngineSpec, time: TimeSource, user: User | None) -> tuple[Link, Dialogue]:
    """Reach the engine, and return the dialogue in its protocol. Raises EngineStartError."""
    if spec.protocol != UGI:
        opened: EngineOpener = resolve_name(DIALOGUES.load(spec.protocol).opened)
        return await opened(spec, time, user)
    channel = await LineChannel.open(spec, user)
    return channel, UgiDialogue(spec.name, channel, time)
