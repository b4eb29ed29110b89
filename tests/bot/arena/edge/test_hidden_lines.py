"""A bot's value and line are hidden while a person plays, and shown when the game is over."""

from collections.abc import AsyncIterator
from contextlib import AsyncExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import aiohttp
import pytest

from bot import wire
from bot.arena.players.accounts import issue_token
from bot.arena.server import running_arena
from tests.bot.arena.table import begin, settings
from tests.fakes.arena_client import ArenaClient, connected

LINE = "2-0,2-2"
INFO: dict[str, Any] = {"value": 0.4469, "visits": 278_806, "pv": [LINE, "3-0"], "source": "engine"}
NEW: dict[str, Any] = {"events": "new"}


@dataclass
class Scene:
    """A bot that has played the first turn of a game, with its opinion; everybody who looks on."""

    url: str
    bot: ArenaClient
    opponent: ArenaClient
    game_id: str
    clients: dict[str, ArenaClient]


@pytest.fixture(params=["person", "bot"])
async def scene(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[Scene]:
    tokens = [await issue_token(tmp_path, name) for name in ("Basalt", "Marble")]
    async with AsyncExitStack() as stack:
        url = await stack.enter_async_context(running_arena(settings(tmp_path)))

        async def client(**auth: Any) -> ArenaClient:
            return await stack.enter_async_context(connected(url, **auth))

        bot = await client(token=tokens[0])
        login = {"name": "Anna"} if request.param == "person" else {"token": tokens[1]}
        opponent = await client(**login)
        game_id = await begin(bot, opponent)
        clients = {"bot": bot, "opponent": opponent}
        for name, auth in (("spectator", {}), ("spectator of changes", NEW)):
            clients[name] = await client(**auth)
            await clients[name].do("game.watch", game_id=game_id)
        await bot.do("game.turn", game_id=game_id, ply=0, turn="0-0", info=INFO)
        changing = clients["spectator of changes"]
        await changing.wait_for(wire.GameChange, lambda change: change.ply >= 1)
        for each in clients.values():
            if each is not changing:
                await each.game(game_id, lambda state: len(state.turns) >= 1)
        yield Scene(url, bot, opponent, game_id, clients)


def said(client: ArenaClient) -> str:
    """All that a client has got."""
    return repr([message for _, message in client.events])


async def everything(scene: Scene) -> dict[str, str]:
    """What each client got by itself, and what it gets when it asks by each way that there is."""
    found = {}
    for name, client in scene.clients.items():
        about = {"game_id": scene.game_id}
        answers = [await client.do("game.state", **about), await client.do("game.watch", **about)]
        answers += [await client.do("game.position", ply=1, **about), await client.do("state")]
        found[name] = said(client) + repr(answers)
    async with aiohttp.ClientSession(scene.url) as http:
        paths = [f"games/{scene.game_id}", f"records/{scene.game_id}", "records", "games"]
        paths += [f"records/{scene.game_id}.sgf", f"records/{scene.game_id}.jsonl"]
        for path in paths:
            async with http.get(f"/api/{path}") as response:
                found[path] = await response.text()
    return found


async def test_a_bots_line_is_hidden_from_all_until_a_game_with_a_person_is_over(
    scene: Scene,
) -> None:
    has_person = scene.opponent.all_of(wire.Welcome)[0].you.kind == "person"
    for where, text in (await everything(scene)).items():
        is_shown = "0.4469" in text or f"'{LINE}'" in text
        assert is_shown == (not has_person and where in scene.clients), where
    await scene.opponent.do("game.turn", game_id=scene.game_id, ply=1, turn="2-1,2-3")
    await scene.opponent.do("game.action", game_id=scene.game_id, action="resign")
    for where, client in scene.clients.items():
        over = await client.game(scene.game_id, lambda state: state.result is not None)
        info = over.turns[0].info
        assert info is not None, where
        assert (info.value, info.pv, info.visits) == (0.4469, [LINE, "3-0"], 278_806), where
    assert "0.4469" in (await everything(scene))[f"records/{scene.game_id}"]
