"""Guests on an arena: connections that send requests and note times, and pairs that play prepared
games.
"""

import asyncio
import random
import time
from collections import Counter
from collections.abc import Awaitable, Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Final, NamedTuple, Self, TypeVar

import aiohttp

import engine
from bot import wire
from bot.bench.clients.frames import (
    Acknowledgement,
    FrameConnection,
    FramesLost,
    Json,
    OnEvent,
    RequestRefused,
    is_event,
    payload,
)
from bot.errors import HostError, PeerError


def as_setup(game: engine.Game, clock: Json) -> Json:
    return {
        "game": game.name,
        "board": game.board.name,
        "rules": game.rule_set,
        "options": {name: str(value) for name, value in game.options},
        "clock": clock,
    }


def prepared(game: engine.Game, count: int) -> list[list[str]]:
    """The turns of `count` random games, the longest game first."""
    games = [list(engine.play_out(game, seed=seed).turns) for seed in range(count)]
    return sorted(games, key=len, reverse=True)


WELCOME_S: Final = 60.0
PATIENCE_S: Final = 300.0
"""Seconds for which a guest repeats a request that the arena refuses temporarily."""
WAIT_S: Final = 0.5
COME_BACK_LATER: Final = frozenset({"rate_limited", "too_many", "http_429", "http_503"})

T = TypeVar("T")


class Guest:
    """One guest's connection.

    `on_game` gets the text and the arrival time of each `game` or `change` event. With `changes`
    the guest logs in with `"events": "new"`. `refusals` counts refusals by code.
    """

    def __init__(
        self,
        session: aiohttp.ClientSession,
        on_game: OnEvent,
        refusals: Counter[str] | None = None,
        changes: bool = False,
    ) -> None:
        self.name = ""
        self.guest_key: str | None = None
        self._session = session
        self._on_game = on_game
        self._form = {"events": "new"} if changes else {}
        self._refusals: Counter[str] = Counter() if refusals is None else refusals
        self._welcomed = asyncio.Event()
        self._welcomed_at: float | None = None
        self._connection: FrameConnection | None = None

    async def enter(self, address: str) -> Self:
        """Connect as a new guest, with as many attempts as necessary.

        Raises PeerError or HostError.
        """
        await self._patiently(lambda: self.enter_once(address))
        return self

    async def enter_once(self, address: str, guest_key: str | None = None) -> float:
        """Connect once and return the moment of the welcome. Raises ConnectionLost or Refused."""
        auth = {"v": wire.VERSION, "guest_key": guest_key, **self._form}
        connection = await FrameConnection.open(self._session, address, auth, self._event)
        self._connection = connection
        waiting = {asyncio.create_task(each) for each in (self._welcomed.wait(), connection.lost())}
        await asyncio.wait(waiting, timeout=WELCOME_S, return_when=asyncio.FIRST_COMPLETED)
        for task in waiting:
            task.cancel()
        if self._welcomed_at is None:
            raise FramesLost("connected without a welcome")
        return self._welcomed_at

    async def leave(self) -> None:
        if self._connection is not None:
            await self._connection.close()

    async def ask(self, event: str, **fields: object) -> Acknowledgement:
        """Send an event and return its acknowledgement; retry if the arena asks for it.

        Raises Refused or ConnectionLost, and HostError if the arena refuses for five minutes.
        """
        assert self._connection is not None
        connection, message = self._connection, {"v": wire.VERSION, **fields}
        return await self._patiently(lambda: connection.ask(event, message))

    async def challenge(self, opponent: str, setup: Json) -> str:
        """Challenge another player and return the challenge's id."""
        seats = [self.name, opponent]
        answer = await self.ask("challenge.create", setup=setup, seats=seats)
        return str(answer.fields["challenge"]["challenge_id"])

    async def _patiently(self, attempt: Callable[[], Awaitable[T]]) -> T:
        deadline = time.monotonic() + PATIENCE_S
        while True:
            try:
                return await attempt()
            except RequestRefused as refused:
                self._refusals[refused.code] += 1
                if refused.code not in COME_BACK_LATER:
                    raise
                if time.monotonic() > deadline:
                    raise HostError(f"still refused after {PATIENCE_S:.0f} s: {refused}") from None
                await asyncio.sleep(refused.retry_after_s or WAIT_S)

    def _event(self, text: str, moment: float) -> None:
        if is_event(text, "change") or is_event(text, "game"):
            self._on_game(text, moment)
        elif is_event(text, "welcome"):
            welcome = payload(text)
            self.name, self.guest_key = welcome["you"]["name"], welcome["guest_key"]
            self._welcomed_at = moment
            self._welcomed.set()


def plies_in(message: Json) -> int:
    """Return the number of turns of the game in a `game` or `change` event."""
    return int(message["ply"]) if "ply" in message else len(message["turns"])


