"""What players at several processes do with each other. One arena serves all tests of this file."""

from collections.abc import AsyncIterator, Sequence
from contextlib import AsyncExitStack
from typing import Any

import aiohttp
import pytest
import pytest_asyncio

import engine
from bot import wire
from bot.arena.games.referee import game_of
from tests.bot.arena.cluster.three import Three, three
from tests.bot.arena.table import begin, play_first, refusal, setup
from tests.fakes.arena_client import ArenaClient, connected
from tests.fakes.postgres import Postgres
from tests.fakes.waiting import answered

pytestmark = [pytest.mark.xdist_group("postgres"), pytest.mark.asyncio(loop_scope="module")]

LIMITS = {"person_games": 2, "challenges": 2}
NEW: dict[str, Any] = {"events": "new"}


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def arena(
    postgres: Postgres, tmp_path_factory: pytest.TempPathFactory
) -> AsyncIterator[Three]:
    async with three(tmp_path_factory.mktemp("three"), postgres.create(), play=LIMITS) as made:
        yield made


class Players:
    """Connections of one test, closed at its end."""

    def __init__(self, arena: Three, stack: AsyncExitStack) -> None:
        self.arena = arena
        self._stack = stack

    async def __call__(self, number: int, **auth: Any) -> ArenaClient:
        """A connection to a process."""
        opening = connected(self.arena.addresses[number], **auth)
        return await self._stack.enter_async_context(opening)

    async def all_hear(self, *names: str) -> None:
        """Every process has heard that these players are connected."""
        for number in range(len(self.arena.addresses)):
            watcher = await self(number)
            await watcher.wait_for(wire.Lobby, lambda lobby: _shows(lobby, names))
            await watcher.close()


def _shows(lobby: wire.Lobby, names: Sequence[str]) -> bool:
    return set(names) <= {player.name for player in lobby.players}


@pytest_asyncio.fixture(loop_scope="module")
async def player(arena: Three) -> AsyncIterator[Players]:
    async with AsyncExitStack() as stack:
        yield Players(arena, stack)


async def offered(client: ArenaClient, *seats: str | None) -> str:
    done = await client.do("challenge.create", setup=setup(), seats=seats)
    challenge_id: str = done.challenge.challenge_id
    return challenge_id


async def told(client: ArenaClient, challenge_id: str, state: str) -> wire.Challenge:
    return await client.wait_for(
        wire.Challenge,
        lambda each: (each.challenge_id, each.state) == (challenge_id, state),
    )


def timeless(state: wire.GameState) -> wire.GameState:
    """A game without what depends on the moment in which it is shown."""
    return state.model_copy(update={"server_time": state.created_at, "clocks": None})


# ---- challenges -------------------------------------------------------------------------------


@pytest.mark.parametrize(("creator", "taker"), [(0, 1), (1, 0), (1, 2)])
async def test_a_challenge_is_offered_and_accepted_at_any_two_processes(
    player: Players, creator: int, taker: int
) -> None:
    anna = await player(creator, name=f"Anna{creator}{taker}")
    ben = await player(taker, name=f"Ben{creator}{taker}")
    names = [client.all_of(wire.Welcome)[-1].you.name for client in (anna, ben)]
    challenge_id = await offered(anna, *names)
    assert (await told(ben, challenge_id, "open")).accepted == [names[0]]
    welcome = (await ben.do("state")).welcome
    assert [each.challenge_id for each in welcome.challenges] == [challenge_id]
    done = await ben.do("challenge.accept", challenge_id=challenge_id)
    assert (await told(anna, challenge_id, "started")).game_id == done.challenge.game_id
    for client in (anna, ben):
        state = await client.game(done.challenge.game_id)
        assert [each.name for each in state.players] == names


async def test_challenges_are_declined_cancelled_and_refused_across_processes(
    player: Players,
) -> None:
    anna, ben = await player(1, name="Anja"), await player(2, name="Benno")
    declined, cancelled = await offered(anna, "Anja", "Benno"), await offered(anna, "Anja", None)
    assert await anna.refused("challenge.create", setup=setup(), seats=["Anja", None]) == "too_many"
    await ben.do("challenge.decline", challenge_id=declined, code="busy", message="")
    assert (await told(anna, declined, "declined")).code == "busy"
    await ben.wait_for(
        wire.Lobby, lambda lobby: cancelled in {each.challenge_id for each in lobby.challenges}
    )
    assert await ben.refused("challenge.cancel", challenge_id=cancelled) == "not_your_challenge"
    await anna.do("challenge.cancel", challenge_id=cancelled)
    assert await ben.refused("challenge.accept", challenge_id=cancelled) == "unknown_challenge"
    assert await ben.refused("challenge.create", setup=setup(), seats=["Benno", "Nobody"]) == (
        "unknown_player"
    )


