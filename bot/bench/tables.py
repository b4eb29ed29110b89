"""Two guests who play prepared games against each other, one after the other, and take times."""

import asyncio
import random
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Final, NamedTuple

import aiohttp

from bot.bench.clients.frames import (
    ConnectionLost,
    Json,
    OnEvent,
    payload,
)
from bot.bench.guests import Guest, plies_in
from bot.errors import PeerError

ARRIVAL_S: Final = 60.0


@dataclass
class TurnTimes:
    """Monotonic moments of one turn; None where it was never heard of."""

    game_id: str
    ply: int
    sent: float
    acknowledged: float | None = None
    arrived: float | None = None


@dataclass
class Tally:
    """What the tables of a process have to tell; `given_up` counts those that stopped, by code."""

    turns: list[TurnTimes] = field(default_factory=list)
    ended: Counter[str] = field(default_factory=Counter)
    refusals: Counter[str] = field(default_factory=Counter)
    given_up: Counter[str] = field(default_factory=Counter)

    def clear(self) -> None:
        self.turns.clear()
        for counts in (self.ended, self.refusals, self.given_up):
            counts.clear()


class _View(NamedTuple):
    """What a seat was shown last."""

    game_id: str = ""
    ply: int = 0


class Table:
    """The clients know no rules: they play the turns of `games`, which has to be endless."""

    def __init__(
        self,
        sessions: Sequence[aiohttp.ClientSession],
        setup: Json,
        games: Iterator[Sequence[str]],
        chance: random.Random,
        tally: Tally,
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
        """Play on until that moment; a table that cannot go on is given up, and counted."""
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
            raise ConnectionLost(f"no state of the game in {ARRIVAL_S:.0f} s") from None

    def _watcher(self, seat: int) -> OnEvent:
        def saw(text: str, moment: float) -> None:
            state = payload(text)
            view = _View(state["game_id"], plies_in(state))
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
