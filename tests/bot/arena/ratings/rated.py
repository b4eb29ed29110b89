"""Finished rated games in a database, without anybody having played them."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Final

from bot import wire
from bot.arena.games.game import Game
from bot.arena.games.game_start import new_game
from bot.arena.games.game_store import GameStore
from bot.arena.players.accounts import Accounts
from bot.arena.ratings.rating_store import RatingStore
from bot.arena.settings import Allowances
from bot.arena.store.database import Database
from bot.time_controls import parse_time_control
from bot.tournaments.glicko2 import Rating
from tests.fakes.time import EPOCH, FakeTime

CLOCK: Final = parse_time_control("60+2")
BLOOMS: Final = wire.GameSetup(game="blooms", board="hexhex-4", clock=CLOCK, rated=True)
BLUESTONE: Final = wire.GameSetup(board="pent-4", clock=CLOCK, rated=True)
STRANGER: Final = wire.Player(id="x", name="Xaver", kind="person", registered=True)


async def bots(
    database: Database, count: int = 4, starting: Mapping[str, Mapping[str, Rating]] | None = None
) -> list[wire.Player]:
    """Bots with accounts, some of which start at other ratings than a new player."""
    accounts = Accounts(database, FakeTime())
    names = [f"bot-{number}" for number in range(count)]
    for name in names:
        await accounts.create_token(name, starting=(starting or {}).get(name))
    return [await accounts.find(name) for name in names]


BLANKS: Final[dict[str, Game]] = {}


def finished(
    name: str,
    players: Sequence[wire.Player],
    winner: wire.Seat | None = 1,
    at_s: float = 0.0,
    setup: wire.GameSetup = BLOOMS,
    reason: str = "resignation",
    epoch: datetime = EPOCH,
) -> Game:
    """A game that ended `at_s` seconds after the epoch."""
    key = setup.model_dump_json()
    if key not in BLANKS:
        BLANKS[key] = new_game("blank", setup, (STRANGER, STRANGER), Allowances(), EPOCH, 0.0)
    return replace(
        BLANKS[key],
        game_id=name,
        players=(players[0], players[1]),
        result=wire.Result(winner=winner, reason=reason, message="It is over."),
        ended_at=epoch + timedelta(seconds=at_s),
    )


async def put(store: GameStore, game: Game) -> None:
    """Store a game and its end."""
    running = replace(game, result=None, ended_at=None)
    await store.begin(running)
    await store.save(running, replace(game, revision=1), None)


async def fold_all(ratings: RatingStore) -> None:
    while (await ratings.fold()).has_more:
        pass
