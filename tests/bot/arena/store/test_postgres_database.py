"""What a server does that a file does not: restart, forget connections, lose answers, refuse."""

import asyncio
import sys
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import asynccontextmanager, closing
from dataclasses import dataclass, replace
from datetime import timedelta
from pathlib import Path

import psycopg
import pytest
from psycopg import errors, sql
from structlog.testing import capture_logs

from bot import wire
from bot.arena.model.game import Game, new_game
from bot.arena.settings import Allowances, NameLimits, Place
from bot.arena.store import schema, writer
from bot.arena.store.accounts import Accounts, issue_token
from bot.arena.store.connection import Connection, Verdict
from bot.arena.store.database import Database
from bot.arena.store.desk import Desk
from bot.arena.store.game_store import GameStore
from bot.arena.store.hosts import Hosts
from bot.arena.store.opening import arena_runs, open_database, why_missing
from bot.arena.store.orders import By
from bot.arena.store.postgres_database import PostgresDriver, judge
from bot.arena.store.postgres_statements import spelled
from bot.arena.store.tournament_store import TournamentStore
from bot.arena.store.writer import Statement
from bot.errors import ConfigurationError, DataError, HostError
from bot.time_controls import parse_time_control
from tests.fakes.cut_connection import COMMITTED, Relay, relay
from tests.fakes.postgres import Postgres
from tests.fakes.time import EPOCH, FakeTime
from tests.fakes.waiting import eventually

pytestmark = pytest.mark.xdist_group("postgres")

BY = By("root", "spam")
INSERTED = b"INSERT 0 1\0"


@pytest.fixture(autouse=True)
def _soon_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(writer, "RETRY_S", 0.01)


@pytest.fixture
def url(postgres: Postgres) -> str:
    return postgres.create()


@pytest.fixture
def place(tmp_path: Path, url: str) -> Place:
    return Place(tmp_path, url)


@pytest.fixture
def cut(postgres: Postgres) -> Iterator[Relay]:
    with relay(postgres.socket) as made:
        yield made


def by_way_of(cut: Relay, place: Place) -> Place:
    """The same database, reached over the relay."""
    name = str(place.database).partition("?")[0].rpartition("/")[2]
    return replace(place, database=f"postgresql://postgres@127.0.0.1:{cut.port}/{name}")


def ask(url: str, statement: str) -> list[tuple[object, ...]]:
    with psycopg.connect(url, autocommit=True) as connection:
        return connection.execute(statement.encode()).fetchall()


def note(name: str, value: str = "x") -> Statement:
    return Statement("INSERT INTO facts (name, value) VALUES (?, ?)", (name, value))


async def names(database: Database) -> list[str]:
    rows = await database.read(lambda c: c.execute("SELECT name FROM facts").fetchall())
    return sorted(row["name"] for row in rows)


# ---- answers that are lost --------------------------------------------------------------------


@dataclass
class Stores:
    """Everything that writes, for a test that loses the answer to one write."""

    accounts: Accounts
    desk: Desk
    games: GameStore
    hosts: Hosts
    tournaments: TournamentStore

    async def come(self, name: str | None = None, address: str = "198.51.100.7") -> wire.Player:
        return (await self.accounts.log_in(wire.Credentials(v=1, name=name), address)).player

    async def game(self) -> Game:
        players = (await self.come("Anna"), await self.come("Ben"))
        setup = wire.GameSetup(board="pent-3", clock=parse_time_control("60+2"))
        return new_game("g", setup, players, Allowances(), EPOCH, 0.0)

    async def audited(self) -> list[str]:
        return [order.action for order in await self.desk.audit(9)]


@asynccontextmanager
async def stores_at(place: Place) -> AsyncIterator[Stores]:
    time = FakeTime()
    async with open_database(place) as database:
        accounts = Accounts(database, time, NameLimits(names_per_address=2))
        yield Stores(
            accounts,
            Desk(database, time, BY),
            GameStore(database),
            Hosts(database, accounts, time),
            TournamentStore(database, time),
        )


Lose = Callable[[], None]


