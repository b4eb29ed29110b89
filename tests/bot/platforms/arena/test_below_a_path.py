"""A bot whose arena is below a path of its site."""

from pathlib import Path

import pytest
from pydantic import SecretStr

from bot import wire
from bot.arena.players.accounts import issue_token
from bot.arena.server import running_arena
from bot.platforms.arena.link import ArenaOptions, open_link
from bot.time_source import SystemTime
from tests.bot.arena.table import settings
from tests.fakes.proxy import Below, proxy

BASE = "/games/blue-stone"


@pytest.mark.parametrize("is_removed", [False, True], ids=["kept", "removed"])
async def test_a_bots_url_may_have_the_path(tmp_path: Path, is_removed: bool) -> None:
    behind = settings(tmp_path, base_path=BASE, trusted_proxies=["127.0.0.1"])
    way = Below(BASE, is_removed)
    async with running_arena(behind) as upstream, proxy(upstream, way) as site:
        token = SecretStr(await issue_token(behind.place, "Flint"))
        for url in (f"{site}{BASE}", f"{site}{BASE}/"):
            async with open_link(ArenaOptions(url, token), SystemTime()) as link:
                message = (await link.receive()).message
                assert isinstance(message, wire.Welcome)
                assert message.you.name == "Flint"
    assert way.outside == []
