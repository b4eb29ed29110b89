"""Players who reconnect whenever their connection breaks, and remember every turn."""

import asyncio
import random
import time
from collections.abc import Callable, Coroutine, Sequence
from contextlib import suppress
from itertools import islice
from typing import Any, Final, NoReturn

import aiohttp

import engine
from bot.bench.clients.frames import (
    FrameConnection,
    FramesLost,
    Json,
    RequestRefused,
    is_event,
    payload,
)
from tests.chaos.ledger import Ledger, turns_of

COME_BACK_S: Final = (0.02, 0.3)
ASK_AGAIN_S: Final = 0.5
PASSING: Final = frozenset({"unavailable", "rate_limited", "server_error", "http_429", "http_503"})
CHOICES: Final = 200
"""Turns of a position among which one is chosen at random."""


Address = str | Callable[[], str]


def address_finder(address: Address) -> Callable[[], str]:
    """Return a function that returns the address to connect to."""
    return (lambda: address) if isinstance(address, str) else address


class Player:
    """A guest, or the account that `login` names. `run` plays all their games, `most_games` at
    once, and accepts challenges that name them.

    During a connection the same turn is sent again until it is acknowledged. After a reconnection
    another turn is sent if the server does not show the first one, which was lost.

    `address` may be a function that chooses one for each connection. `on_acknowledged` gets the
    seconds until a turn was acknowledged.
    """

    def __init__(
        self,
        name: str,
        address: Address,
        ledger: Ledger,
        rng: random.Random,
        pause_s: float,
        login: Json | None = None,
    ) -> None:
        self.name = name
        self.games: dict[str, Json] = {}
        self.is_here = False
        self.most_games = 0
        self.on_acknowledged: Callable[[float], None] | None = None
        self._address = address_finder(address)
        self._ledger = ledger
        self._rng = rng
        self._pause_s = pause_s
        self._login = login or {"name": name}
        self._connection: FrameConnection | None = None
        self._offers: set[str] = set()
        self._busy: set[tuple[str, int]] = set()
        self._promised: dict[str, dict[int, str]] = {}
        self._tasks: asyncio.TaskGroup | None = None

    async def run(self) -> NoReturn:
        async with aiohttp.ClientSession() as session, asyncio.TaskGroup() as self._tasks:
            while True:
                try:
                    await self._stay(session)
                except FramesLost:
                    pass
                except RequestRefused as refused:
                    if refused.code not in PASSING:
                        self._ledger.problems.append(f"{self.name} was refused: {refused}")
                await asyncio.sleep(self._rng.uniform(*COME_BACK_S))

    async def _stay(self, session: aiohttp.ClientSession) -> None:
        self._promised = self._ledger.promised_to(self.name)
        self._connection = await FrameConnection.open(
            session, self._address(), {"v": 1, **self._login}, self._hear
        )
        try:
            await self._connection.lost()
        finally:
            self.is_here = False
            await self._connection.close()

    async def keep_playing(self, opponent: str, setup: Json) -> NoReturn:
        """Keep a game with the opponent running."""
        while True:
            if self.is_here and not self.games and not self._offers:
                seats = [self.name, opponent]
                self._rng.shuffle(seats)
                await self.try_to("challenge.create", setup=setup, seats=seats)
            await asyncio.sleep(ASK_AGAIN_S)

    async def ask(self, event: str, **fields: object) -> Json:
        """Raises Refused or ConnectionLost."""
        if self._connection is None:
            raise FramesLost("not there yet")
        return (await self._connection.ask(event, {"v": 1, **fields})).fields

    # ---- what the server says ----------------------------------------------------------------

    def _hear(self, text: str, _moment: float) -> None:
        if is_event(text, "welcome"):
            self._on_welcome(payload(text))
        elif is_event(text, "game"):
            self._on_game(payload(text))
        elif is_event(text, "challenge"):
            self._on_challenge(payload(text))

    def _on_welcome(self, welcome: Json) -> None:
        if welcome["guest_key"]:
            self._login = {"guest_key": welcome["guest_key"]}
        self.is_here = True
        self.games.clear()
        self._offers.clear()
        for challenge in welcome["challenges"]:
            self._on_challenge(challenge)
        for state in welcome["games"]:
            self._ledger.came_back(state, self._promised.pop(state["game_id"], {}))
        for game_id, turns in self._promised.items():
            self._start(self._look_for(game_id, turns))
        for state in welcome["games"]:
            self._on_game(state)

    async def _look_for(self, game_id: str, promised: dict[int, str]) -> None:
        """Look for a running game that is not in the welcome.

        It must have ended, with all of its turns.
        """
        try:
            state = (await self._patiently("game.watch", game_id=game_id, follow=False))["game"]
        except FramesLost:
            return
        except RequestRefused as refused:
            self._ledger.problems.append(f"{game_id}: the server does not know it: {refused}")
            return
        self._ledger.came_back(state, promised)
        if state["result"] is None:
            self._ledger.problems.append(f"{game_id}: runs, but is not in the welcome")

    def _on_challenge(self, challenge: Json) -> None:
        known_as = challenge["challenge_id"]
        if challenge["state"] != "open":
            self._offers.discard(known_as)
        elif challenge["creator"]["name"] == self.name:
            self._offers.add(known_as)
        elif self.name in challenge["seats"] and self.name not in challenge["accepted"]:
            self._start(self.try_to("challenge.accept", challenge_id=known_as))

    def _on_game(self, state: Json) -> None:
        self._ledger.saw(state)
        game_id = state["game_id"]
        if state["result"] is not None:
            self.games.pop(game_id, None)
            return
        self.games[game_id] = state
        self.most_games = max(self.most_games, len(self.games))
        self._play_if_ours(state)

    def _play_if_ours(self, state: Json) -> None:
        game_id, ply = state["game_id"], len(state["turns"])
        is_ours = state["players"][state["to_play"] - 1]["name"] == self.name
        if is_ours and (game_id, ply) not in self._busy:
            self._busy.add((game_id, ply))
            self._start(self._play(state, ply))

    # ---- what we do --------------------------------------------------------------------------

    async def _play(self, state: Json, ply: int) -> None:
        game_id = state["game_id"]
        turn, is_lost, sent = "", False, list[str]()
        try:
            await self._think(game_id, ply)
            sent = self._ledger.sent(game_id, ply)
            turn = self._choice(state, sent)
            self._ledger.sending(game_id, ply, turn)
            began = time.monotonic()
            await self._patiently("game.turn", game_id=game_id, ply=ply, turn=turn)
            self._ledger.acknowledged(game_id, ply, turn)
            if self.on_acknowledged is not None:
                self.on_acknowledged(time.monotonic() - began)
        except FramesLost:
            is_lost = True
        except RequestRefused as refused:
            # The turn of the last connection may have arrived while the welcome was on its way.
            came_late = refused.code == "stale_ply" and sent
            if refused.code != "game_over" and not came_late:  # the ledger checks why
                self._ledger.problems.append(f"{game_id}: turn {ply} ({turn}): {refused}")
        finally:
            self._busy.discard((game_id, ply))
        # The next welcome has it again, unless it has already arrived.
        if is_lost and self.is_here and game_id in self.games:
            self._play_if_ours(self.games[game_id])

    async def _think(self, _game_id: str, _ply: int) -> None:
        await asyncio.sleep(self._rng.uniform(0.5, 1.5) * self._pause_s)

    async def _patiently(self, event: str, **fields: object) -> Json:
        """Retry while the arena asks for it. Raises Refused or ConnectionLost."""
        while True:
            try:
                return await self.ask(event, **fields)
            except RequestRefused as refused:
                if refused.code not in PASSING:
                    raise
                await asyncio.sleep(refused.retry_after_s or ASK_AGAIN_S)

    def _choice(self, state: Json, sent: Sequence[str]) -> str:
        """Return a random legal turn; one that was not sent before if there is one."""
        setup = state["setup"]
        position = engine.game(setup["game"], board=setup["board"]).start()
        for turn in turns_of(state):
            position = position.play(turn)
        turns = list(islice(position.legal_turns(), CHOICES))
        return self._rng.choice([turn for turn in turns if turn not in sent] or turns)

    async def try_to(self, event: str, **fields: object) -> None:
        """Send a request and ignore failures.

        A restart drops challenges, and the caller sends another request if it has to.
        """
        with suppress(FramesLost, RequestRefused):
            await self._patiently(event, **fields)

    def _start(self, work: Coroutine[Any, Any, None]) -> None:
        assert self._tasks is not None
        self._tasks.create_task(work)
