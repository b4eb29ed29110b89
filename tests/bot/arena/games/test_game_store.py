"""Games in the database: what a failing disk may have kept although it said otherwise."""

from bot import wire
from bot.arena.games.game_rows import StoredGame
from bot.arena.games.game_start import new_game
from bot.arena.games.game_store import GameStore
from bot.arena.players.accounts import Accounts
from bot.arena.settings import Allowances
from bot.arena.store.database import Database
from bot.time_controls import parse_time_control
from tests.fakes.time import EPOCH, FakeTime


async def test_a_repeated_write_is_stored_once(database: Database) -> None:
    accounts, store = Accounts(database, FakeTime()), GameStore(database)
    logins = [await accounts.log_in(wire.Credentials(v=1)) for _ in range(2)]
    setup = wire.GameSetup(board="pent-3", clock=parse_time_control("60+2"))
    players = (logins[0].player, logins[1].player)
    place = wire.TournamentPlace(tournament_id="t", name="cup", round=1, pairing=1, game=1)
    opening = ["0-0"]
    game = new_game("g", setup, players, Allowances(), EPOCH, 0.0, place, opening)
    after = game.play(2, 1, "2-0,2-2", 1.0)
    for _ in range(2):
        await store.begin(game)
        await store.save(game, after, None)
    [stored] = await store.running()
    assert isinstance(stored, StoredGame)
    assert [turn.turn for turn in stored.turns] == [*opening, "2-0,2-2"]
    assert stored.revived(Allowances()).opening_plies == 1
