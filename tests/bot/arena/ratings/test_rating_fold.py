"""Ratings are a function of the finished games, whatever order these arrive in."""

import random
from collections.abc import Sequence

import pytest

from bot import wire
from bot.arena.games.game import Game
from bot.arena.games.game_store import GameStore
from bot.arena.players.accounts import Accounts
from bot.arena.ratings import rating_fold
from bot.arena.ratings.rating_store import RatingStore
from bot.arena.settings import Place
from bot.arena.store.database import Database
from bot.arena.store.opening import open_database
from bot.tournaments.glicko2 import Rating
from tests.bot.arena.ratings.rated import BLOOMS, BLUESTONE, bots, finished, fold_all, put
from tests.fakes.time import FakeTime

STARTING = {
    "bot-0": {"blooms": Rating(700.0, 45.0), "bluestone": Rating(800.0, 45.0)},
    "bot-2": {"blooms": Rating(2300.0, 350.0)},
}


def games_between(players: Sequence[wire.Player], count: int, rng: random.Random) -> list[Game]:
    """Games over some weeks, of which several end at the same moment."""
    moments = [rng.randint(0, 2_000_000) for _ in range(count // 3)]
    return [
        finished(
            f"g{number}",
            rng.sample(players, 2),
            rng.choice([1, 2, None]),
            rng.choice(moments),
            rng.choice([BLOOMS, BLUESTONE]),
        )
        for number in range(count)
    ]


@pytest.mark.parametrize("seed", range(3))
async def test_any_order_of_arrival_gives_the_same_bytes(place: Place, seed: int) -> None:
    rng = random.Random(seed)
    async with open_database(place) as database:
        games, ratings = GameStore(database), RatingStore(database)
        for game in games_between(await bots(database, starting=STARTING), 40, rng):
            await put(games, game)
            if rng.random() < 0.5:
                await ratings.fold()
            now, again = await ratings.compare()  # also while games are due
            assert now == again
        await fold_all(ratings)
        now, again = await ratings.compare()
        assert now == again
        assert now.digest() == again.digest()
        assert len(now.changes) == 80
        assert await ratings.rebuild() == now
        assert await ratings.stored() == now


async def test_small_folds_give_what_a_large_one_gives(database: Database) -> None:
    games, ratings = GameStore(database), RatingStore(database)
    for game in games_between(await bots(database), 30, random.Random(7)):
        await put(games, game)
        while (await database.write(lambda each: rating_fold.fold(each, 1))).has_more:
            pass
    now, again = await ratings.compare()
    assert now == again
    assert len(now.changes) == 60


async def test_a_game_that_arrives_late_is_rated_in_its_place(database: Database) -> None:
    one, two, three, _ = await bots(database, starting=STARTING)
    games, ratings = GameStore(database), RatingStore(database)
    await put(games, finished("b", (one, two), 1, 200))
    await put(games, finished("c", (two, three), 1, 300))
    assert (await ratings.fold()).games == 2
    await put(games, finished("a", (one, three), 2, 100))
    folded = await ratings.fold()
    assert (folded.games, folded.again) == (3, 2)
    assert folded.accounts == {one.id, two.id, three.id}
    numbers: dict[tuple[str, str | None], int] = {
        (change.game_id, change.account): change.number
        for game_id in "abc"
        for change in await ratings.changes(game_id)
    }
    assert numbers[("a", one.id)] == 1
    assert numbers[("b", one.id)] == 2
    assert numbers[("c", three.id)] == 2
    before = {change.account: change.before for change in await ratings.changes("a")}
    assert before == {one.id: 700.0, three.id: 2300.0}


async def test_an_account_that_exists_keeps_its_ratings(database: Database) -> None:
    one, two, *_ = await bots(database)
    games, ratings = GameStore(database), RatingStore(database)
    await put(games, finished("a", (one, two)))
    await bots(database, starting=STARTING)  # new tokens for the same accounts
    assert (await ratings.fold()).games == 1
    assert {change.before for change in await ratings.changes("a")} == {1500.0}


async def test_a_fold_after_a_crash_finds_what_is_due(plain_place: Place) -> None:
    async with open_database(plain_place) as database:
        one, two, *_ = await bots(database)
        await put(GameStore(database), finished("a", (one, two)))
    async with open_database(plain_place) as database:
        ratings = RatingStore(database)
        assert (await ratings.fold()).games == 1
        assert (await ratings.fold()).games == 0
        await put(GameStore(database), finished("a", (one, two)))  # its end is written again
        assert (await ratings.fold()).games == 0
        now, again = await ratings.compare()
        assert now == again


async def test_only_rated_games_between_two_accounts_count(database: Database) -> None:
    one, two, *_ = await bots(database)
    accounts = Accounts(database, FakeTime())
    guest = (await accounts.log_in(wire.Credentials(v=1))).player
    casual = BLOOMS.model_copy(update={"rated": False})
    games, ratings = GameStore(database), RatingStore(database)
    for game in (
        finished("casual", (one, two), setup=casual),
        finished("aborted", (one, two), None, reason="aborted"),
        finished("guest", (one, guest)),
        finished("alone", (one, one)),
    ):
        await put(games, game)
    assert (await ratings.fold()).games == 0
    assert (await ratings.stored()).changes == []
    anna = guest.model_copy(update={"kind": "person", "registered": True})
    await put(games, finished("person", (anna, two), None))
    assert (await ratings.fold()).games == 1
    [change, _] = sorted(await ratings.changes("person"), key=lambda each: each.account != anna.id)
    assert (change.before, change.score, change.number) == (1500.0, 0.5, 1)


async def test_a_damaged_game_is_left_out_by_both(database: Database) -> None:
    one, two, *_ = await bots(database)
    games, ratings = GameStore(database), RatingStore(database)
    await put(games, finished("a", (one, two)))
    await put(games, finished("b", (one, two), at_s=1))
    await database.write(
        lambda connection: connection.execute("UPDATE games SET result = '{' WHERE id = 'a'")
    )
    assert (await ratings.fold()).games == 1
    now, again = await ratings.compare()
    assert now == again


async def test_games_of_an_erased_account_still_count(database: Database) -> None:
    """An erased account keeps its games under a neutral name; the opponents keep their ratings."""
    one, *_ = await bots(database)
    accounts = Accounts(database, FakeTime())
    anna = (await accounts.log_in(wire.Credentials(v=1, name="Anna"))).player
    ratings = RatingStore(database)
    registered = anna.model_copy(update={"registered": True})
    await put(GameStore(database), finished("a", (one, registered)))
    assert (await ratings.fold()).games == 1
    erase = """UPDATE games SET players = replace(players, '"kind":"person"', '"kind":"guest"')"""
    await database.write(lambda connection: connection.execute(erase))
    now, again = await ratings.compare()
    assert now == again
    assert len(now.changes) == 2
