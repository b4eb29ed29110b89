"""The table of openings: each game is counted once, and counting all again gives the same table."""

from dataclasses import replace
from datetime import timedelta

import pytest

import engine
from bot import wire
from bot.arena.games.archive import record_of
from bot.arena.games.game import Game
from bot.arena.games.game_start import new_game
from bot.arena.games.game_store import GameStore
from bot.arena.games.referee import Menu
from bot.arena.openings.opening_book import MOST_TURNS, OpeningBook, counted_game
from bot.arena.openings.opening_store import OpeningStore
from bot.arena.players.accounts import Accounts
from bot.arena.refusals import Refused
from bot.arena.settings import Allowances
from bot.arena.store.connection import Connection
from bot.arena.store.database import Database
from bot.records.symmetry import canonical
from bot.time_controls import parse_time_control
from tests.fakes.time import EPOCH, FakeTime

SETUP = wire.GameSetup(board="pent-3", clock=parse_time_control("600+2"))
Played = tuple[tuple[str, ...], str]
GAMES: list[Played] = [
    (("2-1", "0-0,2-4"), "resign"),
    (("2-3", "0-0,2-8"), "resign"),
    (("0-0",), "resign"),
    (("2-1",), "abort"),
]
"""The turns of games and how they end; the second one is nearly an image of the first."""


async def finish(database: Database, rated: bool = False) -> list[Game]:
    accounts, store = Accounts(database, FakeTime()), GameStore(database)
    logins = [await accounts.log_in(wire.Credentials(v=1)) for _ in range(2)]
    players, games = (logins[0].player, logins[1].player), []
    for number, (turns, action) in enumerate(GAMES):
        setup = SETUP.model_copy(update={"rated": rated})
        game = new_game(f"g{number}", setup, players, Allowances(), EPOCH, 0.0)
        await store.begin(game)
        for ply, turn in enumerate(turns):
            after = game.play(1 + ply % 2, ply, turn, 1.0)  # type: ignore[arg-type]
            await store.save(game, after, None)
            game = after
        after = game.act(1, action, 2.0).settle(2.0)  # type: ignore[arg-type]
        assert after.result is not None
        ended = after if after.ended_at else _at(after, number)
        await store.save(game, ended, record_of(ended))
        games.append(ended)
    return games


def _at(game: Game, minutes: int) -> Game:
    return replace(game, ended_at=EPOCH + timedelta(minutes=minutes))


def menu(*names: str) -> Menu:
    return Menu(tuple(info for info in engine.games() if info.name in names), ())


async def count_all(store: OpeningStore) -> None:
    while due := await store.due(MOST_TURNS, 2):
        await store.count([counted_game(game) for game in due])


async def table(database: Database) -> list[tuple[object, ...]]:
    def query(connection: Connection) -> list[tuple[object, ...]]:
        rows = connection.execute("SELECT * FROM openings ORDER BY position, turn, rated")
        return [tuple(row) for row in rows]

    return await database.read(query)


async def test_finished_games_are_due_once_and_aborted_ones_never(database: Database) -> None:
    store = OpeningStore(database)
    games = await finish(database)
    due = await store.due(1, 9)
    assert [(each.game_id, each.turns) for each in due] == [
        ("g0", ("2-1",)),
        ("g1", ("2-3",)),
        ("g2", ("0-0",)),
    ]
    assert await store.how_many_due() == 3
    assert [each.game_id for each in await store.due(9, 1, "g0")] == ["g1"]
    await count_all(store)
    assert await store.how_many_due() == 0
    await GameStore(database).save(games[0], games[0], record_of(games[0]))  # the end once more
    assert await store.how_many_due() == 0


async def test_turns_are_counted_with_their_results(database: Database) -> None:
    store = OpeningStore(database)
    games = await finish(database)
    await count_all(store)
    start = canonical(games[0].position.game.start())
    first, second = await store.turns(start.key)
    assert (first.turn, first.games, first.wins, first.latest) == (
        start.turn("2-9"),
        2,
        (0, 2),
        "g1",
    )
    assert (second.turn, second.games) == (start.turn("0-0"), 1)
    assert await store.turns(start.key, rated=True) == []
    assert await store.turns(start.key, rated=False) == [first, second]
    assert await store.turns("no such position") == []


async def test_games_that_are_counted_twice_change_nothing(database: Database) -> None:
    store = OpeningStore(database)
    await finish(database)
    due = [counted_game(game) for game in await store.due(MOST_TURNS, 9)]
    await store.count(due)
    once = await table(database)
    assert once
    await store.count(due)
    assert await table(database) == once


async def test_counting_all_games_again_gives_the_same_table(database: Database) -> None:
    store = OpeningStore(database)
    await finish(database)
    await count_all(store)
    once = await table(database)
    await store.start_again()
    assert await table(database) == []
    await count_all(store)
    assert await table(database) == once


async def test_rated_and_unrated_games_are_counted_apart(database: Database) -> None:
    store = OpeningStore(database)
    games = await finish(database, rated=True)
    await count_all(store)
    key = canonical(games[0].position.game.start()).key
    assert await store.turns(key, rated=False) == []
    assert len(await store.turns(key, rated=True)) == 2


async def test_a_game_that_cannot_be_read_or_replayed_is_left_out(database: Database) -> None:
    store = OpeningStore(database)
    await finish(database)

    def damage(connection: Connection) -> None:
        connection.execute("UPDATE games SET setup = '{' WHERE id = 'g0'")
        connection.execute("UPDATE turns SET played = '{\"turn\":\"9-9\"}' WHERE game_id = 'g1'")

    await database.write(damage)
    await count_all(store)
    assert await store.how_many_due() == 0
    assert len(await table(database)) == 1


async def test_the_book_counts_what_is_due_once_the_rules_are_there(database: Database) -> None:
    store, time = OpeningStore(database), FakeTime()
    games = await finish(database)
    is_ready = False

    def check(game: str) -> None:
        if not is_ready:
            raise Refused("unavailable", f"{game} is being compiled.")

    book = OpeningBook(database, time, menu("bluestone"), check)
    await book._count("")
    assert await store.how_many_due() == 3
    is_ready = True
    await book._count("")
    assert await store.how_many_due() == 0
    position = games[0].position.game.start().play("2-9")
    [choice] = [each for each in await book.choices(position) if each.counted.games == 1][:1]
    assert position.is_legal(choice.turn)
    await book.close()


@pytest.mark.parametrize("offered", [["hexo"], []])
async def test_games_that_are_not_offered_are_left_out(
    database: Database, offered: list[str]
) -> None:
    store = OpeningStore(database)
    await finish(database)
    book = OpeningBook(database, FakeTime(), menu(*offered), lambda _game: None)
    await book._count("")
    assert await store.how_many_due() == 0
    assert await table(database) == []
    await book.close()
