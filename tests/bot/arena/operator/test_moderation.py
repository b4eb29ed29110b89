"""The operator's orders, carried out by a running arena."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import timedelta
from pathlib import Path

import pytest
from socketio.exceptions import ConnectionError as NotConnected

from bot import wire
from bot.arena.operator.desk import Desk, open_desk
from bot.arena.players.accounts import issue_token
from bot.arena.server import running_arena
from bot.arena.store.orders import By, Order
from bot.time_source import SystemTime
from tests.bot.arena.hall import games, hall
from tests.bot.arena.table import begin, refusal, settings, setup, table
from tests.fakes.arena_client import DEADLINE_S, ArenaClient, connected
from tests.fakes.waiting import ASKING_PAUSE_S, answered

REASON = "spam in the lobby"


@asynccontextmanager
async def desk_on(folder: Path) -> AsyncIterator[Desk]:
    async with open_desk(folder, By("anna", REASON)) as desk:
        yield desk


async def carried_out(desk: Desk, order: Order) -> Order:
    done = await desk.outcome(order, DEADLINE_S)
    assert done.done_at is not None, done
    return done


@pytest.fixture
async def url(tmp_path: Path) -> AsyncIterator[str]:
    async with running_arena(settings(tmp_path)) as address:
        yield address


# ---- tokens -----------------------------------------------------------------------------------


async def test_a_connection_is_closed_when_its_token_is_revoked(url: str, tmp_path: Path) -> None:
    secret = await issue_token(tmp_path, "robot")
    async with connected(url, token=secret) as bot, desk_on(tmp_path) as desk:
        [token] = await desk.tokens()
        await desk.revoke(token.id)
        await bot.wait_until_disconnected()
        assert (await refusal(url, {"v": 1, "token": secret})).code == "bad_token"


async def test_a_connection_is_closed_when_the_overlap_of_a_rotation_is_over(
    url: str, tmp_path: Path
) -> None:
    old = await issue_token(tmp_path, "robot")
    async with connected(url, token=old) as bot, desk_on(tmp_path) as desk:
        made = await desk.rotate("robot", timedelta(seconds=1.5))
        async with connected(url, token=made.secret) as new:
            assert bot.is_connected
            await bot.wait_until_disconnected()
            assert new.is_connected


# ---- blocks -----------------------------------------------------------------------------------


async def test_a_blocked_account_is_disconnected_and_told_why(url: str, tmp_path: Path) -> None:
    async with connected(url, name="Rude") as person, connected(url, name="Ben") as other:
        key = person.all_of(wire.Welcome)[0].guest_key
        async with desk_on(tmp_path) as desk:
            await desk.block_account("rude", None)
            await person.wait_until_disconnected()
            refused = await refusal(url, {"v": 1, "guest_key": key})
            assert (refused.code, refused.retry_after_ms) == ("blocked", None)
            assert refused.message == f"Your account is blocked by the operator: {REASON}"
            assert other.is_connected
            await desk.unblock("Rude", None)
            await other.wait_for(wire.Lobby, lambda lobby: len(lobby.players) == 1)
        async with connected_soon(url, key):
            pass


@asynccontextmanager
async def connected_soon(url: str, key: str | None) -> AsyncIterator[None]:
    """As soon as the arena has read that the block is removed."""
    while True:
        try:
            async with connected(url, guest_key=key):
                yield
                return
        except NotConnected:
            await asyncio.sleep(ASKING_PAUSE_S)


async def test_a_block_with_an_end_names_it(url: str, tmp_path: Path) -> None:
    async with connected(url, name="Rude") as person, desk_on(tmp_path) as desk:
        key = person.all_of(wire.Welcome)[0].guest_key
        await desk.block_account("rude", SystemTime().wall() + timedelta(hours=1))
        await person.wait_until_disconnected()
        refused = await refusal(url, {"v": 1, "guest_key": key})
    assert refused.retry_after_ms is not None
    assert 3_500_000 < refused.retry_after_ms <= 3_600_000


async def test_a_blocked_network_is_disconnected_and_gets_no_new_guests(
    url: str, tmp_path: Path
) -> None:
    async with (
        connected(url, source="127.0.0.2", name="Rude") as person,
        connected(url, name="Ben") as other,
        desk_on(tmp_path) as desk,
    ):
        await desk.block_network("127.0.0.2/31", None)
        await person.wait_until_disconnected()
        refused = await refusal_from("127.0.0.3", url)
        assert refused == ("blocked", f"Your address is blocked by the operator: {REASON}")
        assert other.is_connected


async def refusal_from(source: str, url: str) -> tuple[str, str]:
    client = ArenaClient(source)
    with pytest.raises(NotConnected):
        await client.connect(url, {"v": 1})
    await client.close()
    data = client.refusal["data"]
    return data["code"], data["message"]


async def test_a_game_of_a_blocked_player_goes_on_and_may_be_played_by_the_other(
    tmp_path: Path,
) -> None:
    async with table(tmp_path) as t, desk_on(tmp_path) as desk:
        await desk.block_account("Anna", None)
        await t.one.wait_until_disconnected()
        state = await t.two.game(t.game_id, lambda game: game.connected[0] is False)
    assert (state.state, state.result) == ("playing", None)


async def test_challenges_of_a_blocked_player_end(url: str, tmp_path: Path) -> None:
    async with connected(url, name="Rude") as person, connected(url, name="Ben") as other:
        await person.do("challenge.create", setup=setup(), seats=["Rude", None])
        await other.wait_for(wire.Lobby, lambda lobby: len(lobby.challenges) == 1)
        async with desk_on(tmp_path) as desk:
            await desk.block_account("Rude", None)
            await other.wait_for(wire.Lobby, lambda lobby: not lobby.challenges)


async def test_blocks_hold_after_a_restart(tmp_path: Path) -> None:
    async with desk_on(tmp_path) as desk:
        await desk.block_network("127.0.0.0/8", None)
    async with running_arena(settings(tmp_path)) as url:
        assert (await refusal(url, {"v": 1})).code == "blocked"


# ---- names ------------------------------------------------------------------------------------


async def test_an_offensive_name_is_replaced_by_a_neutral_one(url: str, tmp_path: Path) -> None:
    async with connected(url, name="Rude") as person, connected(url, name="Ben") as other:
        async with desk_on(tmp_path) as desk:
            done = await carried_out(desk, await desk.rename("Rude", None))
        assert done.ok
        welcome = await person.wait_for(wire.Welcome, lambda each: each.you.name != "Rude")
        assert welcome.you.name.startswith("Guest-")
        await other.wait_for(
            wire.Lobby, lambda lobby: welcome.you.name in {each.name for each in lobby.players}
        )
        assert (await refusal(url, {"v": 1, "name": "rude"})).code == "name_taken"


async def test_a_bot_keeps_its_token_and_its_kind(url: str, tmp_path: Path) -> None:
    token = await issue_token(tmp_path, "rude-bot")
    async with desk_on(tmp_path) as desk:
        assert (await carried_out(desk, await desk.rename("rude-bot", "Polite"))).ok
    async with connected(url, token=token) as bot:
        you = bot.all_of(wire.Welcome)[0].you
    assert (you.name, you.kind) == ("Polite", "bot")


async def test_a_new_name_waits_until_the_game_is_over(tmp_path: Path) -> None:
    async with table(tmp_path) as t, desk_on(tmp_path) as desk:
        order = await desk.rename("Anna", None)
        waits = await answered(lambda: desk.outcome(order, 0), lambda found: found.outcome)
        assert (waits.done_at, waits.outcome) == (None, "waits: Anna plays 1 game.")
        await t.one.do("game.action", game_id=t.game_id, action="resign")
        assert (await carried_out(desk, order)).ok
        assert t.one.all_of(wire.Welcome)[-1].you.name != "Anna"


async def test_a_taken_name_is_an_outcome(url: str, tmp_path: Path) -> None:
    async with connected(url, name="Rude"), connected(url, name="Ben"), desk_on(tmp_path) as desk:
        done = await carried_out(desk, await desk.rename("Rude", "ben"))
    assert (done.ok, done.outcome) == (False, "The name ben belongs to another player.")


# ---- games and tournaments --------------------------------------------------------------------


async def test_a_game_is_aborted_without_a_result_after_any_turn(tmp_path: Path) -> None:
    async with table(tmp_path) as t, desk_on(tmp_path) as desk:
        done = await carried_out(desk, await desk.abort_game(t.game_id))
        state = await t.both_see(lambda game: game.state == "finished")
        message = f"The operator aborted the game: {REASON}"
        assert (done.ok, done.outcome) == (True, f"the game is over: {message}")
        assert state.result is not None
        assert (state.result.reason, state.result.winner) == ("aborted", None)
        assert state.result.message == message


async def test_an_order_for_an_unknown_game_says_so(url: str, tmp_path: Path) -> None:
    assert url
    async with desk_on(tmp_path) as desk:
        done = await carried_out(desk, await desk.abort_game("no-such-game"))
    assert (done.ok, done.outcome) == (False, "There is no game with that id.")


async def test_a_withdrawn_order_is_not_carried_out(tmp_path: Path) -> None:
    async with (
        running_arena(settings(tmp_path)) as url,
        connected(url, name="Anna") as one,
        connected(url, name="Ben") as two,
    ):
        game_id = await begin(one, two)
    async with desk_on(tmp_path) as desk:
        await desk.abort_game(game_id)
        await desk.withdraw("abort-game", game_id)
        async with running_arena(settings(tmp_path)) as url, connected(url, name="Cleo") as three:
            watched = await three.do("game.state", game_id=game_id)
    assert watched.game.state == "playing"


async def test_an_order_waits_for_the_start_of_an_arena(tmp_path: Path) -> None:
    async with (
        running_arena(settings(tmp_path)) as url,
        connected(url, name="Anna") as one,
        connected(url, name="Ben") as two,
    ):
        game_id = await begin(one, two)
    async with desk_on(tmp_path) as desk:
        order = await desk.abort_game(game_id)
        assert (await desk.outcome(order, 0)).done_at is None
        async with running_arena(settings(tmp_path)):
            done = await carried_out(desk, order)
    assert done.ok


async def test_an_order_that_lost_its_outcome_in_a_crash_changes_nothing_more(
    tmp_path: Path,
) -> None:
    """The game had ended, and the process was killed before it wrote the outcome."""
    async with table(tmp_path) as t, desk_on(tmp_path) as desk:
        await carried_out(desk, await desk.abort_game(t.game_id))
        first = await t.one.game(t.game_id, lambda game: game.state == "finished")
        again = await carried_out(desk, await desk.abort_game(t.game_id))
        assert (again.ok, again.outcome) == (
            True,
            f"the game is over: The operator aborted the game: {REASON}",
        )
        done = await t.one.do("game.state", game_id=t.game_id)
        assert done.game.revision == first.revision


async def test_a_tournament_game_that_is_aborted_is_played_again(tmp_path: Path) -> None:
    async with hall(tmp_path, ("one", "two")) as h, desk_on(tmp_path) as desk:
        await h.create(format={"kind": "round-robin"})
        await h.enter("one", "two")
        await h.do("start")
        state = await h.until(lambda s: games(s, "playing"))
        first = games(state, "playing")[0].game_id
        assert first is not None
        assert (await carried_out(desk, await desk.abort_game(first))).ok
        await h.until(lambda s: [g for g in games(s, "playing") if g.game_id != first])


async def test_a_tournament_is_ended_by_the_operator(tmp_path: Path) -> None:
    async with hall(tmp_path, ("one", "two")) as h, desk_on(tmp_path) as desk:
        await h.create()
        done = await carried_out(desk, await desk.end_tournament(h.tournament_id))
        assert done.ok
        state = await h.until(lambda s: s.state == "cancelled")
        assert state.why == f"The operator ended the tournament: {REASON}"
        again = await carried_out(desk, await desk.end_tournament(h.tournament_id))
    assert (again.ok, again.outcome) == (False, "Autumn cup is over.")
