"""Everything that a real arena announces of random games, for clients that put states together."""

import random
from collections.abc import AsyncIterator, Iterable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pydantic import BaseModel

import engine
from bot import wire
from bot.arena.announcer import GameNews
from bot.arena.refusals import Refused
from bot.arena.services import Services
from bot.arena.settings import ArenaSettings
from bot.arena.startup import open_services
from tests.fakes.time import FakeTime

OFFERS = ("offer_draw", "decline_draw", "offer_abort", "decline_abort")
ENDS = ("accept_draw", "accept_abort", "resign")
CLOCK = {"kind": "fischer", "initial_s": 300, "increment_s": 5}
SETUPS: list[dict[str, Any]] = [
    {"board": "pent-4", "clock": CLOCK},
    {"game": "blooms", "board": "hexhex-4", "options": {"captures": "8"}, "clock": CLOCK},
    {"game": "stargazers", "board": "stars-39", "clock": {"kind": "none"}},
]


class Announced:
    """An `Announcer` that keeps what is said of games: whole states, and changes where possible."""

    def __init__(self) -> None:
        self.games: list[tuple[wire.GameState, wire.GameChange | None]] = []

    def game(self, news: GameNews) -> None:
        # As it comes over the wire: nothing is shared with the server's own objects.
        text = news.change() if news.has_change else None
        told = None if text is None else wire.GameChange.model_validate_json(text)
        self.games.append((wire.GameState.model_validate_json(news.whole()), told))

    async def challenge(self, challenge: wire.Challenge, names: Iterable[str]) -> None: ...

    async def lobby(self, lobby: wire.Lobby) -> None: ...

    def tell(self, event: str, message: BaseModel, names: Iterable[str]) -> None: ...

    async def tournament(self, tournament: wire.TournamentState) -> int:
        return len(tournament.entrants)

    def followers(self, tournament_id: str) -> int:
        return 0 * len(tournament_id)


@dataclass
class Company:
    """Two players on the services of an arena, and what was announced to them."""

    services: Services
    announced: Announced
    players: tuple[wire.Player, wire.Player]
    chance: random.Random
    time: FakeTime

    async def begin(self, setup: dict[str, Any]) -> str:
        game = wire.GameSetup.model_validate({"rules": "official", **setup})
        return (await self.services.games.start(game, self.players)).game_id

    async def happen(self, game_id: str) -> None:
        """One random thing: mostly a turn; also draws, connections and a disk that is full."""
        games, presence = self.services.games, self.services.presence
        await self.time.advance(self.chance.choice([0.0, 0.5, 7.0]))
        who = self.chance.choice(self.players)
        match self.chance.choices(["turn", "act", "presence", "disk"], [10, 2, 3, 1])[0]:
            case "turn":
                await self.play(game_id)
            case "act":
                action = self.chance.choices((*OFFERS, *ENDS), [20] * 4 + [1] * 3)[0]
                message = {"v": 1, "game_id": game_id, "action": action}
                await games.act(who.name, wire.GameAction.model_validate(message))
            case "presence":
                if presence.is_here(who.name):
                    presence.remove(who.name, who.name)
                else:
                    presence.add(who, who.name)
                await games.player_came_or_left(who.name)
            case _:
                games.playing.pause()
                await self.time.settle()
                games.playing.resume()
                await self.time.settle()

    async def play(self, game_id: str) -> None:
        games = self.services.games
        game = await games.find(game_id)
        turn = game.position.random_turn(self.chance)
        info = wire.TurnInfo(value=0.5, visits=self.chance.randrange(10**6), pv=[turn] * 9)
        name = game.players[game.to_play - 1].name
        message = wire.PlayTurn(v=1, game_id=game_id, ply=game.ply, turn=turn, info=info)
        await games.play(name, message, self.services.clock.monotonic())


@asynccontextmanager
async def company(folder: Path, seed: int) -> AsyncIterator[Company]:
    """Services on a folder, new or used before, with both players there."""
    announced, time = Announced(), FakeTime()
    settings = ArenaSettings(port=0, data=folder)
    chance = random.Random(seed)
    async with open_services(settings, announced, time, chance) as services:
        players = []
        for name in ("Anna", "Ben"):
            credentials = wire.Credentials(v=1, name=name)
            try:
                login = await services.accounts.log_in(credentials, "127.0.0.1")
                players.append(login.player)
            except Refused:  # they were here before
                players.append(await services.accounts.find(name))
            services.presence.add(players[-1], name)
        yield Company(services, announced, (players[0], players[1]), chance, time)


async def random_game(
    folder: Path, seed: int
) -> list[tuple[wire.GameState, wire.GameChange | None]]:
    """All that is announced of one game."""
    async with company(folder, seed) as two:
        game_id = await two.begin(SETUPS[seed % len(SETUPS)])
        for _ in range(150):
            try:
                await two.happen(game_id)
            except (Refused, engine.IllegalTurn):
                continue
    return two.announced.games
