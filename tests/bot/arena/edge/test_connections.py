"""Who comes in, as whom, and what every connection is told."""

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import socketio

from bot import wire
from bot.arena.players.accounts import issue_token
from bot.arena.server import running_arena
from bot.arena.settings import ArenaSettings
from bot.errors import ConfigurationError
from tests.bot.arena.table import begin, refusal, settings, setup, table
from tests.fakes.arena_client import ArenaClient, connected


@pytest.fixture
async def url(tmp_path: Path) -> AsyncIterator[str]:
    async with running_arena(settings(tmp_path)) as address:
        yield address


async def test_the_first_event_is_the_welcome(url: str) -> None:
    async with connected(url) as client:
        name, welcome = client.events[0]
    assert name == "welcome"
    assert welcome.you.kind == "guest"
    assert welcome.you.name.startswith("Guest-")


async def test_a_guest_comes_back_by_his_key(url: str) -> None:
    async with connected(url) as client:
        first = client.all_of(wire.Welcome)[0]
    async with connected(url, guest_key=first.guest_key) as client:
        second = client.all_of(wire.Welcome)[0]
    assert second.you == first.you
    assert second.guest_key is None


async def test_a_name_is_given_once(url: str) -> None:
    async with connected(url, name="Ann") as client:
        you = client.all_of(wire.Welcome)[0].you
        assert you == wire.Player(id=you.id, name="Ann", kind="person")
        assert (await refusal(url, {"v": 1, "name": "ANN"})).code == "name_taken"


async def test_a_guest_takes_a_name_later(url: str) -> None:
    async with connected(url) as client:
        key = client.all_of(wire.Welcome)[0].guest_key
    async with connected(url, guest_key=key, name="Late") as client:
        assert client.all_of(wire.Welcome)[0].you.name == "Late"
    async with connected(url, guest_key=key, name="Late") as client:
        assert client.all_of(wire.Welcome)[0].you.name == "Late"


async def test_other_tabs_continue_under_a_new_name(url: str) -> None:
    async with connected(url) as tab:
        first = tab.all_of(wire.Welcome)[0]
        async with connected(url, guest_key=first.guest_key, name="New") as other:
            again = await tab.wait_for(wire.Welcome, lambda welcome: welcome.you.name == "New")
            assert again.you.id == first.you.id
            created = await tab.do("challenge.create", setup=setup(), seats=["New", None])
            await other.wait_for(
                wire.Challenge, lambda each: each.challenge_id == created.challenge.challenge_id
            )
        lobby = await tab.wait_for(wire.Lobby, lambda lobby: len(lobby.challenges) == 1)
    assert [player.name for player in lobby.players] == ["New"]


async def test_a_name_is_not_changed_during_a_game(tmp_path: Path) -> None:
    async with table(tmp_path) as t:
        key = t.one.all_of(wire.Welcome)[0].guest_key
        async with connected(t.url, guest_key=key, name="Other") as tab:
            assert tab.all_of(wire.Welcome)[0].you.name == "Anna"


@pytest.mark.parametrize(
    ("auth", "code"),
    [
        ({"v": 1, "token": "wrong"}, "bad_token"),
        ({"v": 1, "guest_key": "wrong"}, "bad_guest_key"),
        ({"v": 2}, "wrong_version"),
        ({}, "not_json"),
        (None, "not_json"),
        ("text", "not_json"),
        ({"v": 1, "name": "<b>"}, "invalid"),
        ({"v": 1, "password": "x"}, "invalid"),
        ({"v": 1, "name": "x" * wire.MAX_MESSAGE_BYTES}, "too_long"),
    ],
)
async def test_a_connection_that_is_refused(url: str, auth: object, code: str) -> None:
    assert (await refusal(url, auth)).code == code


async def test_too_many_new_guests_are_refused_with_a_retry_time(tmp_path: Path) -> None:
    limits = {"new_guests_burst": 1, "new_guests_per_s": 0.01}
    async with running_arena(settings(tmp_path, connections=limits)) as url, connected(url):
        refused = await refusal(url, {"v": 1})
    assert refused.code == "rate_limited"
    assert refused.retry_after_ms is not None
    assert 50_000 < refused.retry_after_ms <= 100_000


async def test_a_bot_comes_in_by_a_token_made_while_the_arena_runs(
    url: str, tmp_path: Path
) -> None:
    token = await issue_token(tmp_path, "robot")
    async with connected(url, token=token, engine="test 1.0") as client:
        you = client.all_of(wire.Welcome)[0].you
    assert you == wire.Player(id=you.id, name="robot", kind="bot", engine="test 1.0")


async def test_a_new_token_ends_the_old_one(url: str, tmp_path: Path) -> None:
    old = await issue_token(tmp_path, "robot")
    new = await issue_token(tmp_path, "robot")
    assert old != new
    assert (await refusal(url, {"v": 1, "token": old})).code == "bad_token"
    async with connected(url, token=new):
        pass


async def test_a_token_does_not_give_away_a_persons_name(url: str, tmp_path: Path) -> None:
    async with connected(url, name="Ann"):
        with pytest.raises(ConfigurationError, match="belongs to another player"):
            await issue_token(tmp_path, "ann")


def everything_in(folder: Path) -> bytes:
    return b"".join(file.read_bytes() for file in folder.iterdir())


async def test_secrets_are_not_kept(url: str, tmp_path: Path) -> None:
    token = await issue_token(tmp_path, "robot")
    async with connected(url) as client:
        key = client.all_of(wire.Welcome)[0].guest_key
    assert key is not None
    kept = everything_in(tmp_path)
    assert token.encode() not in kept
    assert key.encode() not in kept


