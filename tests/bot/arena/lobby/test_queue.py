"""What a bot says about a turn that waits for its engine."""

from collections.abc import AsyncIterator
from contextlib import AsyncExitStack
from pathlib import Path

import pytest

from bot import wire
from bot.arena.players.accounts import issue_token
from bot.arena.server import running_arena
from tests.bot.arena.table import Table, begin, settings
from tests.fakes.arena_client import connected


@pytest.fixture
async def table(tmp_path: Path) -> AsyncIterator[Table]:
    """A game of the bot Granite, on seat 1, against a person."""
    token = await issue_token(tmp_path, "Granite")
    async with AsyncExitStack() as stack:
        url = await stack.enter_async_context(running_arena(settings(tmp_path)))
        bot = await stack.enter_async_context(connected(url, token=token))
        person = await stack.enter_async_context(connected(url, name="Anna"))
        yield Table(url, bot, person, await begin(bot, person))


async def test_both_players_hear_how_long_a_bots_turn_waits(table: Table) -> None:
    queue = {"game_id": table.game_id, "ply": 0}
    async with connected(table.url, name="Cleo") as spectator:
        await spectator.do("game.watch", game_id=table.game_id)
        for before in (2, 0):
            await table.one.do("game.queue", **queue, before=before)
            for client in (table.one, table.two):
                told = await client.wait_for(wire.Queue)
                assert (told.game_id, told.ply, told.before) == (table.game_id, 0, before)
                client.events.clear()
        assert spectator.all_of(wire.Queue) == []


async def test_only_the_bot_to_move_has_a_queue(table: Table) -> None:
    queue = {"game_id": table.game_id, "before": 1}
    assert await table.two.refused("game.queue", **queue, ply=0) == "invalid"
    assert await table.one.refused("game.queue", **queue, ply=1) == "stale_ply"
    await table.play(0, "0-0")
    assert await table.one.refused("game.queue", **queue, ply=1) == "stale_ply"
    async with connected(table.url, name="Cleo") as stranger:
        assert await stranger.refused("game.queue", **queue, ply=1) == "not_a_player"
    await table.two.do("game.action", game_id=table.game_id, action="resign")
    assert await table.one.refused("game.queue", **queue, ply=1) == "game_over"
    assert table.two.all_of(wire.Queue) == []
