"""A bot that enters a tournament, plays at random, and reconnects when its connection breaks."""

import asyncio
import random
from collections.abc import Sequence
from typing import Final, NoReturn

import aiohttp
from pydantic import BaseModel

import engine
from bot import wire
from bot.bench.clients.frames import (
    FrameConnection,
    FramesLost,
    Json,
    RequestRefused,
    is_event,
    payload,
)
from bot.bench.clients.guests import Guest
from bot.bench.clients.roles import ClientPlan, Notify
from bot.bench.clients.sources import SourceAddresses
from lab.arena.turn_book import TurnBook

COME_BACK_S: Final = (0.02, 0.3)
ASK_AGAIN_S: Final = 0.5
LATER: Final = frozenset(
    {"unavailable", "rate_limited", "too_many", "server_error", "http_429", "http_503"}
)


class Entrant:
    """Sends a turn until it is acknowledged, and never a different turn for the same ply."""

    def __init__(
        self,
        token: str,
        tournament_id: str,
        session: aiohttp.ClientSession,
        book: TurnBook,
        rng: random.Random,
        pause_s: float,
        notify: Notify,
    ) -> None:
        self._token = token
        self._tournament_id = tournament_id
        self._session = session
        self._book = book
        self._rng = rng
        self._pause_s = pause_s
        self._notify = notify
        self._name = ""
        self._games: dict[str, Json] = {}
        self._answered: set[tuple[str, int]] = set()
        """Turns sent over this connection. After a reconnect, open turns are sent again."""
        self._is_listed = False
        self._has_entered = False
        self._is_leaving = False
        self._changed = asyncio.Event()

    async def run(self, address: str, away_s: float) -> NoReturn:
        """Play until cancelled. Raises Refused if the login or the entry is refused."""
        while True:
            try:
                await self._stay(address)
            except FramesLost:
                pass
            except RequestRefused as refused:
                if refused.code not in LATER:
                    raise
            if self._is_leaving:
                await self._be_away(away_s)
            else:
                await asyncio.sleep(self._rng.uniform(*COME_BACK_S))

    def go_away(self) -> None:
        """Disconnect before the next turn."""
        self._is_leaving = True
        self._changed.set()

    async def _be_away(self, seconds: float) -> None:
        self._book.left += 1
        self._notify({"left": self._name})
        await asyncio.sleep(seconds)
        self._is_leaving = False
        self._notify({"back": self._name})

    async def _stay(self, address: str) -> None:
        """Play until the connection breaks, or until the bot goes away."""
        auth = {"v": wire.VERSION, "token": self._token, "engine": "random"}
        connection = await FrameConnection.open(self._session, address, auth, self._hear)
        broken = asyncio.create_task(connection.lost())
        broken.add_done_callback(lambda _: self._changed.set())
        try:
            while not broken.done() and not self._is_leaving:
                self._changed.clear()
                if not await self._act(connection):
                    await self._changed.wait()
        finally:
            broken.cancel()
            await connection.close()

    # ---- what the server says ----------------------------------------------------------------

    def _hear(self, text: str, _moment: float) -> None:
        if is_event(text, "game"):
            self._on_game(payload(text))
        elif is_event(text, "welcome"):
            self._on_welcome(payload(text))
        elif is_event(text, "lobby"):
            self._on_lobby(payload(text))
        self._changed.set()

    def _on_welcome(self, welcome: Json) -> None:
        self._name = welcome["you"]["name"]
        self._answered.clear()
        for game_id in self._games.keys() - {state["game_id"] for state in welcome["games"]}:
            del self._games[game_id]
            self._book.ended(game_id)
        for state in welcome["games"]:
            self._on_game(state)

    def _on_game(self, state: Json) -> None:
        self._book.saw(state)
        if state["result"] is None:
            self._games[state["game_id"]] = state
        else:
            self._games.pop(state["game_id"], None)

    def _on_lobby(self, lobby: Json) -> None:
        """Handle the lobby. It lists tournaments, without those that are over."""
        is_listed = self._tournament_id in {each["tournament_id"] for each in lobby["tournaments"]}
        if self._is_listed and not is_listed:
            self._book.over()
        self._is_listed |= is_listed

    # ---- what we do --------------------------------------------------------------------------

    async def _act(self, connection: FrameConnection) -> bool:
        """Send what is due, and return whether there was anything to send."""
        if self._is_listed and not self._has_entered:
            await _patiently(connection, "tournament.enter", tournament_id=self._tournament_id)
            self._has_entered = True
            self._notify({"entered": self._name})
            return True
        state = next(filter(self._is_due, self._games.values()), None)
        if state is not None:
            await self._play(connection, state)
        return state is not None

    def _is_due(self, state: Json) -> bool:
        is_ours = state["players"][state["to_play"] - 1]["name"] == self._name
        return is_ours and (state["game_id"], len(state["turns"])) not in self._answered

    async def _play(self, connection: FrameConnection, state: Json) -> None:
        game_id, ply = state["game_id"], len(state["turns"])
        await asyncio.sleep(self._rng.uniform(0.5, 1.5) * self._pause_s)
        if self._is_leaving:
            return
        turn = self._book.turn(game_id, ply, lambda: self._choice(state))
        self._answered.add((game_id, ply))
        try:
            await _patiently(connection, "game.turn", game_id=game_id, ply=ply, turn=turn)
        except RequestRefused as refused:
            self._book.refusals[refused.code] += 1
        else:
            self._book.acknowledged(game_id, ply)

    def _choice(self, state: Json) -> str:
        setup = state["setup"]
        game = engine.game_of(setup["game"], setup["board"], setup["rules"], setup["options"])
        position = game.replay([played["turn"] for played in state["turns"]])
        return position.random_turn(self._rng)


