"""A game server without a wire: facts go in by hand, calls are kept, failures can be ordered."""

import asyncio
from dataclasses import replace

from pydantic import SecretStr

import engine
from bot.errors import PeerError
from bot.platforms.base import (
    ChallengeFacts,
    ChallengeGone,
    ChallengeOffered,
    ChallengingPlatform,
    Connected,
    EventSink,
    GameChanged,
    GameFacts,
    GameOutcome,
    Participant,
    PlatformEvent,
    Seat,
    Setup,
    TurnInfo,
    TurnPlayed,
)
from bot.time_controls import Fischer, full_clock
from bot.time_source import TimeSource
from tests.fakes.time import EPOCH

CONTROL = Fischer(initial_s=300, increment_s=5)
SETUP = Setup("bluestone", "pent-4", "official", CONTROL)


def facts(
    *turns: str,
    seat: Seat = 1,
    setup: Setup = SETUP,
    arrived: float = 1000.0,
    game_id: str = "g1",
) -> GameFacts:
    """A running game after `turns`; we are "Granite", the opponent is "Ann"."""
    us, them = Participant("Granite", "bot"), Participant("Ann", "person")
    return GameFacts(
        game_id=game_id,
        setup=setup,
        seat=seat,
        players=(us, them) if seat == 1 else (them, us),
        turns=tuple(TurnPlayed(turn) for turn in turns),
        to_play=1 if len(turns) % 2 == 0 else 2,
        clocks=(full_clock(setup.control), full_clock(setup.control)),
        draw_offered=False,
        outcome=None,
        started_at=EPOCH,
        arrived=arrived,
    )


def after(before: GameFacts, turn: str) -> GameFacts:
    """The game one turn later."""
    turns = (*before.turns, TurnPlayed(turn))
    to_play: Seat = 1 if before.to_play == 2 else 2
    return replace(before, turns=turns, to_play=to_play)


class FakePlatform:
    """A `Platform`; `failures` are raised by the next calls, one each."""

    offering: ChallengingPlatform | None = None

    def __init__(self) -> None:
        self.calls: list[tuple[object, ...]] = []
        self.failures: list[PeerError] = []
        self.infos: list[TurnInfo] = []
        self.takebacks: list[int | None] = []
        self.sink: EventSink | None = None
        self.last_heard: float | None = None
        self.problems: list[str] = []
        self.overdue_s = 0.0
        self.standing: str | None = None

    def named(self, name: str) -> list[tuple[object, ...]]:
        """The calls of that name."""
        return [call for call in self.calls if call[0] == name]

    def _called(self, *call: object) -> None:
        self.calls.append(call)
        if self.failures:
            raise self.failures.pop(0)

    async def run(self, sink: EventSink) -> None:
        self.sink = sink
        await asyncio.Event().wait()

    def use_token(self, token: SecretStr) -> None:
        self.calls.append(("use_token", token.get_secret_value()))

    def reconnect(self) -> None:
        self.calls.append(("reconnect",))

    async def accept(self, challenge_id: str) -> None:
        self._called("accept", challenge_id)

    async def decline(self, challenge_id: str, code: str, sentence: str) -> None:
        self._called("decline", challenge_id, code, sentence)

    async def submit(
        self, game_id: str, ply: int, turn: str, info: TurnInfo, takebacks: int | None = None
    ) -> None:
        self._called("submit", game_id, ply, turn)
        self.takebacks.append(takebacks)
        self.infos.append(info)

    async def resign(self, game_id: str) -> None:
        self._called("resign", game_id)

    async def abort(self, game_id: str) -> None:
        self._called("abort", game_id)

    async def answer_draw(self, game_id: str, *, accept: bool) -> None:
        self._called("answer_draw", game_id, accept)

    async def decline_abort(self, game_id: str) -> None:
        self._called("decline_abort", game_id)

    async def watch(self, game_id: str) -> None:
        self._called("watch", game_id)

    async def report_queue(self, game_id: str, ply: int, before: int) -> None:
        self.calls.append(("queue", game_id, ply, before))

    async def retire(self) -> None:
        self.calls.append(("retire",))


class FakeChallengingPlatform(FakePlatform):
    """The same, where games can be offered."""

    def __init__(self) -> None:
        super().__init__()
        self.offering = self
        self._offers = 0

    async def offer(self, setup: Setup, opponent: str | None, seat: Seat) -> str:
        self._called("offer", setup, opponent, seat)
        self._offers += 1
        return f"offer-{self._offers}"

    async def withdraw(self, challenge_id: str) -> None:
        self._called("withdraw", challenge_id)


class OwnServer(FakePlatform):
    """A whole server of a kind that nobody else knows: it offers one game, and always passes.

    The first turn it refuses, with a code of its own; it shows the game again to who asks.
    """

    def __init__(self, clock: TimeSource) -> None:
        super().__init__()
        self._clock = clock
        self._game = facts()
        self.failures = [PeerError("server_is_having_tea", "not while the kettle is on")]

    async def run(self, sink: EventSink) -> None:
        self.sink = sink
        await sink(Connected("Granite", "own", frozenset(), frozenset({"c1"})))
        await sink(ChallengeOffered(ChallengeFacts("c1", SETUP, Participant("Ann"))))
        await asyncio.Event().wait()

    async def accept(self, challenge_id: str) -> None:
        await self._tell(ChallengeGone(challenge_id, "started", "g1"))
        await self._show()

    async def submit(
        self, game_id: str, ply: int, turn: str, info: TurnInfo, takebacks: int | None = None
    ) -> None:
        await super().submit(game_id, ply, turn, info, takebacks)
        self._game = after(self._game, turn)
        if (end := self._end()) is None:
            self._game = after(self._game, "pass")
            end = self._end()
        self._game = replace(self._game, outcome=end)
        await self._show()

    async def watch(self, game_id: str) -> None:
        await super().watch(game_id)
        await self._show(resync=True)

    def _end(self) -> GameOutcome | None:
        turns = [played.turn for played in self._game.turns]
        position = engine.game(SETUP.game, SETUP.board, SETUP.rules).replay(turns)
        if not position.over:
            return None
        return GameOutcome(1 if position.winner == 1 else 2, "played_out")

    async def _show(self, *, resync: bool = False) -> None:
        self._game = replace(self._game, arrived=self._clock.monotonic())
        await self._tell(GameChanged(self._game, resync))

    async def _tell(self, event: PlatformEvent) -> None:
        assert self.sink is not None
        await self.sink(event)


class EventLog:
    """A sink that keeps what it is given."""

    def __init__(self) -> None:
        self.events: list[PlatformEvent] = []

    async def __call__(self, event: PlatformEvent) -> None:
        self.events.append(event)

    def games(self) -> list[GameChanged]:
        return [event for event in self.events if isinstance(event, GameChanged)]
