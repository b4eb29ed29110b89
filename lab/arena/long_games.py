"""One guest with many long games in an arena's data folder, for load tests of costly requests."""

import asyncio
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from itertools import count
from pathlib import Path
from typing import Final

import engine
from bot import wire
from bot.arena.games.archive import record_of
from bot.arena.games.game import Game
from bot.arena.games.game_start import new_game, revived
from bot.arena.games.game_store import GameStore
from bot.arena.players.accounts import Accounts
from bot.arena.settings import Allowances
from bot.arena.store.database import OPEN_S
from bot.arena.store.ids import new_id
from bot.arena.store.opening import open_database
from bot.bench.clients.frames import Json
from bot.time_controls import Untimed, full_clock
from bot.time_source import SystemTime

GAMES: Final = 20
PLIES: Final = 300
APART: Final = 8
"""How far from the nearest stone a stone may be placed."""
SETUP: Final = wire.GameSetup(
    game="hexo", board="plane", rules="official", options={"cap": "1000"}, clock=Untimed()
)
FREE: Final = 200
"""The most turns of an analysis board without an edge."""


@dataclass(frozen=True)
class LongGames:
    """A guest, running games in which the opponent is to move, one in which the guest is, and a
    finished game. `turns` are those of all games, and `following` continues them.
    """

    guest_key: str
    running: list[str]
    own_move: str
    finished: str
    turns: list[str]
    following: list[str]

    def as_json(self) -> Json:
        return asdict(self)


async def store_long_games(data: Path, games: int = GAMES, plies: int = PLIES) -> LongGames:
    """Store the games in the database of a folder. Raises HostError."""
    played = await asyncio.to_thread(_turns, plies + 6)
    time = SystemTime()
    async with open_database(data, patience_s=OPEN_S) as database:
        accounts, store = Accounts(database, time), GameStore(database)
        guest, friend = [await accounts.log_in(wire.Credentials(v=wire.VERSION)) for _ in range(2)]
        assert guest.guest_key is not None
        pair = guest.player, friend.player
        stored = []
        for number in range(games + 1):
            # The opponent is to move, except in the last game.
            is_own = (plies % 2 == 0) == (number == games)
            seats = pair if is_own else pair[::-1]
            new = new_game(new_id(), SETUP, seats, Allowances(), time.wall(), 0.0)
            game = await asyncio.to_thread(_revived, new, played[:plies])
            await store.begin(game)
            stored.append(game)
        over = wire.Result(winner=1, reason="resignation", message="White resigned.")
        running = replace(stored[0], game_id=new_id())
        await store.begin(running)
        finished = replace(running, result=over, ended_at=time.wall(), revision=2)
        await store.save(running, finished, record_of(finished))
    return LongGames(
        guest.guest_key,
        [each.game_id for each in stored[:-1]],
        stored[-1].game_id,
        finished.game_id,
        played[:plies],
        played[plies:],
    )


def _turns(number: int) -> list[str]:
    """Stones as far apart as the rules allow, in rings: the board grows as fast as it can."""
    cells = _rings()
    turns = [next(cells)]
    while len(turns) < number:
        turns.append(",".join(sorted((next(cells), next(cells)))))
    return list(engine.game_of("hexo", None, None, SETUP.options).replay(turns).turns)


def _rings() -> Iterator[str]:
    yield "0:0"
    for radius in count(1):
        q, r = radius, 0
        for step_q, step_r in ((-1, 1), (-1, 0), (0, -1), (1, -1), (1, 0), (0, 1)):
            for _ in range(radius):
                yield f"{APART * q}:{APART * r}"
                q, r = q + step_q, r + step_r


def _revived(game: Game, turns: Sequence[str]) -> Game:
    clock = full_clock(game.setup.clock)
    return revived(
        game,
        tuple(wire.PlayedTurn(turn=each, captured=[], time_ms=1000, clock=clock) for each in turns),
    )
