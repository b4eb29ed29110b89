"""Where requests are carried out, while games and the hall move between processes."""

import asyncio
from collections.abc import Coroutine
from dataclasses import dataclass, field
from typing import Any, TypeVar, cast

import pytest
from pydantic import BaseModel

from bot import wire
from bot.arena.cluster.bus import LocalHub
from bot.arena.cluster.directory import Directory
from bot.arena.cluster.events import Events
from bot.arena.cluster.hall import WAIT_S as HALL_WAIT_S
from bot.arena.cluster.hall import Hall
from bot.arena.cluster.link import PeerGone
from bot.arena.cluster.peers import NOT_HERE, HallSeat, Peers
from bot.arena.cluster.router import WAIT_S, WELCOME_WAIT_S, Router
from bot.arena.games.game_requests import game_requests
from bot.arena.games.game_service import Games
from bot.arena.games.running_games import RunningGames
from bot.arena.lobby.challenge_service import Challenges
from bot.arena.lobby.ignores import Ignores
from bot.arena.lobby.lobby_requests import lobby_requests
from bot.arena.operations import Operations
from bot.arena.refusals import Refused
from bot.arena.request_table import RequestTable
from bot.arena.tournaments.tournament_library import TournamentLibrary
from bot.arena.tournaments.tournament_requests import tournament_requests
from bot.arena.tournaments.tournament_service import Tournaments
from bot.runtime.workers import Workers
from tests.bot.arena.cluster.fakes import FakeDelivery, FakePeers, FakeRunning, entry, player
from tests.fakes.time import FakeTime

T = TypeVar("T")
ANNA = player("Anna")
DONE = b'{"v":1,"ok":true}'
GONE = PeerGone("b: gone", was_sent=False)
GONE_AFTER_IT_WAS_SENT = PeerGone("b: gone", was_sent=True)


@dataclass
class Here:
    """The operations and games of this process."""

    requests = RequestTable(
        [
            *game_requests(cast("Games", None), cast("Workers", None)),
            *lobby_requests(cast("Challenges", None), cast("Ignores", None)),
            *tournament_requests(cast("Tournaments", None), cast("TournamentLibrary", None)),
        ]
    )
    owned: set[str] = field(default_factory=set)
    performed: list[str] = field(default_factory=list)

    def owns(self, game_id: str) -> bool:
        return game_id in self.owned

    def own_fields(self, player: wire.Player) -> dict[str, Any]:
        return {"may_host": player == ANNA}

    async def perform(
        self,
        event: str,
        _player: wire.Player,
        _message: BaseModel,
        _arrived: float,
        _origin: str = "",
    ) -> wire.Done:
        self.performed.append(event)
        return wire.Done()


class Bench:
    """The router of process `a`; the game `g` belongs to process `b`, and so does the hall."""

    def __init__(self) -> None:
        self.here, self.peers, self.running = Here(), FakePeers(), FakeRunning({"g": entry()})
        self.directory, self.seat, self.time = Directory(), HallSeat("b"), FakeTime()
        self.directory.add(entry())
        peers = cast("Peers", self.peers)
        self.router = Router(
            cast("Operations", self.here),
            cast("Games", self.here),
            self.directory,
            cast("RunningGames", self.running),
            peers,
            Hall(peers, self.seat, self.time),
            Events(FakeDelivery(), LocalHub().bus("a")),
            self.time,
        )

    async def turn(self) -> str:
        message = wire.PlayTurn(v=1, game_id="g", ply=0, turn="0-0")
        done = await self.router.perform("game.turn", ANNA, message, self.time.monotonic())
        return done.model_dump_json()

    async def act(self) -> str:
        message = wire.GameAction(v=1, game_id="g", action="resign")
        done = await self.router.perform("game.action", ANNA, message, self.time.monotonic())
        return done.model_dump_json()

    async def cancel(self) -> str:
        message = wire.CancelChallenge(v=1, challenge_id="c")
        done = await self.router.perform("challenge.cancel", ANNA, message, self.time.monotonic())
        return done.model_dump_json()

    async def later(self, asking: Coroutine[Any, Any, T], seconds: float) -> T:
        """The answer to a request that is given after these seconds."""
        task = asyncio.create_task(asking)
        await self.time.advance(seconds)
        assert task.done()
        return await task


@pytest.fixture
def bench() -> Bench:
    return Bench()


# ---- games ------------------------------------------------------------------------------------


