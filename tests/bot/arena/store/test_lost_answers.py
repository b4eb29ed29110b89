"""Writes whose commit was carried out, and whose answer was lost, are stored once."""

from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from datetime import timedelta

import pytest

from bot import wire
from bot.arena.games.game import Game
from bot.arena.games.game_start import new_game
from bot.arena.games.game_store import GameStore
from bot.arena.operator.desk import Desk
from bot.arena.players.accounts import Accounts
from bot.arena.players.hosts import Hosts
from bot.arena.settings import Allowances, NameLimits, Place
from bot.arena.store.opening import open_database
from bot.arena.store.orders import By
from bot.arena.tournaments.tournament_store import TournamentStore
from bot.time_controls import parse_time_control
from tests.bot.arena.store.server import by_way_of
from tests.bot.arena.store.server import cut as cut
from tests.bot.arena.store.server import place as place
from tests.bot.arena.store.server import soon_again as soon_again
from tests.bot.arena.store.server import url as url
from tests.fakes.cut_connection import COMMITTED, Relay
from tests.fakes.time import EPOCH, FakeTime

pytestmark = pytest.mark.xdist_group("postgres")

BY = By("root", "spam")
INSERTED = b"INSERT 0 1\0"


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