async def _patiently(connection: FrameConnection, event: str, **fields: object) -> None:
    """Repeat a request while the arena asks for a retry. Raises Refused or ConnectionLost."""
    message = {"v": wire.VERSION, **fields}
    while True:
        try:
            await connection.ask(event, message)
        except RequestRefused as refused:
            if refused.code not in LATER:
                raise
            await asyncio.sleep(refused.retry_after_s or ASK_AGAIN_S)
        else:
            return


class Absence(BaseModel):
    """After `games` games have ended, the player with that index leaves."""

    games: int
    player: int


class EntrantsPlan(BaseModel):
    """The request `play`. Absences are in their order; all times are seconds."""

    tournament_id: str
    tokens: list[str]
    pause_s: float
    absences: list[Absence]
    away_s: float


NOBODY: Final[Sequence[Guest]] = ()


class Entrants:
    """Players who log in with the request `play`. Its answer, at the end, is a `Told`.

    Notices: `entered`, `left` and `back` name players, `ended` the round of a game.
    """

    guests = NOBODY

    def __init__(self, plan: ClientPlan, sources: SourceAddresses, notify: Notify) -> None:
        self._plan = plan
        self._sources = sources
        self._notify = notify
        self._book = TurnBook(lambda of_round: notify({"ended": of_round}))

    async def answer(self, request: Json) -> object:
        plan = EntrantsPlan.model_validate(request["plan"])
        entrants = self._entrants(plan)
        try:
            async with asyncio.TaskGroup() as group:
                away = group.create_task(self._send_away(plan, entrants))
                playing = [
                    group.create_task(each.run(self._plan.address, plan.away_s))
                    for each in entrants
                ]
                await self._book.until_over()
                for task in (away, *playing):
                    task.cancel()
        except ExceptionGroup as failures:
            raise failures.exceptions[0] from None
        return self._book.told().model_dump(mode="json")

    def _entrants(self, plan: EntrantsPlan) -> list[Entrant]:
        sessions = self._sources.sessions(self._plan.sources, len(plan.tokens))
        return [
            Entrant(
                token,
                plan.tournament_id,
                session,
                self._book,
                random.Random(f"{self._plan.seed} {place}"),
                plan.pause_s,
                self._notify,
            )
            for place, (token, session) in enumerate(zip(plan.tokens, sessions, strict=True))
        ]

    async def _send_away(self, plan: EntrantsPlan, entrants: Sequence[Entrant]) -> None:
        for absence in plan.absences:
            await self._book.until_games_ended(absence.games)
            if self._book.is_over:
                return
            entrants[absence.player].go_away()