async def test_a_turn_goes_to_the_owner_with_the_time_that_it_has_waited(bench: Bench) -> None:
    bench.peers.answers = [DONE]
    message = wire.PlayTurn(v=1, game_id="g", ply=0, turn="0-0")
    arrived = bench.time.monotonic() - 0.5
    done = await bench.router.perform("game.turn", ANNA, message, arrived)
    assert done.model_dump_json().encode() == DONE
    [(process, method, asked)] = bench.peers.asked
    assert (process, method, asked["event"], asked["age_s"]) == ("b", "perform", "game.turn", 0.5)
    assert asked["message"]["turn"] == "0-0"


async def test_an_own_game_needs_no_request(bench: Bench) -> None:
    bench.here.owned = {"g"}
    await bench.turn()
    assert (bench.here.performed, bench.peers.asked) == (["game.turn"], [])


async def test_a_turn_waits_for_the_new_owner_when_the_old_one_is_gone(bench: Bench) -> None:
    bench.peers.answers = [GONE_AFTER_IT_WAS_SENT, NOT_HERE, GONE, DONE]
    bench.running.entries["g"] = entry(owner="c", epoch=2)
    assert (await bench.later(bench.turn(), 0.5)).encode() == DONE
    assert [process for process, _, _ in bench.peers.asked] == ["b", "c", "c", "c"]


async def test_a_turn_is_played_here_if_this_process_takes_the_game_over(bench: Bench) -> None:
    bench.peers.answers = [GONE]
    bench.running.entries["g"] = entry(owner="a", epoch=2)

    async def take_over() -> None:
        await bench.time.sleep(3)
        bench.here.owned = {"g"}

    taking = asyncio.create_task(take_over())
    await bench.later(bench.turn(), 4)
    assert bench.here.performed == ["game.turn"]
    await taking


async def test_a_turn_is_refused_if_no_process_takes_the_game_over(bench: Bench) -> None:
    bench.peers.answers = [GONE]
    with pytest.raises(Refused) as refused:
        await bench.later(bench.turn(), WAIT_S + 1)
    assert refused.value.code == "unavailable"


async def test_an_action_that_may_have_been_carried_out_is_not_repeated(bench: Bench) -> None:
    bench.peers.answers = [GONE_AFTER_IT_WAS_SENT, DONE]
    with pytest.raises(Refused) as refused:
        await bench.act()
    assert refused.value.code == "unavailable"
    assert len(bench.peers.asked) == 1


async def test_an_action_that_was_not_sent_is_repeated(bench: Bench) -> None:
    bench.peers.answers = [GONE, NOT_HERE, DONE]
    assert (await bench.later(bench.act(), 0.5)).encode() == DONE


async def test_a_refusal_of_the_owner_is_passed_on(bench: Bench) -> None:
    bench.peers.answers = [Refused("not_your_turn")]
    with pytest.raises(Refused) as refused:
        await bench.turn()
    assert refused.value.code == "not_your_turn"


async def test_a_game_that_has_ended_is_answered_from_the_database_here(bench: Bench) -> None:
    bench.peers.answers = [NOT_HERE]
    bench.running.entries.clear()
    await bench.later(bench.turn(), 0.5)
    assert bench.here.performed == ["game.turn"]
    assert bench.directory.find("g") is None


async def test_an_unknown_game_is_looked_up_once(bench: Bench) -> None:
    bench.directory.end("g")
    bench.peers.answers = [DONE]
    await bench.turn()
    await bench.turn()
    assert bench.running.reads == 1


async def test_a_request_for_a_game_of_another_process_is_answered_not_here(bench: Bench) -> None:
    asked = (
        b'{"event":"game.turn","player":{"id":"a","name":"Anna","kind":"person"},"age_s":0,'
        b'"message":{"v":1,"game_id":"g","ply":0,"turn":"0-0"}}'
    )
    assert await bench.router.answer(asked) == NOT_HERE
    bench.here.owned = {"g"}
    assert b'"ok":true' in await bench.router.answer(asked)


# ---- the hall ---------------------------------------------------------------------------------


async def test_a_request_waits_until_another_process_has_the_hall(bench: Bench) -> None:
    bench.peers.answers = [NOT_HERE, GONE, DONE]
    assert (await bench.later(bench.cancel(), 0.5)).encode() == DONE


