"""Costly requests: few at once, not in the event loop, dropped when their sender leaves."""

import asyncio
import threading
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

import engine
from bot import wire
from bot.arena.answers import Encoded
from bot.arena.edge.clients import UNFINISHED
from bot.arena.games import game_requests
from bot.arena.games.encoded import encoded_position
from bot.arena.tournaments import tournament_service
from bot.arena.tournaments.tournament_settings import settled
from bot.arena.tournaments.tournament_views import TournamentViews
from tests.bot.arena.hall import hall, plan
from tests.bot.arena.table import Table, refusal, table
from tests.fakes.arena_client import ArenaClient, connected
from tests.fakes.loops import Gate
from tests.fakes.raw_socket import raw_socket, sockets_become
from tests.fakes.waiting import eventually

ELSEWHERE = "127.0.0.9"
UNTIMED = {"kind": "none"}


class Held:
    """Makes the threads wait that encode earlier positions."""

    def __init__(self) -> None:
        self.goes_on = Gate()
        self.calls = 0

    def encoded(self, position: engine.Position) -> Encoded:
        self.calls += 1
        self.goes_on.wait()
        return encoded_position(position)


@pytest.fixture
async def held(monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Held]:
    made = Held()
    monkeypatch.setattr(game_requests, "encoded_position", made.encoded)
    yield made
    made.goes_on.open()


def flood(client: ArenaClient, game_id: str, count: int) -> list[asyncio.Task[dict[str, Any]]]:
    return [
        asyncio.create_task(client.ask("game.position", game_id=game_id, ply=0))
        for _ in range(count)
    ]


async def ended(*tasks: asyncio.Task[Any]) -> None:
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)