async def test_two_players_who_offer_each_other_the_same_game_get_one(player: Players) -> None:
    anna, ben = await player(1, name="Annika"), await player(2, name="Bernd")
    mine = await offered(anna, "Annika", "Bernd")
    done = await ben.do("challenge.create", setup=setup(), seats=["Annika", "Bernd"])
    assert (done.challenge.challenge_id, done.challenge.state) == (mine, "started")


async def test_games_of_a_player_are_counted_at_all_processes(player: Players) -> None:
    anna, ben = await player(1, name="Antje"), await player(2, name="Bert")
    games = [await begin(anna, ben) for _ in range(2)]
    refused = await anna.refused("challenge.create", setup=setup(), seats=["Antje", None])
    assert refused == "too_many"
    await ben.do("game.action", game_id=games[0], action="abort")
    # The hall hears of it a moment later.
    asked = {"setup": setup(), "seats": ["Antje", None]}
    await answered(lambda: anna.ask("challenge.create", **asked), lambda answer: answer["ok"])


# ---- games ------------------------------------------------------------------------------------


async def test_a_long_game_is_seen_alike_at_every_process(player: Players) -> None:
    """Whole games and changes; the players change their processes in the middle."""
    anna, ben = await player(0, name="Agnes"), await player(1, name="Bruno")
    game_id = await begin(anna, ben, board="pent-8")
    watchers = [await player(number, **more) for number in range(3) for more in ({}, NEW)]
    for watcher in watchers:
        await watcher.do("game.watch", game_id=game_id)
    first = (await anna.do("game.state", game_id=game_id)).game
    turns = engine.play_out(game_of(first.setup), seed=3).turns
    assert len(turns) > 60
    for ply, turn in enumerate(turns):
        if ply == 30:
            key = anna.all_of(wire.Welcome)[0].guest_key
            await anna.close()
            anna = await player(2, guest_key=key)
            [shown] = anna.all_of(wire.Welcome)[0].games
            assert [each.turn for each in shown.turns] == list(turns[:ply])
        mover = ben if ply % 2 else anna
        await mover.do("game.turn", game_id=game_id, ply=ply, turn=turn)
    ends = [
        await client.game(game_id, lambda state: state.result is not None)
        for client in (anna, ben, *watchers)
    ]
    assert all(timeless(end) == timeless(ends[0]) for end in ends)
    # Nobody is told twice.
    for watcher in watchers:
        assert len([each for each in watcher.all_of(wire.GameState) if each.result]) == 1
    assert [each.turn for each in ends[0].turns] == list(turns)
    for watcher in watchers[1::2]:
        seen = {change.ply for change in watcher.all_of(wire.GameChange)}
        assert seen - {0} == set(range(1, len(turns)))


async def test_actions_and_questions_reach_the_owner_of_a_game(player: Players) -> None:
    anna, ben = await player(1, name="Alma"), await player(2, name="Bodo")
    watcher = await player(0)
    game_id = await begin(anna, ben)
    about: dict[str, Any] = {"game_id": game_id}
    await watcher.do("game.watch", **about)
    assert await ben.refused("game.turn", **about, ply=0, turn="0-0") == "not_your_turn"
    assert await anna.refused("game.turn", **about, ply=0, turn="9-9") == "illegal_turn"
    assert await watcher.refused("game.turn", **about, ply=0, turn="0-0") == "not_a_player"
    legal = (await anna.do("game.legal", **about, ply=0, chosen=[])).legal
    assert legal
    await anna.do("game.turn", **about, ply=0, turn="0-0")
    again = await anna.do("game.turn", **about, ply=0, turn="0-0")
    assert again.ply == 0
    await anna.do("game.action", **about, action="offer_draw")
    await ben.game(game_id, lambda state: state.draw_offer == 1)
    await ben.do("game.action", **about, action="decline_draw")
    await anna.game(game_id, lambda state: state.draw_offer is None and len(state.turns) >= 1)
    for client in (anna, ben, watcher):
        assert (await client.do("game.position", **about, ply=1)).position.stones
    await watcher.do("game.watch", **about, follow=False)
    before = len(watcher.all_of(wire.GameState))
    await ben.do("game.turn", **about, ply=1, turn="2-0,2-2")
    await anna.do("game.action", **about, action="resign")
    end = await anna.game(game_id, lambda state: state.result is not None)
    assert end.result is not None
    assert (end.result.winner, end.result.reason) == (2, "resignation")
    await ben.game(game_id, lambda state: state.result == end.result)
    assert len(watcher.all_of(wire.GameState)) == before
    for client in (anna, ben, watcher):
        shown = (await client.do("game.state", **about)).game
        assert timeless(shown) == timeless(end)
        assert await client.refused("game.action", **about, action="resign") == (
            "not_a_player" if client is watcher else "game_over"
        )
    assert await ben.refused("game.state", game_id="nothing") == "unknown_game_id"


