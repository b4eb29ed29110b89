"""What the operator's commands write into the database."""

from datetime import timedelta

import pytest

from bot import wire
from bot.arena.operator.desk import Desk, network_of
from bot.arena.players.accounts import Accounts
from bot.arena.refusals import Refused
from bot.arena.store.database import Database
from bot.arena.store.orders import By, Order, Orders
from bot.errors import ConfigurationError
from tests.fakes.time import FakeTime

BY = By("root (anna)", "spam")
DAY = timedelta(days=1)


@pytest.fixture
def time() -> FakeTime:
    return FakeTime()


@pytest.fixture
def accounts(database: Database, time: FakeTime) -> Accounts:
    return Accounts(database, time)


@pytest.fixture
def desk(database: Database, time: FakeTime) -> Desk:
    return Desk(database, time, BY)


async def works(accounts: Accounts, token: str) -> bool:
    return await accounts.knows_token(token)


async def test_after_a_rotation_the_former_token_works_until_the_overlap_is_over(
    accounts: Accounts, desk: Desk, time: FakeTime
) -> None:
    old = await accounts.create_token("robot")
    made = await desk.rotate("ROBOT", DAY)
    assert (made.others, made.ends_at) == (1, time.wall() + DAY)
    assert await works(accounts, old)
    assert await works(accounts, made.secret)
    await time.advance(DAY.total_seconds())
    assert not await works(accounts, old)
    assert await works(accounts, made.secret)


async def test_a_second_rotation_does_not_lengthen_the_first_overlap(
    accounts: Accounts, desk: Desk, time: FakeTime
) -> None:
    old = await accounts.create_token("robot")
    await desk.rotate("robot", timedelta(hours=1))
    await desk.rotate("robot", DAY)
    await time.advance(3600)
    assert not await works(accounts, old)


async def test_a_new_token_ends_all_others_at_once(accounts: Accounts, desk: Desk) -> None:
    old = await accounts.create_token("robot")
    rotated = await desk.rotate("robot", DAY)
    new = await accounts.create_token("robot")
    found = [await works(accounts, token) for token in (old, rotated.secret, new)]
    assert found == [False, False, True]


async def test_only_bots_have_tokens(accounts: Accounts, desk: Desk) -> None:
    await accounts.log_in(wire.Credentials(v=1, name="Anna"))
    with pytest.raises(ConfigurationError, match="Anna is not a bot"):
        await desk.rotate("Anna", DAY)
    with pytest.raises(ConfigurationError, match="no player called robot"):
        await desk.rotate("robot", DAY)


async def test_the_list_says_when_a_token_was_used_and_never_the_secret(
    accounts: Accounts, desk: Desk, time: FakeTime
) -> None:
    secret = await accounts.create_token("robot")
    made_at = time.wall()
    [unused] = await desk.tokens()
    await time.advance(90)
    await accounts.log_in(wire.Credentials(v=1, token=secret))
    [used] = await desk.tokens()
    assert (unused.bot, unused.created_at, unused.used_at) == ("robot", made_at, None)
    assert used.used_at == time.wall()
    assert secret not in str(used)


async def test_a_revoked_token_is_refused_and_not_listed(accounts: Accounts, desk: Desk) -> None:
    secret = await accounts.create_token("robot")
    [token] = await desk.tokens()
    await desk.revoke(token.id)
    assert not await works(accounts, secret)
    assert await desk.tokens() == []
    with pytest.raises(ConfigurationError, match=f"no token {token.id} that works"):
        await desk.revoke(token.id)


async def test_blocks_are_listed_until_they_end_or_are_removed(
    accounts: Accounts, desk: Desk, time: FakeTime
) -> None:
    await accounts.log_in(wire.Credentials(v=1, name="Anna"))
    await desk.block_account("anna", None)
    await time.advance(1)
    await desk.block_network("203.0.113.77/24", time.wall() + DAY)
    assert [each.subject for each in await desk.blocks()] == ["Anna", "203.0.113.0/24"]
    await time.advance(DAY.total_seconds())
    assert [each.subject for each in await desk.blocks()] == ["Anna"]
    assert await desk.unblock("Anna", None) == "Anna"
    assert await desk.blocks() == []
    with pytest.raises(ConfigurationError, match="Anna is not blocked"):
        await desk.unblock("Anna", None)