async def test_the_state_is_encoded_once_for_each_position(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    encoded = []
    plainly = wire.PositionView.model_dump_json

    def counted(view: wire.PositionView) -> str:
        encoded.append(view.ply)
        return plainly(view)

    monkeypatch.setattr(wire.PositionView, "model_dump_json", counted)
    async with table(tmp_path) as t:
        await t.play(0, "0-0")
        for client in (t.one, t.two):
            await client.do("game.watch", game_id=t.game_id)
            for _ in range(3):
                await client.do("game.state", game_id=t.game_id)
                await client.do("game.position", game_id=t.game_id)
                await client.do("state")
        assert encoded == [0, 1]
        await t.play(1, "2-1,2-4")
        await t.one.do("game.state", game_id=t.game_id)
        assert encoded == [0, 1, 2]


def this_thread() -> str:
    return threading.current_thread().name.partition("_")[0]


def noting(threads: set[str], function: Any) -> Any:
    """The function, which adds the thread in which it runs."""

    def call(*args: Any, **named: Any) -> Any:
        threads.add(this_thread())
        return function(*args, **named)

    return call


async def test_the_event_loop_neither_replays_nor_encodes_what_is_long(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    threads = set[str]()
    prepared = dict[str, str]()
    game_of = engine.game_of

    def noted(function: Any) -> Any:
        return noting(threads, function)

    def rules(name: str, board: str | None, *more: Any) -> engine.Game:
        prepared.setdefault(board or "", this_thread())
        return game_of(name, board, *more)

    async with table(tmp_path, clock=UNTIMED) as t:
        await t.play(0, "0-0")
        monkeypatch.setattr(engine.Game, "replay", noted(engine.Game.replay))
        monkeypatch.setattr(engine.Position, "choices", noted(engine.Position.choices))
        monkeypatch.setattr(engine, "game_of", rules)
        setup = {"game": "bluestone", "board": "pent-4"}
        one = t.one
        await one.do("game.position", game_id=t.game_id, ply=0)
        await one.do("analysis.position", setup=setup, turns=["0-0"])
        await one.do("analysis.legal", setup=setup, turns=["0-0"])
        await one.do("game.plan", game_id=t.game_id, ply=1, lines=[["2-1,2-4", "2-6,2-8"]])
        created = {"game": "bluestone", "board": "pent-5", "clock": UNTIMED}
        await one.do("challenge.create", setup=created, seats=[None, None])
        await t.play(1, "2-0,2-2")
        await one.do("game.action", game_id=t.game_id, action="ask_takeback")
        taken = await t.two.do("game.action", game_id=t.game_id, action="accept_takeback")
        assert taken.game.turns == []
        await t.two.do("game.action", game_id=t.game_id, action="resign")
        await one.do("game.position", game_id=t.game_id, ply=0)
    assert "MainThread" not in threads
    assert "arena-worker" in threads
    assert (prepared["pent-4"], prepared["pent-5"]) == ("arena-worker", "arena-worker")


async def test_the_event_loop_makes_no_tournament_for_an_answer(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    threads = set[str]()
    async with hall(tmp_path, ("one", "two")) as h:
        monkeypatch.setattr(TournamentViews, "state", noting(threads, TournamentViews.state))
        monkeypatch.setattr(tournament_service, "settled", noting(threads, settled))
        made = await h.host.do("tournament.create", settings=plan())
        h.tournament_id = made.tournament.tournament_id
        await h.enter("one", "two")
        assert len((await h.do("start")).entrants) == 2
        for request in ("pause", "end"):
            assert (await h.do(request, why="it is late")).why == "it is late"
    assert threads == {"arena-worker"}


async def test_a_connection_with_unfinished_requests_is_not_read_and_others_are(
    tmp_path: Path, held: Held
) -> None:
    async with table(tmp_path) as t, connected(t.url) as flooder:
        await t.play(0, "0-0")
        asking = flood(flooder, t.game_id, UNFINISHED)
        await eventually(lambda: held.calls == 1)
        late = asyncio.create_task(flooder.ask("push.unsubscribe", endpoint="https://a.example"))
        await t.play(1, "2-1,2-4")  # also from this address
        assert not late.done()
        held.goes_on.open()
        assert (await late)["ok"]
        assert {(await each)["ok"] for each in asking} == {True}


async def test_another_address_does_not_wait_for_a_flood(tmp_path: Path, held: Held) -> None:
    async with table(tmp_path) as t, connected(t.url, ELSEWHERE) as other:
        await t.play(0, "0-0")
        flooding = flood(t.one, t.game_id, 10)
        await eventually(lambda: held.calls == 1)
        asked = flood(other, t.game_id, 1)
        await eventually(lambda: held.calls == 2)  # the second thread
        held.goes_on.open()
        await asyncio.gather(*flooding, *asked)


async def test_what_a_client_has_asked_is_dropped_when_it_leaves(
    tmp_path: Path, held: Held
) -> None:
    async with table(tmp_path) as t, connected(t.url, ELSEWHERE) as flooder:
        await t.play(0, "0-0")
        asking = flood(flooder, t.game_id, 10)
        await eventually(lambda: held.calls == 1)
        await flooder.close()
        await ended(*asking)
        await sockets_become(t.url, 2)
        held.goes_on.open()
        async with connected(t.url, ELSEWHERE) as again:
            await again.do("game.position", game_id=t.game_id, ply=0)
        assert held.calls == 2


async def test_a_turn_is_played_although_its_player_leaves(tmp_path: Path) -> None:
    async with table(tmp_path) as t:
        await send_and_leave(t)
        await t.two.game(t.game_id, lambda state: len(state.turns) >= 1)


async def test_a_player_who_comes_again_and_again_waits(tmp_path: Path) -> None:
    slow = {"messages_per_s": 0.01, "messages_burst": 4}
    async with table(tmp_path, connections=slow) as t:
        key = t.one.all_of(wire.Welcome)[-1].guest_key
        for _ in range(3):
            async with connected(t.url, guest_key=key):
                pass
        said = await refusal(t.url, {"v": wire.VERSION, "guest_key": key})
        assert said.code == "rate_limited"
        assert said.retry_after_ms
        async with connected(t.url):  # another player of this address
            pass


async def send_and_leave(t: Table) -> None:
    """Play a turn over another connection, which ends with the next packet."""
    turn = f'{{"v":1,"game_id":"{t.game_id}","ply":0,"turn":"0-0"}}'
    async with raw_socket(t.url) as raw:
        await raw.log_in(guest_key=t.one.all_of(wire.Welcome)[-1].guest_key)
        await raw.send(f'42["game.turn",{turn}]')
        await raw.send("41")
        await raw.until_closed()


async def test_people_at_one_address_share_what_costs_much(tmp_path: Path) -> None:
    slow = {"messages_per_s": 0.01, "messages_burst": 8}  # five times that for the address
    async with table(tmp_path, connections=slow) as t:
        codes = set[str]()
        fields = {"setup": {"game": "bluestone"}, "turns": list[str]()}
        for _ in range(16):
            async with connected(t.url) as client:
                answer = await client.ask("analysis.legal", **fields)
                codes.add(answer.get("code", "ok"))
        assert codes == {"ok", "rate_limited"}
        async with connected(t.url, ELSEWHERE) as other:
            await other.do("analysis.legal", **fields)
        await t.play(0, "0-0")  # an ordinary message