async def test_every_process_serves_the_documents_of_all_games(player: Players) -> None:
    anna, ben = await player(1, name="Asta"), await player(2, name="Bill")
    game_id = await begin(anna, ben)
    await anna.do("game.turn", game_id=game_id, ply=0, turn="0-0")
    await ben.do("game.action", game_id=game_id, action="resign")
    found = []
    for address in player.arena.addresses:
        async with aiohttp.ClientSession(address) as http:
            async with http.get(f"/api/records/{game_id}") as response:
                found.append((response.status, await response.text()))
            async with http.get("/api/records") as response:
                assert game_id in await response.text()
    assert [status for status, _ in found] == [200] * 3
    assert len({text for _, text in found}) == 1


# ---- names and presence -----------------------------------------------------------------------


async def test_a_guest_takes_a_name_and_every_process_knows_it(player: Players) -> None:
    guest = await player(1)
    welcome = guest.all_of(wire.Welcome)[0]
    tab = await player(2, guest_key=welcome.guest_key)
    named = await player(0, guest_key=welcome.guest_key, name="Nora")
    assert named.all_of(wire.Welcome)[-1].you.name == "Nora"
    for client in (guest, tab):
        await client.wait_for(wire.Welcome, lambda each: each.you.name == "Nora")
    await player.all_hear("Nora")
    ben = await player(2, name="Boris")
    done = await guest.do("challenge.create", setup=setup(), seats=["Nora", "Boris"])
    await told(ben, done.challenge.challenge_id, "open")
    await ben.do("challenge.accept", challenge_id=done.challenge.challenge_id)
    for client in (guest, tab, named):
        assert (await told(client, done.challenge.challenge_id, "started")).seats[0] == "Nora"


async def test_a_name_that_a_game_needs_stays(player: Players) -> None:
    anna, ben = await player(1, name="Adele"), await player(2, name="Benny")
    await begin(anna, ben)
    key = anna.all_of(wire.Welcome)[0].guest_key
    for number in range(3):
        again = await player(number, guest_key=key, name=f"Other{number}")
        assert again.all_of(wire.Welcome)[-1].you.name == "Adele"


async def test_two_logins_with_two_names_at_two_processes_agree_in_the_end(
    player: Players,
) -> None:
    guest = await player(0)
    key = guest.all_of(wire.Welcome)[0].guest_key
    tabs = [await player(number, guest_key=key, name=f"Twin{number}") for number in (1, 2)]
    await guest.wait_for(wire.Welcome, lambda each: each.you.name == "Twin2")
    for tab in tabs:
        await tab.wait_for(wire.Welcome, lambda each: each.you.name == "Twin2")
    await player.all_hear("Twin2")
    lobby = await (await player(1)).wait_for(wire.Lobby)
    assert "Twin1" not in {each.name for each in lobby.players}


async def test_a_name_belongs_to_one_player_at_all_processes(player: Players) -> None:
    await player(1, name="Solo")
    for address in player.arena.addresses:
        assert (await refusal(address, {"v": 1, "name": "Solo"})).code == "name_taken"


