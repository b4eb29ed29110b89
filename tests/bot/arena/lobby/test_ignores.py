"""Players who ignore others: no challenges and no chat from them."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack
from pathlib import Path
from random import Random

import pytest

from bot import wire
from bot.arena.lobby import ignores
from bot.arena.server import running_arena
from tests.bot.arena.accounts.test_account_api import arena_in, export
from tests.bot.arena.accounts.test_account_deletion import rows
from tests.bot.arena.cluster.three import three
from tests.bot.arena.table import begin, settings, setup
from tests.fakes.arena_client import ArenaClient, connected
from tests.fakes.postgres import Postgres

Three = tuple[ArenaClient, ArenaClient, ArenaClient]


@pytest.fixture
async def players(tmp_path: Path) -> AsyncIterator[Three]:
    """Anna, Ben and Carl, who are not playing yet."""
    async with AsyncExitStack() as stack:
        url = await stack.enter_async_context(running_arena(settings(tmp_path), rng=Random(1)))
        one, two, three = [
            await stack.enter_async_context(connected(url, name=name))
            for name in ("Anna", "Ben", "Carl")
        ]
        yield one, two, three


def offer(*seats: str | None) -> dict[str, object]:
    return {"setup": setup(), "seats": seats}


async def ignored(client: ArenaClient, name: str, *, ignore: bool = True) -> list[str]:
    found: list[str] = (await client.do("player.ignore", name=name, ignore=ignore)).ignored
    return found


async def declined(client: ArenaClient, challenge_id: str) -> wire.Challenge:
    return await client.wait_for(
        wire.Challenge,
        lambda seen: (seen.challenge_id, seen.state) == (challenge_id, "declined"),
    )


async def test_challenges_of_an_ignored_player_are_refused_until_that_ends(players: Three) -> None:
    anna, ben, carl = players
    assert await ignored(anna, "ben") == ["Ben"]
    for seats in (("Anna", "Ben"), ("Ben", "Anna")):
        assert await ben.refused("challenge.create", **offer(*seats)) == "not_wanted"
    assert (await ben.ask("challenge.create", **offer("Ben", "Carl")))["ok"]
    assert (await carl.ask("challenge.create", **offer("Carl", "Anna")))["ok"]
    assert await ignored(anna, "Ben", ignore=False) == []
    assert (await ben.ask("challenge.create", **offer("Ben", "Anna")))["ok"]


async def test_the_player_who_ignores_may_still_challenge(players: Three) -> None:
    anna, ben, _ = players
    await ignored(anna, "Ben")
    assert await begin(anna, ben)


async def test_an_ignored_player_takes_no_open_seat(players: Three) -> None:
    anna, ben, carl = players
    await ignored(anna, "Ben")
    made = (await anna.do("challenge.create", **offer("Anna", None))).challenge
    asked = {"challenge_id": made.challenge_id}
    assert await ben.refused("challenge.accept", **asked) == "not_wanted"
    assert (await carl.do("challenge.accept", **asked)).challenge.state == "started"


async def test_open_challenges_of_a_player_end_when_they_are_ignored(players: Three) -> None:
    anna, ben, carl = players
    made = [await each.do("challenge.create", **offer("Anna", None)) for each in (ben, carl)]
    made += [
        await each.do("challenge.create", **offer("Anna", name))
        for each, name in ((ben, "Ben"), (carl, "Carl"))
    ]
    of_ben = {each.challenge.challenge_id for each in made[::2]}
    await ignored(anna, "Ben")
    for challenge_id in of_ben:
        ended = await declined(ben, challenge_id)
        assert (ended.code, ended.message) == ("declined", "Anna declined.")
    welcome = (await anna.do("state")).welcome
    assert {each.creator.name for each in welcome.challenges} == {"Carl"}


async def test_an_ignored_opponent_writes_no_further_line(players: Three) -> None:
    anna, ben, _ = players
    game = {"game_id": await begin(anna, ben)}
    for client in (anna, ben):
        await client.do("game.chat", **game, open=True)
    await ignored(anna, "Ben")
    for line in ({"text": "You again"}, {"preset": "hello"}, {"open": False}):
        assert await ben.refused("game.chat", **game, **line) == "not_wanted"
    await asyncio.sleep(1)  # lines are listed by their times
    await anna.do("game.chat", **game, preset="bye")
    assert [each.kind for each in (await ben.do("game.chats", **game)).lines][2:] == ["preset"]
    await ignored(anna, "Ben", ignore=False)
    await ben.do("game.chat", **game, preset="sorry")


async def test_a_new_name_changes_nothing(tmp_path: Path) -> None:
    async with arena_in(tmp_path) as arena:
        _, anna = await arena.person("Anna")
        key, _ = await arena.person("Ben")
        await ignored(anna, "Ben")
        async with connected(arena.url, guest_key=key, name="Zoe") as ben:
            assert await ben.refused("challenge.create", **offer("Zoe", "Anna")) == "not_wanted"
        assert (await anna.do("player.ignored")).ignored == ["Zoe"]


async def test_nobody_ignores_themselves_a_stranger_or_too_many(
    players: Three, monkeypatch: pytest.MonkeyPatch
) -> None:
    anna, _, _ = players
    assert await anna.refused("player.ignore", name="anna") == "invalid"
    assert await anna.refused("player.ignore", name="Dora") == "unknown_player"
    monkeypatch.setattr(ignores, "MOST_IGNORED", 1)
    assert await ignored(anna, "Ben") == await ignored(anna, "Ben") == ["Ben"]
    assert await anna.refused("player.ignore", name="Carl") == "too_many"
    assert await ignored(anna, "Carl", ignore=False) == ["Ben"]


async def test_who_is_ignored_is_exported_and_goes_with_either_account(tmp_path: Path) -> None:
    async with arena_in(tmp_path) as arena:
        people = {name: await arena.person(name) for name in ("Anna", "Ben", "Carl")}
        (anna_key, anna), (ben_key, ben), (_, carl) = people.values()
        await ignored(anna, "Ben")
        await ignored(ben, "Carl")
        await ignored(carl, "Anna")
        account = (await export(arena, anna_key))[0]
        assert [each["name"] for each in account["ignored_players"]] == ["Ben"]
        await arena.ok("/delete", anna_key, name="Anna")
        assert (await carl.do("player.ignored")).ignored == []
        assert (await ben.do("player.ignored")).ignored == ["Carl"]
        await arena.ok("/delete", ben_key, name="Ben")
    assert "Anna" not in rows(tmp_path)


@pytest.mark.xdist_group("postgres")
@pytest.mark.real_time
async def test_every_process_knows_who_is_ignored(tmp_path: Path, postgres: Postgres) -> None:
    async with three(tmp_path, postgres.create()) as t:
        anna, ben = await t.player(0, name="Anna"), await t.player(2, name="Ben")
        game = {"game_id": await begin(ben, anna)}
        assert await ignored(anna, "Ben") == ["Ben"]
        assert (await anna.do("player.ignored")).ignored == ["Ben"]
        assert await ben.refused("challenge.create", **offer("Ben", "Anna")) == "not_wanted"
        assert await ben.refused("game.chat", **game, preset="hello") == "not_wanted"
