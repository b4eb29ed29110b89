"""Analyses of visitors: one position each, queued, searched, and sent to them while it is found."""

from collections.abc import Callable
from dataclasses import replace
from typing import Final, Literal

from bot import wire
from bot.arena.analysis.analysis_jobs import Found
from bot.arena.analysis.analysis_queue import EFFORT_S, Ask, FairQueue, QueueFull, seconds_for
from bot.arena.announcer import Announcer
from bot.arena.refusals import RATE_LIMITED, Refused
from bot.runtime.alarms import Alarms
from bot.runtime.bounded import BoundedMemory
from bot.runtime.token_bucket import BUCKET_BYTES, TokenBucket
from bot.time_source import TimeSource

FOUND_BYTES: Final = 16_000_000
"""For the results of searches; one takes about 8 kB."""
STARTS_PER_S: Final = 1.0
STARTS_BURST: Final = 20
STARTS_BYTES: Final = 3_000_000
"""For the requests of about 5,000 visitors."""
PLACES_EVERY_S: Final = 1.0
MOST_TRIES: Final = 2
"""A request fails after this number of workers have lost it."""

State = Literal["queued", "running", "done", "failed", "cancelled"]


class VisitorAnalyses:
    """What visitors wait for. `wake` is called when there is work; `engines` counts the workers."""

    def __init__(
        self,
        announcer: Announcer,
        time: TimeSource,
        wake: Callable[[], None],
        engines: Callable[[], int],
    ) -> None:
        self._announcer = announcer
        self._time = time
        self._wake = wake
        self._engines = engines
        self._queue = FairQueue()
        self._running: dict[str, VisitorTask] = {}
        self._task_of: dict[str, VisitorTask] = {}
        self._states: dict[str, wire.AnalysisState] = {}
        self._cache: BoundedMemory[tuple[str, float], Found] = BoundedMemory(FOUND_BYTES)
        self._starts: BoundedMemory[str, TokenBucket] = BoundedMemory(
            STARTS_BYTES, lambda _: BUCKET_BYTES
        )
        self._alarms = Alarms(time)

    async def close(self) -> None:
        await self._alarms.close()

    @property
    def waiting(self) -> int:
        """How many visitors wait for a worker."""
        return len(self._queue)

    # ---- what visitors do ------------------------------------------------------------------

    def check_rate(self, visitor: str) -> None:
        """Count a request. Raises Refused if the visitor sends too many."""
        bucket = self._starts.get(visitor)
        if bucket is None:
            bucket = TokenBucket(STARTS_PER_S, STARTS_BURST, self._time)
            self._starts.put(visitor, bucket)
        if not bucket.take():
            raise Refused(RATE_LIMITED, retry_after_s=bucket.wait_s)

    def start(
        self, visitor: str, origin: str, message: wire.StartAnalysis, key: str
    ) -> wire.AnalysisState:
        """Queue a position, in place of what the visitor asked before. Raises Refused."""
        wanted = EFFORT_S[message.effort]
        former = self._states.get(visitor)
        if former is not None and former.request == message.request:
            return former  # the same request again, after a lost answer
        known = self._cached(key, wanted)
        if known is None and not self._engines():
            raise Refused("no_analyst")
        ask = Ask(
            visitor, origin, message.request, key, message.setup, tuple(message.turns), wanted
        )
        if former is not None:
            self._forget(visitor, keeps_place=known is None)
            self._tell(visitor, former.model_copy(update={"place": None}), "cancelled")
        state = wire.AnalysisState(request=message.request, revision=0, state="queued")
        if known is not None:
            return _with(state, known, "done")
        self._states[visitor] = state
        if not self._join(ask):
            self._enqueue(ask)
        return self._states[visitor]

    def _join(self, ask: Ask) -> bool:
        """Let the visitor watch a search that runs for others; returns whether there is one."""
        task = self._running.get(ask.key)
        if task is None or task.wanted < ask.seconds:
            return False
        self._queue.drop(ask.visitor)
        self._watch(task, ask)
        state = self._states[ask.visitor]
        joined = state.model_copy(update={"state": "running", "shortened": task.is_shortened})
        if task.latest is not None:
            joined = _with(joined, task.latest, "running")
        self._states[ask.visitor] = joined
        return True

    def _enqueue(self, ask: Ask) -> None:
        try:
            self._queue.put(ask)
        except QueueFull:
            del self._states[ask.visitor]
            raise Refused("too_many", "Too many visitors wait for an analysis.") from None
        place = next(n for n, each in enumerate(self._queue.in_order(), 1) if each is ask)
        state = self._states[ask.visitor]
        self._states[ask.visitor] = state.model_copy(update={"place": place})
        self._wake()

    def has_asked(self, visitor: str, request: str) -> bool:
        """Return whether this is the request that the visitor waits for, sent again."""
        former = self._states.get(visitor)
        return former is not None and former.request == request

    def cancel(self, visitor: str, request: str | None = None) -> None:
        """Drop what a visitor waits for; with `request`, only if it is that."""
        state = self._states.get(visitor)
        if state is not None and request in {None, state.request}:
            self._forget(visitor)

    def _forget(self, visitor: str, *, keeps_place: bool = False) -> None:
        self._states.pop(visitor, None)
        if not keeps_place:
            self._queue.drop(visitor)
        task = self._task_of.pop(visitor, None)
        if task is not None:
            del task.watchers[visitor]
            if not task.watchers:
                self._no_longer_running(task)

    def _no_longer_running(self, task: "VisitorTask") -> None:
        if self._running.get(task.key) is task:
            del self._running[task.key]

    def _cached(self, key: str, wanted: float) -> Found | None:
        longer = (seconds for seconds in sorted(EFFORT_S.values()) if seconds >= wanted)
        found = (self._cache.get((key, seconds)) for seconds in longer)
        return next((each for each in found if each is not None), None)

    # ---- what workers do -------------------------------------------------------------------

    def next_task(self) -> "VisitorTask | None":
        """The search of the visitor whose turn it is."""
        waiting = len(self._queue)
        ask = self._queue.pop()
        if ask is None:
            return None
        seconds = seconds_for(ask.seconds, waiting - 1, self._engines())
        task = self._running[ask.key] = VisitorTask(self, ask, seconds)
        for each in (ask, *self._queue.take_equal(ask)):
            self._watch(task, each)
        self.tell_watchers(task, "running")
        self._alarms.set("places", self._time.monotonic() + PLACES_EVERY_S, self._tell_places)
        return task

    def _watch(self, task: "VisitorTask", ask: Ask) -> None:
        task.watchers[ask.visitor] = ask
        self._task_of[ask.visitor] = task

    def finished(self, task: "VisitorTask", found: Found) -> None:
        """Send the result to those who wait for it."""
        self._no_longer_running(task)
        if not task.is_shortened:
            self._cache.put((task.key, task.wanted), found)
        self.tell_watchers(task, "done")
        for visitor in list(task.watchers):
            self._forget(visitor)

    def lost(self, task: "VisitorTask", why: str) -> None:
        """Queue the search again, unless too many workers have lost it."""
        self._no_longer_running(task)
        for visitor, ask in reversed(list(task.watchers.items())):
            if ask.tries + 1 >= MOST_TRIES:
                self.tell_watchers(task, "failed", why, only=visitor)
                self._forget(visitor)
            else:
                del self._task_of[visitor]
                self._queue.put(replace(ask, tries=ask.tries + 1), first=True)
                self._tell(visitor, self._states[visitor], "queued")
        task.watchers.clear()

    # ---- what visitors see -----------------------------------------------------------------

    def tell_watchers(
        self, task: "VisitorTask", state: State, why: str | None = None, only: str | None = None
    ) -> None:
        """Send the state of a search to those who wait for it, or to `only` one of them."""
        for visitor in list(task.watchers) if only is None else [only]:
            news = self._states[visitor].model_copy(
                update={"place": None, "shortened": task.is_shortened, "message": why}
            )
            news = news if task.latest is None else _with(news, task.latest, state)
            self._tell(visitor, news, state)

    async def _tell_places(self) -> None:
        for place, ask in enumerate(self._queue.in_order(), 1):
            known = self._states[ask.visitor]
            if known.place != place:
                self._tell(ask.visitor, known.model_copy(update={"place": place}), "queued")

    def _tell(self, visitor: str, news: wire.AnalysisState, state: State) -> None:
        told = news.model_copy(update={"state": state, "revision": news.revision + 1})
        if visitor in self._states and state != "cancelled":
            self._states[visitor] = told
        self._announcer.tell("analysis", told, [visitor])