async def test_a_second_block_replaces_the_first(desk: Desk, time: FakeTime) -> None:
    await desk.block_network("203.0.113.7", time.wall() + DAY)
    await desk.block_network("203.0.113.7", None)
    [block] = await desk.blocks()
    assert (block.network, block.until) == ("203.0.113.7/32", None)


@pytest.mark.parametrize(
    ("text", "network"),
    [
        ("203.0.113.7", "203.0.113.7/32"),
        ("203.0.113.7/24", "203.0.113.0/24"),
        ("2001:db8::1", "2001:db8::/64"),  # the arena counts a subscriber's /64 as one address
        ("2001:db8::/32", "2001:db8::/32"),
    ],
)
def test_a_network_as_it_is_stored(text: str, network: str) -> None:
    assert network_of(text) == network


def test_a_name_is_not_an_address() -> None:
    with pytest.raises(ConfigurationError, match="not an address"):
        network_of("example.org")


async def test_every_command_is_in_the_audit_log(accounts: Accounts, desk: Desk) -> None:
    await accounts.create_token("robot", by=BY)
    await desk.block_account("robot", None)
    await desk.unblock("robot", None)
    await desk.abort_game("game-1")
    entries = await desk.audit(10)
    actions = {(each.action, each.subject, each.ok) for each in entries}
    assert actions == {
        ("token", "robot", True),
        ("block", "robot", True),
        ("unblock", "robot", True),
        ("abort-game", "game-1", False),
    }
    assert {each.by for each in entries} == {BY}


async def test_the_first_outcome_of_an_order_stays(database: Database, time: FakeTime) -> None:
    orders = Orders(database, time)
    order = Order(time.wall(), "abort-game", "game-1", BY)
    await orders.put(order)
    await orders.finish(order, "the game is over", ok=True)
    await orders.finish(order, "again", ok=False)
    stored = await orders.find(order.id)
    assert stored is not None
    assert (stored.ok, stored.outcome) == (True, "the game is over")
    assert (await orders.news()).pending == []


async def test_an_operators_new_name_closes_the_former_one_for_everybody(
    accounts: Accounts,
) -> None:
    login = await accounts.log_in(wire.Credentials(v=1, name="Rude"))
    key = wire.Credentials(v=1, guest_key=login.guest_key)
    name = await accounts.neutral_name("person")
    wanted = wire.Player(id=login.player.id, name=name, kind="guest")
    for _ in range(2):  # the arena may carry it out twice
        assert await accounts.rename_by_operator(wanted) == wanted
    guest = (await accounts.log_in(key)).player
    assert guest == wanted
    with pytest.raises(Refused, match="name rude is not available"):
        await accounts.rename(guest, "rude")
    with pytest.raises(Refused, match="name Rude is not available"):
        await accounts.log_in(wire.Credentials(v=1, name="Rude"))
    assert (await accounts.rename(guest, "Polite")).kind == "person"


async def test_ids_that_the_database_lacks_are_refused_at_once_and_audited(desk: Desk) -> None:
    game, tournament = await desk.abort_game("g" * 12), await desk.end_tournament("t" * 12)
    assert (game.ok, game.outcome) == (False, "There is no game with that id.")
    assert (tournament.ok, tournament.outcome) == (False, "There is no tournament with that id.")
    assert {order.id for order in await desk.audit(9)} == {game.id, tournament.id}


async def test_an_order_that_no_arena_has_taken_can_be_withdrawn(
    accounts: Accounts, desk: Desk
) -> None:
    await accounts.log_in(wire.Credentials(v=1, name="Anna"))
    order = await desk.rename("Anna", "Berta")
    assert await desk.withdraw("rename", "anna") == "withdrawn by root (anna): spam"
    withdrawn = await desk.outcome(order, 0)
    assert (withdrawn.ok, withdrawn.outcome) == (False, "withdrawn by root (anna): spam")
    with pytest.raises(ConfigurationError, match="no order to rename Anna is pending"):
        await desk.withdraw("rename", "Anna")
