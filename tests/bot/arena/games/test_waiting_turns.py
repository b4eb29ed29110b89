"""Turns that arrived long before they were played, because their game had no owner."""

import sqlite3
from contextlib import closing
from pathlib import Path
from random import Random

from bot import wire
from bot.arena.startup import open_services
from bot.arena.store.sqlite_database import FILE_NAME
from tests.bot.arena.lobby.test_lobby import Foyer, Nobody
from tests.bot.arena.table import settings, setup
from tests.fakes.time import FakeTime


async def test_the_time_that_a_turn_waited_is_not_stored_as_time_of_the_opponent(
    tmp_path: Path,
) -> None:
    time = FakeTime()
    async with open_services(settings(tmp_path), Nobody(), time, Random(1)) as services:
        foyer = Foyer(services, time)
        players = await foyer.enter("Anna"), await foyer.enter("Ben")
        game_setup = wire.GameSetup.model_validate(setup())
        state = await services.games.start(game_setup, players)
        await time.advance(20)
        now = services.clock.monotonic()
        message = wire.PlayTurn(v=wire.VERSION, game_id=state.game_id, ply=0, turn="0-0")
        await services.games.play(state.players[0].name, message, arrived=now - 10)
        after = await services.games.state(state.game_id)
    with closing(sqlite3.connect(tmp_path / FILE_NAME)) as database:
        [(thinking_since,)] = database.execute("SELECT thinking_since FROM turns").fetchall()
    assert thinking_since == now
    assert after.turns[0].time_ms == 10_000
