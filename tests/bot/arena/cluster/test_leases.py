"""Leases of processes, claims of their games and duties, and their presence."""

import asyncio
from collections.abc import AsyncIterator, Sequence

import psycopg
import pytest

from bot import wire
from bot.arena.games.game_rows import StoredGame
from bot.arena.games.game_store import GameStore
from bot.arena.settings import Allowances, Place
from bot.arena.store.connection import Hold
from bot.arena.store.opening import arena_runs, open_database
from bot.arena.store.writer import Writer, _Job
from bot.errors import HostError
from tests.bot.arena.cluster.members import (
    LEASE_S,
    Process,
    expire,
    processes,
    run,
    started,
    stored,
)
from tests.bot.arena.store.server import place as place
from tests.bot.arena.store.server import url as url

pytestmark = pytest.mark.xdist_group("postgres")

ANNA = wire.Player(id="anna", name="Anna", kind="person")
BERTA = wire.Player(id="anna", name="Berta", kind="person")


@pytest.fixture
async def two(place: Place) -> AsyncIterator[tuple[Process, Process]]:
    async with processes(place) as (one, other):
        yield one, other


Two = tuple[Process, Process]


async def take_over(place: Place, dead: Process, heir: Process) -> None:
    expire(place, dead)
    assert await heir.leases.end_expired() == [dead.id]


# ---- leases ----------------------------------------------------------------------------------


async def test_members_are_the_processes_that_have_not_ended(two: Two) -> None:
    a, b = two
    await started(a)
    one, other = await a.leases.members()
    assert (one.id, one.address, one.pid, one.version) == ("a", "a.example:9765", 1, "1.0")
    assert (one.games, other.games) == (1, 0)
    assert 0 < one.lease_left_s <= LEASE_S
    await b.leases.leave(1.0)
    assert [each.id for each in await a.leases.members()] == ["a"]


async def test_a_lease_that_is_over_is_renewed_while_no_other_process_has_ended_it(
    place: Place, two: Two
) -> None:
    a, b = two
    expire(place, a)
    assert await a.leases.renew(1.0)
    assert await b.leases.end_expired() == []
    await take_over(place, a, b)
    assert not await a.leases.renew(2.0)
    await a.join(3.0)
    assert await a.leases.renew(4.0)


async def test_a_process_that_was_stopped_during_its_renewal_blocks_no_other(
    place: Place, two: Two
) -> None:
    a, b = two
    expire(place, a)
    assert place.database is not None
    with psycopg.connect(place.database) as stopped:
        stopped.execute("UPDATE processes SET clock_s = 5 WHERE id = 'a'")
        async with asyncio.timeout(10):
            assert await b.leases.end_expired() == []
            assert await b.leases.renew(1.0)
        stopped.rollback()
    assert await b.leases.end_expired() == ["a"]


async def test_a_process_whose_own_lease_is_over_ends_no_other(place: Place, two: Two) -> None:
    a, b = two
    expire(place, a)
    expire(place, b)
    assert await a.leases.end_expired() == []
    assert await a.leases.renew(1.0)
    assert await a.leases.end_expired() == ["b"]
    assert await b.leases.end_expired() == []


async def test_ended_processes_without_running_games_are_forgotten(place: Place, two: Two) -> None:
    a, b = two
    await started(a)
    await a.leases.leave(1.0)
    await b.leases.leave(1.0)
    assert run(place, "SELECT id FROM processes") == [("a",)]


# ---- games -----------------------------------------------------------------------------------


async def test_games_of_an_ended_process_are_claimed_with_all_turns(place: Place, two: Two) -> None:
    a, b = two
    game = await started(a)
    await a.games.save(game, game.play(1, 0, "0-0", 1.0), None)
    expire(place, a)
    assert await b.leases.claim_games(9) == []  # it has not ended
    await take_over(place, a, b)
    [claimed] = await b.leases.claim_games(9)
    assert (claimed.epoch, len(stored(claimed).turns)) == (2, 1)
    assert stored(claimed).revived(Allowances()).epoch == 2
    assert await b.leases.claim_games(9) == []
    assert await b.leases.owners() == {"g": ("b", 2)}
    assert await b.leases.owned() == [claimed]
    assert await b.leases.owned(["g"]) == []


async def test_no_more_games_than_requested_are_claimed_oldest_first(two: Two) -> None:
    a, b = two
    for name in ("g1", "g2", "g3"):
        await started(a, name)
    await a.leases.leave(0.0)
    counts = [len(await b.leases.claim_games(2)) for _ in range(3)]
    assert counts == [2, 1, 0]


async def test_a_process_that_has_ended_claims_nothing(two: Two) -> None:
    a, b = two
    await started(a)
    await a.leases.leave(0.0)
    await b.leases.leave(0.0)
    assert await b.leases.claim_games(9) == []
    assert await b.leases.claim_duty("hall") is None


async def test_games_of_an_arena_with_one_process_are_claimed(place: Place) -> None:
    async with processes(place) as (a, b):
        await started(a, now=5.0)
        run(place, "UPDATE games SET owner = NULL, epoch = 0")
        await b.games.show_life(7.0)
        [claimed] = await b.leases.claim_games(9)
    assert (claimed.epoch, stored(claimed).thought_ms) == (1, 2000)


