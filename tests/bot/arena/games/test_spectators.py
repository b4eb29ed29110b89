"""The number of connections that follow a game."""

import asyncio
from pathlib import Path

from bot import wire
from tests.bot.arena.table import table
from tests.fakes.announced import SETUPS, company
from tests.fakes.arena_client import connected
from tests.fakes.time import FakeTime


async def test_spectators_are_counted_without_the_players_once_a_second(tmp_path: Path) -> None:
    time = FakeTime()
    async with table(tmp_path, time) as t, connected(t.url, name="Cleo", events="new") as cleo:
        await t.one.do("game.watch", game_id=t.game_id)
        async with connected(t.url, name="Dan") as dan:
            for client in (cleo, dan):
                await client.do("game.watch", game_id=t.game_id)
            await time.advance(2)
            change = await cleo.wait_for(wire.GameChange, lambda each: each.spectators == 2)
            assert (change.revision, change.turn) == (1, None)
            await t.one.game(t.game_id, lambda state: state.spectators == 2)
        await time.advance(2)
        await t.two.game(t.game_id, lambda state: state.spectators == 1)
        counts = {state.spectators for state in t.two.all_of(wire.GameState)}
        assert counts <= {0, 1, 2}
        await cleo.do("game.watch", game_id=t.game_id, follow=False)
        await time.advance(2)
        done = await cleo.do("game.state", game_id=t.game_id)
        assert done.game.spectators == 0


async def test_a_count_that_waits_for_the_end_of_the_game_changes_nothing(tmp_path: Path) -> None:
    async with company(tmp_path, 1) as two:
        game_id = await two.begin(SETUPS[0])
        await two.play(game_id)
        games, (anna, _) = two.services.games, two.players
        resign = wire.GameAction(v=1, game_id=game_id, action="resign")
        await asyncio.gather(games.act(anna.name, resign), games.note_spectators(game_id, 3))
        ends = [state for state, _ in two.announced.games if state.result is not None]
        assert [state.spectators for state in ends] == [0]