async def first_name(stores: Stores, lose: Lose) -> None:
    await stores.come("Zoe")
    lose()
    anna = await stores.come("Anna")  # the last name that the address may have
    assert await stores.accounts.find("anna") == anna


async def guest_key(stores: Stores, lose: Lose) -> None:
    lose()
    login = await stores.accounts.log_in(wire.Credentials(v=1))
    again = await stores.accounts.log_in(wire.Credentials(v=1, guest_key=login.guest_key))
    assert again.player == login.player
    assert await stores.accounts.forget_guests(timedelta(seconds=-1)) == 1


async def another_name(stores: Stores, lose: Lose) -> None:
    await stores.come("Zoe")
    guest = await stores.come()
    lose()
    renamed = await stores.accounts.rename(guest, "Anna", "198.51.100.7")
    assert await stores.accounts.find("anna") == renamed


async def token_of_a_new_bot(stores: Stores, lose: Lose) -> None:
    lose()
    assert await stores.accounts.knows_token(await stores.accounts.create_token("robot", new=True))
    assert await stores.audited() == ["token"]


async def rotation(stores: Stores, lose: Lose) -> None:
    old = await stores.accounts.create_token("robot")
    lose()
    made = await stores.desk.rotate("robot", timedelta(days=1))
    assert made.others == 1
    assert await stores.accounts.knows_token(old)
    assert await stores.accounts.knows_token(made.secret)
    assert sorted(await stores.audited()) == ["rotate", "token"]


async def revocation(stores: Stores, lose: Lose) -> None:
    await stores.accounts.create_token("robot")
    [token] = await stores.desk.tokens()
    lose()
    assert (await stores.desk.revoke(token.id)).id == token.id
    assert sorted(await stores.audited()) == ["revoke", "token"]


async def block(stores: Stores, lose: Lose) -> None:
    lose()
    await stores.desk.block_network("203.0.113.7", None)
    assert len(await stores.desk.blocks()) == 1
    assert await stores.audited() == ["block"]


async def unblocking(stores: Stores, lose: Lose) -> None:
    await stores.desk.block_network("203.0.113.7", None)
    lose()
    await stores.desk.unblock(None, "203.0.113.7")
    assert sorted(await stores.audited()) == ["block", "unblock"]


async def withdrawal(stores: Stores, lose: Lose) -> None:
    await stores.come("Anna")
    order = await stores.desk.rename("Anna", "Berta")
    lose()
    await stores.desk.withdraw("rename", "Anna")
    assert (await stores.desk.outcome(order, 0)).ok is False


async def key_of_a_host(stores: Stores, lose: Lose) -> None:
    lose()
    key = await stores.hosts.create_key("Hanna")
    login = await stores.accounts.log_in(wire.Credentials(v=1, guest_key=key))
    assert await stores.hosts.look_up(login.player.id)


async def begin_of_a_game(stores: Stores, lose: Lose) -> None:
    game = await stores.game()
    lose()
    await stores.games.begin(game)
    assert len(await stores.games.running()) == 1


async def end_of_a_game(stores: Stores, lose: Lose) -> None:
    game = await stores.game()
    await stores.games.begin(game)
    played = game.play(1, 0, "0-0", 1.0)
    over = replace(
        played,
        result=wire.Result(winner=1, reason="resignation", message="Ben resigned."),
        ended_at=EPOCH,
    )
    lose()
    await stores.games.save(game, over, None)
    found = await stores.games.finished("g")
    assert found is not None
    assert len(found.turns) == 1


async def entry(stores: Stores, lose: Lose) -> None:
    host = await stores.come("Hanna")
    setup = wire.GameSetup(board="pent-3", clock=parse_time_control("60+2"))
    settings = wire.TournamentSettings(name="Cup", setups=[setup], format={"kind": "round-robin"})
    await stores.tournaments.create("t", host, settings)
    lose()
    await stores.tournaments.enter("t", 1, host)
    [stored] = await stores.tournaments.unfinished()
    assert [player.id for player in stored.entrants] == [host.id]  # type: ignore[union-attr]