async def test_two_tabs_are_one_player(tmp_path: Path) -> None:
    async with table(tmp_path) as t:
        key = t.one.all_of(wire.Welcome)[0].guest_key
        async with connected(t.url, guest_key=key) as tab:
            assert [game.game_id for game in tab.all_of(wire.Welcome)[0].games] == [t.game_id]
            await tab.do("game.turn", game_id=t.game_id, ply=0, turn="0-0")
            for client in (t.one, t.two, tab):
                await client.game(t.game_id, lambda state: len(state.turns) >= 1)
        await t.play(1, "2-0,2-2")
        state = await t.two.game(t.game_id, lambda state: len(state.turns) >= 2)
    assert state.connected == (True, True)


async def test_a_spectator_follows_until_he_no_longer_wishes(tmp_path: Path) -> None:
    async with table(tmp_path) as t, connected(t.url) as watcher:
        done = await watcher.do("game.watch", game_id=t.game_id)
        assert done.game.players[0].name == "Anna"
        await t.play(0, "0-0")
        await watcher.game(t.game_id, lambda state: len(state.turns) >= 1)
        await watcher.do("game.watch", game_id=t.game_id, follow=False)
        await t.play(1, "2-0,2-2")
        await t.both_see(lambda state: len(state.turns) == 2)
        await watcher.do("state")
        assert max(len(state.turns) for state in watcher.all_of(wire.GameState)) == 1


async def test_the_state_can_be_asked_for_again(tmp_path: Path) -> None:
    async with table(tmp_path) as t:
        await t.play(0, "0-0")
        done = await t.two.do("state")
    assert [len(game.turns) for game in done.welcome.games] == [1]
    assert done.welcome.guest_key is None


async def test_the_lobby_shows_players_and_games(tmp_path: Path) -> None:
    async with table(tmp_path) as t:
        lobby = await t.one.wait_for(
            wire.Lobby, lambda lobby: len(lobby.players) == 2 and len(lobby.games) == 1
        )
    assert [player.name for player in lobby.players] == ["Anna", "Ben"]
    assert lobby.games[0].game_id == t.game_id


async def test_one_player_can_play_several_games(tmp_path: Path) -> None:
    async with table(tmp_path) as t, connected(t.url, name="Carl") as carl:
        other = await begin(t.one, carl)
        await t.play(0, "0-0")
        await t.one.do("game.turn", game_id=other, ply=0, turn="1-0")
        state = await carl.game(other, lambda state: len(state.turns) >= 1)
    assert state.turns[0].turn == "1-0"


async def test_an_invalid_name_is_refused_with_a_sentence(url: str) -> None:
    refused = await refusal(url, {"v": 1, "name": "Ann "})
    assert refused.code == "invalid"
    assert "no blank last" in refused.message


async def test_a_common_client_comes_back_after_a_planned_restart(
    tmp_path: Path, held_port: int
) -> None:
    client, welcomed = socketio.AsyncClient(handle_sigint=False), asyncio.Semaphore(0)

    async def on_welcome(_data: object) -> None:
        welcomed.release()

    client.on("welcome", on_welcome)
    chosen = ArenaSettings(port=held_port, data=tmp_path)
    async with running_arena(chosen) as url:
        await client.connect(url, auth={"v": 1}, transports=["websocket"])
        await welcomed.acquire()
    async with running_arena(chosen):
        await welcomed.acquire()
        await client.disconnect()


async def test_two_concurrent_renamings_leave_one_consistent_name(url: str) -> None:
    async with connected(url) as first:
        key = first.all_of(wire.Welcome)[0].guest_key
    tabs = [ArenaClient(), ArenaClient()]
    wishes = ("Xavier", "Yolanda")
    await asyncio.gather(
        *(
            tab.connect(url, {"v": 1, "guest_key": key, "name": wish})
            for tab, wish in zip(tabs, wishes, strict=True)
        )
    )
    names = set()
    for tab in tabs:
        names.add((await tab.do("state")).welcome.you.name)
        await tab.close()
    async with connected(url, guest_key=key) as again:
        names.add(again.all_of(wire.Welcome)[0].you.name)
    assert len(names) == 1
    for wish in wishes:  # the other one is a former name of theirs
        assert (await refusal(url, {"v": 1, "name": wish})).code == "name_taken"


async def test_nothing_starts_under_a_name_that_is_being_changed(tmp_path: Path) -> None:
    async with table(tmp_path) as t, connected(t.url) as guest:
        first = guest.all_of(wire.Welcome)[0]
        offered = await t.one.do("challenge.create", setup=setup(), seats=["Anna", first.you.name])
        tab = ArenaClient()
        accepted, welcome = await asyncio.gather(
            guest.ask("challenge.accept", challenge_id=offered.challenge.challenge_id),
            tab.connect(t.url, {"v": 1, "guest_key": first.guest_key, "name": "Zoe"}),
        )
        now = (await guest.do("state")).welcome
        await tab.close()
    assert welcome.you.id == first.you.id
    if accepted["ok"]:  # then the name stays, and the game is theirs
        [game] = now.games
        assert now.you.name in {player.name for player in game.players}
    else:
        assert accepted["code"] in {"unavailable", "unknown_challenge", "not_your_challenge"}


async def test_offers_follow_a_player_to_a_new_name(tmp_path: Path) -> None:
    async with table(tmp_path) as t, connected(t.url) as guest:
        first = guest.all_of(wire.Welcome)[0]
        seats = ["Anna", first.you.name]
        offered = await t.one.do("challenge.create", setup=setup(), seats=seats)
        async with connected(t.url, guest_key=first.guest_key, name="Zoe") as tab:
            [waiting] = tab.all_of(wire.Welcome)[0].challenges
            assert waiting.seats == ("Anna", "Zoe")
            done = await tab.do("challenge.accept", challenge_id=offered.challenge.challenge_id)
    assert done.challenge.game_id is not None
