"""Turns that are taken back, in the database: any sequence is read as it was written."""

import random
from contextlib import suppress
from dataclasses import replace
from typing import Final

import pytest

from bot import wire
from bot.arena.games.game import SEATS, Game
from bot.arena.games.game_rows import StoredGame
from bot.arena.games.game_start import new_game
from bot.arena.games.game_store import GameStore
from bot.arena.games.takebacks import acted
from bot.arena.players.accounts import Accounts
from bot.arena.refusals import Refused
from bot.arena.settings import Allowances
from bot.arena.store.database import Database
from bot.time_controls import parse_time_control
from tests.fakes.time import EPOCH, FakeTime

ACTIONS: Final[tuple[wire.Action, ...]] = (
    "ask_takeback",
    "ask_takeback",
    "accept_takeback",
    "accept_takeback",
    "decline_takeback",
    "offer_draw",
    "offer_abort",
    "decline_abort",
)


async def new_stored_game(database: Database, control: str) -> Game:
    accounts, store = Accounts(database, FakeTime()), GameStore(database)
    one, two = [(await accounts.log_in(wire.Credentials(v=1))).player for _ in range(2)]
    setup = wire.GameSetup(board="pent-3", clock=parse_time_control(control))
    game = new_game("g", setup, (one, two), Allowances(), EPOCH, 0.0)
    await store.begin(game)
    return game


def stepped(game: Game, rng: random.Random, now: float) -> Game:
    """The game after a turn or an action."""
    with suppress(Refused):
        if game.takeback_offer is None and rng.random() < 0.5:
            turns = game.position.legal_turns()
            few = [turn for _, turn in zip(range(1 + rng.randrange(5)), turns, strict=False)]
            return game.play(game.to_play, game.ply, few[-1], now)
        return acted(game, rng.choice(SEATS), rng.choice(ACTIONS), now)
    return game


async def stored_game(store: GameStore) -> Game:
    """The game as a restart finds it."""
    [stored] = await store.running()
    assert isinstance(stored, StoredGame)
    return stored.revived(Allowances())


@pytest.mark.parametrize(("seed", "control"), [(1, "600+2"), (2, "600/3x20"), (3, "60/turn")])
async def test_a_restart_finds_the_turns_clocks_and_requests(
    database: Database, seed: int, control: str
) -> None:
    rng, store, now = random.Random(seed), GameStore(database), 0.0
    game, seen = await new_stored_game(database, control), set()
    for _ in range(60):
        now += rng.random()
        new = stepped(game, rng, now)
        if new is game or new.result is not None:
            continue
        new = replace(new, revision=game.revision + 1)
        await store.save(game, new, None)
        game = new
        found = await stored_game(store)
        assert found.turns == game.turns
        assert found.view == game.view
        assert found.clocks == game.clocks
        assert (found.revision, found.takebacks) == (game.revision, game.takebacks)
        assert offers(found) == offers(game)
        seen.add(offers(game))
    assert game.takebacks > 0
    assert all(any(each) for each in zip(*seen, strict=True)), "each kind of offer was open once"


def offers(game: Game) -> tuple[wire.Seat | None, ...]:
    return game.takeback_offer, game.draw_offer, game.abort_offer
