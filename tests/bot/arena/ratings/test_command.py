"""`bluestone arena ratings`: the stored ratings against those of the finished games."""

import asyncio
import json
import random
from pathlib import Path

from bot.arena.games.game_store import GameStore
from bot.arena.ratings.rating_store import RatingStore
from bot.arena.store.opening import open_database
from tests.bot.arena.ratings.rated import bots, finished, fold_all, put
from tests.bot.cli.commands import Bluestone
from tests.bot.cli.conftest import bluestone as bluestone


async def played(folder: Path) -> None:
    """Twenty rated games of four bots."""
    rng = random.Random(1)
    async with open_database(folder) as database:
        games, players = GameStore(database), await bots(database)
        for number in range(20):
            seats = rng.sample(players, 2)
            await put(games, finished(f"g{number}", seats, rng.choice([1, 2, None]), number))
        await fold_all(RatingStore(database))


async def spoil(folder: Path) -> None:
    """Change the last bits of a rating."""
    async with open_database(folder) as database:
        await database.write(
            lambda connection: connection.execute(
                "UPDATE ratings SET rating = rating + 0.000001 WHERE account ="
                " (SELECT min(account) FROM ratings)"
            )
        )


def test_the_ratings_are_compared_to_the_last_bit_and_can_be_rebuilt(
    tmp_path: Path, bluestone: Bluestone
) -> None:
    asyncio.run(played(tmp_path))
    done = bluestone("arena", "ratings", "--data", tmp_path)
    assert (done.code, "to the last bit" in done.out) == (0, True)
    asyncio.run(spoil(tmp_path))
    done = bluestone("arena", "ratings", "--data", tmp_path, "--json")
    found = json.loads(done.out)
    assert (done.code, found["different"], found["changes"]) == (1, 2, 40)
    assert found["stored"] != found["computed"]
    done = bluestone("arena", "ratings", "--data", tmp_path, "--rebuild")
    assert (done.code, "have replaced them" in done.out) == (0, True)
    done = bluestone("arena", "ratings", "--data", tmp_path)
    assert (done.code, "to the last bit" in done.out) == (0, True)


def test_a_folder_without_an_arena_is_named(tmp_path: Path, bluestone: Bluestone) -> None:
    done = bluestone("arena", "ratings", "--data", tmp_path)
    assert done.code != 0
    assert str(tmp_path) in done.err
    assert list(tmp_path.iterdir()) == []