@pytest.mark.parametrize(
    "write",
    [
        first_name,
        guest_key,
        another_name,
        token_of_a_new_bot,
        rotation,
        revocation,
        block,
        unblocking,
        withdrawal,
        key_of_a_host,
        begin_of_a_game,
        end_of_a_game,
        entry,
    ],
)
async def test_a_write_whose_commit_was_not_answered_is_repeated_and_stored_once(
    write: Callable[[Stores, Lose], Awaitable[None]], cut: Relay, place: Place
) -> None:
    async with stores_at(by_way_of(cut, place)) as stores:
        await write(stores, lambda: cut.lose(COMMITTED))
    assert cut.lost == 1


async def test_a_turn_whose_answer_was_lost_is_stored_once(cut: Relay, place: Place) -> None:
    async with stores_at(by_way_of(cut, place)) as stores:
        game = await stores.game()
        await stores.games.begin(game)
        cut.lose(INSERTED)
        await stores.games.save(game, game.play(1, 0, "0-0", 1.0), None)
        [stored] = await stores.games.running()
    assert cut.lost == 1
    assert len(stored.turns) == 1  # type: ignore[union-attr]


# ---- outages ----------------------------------------------------------------------------------


async def test_while_the_server_restarts_writes_and_reads_wait(
    postgres: Postgres, place: Place
) -> None:
    told: list[str | None] = []
    async with open_database(place) as database:
        database.on_trouble = told.append
        await database.write(note("a"))
        postgres.stop()
        try:
            writing = [asyncio.create_task(database.write(note(name))) for name in "bc"]
            reading = asyncio.create_task(names(database))
            await eventually(lambda: database.trouble is not None)
        finally:
            await asyncio.to_thread(postgres.start)
        await asyncio.gather(*writing)
        assert "a" in await reading
        assert await names(database) == ["a", "b", "c"]
    assert [why is None for why in told] == [False, True]