class VisitorTask:
    """A search, and the visitors who wait for it."""

    def __init__(self, owner: VisitorAnalyses, ask: Ask, seconds: float) -> None:
        self._owner = owner
        self.key = ask.key
        self.setup = ask.setup
        self.turns = ask.turns
        self.wanted = ask.seconds
        self.seconds = seconds
        self.watchers: dict[str, Ask] = {}
        self.latest: Found | None = None

    @property
    def is_wanted(self) -> bool:
        """See `Task`."""
        return bool(self.watchers)

    @property
    def is_shortened(self) -> bool:
        """Whether the search is shorter than asked, because many visitors wait."""
        return self.seconds < self.wanted

    def progress(self, found: Found) -> None:
        """See `Task`."""
        self.latest = found
        self._owner.tell_watchers(self, "running")

    def done(self, found: Found) -> None:
        """See `Task`."""
        self.latest = found
        self._owner.finished(self, found)

    def lost(self, why: str) -> None:
        """See `Task`."""
        self._owner.lost(self, why)


def _with(state: wire.AnalysisState, found: Found, word: State) -> wire.AnalysisState:
    return state.model_copy(
        update={
            "state": word,
            "place": None,
            "value": found.lines[0].value,
            "visits": found.visits,
            "lines": list(found.lines),
            "engine": found.engine,
        }
    )