async def test_a_player_is_here_until_the_last_process_is_left(player: Players) -> None:
    anna, ben = await player(0, name="Alina"), await player(1, name="Bela")
    game_id = await begin(anna, ben)
    key = ben.all_of(wire.Welcome)[0].guest_key
    tab = await player(2, guest_key=key)
    await anna.game(game_id, lambda state: state.connected == (True, True))
    await ben.close()
    await anna.do("game.turn", game_id=game_id, ply=0, turn="0-0")
    # The game's process may hear of the end of the one before it hears of the other.
    await tab.game(game_id, lambda state: len(state.turns) >= 1 and state.connected == (True, True))
    await tab.close()
    await anna.game(game_id, lambda state: state.connected == (True, False))
    await player(1, guest_key=key)
    await anna.wait_for(
        wire.GameState, lambda state: state.connected == (True, True) and len(state.turns) >= 1
    )


# ---- takebacks and chat -----------------------------------------------------------------------


@pytest.mark.parametrize(("first", "second"), [(0, 1), (1, 2), (2, 0)])
async def test_a_turn_is_taken_back_and_seen_at_every_process(
    player: Players, first: int, second: int
) -> None:
    anna, ben = await player(first, name=f"Ada{first}"), await player(second, name=f"Bo{first}")
    game_id = await begin(anna, ben)
    watchers = [await player(number, **NEW) for number in range(3)]
    for watcher in watchers:
        await watcher.do("game.watch", game_id=game_id)
    for ply, (client, turn) in enumerate([(anna, "0-0"), (ben, "2-0,2-2"), (anna, "2-4,2-6")]):
        await client.do("game.turn", game_id=game_id, ply=ply, turn=turn, takebacks=0)
    await ben.do("game.action", game_id=game_id, action="ask_takeback", ply=3, takebacks=0)
    await anna.game(game_id, lambda state: state.takeback_offer == 2)
    done = await anna.do("game.action", game_id=game_id, action="accept_takeback")
    assert [played.turn for played in done.game.turns] == ["0-0"]
    revision = done.game.revision
    for client in (ben, *watchers):
        state = await client.game(game_id, lambda state: state.takebacks == 1)
        assert timeless(state).turns == done.game.turns
    late = {"game_id": game_id, "ply": 1, "turn": "2-0,2-2", "takebacks": 0}
    assert await ben.refused("game.turn", **late) == "stale_ply"
    await ben.do("game.turn", game_id=game_id, ply=1, turn="2-4,2-6", takebacks=1)
    for watcher in watchers:
        change = await watcher.wait_for(
            wire.GameChange, lambda each: each.turn is not None and each.revision > revision
        )
        assert (change.follows, change.revision) == (done.game.digest, revision + 1)
    await ben.do("game.action", game_id=game_id, action="resign")


@pytest.mark.parametrize(("first", "second"), [(0, 1), (1, 2), (2, 0)])
async def test_two_at_different_processes_agree_to_abort(
    player: Players, first: int, second: int
) -> None:
    anna, ben = await player(first, name=f"Eva{first}"), await player(second, name=f"Tom{first}")
    game_id = await begin(anna, ben)
    watchers = [await player(number, **NEW) for number in range(3)]
    for watcher in watchers:
        await watcher.do("game.watch", game_id=game_id)
    await play_first(anna, ben, game_id)
    await anna.do("game.action", game_id=game_id, action="offer_abort")
    await ben.game(game_id, lambda state: state.abort_offer == 1)
    done = await ben.do("game.action", game_id=game_id, action="accept_abort")
    for client in (anna, ben, *watchers):
        state = await client.game(game_id, lambda state: state.result is not None)
        assert (state.result, state.abort_offer) == (done.game.result, None)


async def said(client: ArenaClient, game_id: str, word: str) -> None:
    """Wait until a player got that preset in the chat of a game."""
    await client.wait_for(wire.Chat, lambda chat: (chat.game_id, chat.line.body) == (game_id, word))


async def test_players_talk_and_spectators_are_counted_across_processes(player: Players) -> None:
    anna, ben = await player(0, name="Talia"), await player(1, name="Tom")
    game_id = await begin(anna, ben)
    await anna.do("game.chat", game_id=game_id, preset="good_luck")
    await ben.do("game.chat", game_id=game_id, preset="thanks")
    for client in (anna, ben):
        for word in ("good_luck", "thanks"):
            await said(client, game_id, word)
    for number in (1, 2):
        await (await player(number)).do("game.watch", game_id=game_id)
    await anna.game(game_id, lambda state: state.spectators == 2)
    await anna.do("game.action", game_id=game_id, action="resign")
    assert [line.body for line in (await ben.do("game.chats", game_id=game_id)).lines] == [
        "good_luck",
        "thanks",
    ]
