"""Names and their owners: who may have one, and for how long it stays theirs."""

import sqlite3
from datetime import timedelta
from pathlib import Path
from typing import cast

import pytest

from bot import wire
from bot.arena.players.accounts import Accounts, hashed
from bot.arena.refusals import Refused
from bot.arena.settings import NameLimits
from bot.arena.store.database import Database
from bot.arena.store.opening import open_database
from bot.errors import ConfigurationError
from tests.fakes.time import FakeTime

HERE, THERE = "198.51.100.1", "198.51.100.2"
LIMITS = NameLimits(names_per_address=3, keep_former_names_days=10)


@pytest.fixture
def time() -> FakeTime:
    return FakeTime()


@pytest.fixture
def accounts(database: Database, time: FakeTime) -> Accounts:
    return Accounts(database, time, LIMITS)


async def come(accounts: Accounts, name: str | None, address: str = HERE) -> wire.Player:
    login = await accounts.log_in(wire.Credentials(v=1, name=name), address)
    return login.player


async def refusal(work: object) -> str:
    with pytest.raises(Refused) as refused:
        await work  # type: ignore[misc]
    return refused.value.code


@pytest.mark.parametrize("name", ["ALPHA", "aIpha", "al pha", "alpha-"])
async def test_a_name_that_looks_like_another_is_refused(accounts: Accounts, name: str) -> None:
    await come(accounts, "alpha")
    assert await refusal(come(accounts, name)) == "name_taken"


@pytest.mark.parametrize("name", ["admin", "0perator", "System", "Guest-abc123", "Deleted-3fa2b1"])
async def test_the_arenas_own_names_cannot_be_chosen(accounts: Accounts, name: str) -> None:
    assert await refusal(come(accounts, name)) == "name_taken"
    anna = await come(accounts, "Anna")
    with pytest.raises(Refused, match=f"The name {name} is reserved for the arena."):
        await accounts.rename(anna, name)
    guest = await come(accounts, None)
    assert (await accounts.rename_by_operator(guest.model_copy(update={"name": name}))).name == name


async def test_a_player_who_has_one_of_the_arenas_names_keeps_it(accounts: Accounts) -> None:
    guest = await come(accounts, None)
    admin = await accounts.rename_by_operator(
        guest.model_copy(update={"name": "admin", "kind": "person"})
    )
    assert (await accounts.rename(admin, "Admin")).name == "Admin"
    await accounts.create_token("System")  # the operator may


async def test_a_bot_gets_no_name_that_looks_like_a_persons(accounts: Accounts) -> None:
    await come(accounts, "alpha")
    with pytest.raises(ConfigurationError, match="looks like alpha, which belongs"):
        await accounts.create_token("aIpha")


async def test_a_former_name_stays_its_owners_for_a_time(
    accounts: Accounts, time: FakeTime
) -> None:
    anna = await come(accounts, "Anna")
    renamed = await accounts.rename(anna, "Berta")
    assert renamed.id == anna.id
    assert await refusal(come(accounts, "Anna", THERE)) == "name_taken"
    assert await refusal(accounts.find("Anna")) == "unknown_player"
    await time.advance(timedelta(days=11).total_seconds())
    other = await come(accounts, "Anna", THERE)
    assert other.id != anna.id


async def test_the_owner_may_take_a_former_name_back(accounts: Accounts) -> None:
    anna = await come(accounts, "Anna")
    berta = await accounts.rename(anna, "Berta")
    again = await accounts.rename(berta, "anna")
    assert (await accounts.find("Anna")) == again
    assert await refusal(come(accounts, "Berta", THERE)) == "name_taken"


async def test_an_address_has_a_limit_of_names(accounts: Accounts) -> None:
    for name in ("one", "two", "three"):
        await come(accounts, name)
    assert await refusal(come(accounts, "four")) == "too_many"
    await come(accounts, "four", THERE)
    assert (await come(accounts, None)).kind == "guest"


async def test_names_are_not_hoarded_by_renaming(accounts: Accounts) -> None:
    player = await come(accounts, "one")
    player = await accounts.rename(player, "two", HERE)
    player = await accounts.rename(player, "three", HERE)
    assert await refusal(accounts.rename(player, "four", HERE)) == "too_many"


async def test_addresses_are_stored_only_as_hashes(database: Database, accounts: Accounts) -> None:
    await come(accounts, "one")
    rows = await database.read(lambda c: c.execute("SELECT origin FROM accounts").fetchall())
    assert [len(row["origin"]) for row in rows] == [64]


async def test_coming_back_soon_writes_nothing(accounts: Accounts, time: FakeTime) -> None:
    login = await accounts.log_in(wire.Credentials(v=1))
    key = wire.Credentials(v=1, guest_key=login.guest_key)
    await time.advance(60)
    assert (await accounts.log_in(key)).player == login.player
    assert await accounts.forget_guests(timedelta(seconds=30)) == 1  # the minute was not noted


async def test_players_who_were_seen_recently_are_not_forgotten(
    accounts: Accounts, time: FakeTime
) -> None:
    login = await accounts.log_in(wire.Credentials(v=1))
    await time.advance(timedelta(days=5).total_seconds())
    await accounts.log_in(wire.Credentials(v=1, guest_key=login.guest_key))
    await time.advance(timedelta(days=5).total_seconds())
    assert await accounts.forget_guests(timedelta(days=6)) == 0


async def test_a_secret_is_looked_up_by_its_hash_alone(tmp_path: Path, time: FakeTime) -> None:
    """So the time of a lookup says something about the hash at most, which no attacker chooses."""
    statements: list[str] = []
    note = statements.append
    async with open_database(tmp_path) as database:
        accounts = Accounts(database, time, LIMITS)
        token = await accounts.create_token("robot")
        key = (await accounts.log_in(wire.Credentials(v=1))).guest_key
        assert key is not None
        await database.read(lambda c: cast("sqlite3.Connection", c).set_trace_callback(note))
        assert await accounts.knows_token(token)
        await accounts.log_in(wire.Credentials(v=1, guest_key=key))
        for wrong in (token[:-1], key):
            assert not await accounts.knows_token(wrong)
        for secret in (token, token[:-1], key):
            asked = [each for each in statements if hashed(secret) in each]
            assert asked, "the hash is what the database is asked for"
    assert not [each for each in statements for secret in (token[:-1], key) if secret in each]
