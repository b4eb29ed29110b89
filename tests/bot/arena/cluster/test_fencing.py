"""A process that was replaced as the owner of a game or of the hall writes nothing any more."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import closing
from dataclasses import replace

import psycopg
import pytest

from bot import wire
from bot.arena.cluster import leases
from bot.arena.games.archive import record_of
from bot.arena.games.game import Game
from bot.arena.games.game_takeover import take
from bot.arena.postgres.postgres_connection import PostgresConnection
from bot.arena.postgres.postgres_database import PostgresDriver
from bot.arena.refusals import OwnerReplaced
from bot.arena.settings import Place
from bot.arena.store import fences
from bot.arena.store.connection import Hold
from bot.tournaments.events import Paused
from tests.bot.arena.cluster.members import (
    SETUP,
    Process,
    game_between,
    players_in,
    processes,
    run,
    started,
    stored,
)
from tests.bot.arena.store.server import place as place
from tests.bot.arena.store.server import url as url
from tests.fakes.time import EPOCH

pytestmark = pytest.mark.xdist_group("postgres")

Two = tuple[Process, Process]


@pytest.fixture
async def two(place: Place) -> AsyncIterator[Two]:
    async with processes(place) as (one, other):
        yield one, other


async def test_a_game_is_begun_by_one_process(two: Two) -> None:
    one, other = two
    game = game_between(await players_in(one.database), "g")
    assert await one.games.begin(game)
    assert await one.games.begin(game)  # again, after a lost answer
    assert not await other.games.begin(game)
    assert await one.leases.owners() == {"g": ("a", 1)}


def played(game: Game) -> Game:
    return game.play(1, 0, "0-0", 1.0)


def resigned(game: Game) -> Game:
    return replace(played(game).act(2, "resign", 2.0), ended_at=EPOCH)


def offered(game: Game) -> Game:
    return game.act(1, "offer_draw", 1.0)


def played_with_offer(game: Game) -> Game:
    return played(offered(game))


def contents(place: Place) -> list[object]:
    """All games and turns."""
    return [run(place, f"SELECT * FROM {table} ORDER BY 1") for table in ("games", "turns")]


# ---- games -----------------------------------------------------------------------------------


@pytest.mark.parametrize("change", [played, offered, played_with_offer, resigned])
async def test_a_replaced_owner_writes_nothing(
    place: Place, two: Two, change: Callable[[Game], Game]
) -> None:
    a, b = two
    game = await started(a)
    await a.leases.leave(0.0)
    await b.leases.claim_games(9)
    before = contents(place)
    with pytest.raises(OwnerReplaced, match="replaced as the owner of the game g"):
        await a.games.save(game, change(game), None)
    assert contents(place) == before


@pytest.mark.parametrize("change", [played, offered, played_with_offer, resigned])
async def test_the_owner_writes_after_each_takeover(
    two: Two, change: Callable[[Game], Game]
) -> None:
    a, b = two
    game = await started(a)
    await a.leases.leave(0.0)
    [claimed] = await b.leases.claim_games(9)
    own = stored(claimed).revived(game.allowances).resumed(0.0)
    await b.games.save(own, change(own), None)
    # The same process again, in another epoch: what it believed before does not count.
    await a.join()
    await b.leases.leave(0.0)
    for again in await a.leases.claim_games(9):
        with pytest.raises(OwnerReplaced):
            await a.games.save(game, change(game), None)
        after = stored(again).revived(game.allowances).resumed(0.0)
        assert after.ply == change(own).ply


@pytest.mark.parametrize("change", [played, offered, resigned])
async def test_a_process_does_not_write_the_games_of_another_one(
    place: Place, two: Two, change: Callable[[Game], Game]
) -> None:
    a, b = two
    game = await started(a)
    before = contents(place)
    with pytest.raises(OwnerReplaced):
        await b.games.save(game, change(game), None)
    assert contents(place) == before


async def test_a_write_of_a_replaced_owner_fails_alone_in_its_group(place: Place, two: Two) -> None:
    a, b = two
    lost = await started(a, "lost")
    await a.leases.leave(0.0)
    await b.leases.claim_games(9)
    await a.join()
    kept = [await started(a, f"kept{number}") for number in range(3)]
    outcomes = await asyncio.gather(
        *(a.games.save(game, played(game), None) for game in [kept[0], lost, *kept[1:]]),
        return_exceptions=True,
    )
    assert [type(each) for each in outcomes] == [type(None), OwnerReplaced, type(None), type(None)]
    assert run(place, "SELECT game_id FROM turns ORDER BY 1") == [
        ("kept0",),
        ("kept1",),
        ("kept2",),
    ]


async def test_records_of_several_processes_are_in_the_database_only(
    place: Place, two: Two
) -> None:
    a, _ = two
    game = await started(a)
    over = resigned(game)
    await a.games.save(game, over, record_of(over))
    assert await a.games.record("g") is not None
    assert await a.games.pending_records() == {}
    assert run(place, "SELECT running FROM games") == [(False,)]


# ---- takeovers in the middle of a transaction --------------------------------------------------


@pytest.fixture
def transaction(url: str) -> Callable[[], PostgresConnection]:
    """A connection within a transaction that sees the database as it is now."""

    def begun() -> PostgresConnection:
        connection = PostgresDriver(url, Hold.NONE).session("serializable")
        connection.execute("BEGIN")
        connection.execute("SELECT 1 FROM facts").fetchall()
        return connection

    return begun


TURN = ("g", "a", 1, 0, '{"turn": "0-0"}', 2, 1.0)


async def test_a_takeover_after_the_snapshot_of_a_turn_lets_the_turn_fail(
    place: Place, two: Two, transaction: Callable[[], PostgresConnection]
) -> None:
    a, b = two
    await started(a)
    await a.leases.leave(0.0)
    with closing(transaction()) as connection:
        assert len(await b.leases.claim_games(9)) == 1
        with pytest.raises(psycopg.errors.SerializationFailure):
            connection.execute(fences.PLAY, TURN)
    with closing(transaction()) as connection, pytest.raises(psycopg.errors.NotNullViolation):
        connection.execute(fences.PLAY, TURN)
    assert run(place, "SELECT * FROM turns") == []


async def test_a_game_with_a_turn_on_its_way_is_claimed_after_the_commit(
    two: Two, transaction: Callable[[], PostgresConnection]
) -> None:
    a, b = two
    game = await started(a)
    await a.leases.leave(0.0)
    with closing(transaction()) as connection:
        row = (game.game_id, "a", 1, 0, played(game).turns[-1].as_json, 2, 1.0)
        connection.execute(fences.PLAY, row)
        assert await b.leases.claim_games(9) == []
        connection.execute("COMMIT")
    [claimed] = await b.leases.claim_games(9)
    assert len(stored(claimed).turns) == 1


async def test_a_claim_whose_snapshot_is_older_than_a_turn_is_repeated(
    two: Two, transaction: Callable[[], PostgresConnection]
) -> None:
    a, b = two
    game = await started(a)
    await a.leases.leave(0.0)
    with closing(transaction()) as connection:
        await a.games.save(game, played(game), None)

        def claim() -> None:
            values = {"me": "b", "limit": 9}
            rows = connection.execute(leases._CLAIM, values).fetchall()
            take(connection, rows, "b")
            connection.execute("COMMIT")

        with pytest.raises(psycopg.errors.SerializationFailure):
            claim()
    [claimed] = await b.leases.claim_games(9)
    assert len(stored(claimed).turns) == 1


# ---- the hall --------------------------------------------------------------------------------


async def create(process: Process, host: wire.Player) -> None:
    await process.tournaments.create("t2", host, settings_of_cup())


async def close(process: Process, host: wire.Player) -> None:
    summary = wire.TournamentSummary(
        tournament_id="t",
        name="Cup",
        format="round-robin",
        host=host.name,
        state="over",
        admits="both",
        games=[],
        entrants=0,
        most_players=2,
        round=0,
        rounds_in_all=None,
        starts_at=None,
    )
    await process.tournaments.close("t", "over", summary)


async def enter(process: Process, host: wire.Player) -> None:
    await process.tournaments.enter("t", 2, host)


async def leave(process: Process, host: wire.Player) -> None:
    await process.tournaments.leave("t", host)


async def note(process: Process, _host: wire.Player) -> None:
    await process.tournaments.note("t", 0, [Paused(why="lunch")], "running")


async def begin(process: Process, host: wire.Player) -> None:
    _, other = await players_in(process.database)
    game = game_between((host, other), "g")
    await process.games.begin(game, process.tournaments.duty)


def settings_of_cup() -> wire.TournamentSettings:
    return wire.TournamentSettings(name="Cup", setups=[SETUP], format={"kind": "round-robin"})


TABLES = ("tournaments", "tournament_entrants", "tournament_events", "games")


@pytest.mark.parametrize("write", [create, close, enter, leave, note, begin])
async def test_a_process_that_lost_the_hall_writes_no_tournament(
    place: Place, two: Two, write: Callable[[Process, wire.Player], Awaitable[None]]
) -> None:
    def held() -> list[object]:
        return [run(place, f"SELECT * FROM {table} ORDER BY 1, 2") for table in TABLES]

    a, b = two
    host, _ = await players_in(a.database)
    await a.tournaments.create("t", host, settings_of_cup())
    if write is not enter:
        await a.tournaments.enter("t", 1, host)
    epoch = await a.leases.claim_duty("hall")
    assert epoch == 1
    await a.leases.leave(0.0)
    assert await b.leases.claim_duty("hall") == 2
    before = held()
    a.tournaments.duty = ("a", epoch)
    with pytest.raises(OwnerReplaced, match="replaced as the owner of the hall"):
        await write(a, host)
    assert held() == before
    b.tournaments.duty = ("b", 2)
    await write(b, host)
    assert held() != before
