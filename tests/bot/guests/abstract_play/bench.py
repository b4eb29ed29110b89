"""A platform that runs over a fake site, with a daemon that answers challenges as it is told."""

import asyncio
import random
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from pydantic import SecretStr

from bot.errors import PeerError
from bot.guests.abstract_play.answers import Conclusion
from bot.guests.abstract_play.messages import (
    ChallengeNotice,
    GameRecord,
    ListedGame,
    MoveNotice,
    game_answer,
    listed_games,
)
from bot.guests.abstract_play.platform import AbstractPlayPlatform, Endpoints
from bot.guests.abstract_play.store import Store
from bot.guests.abstract_play.webhooks import Handler
from bot.platforms.base import ChallengeOffered, GameGone, NoAnswer, NotNow
from tests.bot.guests.abstract_play import bodies
from tests.bot.guests.abstract_play.sinks import Listener
from tests.fakes.time import FakeTime
from tests.fakes.waiting import eventually

GAME = "c0ffee00"
SWEEP_S = 300.0
THREE = ("3-2", "pass", "0-0,5-3")


class Site:
    """An `Api` over records that a test changes. `hidden` games are not in the list."""

    def __init__(self, **games: dict[str, object]) -> None:
        self.games_there = games
        self.hidden: set[str] = set()
        self.answers: list[Conclusion] = []
        self.moves: list[tuple[str, str]] = []
        self.reads: list[str] = []
        self.is_down = False
        self.refusal: PeerError | None = None
        self.pauses: list[float] = []
        self.secrets: list[str] = []

    def use_secret(self, secret: SecretStr) -> None:
        self.secrets.append(secret.get_secret_value())

    async def authorize(self) -> None:
        if self.refusal is not None:
            raise self.refusal

    async def submit(self, game_id: str, meta_game: str, move: str) -> Conclusion:
        assert meta_game == "bluestone"
        self.moves.append((game_id, move))
        return self.answers.pop(0)

    async def games(self, meta_game: str) -> list[ListedGame]:
        if self.is_down:
            raise NoAnswer("the site is down")
        running = [
            bodies.listed(id=name, toMove=game["toMove"], numMoves=game["numMoves"])
            for name, game in self.games_there.items()
            if name not in self.hidden and game["toMove"] != "" and meta_game == "bluestone"
        ]
        games, unread = listed_games(bodies.text(running))
        assert unread == 0
        return games

    async def game(self, meta_game: str, game_id: str) -> GameRecord:
        self.reads.append(game_id)
        if self.is_down:
            raise NoAnswer("the site is down")
        if self.pauses:
            raise NotNow("too_many", "the site wants a pause", self.pauses.pop())
        if game_id not in self.games_there:
            raise GameGone("gone", "no such game")
        assert meta_game == "bluestone"
        return game_answer(bodies.asked(self.games_there[game_id]))


class Daemon(Listener):
    """Answers challenges as it is told."""

    def __init__(self, platform: AbstractPlayPlatform, *, takes: bool) -> None:
        super().__init__()
        self._platform = platform
        self._takes = takes

    async def __call__(self, event: object) -> None:
        await super().__call__(event)  # type: ignore[arg-type]
        if isinstance(event, ChallengeOffered):
            answer = self._platform.accept if self._takes else self._decline
            await answer(event.challenge.challenge_id)

    async def _decline(self, challenge_id: str) -> None:
        await self._platform.decline(challenge_id, "too_many_games", "I play enough.")

    def of(self, kind: type) -> list[object]:
        return [event for event in self.events if isinstance(event, kind)]


class Bench:
    """A platform that runs, with what is around it."""

    def __init__(self, site: Site, folder: Path, time: FakeTime, *, takes: bool = True) -> None:
        self.time = time
        self.handler: Handler | None = None
        endpoints = Endpoints(
            api=lambda _: self._api(site),
            store=lambda: Store.opened(folder / "store.db", time),
            webhooks=lambda _, handler: self._endpoint(handler),
        )
        rng = random.Random(1)
        self.platform = AbstractPlayPlatform(bodies.OURS, "site", endpoints, SWEEP_S, time, rng)
        self.daemon = Daemon(self.platform, takes=takes)

    @asynccontextmanager
    async def _api(self, site: Site) -> AsyncIterator[Site]:
        yield site

    @asynccontextmanager
    async def _endpoint(self, handler: Handler) -> AsyncIterator[None]:
        self.handler = handler
        yield

    @asynccontextmanager
    async def running(self) -> AsyncIterator["Bench"]:
        running = asyncio.create_task(self.platform.run(self.daemon))
        try:
            await self.until_swept()
            yield self
        finally:
            running.cancel()
            await asyncio.wait({running})

    async def until_swept(self) -> None:
        await eventually(lambda: self.time.sleepers > 0)

    async def notice(self, **changes: object) -> None:
        assert self.handler is not None
        await self.handler.notice(MoveNotice.model_validate(bodies.notice(gameid=GAME, **changes)))

    async def challenge(self, **changes: object) -> bool:
        assert self.handler is not None
        return await self.handler.challenge(
            ChallengeNotice.model_validate(bodies.challenge(**changes))
        )


@asynccontextmanager
async def playing(
    site: Site, folder: Path, time: FakeTime, *, takes: bool = True
) -> AsyncIterator[Bench]:
    async with Bench(site, folder, time, takes=takes).running() as bench:
        yield bench