async def test_the_end_does_not_wait_for_a_server_that_is_gone(
    postgres: Postgres, place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(writer, "HURRIED_S", 0.05)
    monkeypatch.setattr("bot.arena.store.postgres_database.HURRIED_S", 0.05)
    try:
        async with open_database(place) as database:
            postgres.stop()
            work = [database.write(note("a")), names(database)]
            waiting = [asyncio.ensure_future(each) for each in work]
            await eventually(lambda: database.trouble is not None)
        outcomes = await asyncio.gather(*waiting, return_exceptions=True)
    finally:
        await asyncio.to_thread(postgres.start)
    assert [type(each) for each in outcomes] == [HostError, HostError]


async def test_connections_that_are_cut_are_replaced(cut: Relay, place: Place) -> None:
    async with open_database(by_way_of(cut, place)) as database:
        await database.write(note("a"))
        assert await names(database) == ["a"]
        cut.cut()
        assert await names(database) == ["a"]
        await database.write(lambda c: c.execute(note("b").sql, note("b").values))
        assert await names(database) == ["a", "b"]


@pytest.mark.parametrize("failure", [errors.DiskFull, errors.AdminShutdown, errors.IoError])
async def test_a_server_that_cannot_write_now_is_waited_for(
    failure: type[psycopg.Error], place: Place
) -> None:
    told: list[str | None] = []
    async with open_database(place) as database:
        database.on_trouble = told.append
        failures = iter([failure("not now")])

        def work(connection: Connection) -> None:
            connection.execute(note("a").sql, note("a").values)
            for each in failures:
                raise each

        await database.write(work)
        assert await names(database) == ["a"]
    assert told == ["not now", None]


async def test_work_that_another_transaction_contradicts_is_repeated_without_an_alarm(
    place: Place, url: str
) -> None:
    told: list[str | None] = []
    async with open_database(place) as database:
        database.on_trouble = told.append
        runs = 0

        def add(connection: Connection) -> str:
            nonlocal runs
            count = connection.execute("SELECT count(*) FROM facts").fetchone()[0]
            if (runs := runs + 1) == 1:
                with psycopg.connect(url) as other:  # counts too, and commits first
                    other.execute("SET TRANSACTION ISOLATION LEVEL SERIALIZABLE")
                    other.execute("INSERT INTO facts SELECT 'other', count(*) FROM facts")
            connection.execute(note("a").sql, ("a", str(count)))
            return str(count)

        assert await database.write(add) == "1"
    assert (runs, told) == (2, [])
    assert sorted(ask(url, "SELECT name, value FROM facts")) == [("a", "1"), ("other", "0")]


@pytest.mark.parametrize(
    ("error", "verdict"),
    [
        (errors.SerializationFailure(), Verdict.AGAIN),
        (errors.DeadlockDetected(), Verdict.AGAIN),
        (errors.CannotConnectNow(), Verdict.RECONNECT),
        (errors.ReadOnlySqlTransaction(), Verdict.RECONNECT),
        (errors.TooManyConnections(), Verdict.RECONNECT),
        (psycopg.OperationalError("the connection is closed"), Verdict.RECONNECT),
        (errors.OutOfMemory(), Verdict.LATER),
        (errors.LockNotAvailable(), Verdict.LATER),
        (errors.DataCorrupted(), Verdict.DAMAGED),
        (errors.UniqueViolation(), Verdict.WORK_FAILED),
        (errors.PipelineAborted(), Verdict.WORK_FAILED),
        (psycopg.ProgrammingError("the query has 1 placeholder"), Verdict.WORK_FAILED),
        (ValueError(), Verdict.WORK_FAILED),
    ],
)
def test_errors_are_judged_by_their_codes(error: Exception, verdict: Verdict) -> None:
    assert judge(error) is verdict


async def test_a_commit_survives_a_power_cut_whatever_the_database_says(
    place: Place, url: str
) -> None:
    name = url.partition("?")[0].rpartition("/")[2]
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute(
            sql.SQL("ALTER DATABASE {} SET synchronous_commit TO off").format(sql.Identifier(name))
        )
    async with open_database(place) as database:
        show = "SHOW synchronous_commit"
        assert await database.write(lambda c: c.execute(show).fetchone()[0]) == "on"


# ---- one arena --------------------------------------------------------------------------------


async def test_a_second_arena_is_refused_and_a_command_is_not(
    place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("bot.arena.store.postgres_database.LOCK_S", 0.0)
    assert why_missing(place) is not None
    async with open_database(place):
        assert arena_runs(place)
        with pytest.raises(HostError, match="another arena uses it"):
            async with open_database(place):
                pass
        assert await issue_token(place, "robot")
    assert not arena_runs(place)
    assert why_missing(place) is None
    async with open_database(place):
        pass


async def test_an_arena_whose_place_was_taken_while_it_was_cut_off_writes_nothing(
    cut: Relay, place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("bot.arena.store.postgres_database.LOCK_S", 0.0)
    async with open_database(by_way_of(cut, place)) as first:
        async with stand_in(place, cut) as second:
            writing = asyncio.create_task(first.write(note("first")))
            await eventually(lambda: first.trouble is not None)
            await second.write(note("second"))
            assert await names(second) == ["second"]
            assert not writing.done()
        await writing
        assert await names(first) == ["first", "second"]


@asynccontextmanager
async def stand_in(place: Place, cut: Relay) -> AsyncIterator[Database]:
    """Cut the first arena off, and open the database as soon as the server has noticed."""
    cut.cut()
    while True:
        try:
            async with open_database(place) as database:
                yield database
                return
        except HostError:
            await asyncio.sleep(0.01)


# ---- tables -----------------------------------------------------------------------------------


async def test_the_order_of_texts_does_not_depend_on_the_servers_locale(
    place: Place, url: str
) -> None:
    async with open_database(place):
        pass
    collations = ask(
        url,
        "SELECT DISTINCT collation_name FROM information_schema.columns"
        " WHERE table_schema = current_schema() AND data_type = 'text'",
    )
    assert collations == [("C",)]


async def test_tables_of_a_newer_program_are_left_alone(place: Place, url: str) -> None:
    async with open_database(place):
        pass
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute("UPDATE schema_version SET version = 99")
    with pytest.raises(DataError, match=r"newer version of Bluestone.*choose another database"):
        async with open_database(place):
            pass


async def test_a_column_that_is_missing_is_named(place: Place, url: str) -> None:
    async with open_database(place):
        pass
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute("ALTER TABLE games DROP COLUMN revision")
    with pytest.raises(DataError, match=r"games\.revision is missing; restore"):
        async with open_database(place):
            pass


async def test_tables_are_brought_up_to_date_unless_an_arena_uses_them(
    place: Place, url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("bot.arena.store.postgres_database.LOCK_S", 0.0)

    def add_column(connection: Connection, dialect: schema.Dialect) -> None:
        connection.execute(dialect.spelled("ALTER TABLE accounts ADD COLUMN motto TEXT"))

    async with open_database(place):
        monkeypatch.setattr(schema, "VERSION", schema.VERSION + 1)
        monkeypatch.setattr(schema, "STEPS", {schema.VERSION - 1: add_column})
        with pytest.raises(HostError, match="another arena uses it"):
            await issue_token(place, "robot")
    await issue_token(place, "robot")
    assert ask(url, "SELECT motto FROM accounts") == [(None,)]
    assert ask(url, "SELECT version FROM schema_version") == [(schema.VERSION,)]


async def test_programs_that_start_at_once_make_the_tables_once(place: Place) -> None:
    bots = [f"bot{number}" for number in range(4)]
    await asyncio.gather(*(issue_token(place, name) for name in bots))
    async with open_database(place) as database:
        accounts = Accounts(database, FakeTime())
        assert [(await accounts.find(name)).name for name in bots] == bots


async def test_a_database_with_another_encoding_is_refused(
    postgres: Postgres, tmp_path: Path
) -> None:
    made = sql.SQL("CREATE DATABASE latin TEMPLATE template0 ENCODING SQL_ASCII LOCALE 'C'")
    postgres.run(sql.Composed([made]))
    with pytest.raises(HostError, match="create a database with the encoding UTF8"):
        async with open_database(Place(tmp_path, postgres.url("latin"))):
            pass


# ---- the setting ------------------------------------------------------------------------------


async def test_a_server_that_cannot_be_reached_is_named_without_the_password(
    tmp_path: Path,
) -> None:
    place = Place(tmp_path, "postgresql://anna:hunter2@127.0.0.1:1/arena")
    with (
        capture_logs() as logs,
        pytest.raises(HostError, match=r"postgresql://anna@127.0.0.1:1/arena: cannot") as raised,
    ):
        async with open_database(place):
            pass
    assert "hunter2" not in f"{raised.value}{logs}{place!r}"


async def test_a_url_that_cannot_be_understood_is_a_mistake_of_the_settings(
    tmp_path: Path,
) -> None:
    with pytest.raises(ConfigurationError, match=r"database: .*colour"):
        async with open_database(Place(tmp_path, "postgresql://host/name?colour=red")):
            pass


async def test_without_psycopg_a_sentence_says_what_to_install(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delitem(sys.modules, "bot.arena.store.postgres_database")
    monkeypatch.setitem(sys.modules, "psycopg", None)
    with pytest.raises(ConfigurationError, match=r"pip install 'bluestone\[postgres\]'"):
        async with open_database(Place(tmp_path, "postgresql://host/name")):
            pass


@pytest.mark.parametrize(
    ("statement", "expected"),
    [
        ("SELECT a FROM b WHERE c = ? AND d = ?", "SELECT a FROM b WHERE c = %s AND d = %s"),
        ("SELECT :one, :two_2, :one", "SELECT %(one)s, %(two_2)s, %(one)s"),
        ("SELECT '?:a%', \"?\", x::int, 7 % 2", "SELECT '?:a%%', \"?\", x::int, 7 %% 2"),
    ],
)
def test_places_for_values_are_spelled_for_psycopg(statement: str, expected: str) -> None:
    assert spelled(statement).decode() == expected


def test_values_of_a_row_are_found_by_name_and_by_index(url: str) -> None:
    driver = PostgresDriver(url, is_sole=False)
    with closing(driver.session("serializable")) as connection:
        row = connection.execute("SELECT 1 AS one, ? AS two, true AS three", ("2",)).fetchone()
    assert (row["one"], row["two"], row[1], row["three"]) == (1, "2", "2", True)
    assert dict(row) == {"one": 1, "two": "2", "three": True}
