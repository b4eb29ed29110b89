"""Searches in finished games: filters, pages, and downloads that read the same games."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import timedelta
from functools import partial
from pathlib import Path

import pytest

from bot import wire
from bot.arena.games import game_index
from bot.arena.games.archive import record_of
from bot.arena.games.game import Game
from bot.arena.games.game_start import new_game
from bot.arena.games.game_store import GameStore
from bot.arena.players.accounts import Accounts
from bot.arena.records import game_search
from bot.arena.records.game_search import GameSearch, Search
from bot.arena.settings import Allowances
from bot.arena.store.connection import Connection, Row
from bot.arena.store.database import Database
from bot.arena.store.opening import open_database
from bot.records.model import GameRecord
from bot.time_controls import parse_time_control
from tests.fakes.time import EPOCH, FakeTime

CLOCK = parse_time_control("60+2")
SMALL = wire.GameSetup(board="pent-3", clock=CLOCK)


@dataclass
class Club:
    """Three players, and the games that they finish, a minute apart."""

    database: Database
    players: Sequence[wire.Player]
    minutes: int = 0

    async def finish(
        self, game_id: str, seats: tuple[int, int], loser: int, setup: wire.GameSetup = SMALL
    ) -> Game:
        """Let the player at seat `loser` resign; with 0, the game is aborted."""
        store = GameStore(self.database)
        one, two = (self.players[seat] for seat in seats)
        game = new_game(game_id, setup, (one, two), Allowances(), EPOCH, 0.0)
        await store.begin(game)
        self.minutes += 1
        at = EPOCH + timedelta(minutes=self.minutes)
        result = wire.Result(winner=None, reason="aborted", message="Aborted.")
        if loser:
            result = wire.Result(winner=3 - loser, reason="resignation", message="Resigned.")
        ended = replace(game, result=result, ended_at=at, revision=game.revision + 1)
        await store.save(game, ended, record_of(ended))
        return ended


@pytest.fixture
async def club(database: Database) -> Club:
    accounts = Accounts(database, FakeTime())
    logins = [await accounts.log_in(wire.Credentials(v=1)) for _ in range(3)]
    return Club(database, [login.player for login in logins])


async def found(search: GameSearch, what: Search) -> list[str]:
    page = await search.page(what, None, 50)
    downloaded = [
        GameRecord.model_validate_json(text).id
        async for texts in search.records(what)
        for text in texts
    ]
    assert downloaded == [each.game_id for each in page.summaries]
    return downloaded


async def test_each_filter_finds_its_games(club: Club) -> None:
    blooms = wire.GameSetup(game="blooms", board="hexhex-4", clock=CLOCK, rated=True)
    await club.finish("a", (0, 1), 2)
    await club.finish("b", (1, 0), 1, blooms)
    await club.finish("c", (2, 1), 1)
    await club.finish("d", (0, 2), 0)
    search, (one, two, three) = GameSearch(club.database), [each.id for each in club.players]
    assert await found(search, Search()) == ["d", "c", "b", "a"]
    assert await found(search, Search(player=one)) == ["d", "b", "a"]
    assert await found(search, Search(player=one, opponent=two)) == ["b", "a"]
    assert await found(search, Search(player=one, outcome="won")) == ["b", "a"]
    assert await found(search, Search(player=two, outcome="lost")) == ["b", "a"]
    assert await found(search, Search(player=two, outcome="won")) == ["c"]
    assert await found(search, Search(outcome="first")) == ["a"]
    assert await found(search, Search(outcome="aborted")) == ["d"]
    assert await found(search, Search(game="blooms", board="hexhex-4")) == ["b"]
    assert await found(search, Search(game="bluestone", rules="official")) == ["d", "c", "a"]
    assert await found(search, Search(rated=True)) == ["b"]
    assert await found(search, Search(player=three, rated=False)) == ["d", "c"]
    since, until = (EPOCH + timedelta(minutes=minutes) for minutes in (2, 4))
    assert await found(search, Search(since=since, until=until)) == ["c", "b"]
    assert await found(search, Search(player="nobody")) == []


async def test_pages_follow_each_other(club: Club) -> None:
    for game_id in "abcde":
        await club.finish(game_id, (0, 1), 1)
    search = GameSearch(club.database)
    seen, before = [], None
    while True:
        page = await search.page(Search(player=club.players[0].id), before, 2)
        seen.append([each.game_id for each in page.summaries])
        before = page.next
        if before is None:
            break
    assert seen == [["e", "d"], ["c", "b"], ["a"]]


async def test_a_download_reads_any_number_of_games(
    club: Club, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(game_search, "RECORDS_AT_ONCE", 2)
    for game_id in "abcde":
        await club.finish(game_id, (0, 1), 1)
        club.minutes = 0  # all end at the same moment
    assert await found(GameSearch(club.database), Search()) == [*"edcba"]


async def test_a_player_is_found_by_id_or_name(club: Club) -> None:
    search, player = GameSearch(club.database), club.players[0]
    assert player.id is not None
    assert await search.player_id(player.id) == player.id
    assert await search.player_id(player.name.upper()) == player.id
    assert await search.player_id("nobody") is None


async def test_games_of_older_tables_are_indexed(club: Club) -> None:
    for game_id in "abc":
        await club.finish(game_id, (0, 1), 1)

    def damage(connection: Connection) -> None:
        connection.execute("DELETE FROM game_index")
        connection.execute("DELETE FROM openings_due")
        connection.execute("UPDATE games SET setup = '{' WHERE id = 'b'")

    await club.database.write(damage)
    search = GameSearch(club.database)
    assert await found(search, Search()) == []
    await club.database.write(game_index.index_all)
    assert [each.game_id for each in (await search.page(Search(), None, 9)).summaries] == ["c", "a"]


async def test_a_search_reads_an_index_from_its_end(tmp_path: Path) -> None:
    async with open_database(tmp_path) as database:
        for what, index in (
            (Search(), "PRIMARY KEY (player=? AND ended_at<?)"),
            (Search(player="a"), "PRIMARY KEY (player=? AND ended_at<?)"),
            (Search(player="a", opponent="b"), "INDEX game_index_opponent (player=? AND opponent"),
            (Search(game="hexo", board="plane"), "INDEX game_index_game (player=? AND game=?"),
        ):
            statement = game_search._statement(game_search._SUMMARIES, what, game_search._BEFORE)
            values = {**what.values(), "before": "9999", "limit": 50}
            plan = await database.read(partial(_plan, statement=statement, values=values))
            steps = [row["detail"] for row in plan]
            assert any(index in step for step in steps), steps
            assert not any("SCAN game" in step for step in steps), steps


def _plan(connection: Connection, statement: str, values: Mapping[str, object]) -> list[Row]:
    return connection.execute(f"EXPLAIN QUERY PLAN {statement}", values).fetchall()