async def test_a_request_is_carried_out_here_if_this_process_takes_the_hall(bench: Bench) -> None:
    bench.seat.holder = None

    async def take() -> None:
        await bench.time.sleep(2)
        bench.seat.holder = "a"
        await bench.time.sleep(1)
        bench.seat.is_open = True

    taking = asyncio.create_task(take())
    await bench.later(bench.cancel(), HALL_WAIT_S)
    assert (bench.here.performed, bench.peers.asked) == (["challenge.cancel"], [])
    await taking


@pytest.mark.parametrize("holder", [None, "b"])
async def test_a_request_is_refused_if_no_process_takes_the_hall(
    bench: Bench, holder: str | None
) -> None:
    bench.seat.holder = holder
    bench.peers.answers = [GONE]
    with pytest.raises(Refused) as refused:
        await bench.later(bench.cancel(), HALL_WAIT_S + 1)
    assert refused.value.code == "unavailable"


async def test_a_request_that_the_hall_may_have_carried_out_is_not_repeated(bench: Bench) -> None:
    bench.peers.answers = [GONE_AFTER_IT_WAS_SENT, DONE]
    with pytest.raises(Refused):
        await bench.cancel()
    message = wire.WatchTournament(v=1, tournament_id="t")
    bench.peers.answers = [GONE_AFTER_IT_WAS_SENT, DONE]
    asking = bench.router.perform("tournament.watch", ANNA, message, 0.0)
    assert (await bench.later(asking, 0.5)).model_dump_json().encode() == DONE


async def test_the_hall_does_not_know_who_may_host(bench: Bench) -> None:
    bench.directory.end("g")
    of_the_hall = wire.Welcome(
        you=ANNA,
        guest_key=None,
        server="test",
        server_time=bench.time.wall(),
        games=[],
        challenges=[],
        tournaments=[],
        may_host=False,
    )
    bench.peers.answers = [of_the_hall.model_dump_json().encode()]
    welcome = (await bench.router.welcome(ANNA, "key")).model_dump_json()
    assert wire.Welcome.model_validate_json(welcome) == of_the_hall.model_copy(
        update={"guest_key": "key", "may_host": True}
    )


async def test_a_player_is_welcomed_with_their_games_while_no_process_has_the_hall(
    bench: Bench,
) -> None:
    bench.seat.holder = None
    bench.peers.answers = [b'{"v":1,"ok":true,"game":{"game_id":"g"}}']
    welcome = await bench.later(bench.router.welcome(ANNA, "key"), HALL_WAIT_S + 1)
    text = welcome.model_dump_json()
    assert '"games":[{"game_id":"g"}]' in text
    assert '"guest_key":"key"' in text
    assert '"may_host":true' in text
    assert bench.router.take_incomplete() == {"Anna"}
    assert bench.router.take_incomplete() == set()


# ---- many requests, and the end ---------------------------------------------------------------


async def test_requests_that_wait_for_a_takeover_ask_the_database_together(bench: Bench) -> None:
    bench.peers.answers = [GONE] * 10_000
    turns = [asyncio.create_task(bench.turn()) for _ in range(100)]
    await bench.time.advance(2)
    assert 0 < bench.running.reads <= 21
    bench.here.owned = {"g"}
    await bench.time.advance(1)
    await asyncio.gather(*turns)


async def test_a_process_that_ends_lets_no_request_wait(bench: Bench) -> None:
    bench.peers.answers = [GONE] * 10
    turn = asyncio.create_task(bench.turn())
    await bench.time.advance(0.3)
    bench.router.close()
    with pytest.raises(Refused) as refused:
        await bench.later(turn_of(turn), 0.2)
    assert refused.value.code == "unavailable"


async def turn_of(task: "asyncio.Task[str]") -> str:
    return await task


async def test_a_welcome_without_a_running_game_is_refused(bench: Bench) -> None:
    bench.peers.answers = [NOT_HERE] * 1_000
    with pytest.raises(Refused) as refused:
        await bench.later(bench.router.welcome(ANNA, None), 3 * WAIT_S)
    assert refused.value.code == "unavailable"


async def test_a_welcome_does_not_wait_for_the_takeover_of_a_game(bench: Bench) -> None:
    async def stored(game_id: str) -> str:
        return f'{{"game_id":"{game_id}"}}'

    bench.router.stored = stored
    bench.seat.holder = None
    bench.peers.answers = [GONE]
    welcome = await bench.later(bench.router.welcome(ANNA, None), WELCOME_WAIT_S + 0.2)
    assert '"games":[{"game_id":"g"}]' in welcome.model_dump_json()