async def test_the_clock_of_the_owner_says_for_how_long_a_player_has_thought(two: Two) -> None:
    a, b = two
    game = await started(a, now=100.0)
    await a.leases.renew(130.0)
    await b.leases.renew(5.0)
    await b.games.show_life(9000.0)
    [before] = await b.games.running()
    assert isinstance(before, StoredGame)
    assert before.thought_ms == 30_000
    await a.leases.leave(140.0)
    [claimed] = await b.leases.claim_games(9)
    assert stored(claimed).thought_ms == 40_000
    # Its clock is stopped: nothing is left that the clock of the new owner could misread.
    await b.leases.renew(1000.0)
    assert await b.leases.owned() == [claimed]
    assert (claimed.game.game_id, claimed.epoch) == (game.game_id, 2)


async def test_a_turn_newer_than_the_last_renewal_is_a_sign_of_life(two: Two) -> None:
    a, b = two
    await started(a, "g1", now=100.0)
    game = await started(a, "g2", now=100.0)
    await a.games.save(game, game.play(1, 0, "0-0", 112.0), None)
    assert thought(await b.games.running()) == {"g1": 12_000, "g2": 0}
    await a.leases.leave(0.0)
    claimed = [each.game for each in await b.leases.claim_games(9)]
    assert thought(claimed) == {"g1": 12_000, "g2": 0}


def thought(games: Sequence[object]) -> dict[str, int]:
    return {each.game_id: each.thought_ms for each in games if isinstance(each, StoredGame)}


async def test_an_arena_of_one_process_continues_the_games_of_a_larger_one(place: Place) -> None:
    async with processes(place, ["a"]) as [a]:
        await started(a, now=100.0)
        await a.leases.leave(103.0)
    async with open_database(place) as database:
        for _ in range(2):
            assert thought(await GameStore(database).running()) == {"g": 3000}
        assert await GameStore(database).clock_s() == 0.0
    assert run(place, "SELECT owner, thinking_since FROM games") == [(None, None)]


# ---- duties ----------------------------------------------------------------------------------


async def test_a_duty_has_one_living_process(place: Place, two: Two) -> None:
    a, b = two
    assert await a.leases.duty("hall") is None
    assert [await a.leases.claim_duty("hall") for _ in range(2)] == [1, 1]
    assert await b.leases.claim_duty("hall") is None
    assert await b.leases.duty("hall") == ("a", 1)
    await take_over(place, a, b)
    assert await b.leases.duty("hall") is None
    assert await b.leases.claim_duty("hall") == 2
    await a.join()
    assert await a.leases.claim_duty("hall") is None
    assert await a.leases.duty("hall") == ("b", 2)


# ---- presence --------------------------------------------------------------------------------


async def test_each_change_of_presence_raises_the_revision(place: Place, two: Two) -> None:
    a, b = two
    assert await b.presence.of("a") == (0, [])
    assert await a.presence.came(ANNA) == 1
    assert await a.presence.renamed("Anna", BERTA) == 2
    assert await b.presence.of("a") == (2, [BERTA])
    assert (await b.leases.members())[0].presence_revision == 2
    await take_over(place, a, b)
    assert (await b.presence.of("a"))[1] == []
    with pytest.raises(HostError, match="has not joined"):
        await a.presence.left("Berta")
    await a.join()
    assert await b.presence.of("a") == (3, [])
    assert await a.presence.left("Berta") == 4


# ---- the lock --------------------------------------------------------------------------------


async def test_an_arena_of_one_process_and_one_of_several_exclude_each_other(
    place: Place,
) -> None:
    assert not arena_runs(place)
    async with processes(place):
        assert arena_runs(place)
        with pytest.raises(HostError, match="another arena uses it"):
            async with open_database(place):
                pass
    async with open_database(place):
        assert arena_runs(place)
        with pytest.raises(HostError, match="another arena uses it"):
            async with open_database(place, None, Hold.SHARED):
                pass
    assert not arena_runs(place)


# ---- commits whose answers were lost -----------------------------------------------------------


async def test_every_write_may_run_again_after_its_commit(
    place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    once = Writer._transaction

    def twice(writer: Writer, jobs: Sequence[_Job]) -> list[object]:
        once(writer, jobs)
        return once(writer, jobs)

    monkeypatch.setattr(Writer, "_transaction", twice)
    async with processes(place) as (a, b):
        game = await started(a)
        await a.games.save(game, game.play(1, 0, "0-0", 1.0), None)
        assert await a.leases.renew(2.0)
        assert await a.leases.claim_duty("hall") == 1
        expire(place, a)
        assert await b.leases.end_expired() == []  # the first answer is lost
        assert await b.leases.claim_games(9) == []
        [claimed] = await b.leases.owned()
        assert (claimed.epoch, len(stored(claimed).turns)) == (2, 1)
        assert await b.leases.claim_duty("hall") == 2
        await b.presence.came(ANNA)
        assert (await a.presence.of("b"))[1] == [ANNA]
        await b.leases.leave(0.0)
        assert await a.leases.members() == []