ARRIVAL_S: Final = 60.0


@dataclass
class TurnTimes:
    """Monotonic moments of one turn; None if an event did not arrive."""

    game_id: str
    ply: int
    sent: float
    acknowledged: float | None = None
    arrived: float | None = None


@dataclass
class TableTally:
    """The events at the tables of a process. `given_up` counts tables that stopped, by code."""

    turns: list[TurnTimes] = field(default_factory=list)
    ended: Counter[str] = field(default_factory=Counter)
    refusals: Counter[str] = field(default_factory=Counter)
    given_up: Counter[str] = field(default_factory=Counter)

    def clear(self) -> None:
        self.turns.clear()
        for counts in (self.ended, self.refusals, self.given_up):
            counts.clear()


class _View(NamedTuple):
    """The last state that a seat received."""

    game_id: str = ""
    ply: int = 0


class GuestTable:
    """Two guests who play prepared games against each other, without knowing the rules.

    `games` must be endless."""

    def __init__(
        self,
        sessions: Sequence[aiohttp.ClientSession],
        setup: Json,
        games: Iterator[Sequence[str]],
        chance: random.Random,
        tally: TableTally,
        on_begin: Callable[[str], None],
        changes: bool = False,
    ) -> None:
        self.guests = tuple(
            Guest(session, self._watcher(seat), tally.refusals, changes)
            for seat, session in enumerate(sessions, start=1)
        )
        self.game_id = ""
        self._is_over = True
        self._counted = ""
        """The last game whose end was seen."""
        self._setup = setup
        self._games = games
        self._chance = chance
        self._tally = tally
        self._on_begin = on_begin
        self._turns: Sequence[str] = ()
        self._views = {1: _View(), 2: _View()}
        self._on_the_way: TurnTimes | None = None
        self._changed = asyncio.Event()

    async def begin(self) -> None:
        """Start the next game. Raises PeerError or HostError."""
        one, two = self.guests
        self._turns = next(self._games)
        challenge_id = await one.challenge(two.name, self._setup)
        accepted = await two.ask("challenge.accept", challenge_id=challenge_id)
        self.game_id = accepted.fields["challenge"]["game_id"]
        self._is_over = False
        self._on_begin(self.game_id)
        await self._until(lambda: all(v.game_id == self.game_id for v in self._views.values()))

    async def play(self, pause_s: float, until: float) -> None:
        """Play until that moment. A table that cannot continue stops and is counted."""
        try:
            while time.monotonic() < until:
                if self._is_over:
                    await self.begin()
                await asyncio.sleep(self._chance.uniform(0.5, 1.5) * pause_s)
                if not self._is_over and time.monotonic() < until:
                    await self._play_turn()
        except PeerError as error:
            self._tally.given_up[error.code] += 1

    async def _play_turn(self) -> None:
        ply = max(view.ply for view in self._views.values())
        turn = self._on_the_way = TurnTimes(self.game_id, ply, sent=time.monotonic())
        self._tally.turns.append(turn)
        request = {"game_id": self.game_id, "ply": ply, "turn": self._turns[ply]}
        try:
            answer = await self.guests[ply % 2].ask("game.turn", **request)
        except PeerError as error:
            if error.code != "game_over":
                raise
            self._tally.turns.remove(turn)
            await self._until(lambda: self._is_over)
            return
        turn.acknowledged = answer.moment
        await self._until(lambda: turn.arrived is not None)

    async def _until(self, condition: Callable[[], bool]) -> None:
        try:
            async with asyncio.timeout(ARRIVAL_S):
                while not condition():
                    self._changed.clear()
                    await self._changed.wait()
        except TimeoutError:
            raise FramesLost(f"no state of the game in {ARRIVAL_S:.0f} s") from None

    def _watcher(self, seat: int) -> OnEvent:
        def saw(text: str, moment: float) -> None:
            state = payload(text)
            view = _View(state["game_id"], plies_in(state))
            if view.game_id != self._counted:  # else it is a late event of the former game
                self._views[seat] = view
            self._note_arrival(seat, view, moment)
            if state.get("result") is not None and view.game_id == self.game_id:
                self._note_end(state["result"]["reason"])
            self._changed.set()

        return saw

    def _note_end(self, reason: str) -> None:
        self._is_over = True
        if self._counted != self.game_id:
            self._counted = self.game_id
            self._tally.ended[reason] += 1

    def _note_arrival(self, seat: int, view: _View, moment: float) -> None:
        turn = self._on_the_way
        if turn is None or turn.arrived is not None or turn.game_id != view.game_id:
            return
        if seat == 2 - turn.ply % 2 and view.ply > turn.ply:
            turn.arrived = moment
