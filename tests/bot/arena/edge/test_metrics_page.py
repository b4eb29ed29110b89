"""GET /metrics: who may read it, and what it counts of a real game."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from urllib.parse import urlsplit

import aiohttp
import pytest
from aiohttp.test_utils import make_mocked_request
from multidict import CIMultiDict
from prometheus_client.parser import text_string_to_metric_families
from socketio.exceptions import ConnectionError as NotConnected

from bot.arena.edge import requests
from bot.arena.edge.metrics_page import MetricsPage
from bot.arena.http.addresses import Proxies
from bot.arena.metrics import arena_metrics
from bot.arena.server import running_arena
from bot.arena.settings import ArenaSettings, ConnectionLimits
from tests.bot.arena.hall import games, hall
from tests.bot.arena.store.test_store_trouble import begun, locked, standing
from tests.bot.arena.table import begin, table
from tests.fakes.arena_client import ArenaClient, connected
from tests.fakes.time import FakeTime


@pytest.mark.parametrize(
    ("peer", "headers", "admitted"),
    [
        ("127.0.0.1", [], True),
        ("::1", [], True),
        ("::ffff:127.0.0.1", [], True),
        ("10.7.0.9", [], True),
        ("10.8.0.9", [], False),
        ("203.0.113.7", [], False),
        ("", [], False),
        ("203.0.113.7", [("X-Forwarded-For", "127.0.0.1")], False),
        # nginx or Caddy on this machine, trusted
        ("127.0.0.2", [("X-Forwarded-For", "203.0.113.7")], False),
        ("127.0.0.2", [("X-Forwarded-For", "127.0.0.1, 203.0.113.7")], False),
        ("127.0.0.2", [("X-Forwarded-For", "127.0.0.1")], False),
        ("127.0.0.2", [("X-Forwarded-For", "unknown")], False),
        ("127.0.0.2", [("X-Forwarded-Proto", "https")], False),
        ("127.0.0.2", [("X-Forwarded-For", "203.0.113.7, 10.7.0.9")], True),
        ("127.0.0.2", [], True),
        # a proxy on this machine that the settings do not name
        ("127.0.0.1", [("X-Forwarded-For", "10.7.0.9")], False),
        ("127.0.0.1", [("Via", "1.1 proxy")], False),
        ("127.0.0.1", [("Forwarded", "for=127.0.0.1")], False),
        ("127.0.0.1", [("X-Real-IP", "127.0.0.1")], False),
    ],
)
def test_only_this_machine_and_listed_networks_may_read(
    peer: str, headers: list[tuple[str, str]], admitted: bool
) -> None:
    page = MetricsPage(arena_metrics(), Proxies(["127.0.0.2"]), ["10.7.0.0/16"])
    request = make_mocked_request("GET", "/metrics", CIMultiDict(headers)).clone(remote=peer)
    assert page.admits(request) is admitted


def test_only_the_page_of_metrics_is_exempt_from_limits() -> None:
    page = MetricsPage(arena_metrics(), Proxies([]), [])
    request = make_mocked_request("GET", "/api/games").clone(remote="127.0.0.1")
    assert not page.admits(request)


async def values(url: str) -> dict[str, float]:
    """Every sample, by its name and the values of its labels."""
    async with aiohttp.ClientSession() as session, session.get(f"{url}/metrics") as answer:
        assert answer.status == 200
        assert answer.headers["Cache-Control"] == "no-store"
        text = await answer.text()
    return {
        "/".join((sample.name.removeprefix("bluestone_arena_"), *sample.labels.values())): (
            sample.value
        )
        for family in text_string_to_metric_families(text)
        for sample in family.samples
    }


@asynccontextmanager
async def an_arena(folder: Path, requests_burst: int = 1000) -> AsyncIterator[str]:
    limits = ConnectionLimits(requests_burst=requests_burst, requests_per_s=0.001)
    async with running_arena(ArenaSettings(port=0, data=folder, connections=limits)) as url:
        yield url


async def test_strangers_get_a_sentence_and_a_403(tmp_path: Path) -> None:
    async with an_arena(tmp_path) as url, aiohttp.ClientSession() as session:
        headers = {"X-Forwarded-For": "203.0.113.7"}
        async with session.get(f"{url}/metrics", headers=headers) as answer:
            assert answer.status == 403
            assert "metrics_networks" in (await answer.json())["message"]
            assert answer.headers["Cache-Control"] == "no-store"
        assert (await values(url))["http_responses_total/403"] == 1


async def test_the_page_is_answered_when_the_address_has_used_up_its_requests(
    tmp_path: Path,
) -> None:
    async with an_arena(tmp_path, requests_burst=1) as url, aiohttp.ClientSession() as session:
        statuses = []
        for _ in range(2):
            async with session.get(f"{url}/api/games") as answer:
                statuses.append(answer.status)
        assert statuses == [200, 429]
        assert (await values(url))["http_responses_total/429"] == 1


async def test_a_game_is_counted_from_its_start_to_its_end(tmp_path: Path) -> None:
    async with table(tmp_path) as t:
        await t.play(0, "0-0")
        assert await t.one.refused("game.turn", game_id=t.game_id, ply=9, turn="0-0") == "stale_ply"
        running = await values(t.url)
        await t.one.do("game.action", game_id=t.game_id, action="resign")
        over = await values(t.url)
    assert running["games_running/bluestone"] == 1
    assert running["games_started_total/bluestone"] == 1
    assert running["turns_total/bluestone"] == 1
    assert running["messages_total/game.turn"] == 2
    assert running["message_refusals_total/stale_ply"] == 1
    assert running["connections/person"] == running["logins_total/person"] == 2
    assert running["sockets"] == 2
    for part in ("commit", "broadcast"):
        assert (
            running[f"turn_{part}_seconds_count"] == running[f"turn_{part}_seconds_bucket/5.0"] == 1
        )
    assert 0 < running["writer_commit_seconds_sum"] < running["writer_commit_jobs_sum"]
    assert over["games_running/bluestone"] == 0
    assert over["games_finished_total/bluestone/resignation"] == 1


async def test_refused_logins_and_what_strangers_cause_are_counted(tmp_path: Path) -> None:
    async with an_arena(tmp_path) as url:
        client = ArenaClient()
        with pytest.raises(NotConnected):
            await client.connect(url, {"v": 1, "token": "wrong"})
        await client.close()
        found = await values(url)
    assert found["login_refusals_total/bad_token"] == 1
    assert found["edge_events_total/login_refused"] == 1


LETTERS = "abcdefghkmnpqrstuvwx"
"""Without those that look alike, because names must differ in more than such."""


async def test_no_client_can_add_a_time_series(tmp_path: Path) -> None:
    """Neither with players, names, addresses and games, nor with anything that is refused."""
    async with table(tmp_path, connections={"failed_logins_burst": 5}) as t:
        before = (await values(t.url)).keys()
        for number, letter in enumerate(LETTERS):
            await come_and_go(t.url, f"Visitor {letter}", f"127.0.3.{number + 1}")
            await request_nonsense(t.url, letter)
        await t.play(0, "0-0")
        await t.two.do("game.action", game_id=t.game_id, action="resign")
        assert (await values(t.url)).keys() == before


async def come_and_go(url: str, name: str, address: str) -> None:
    """Log in, play and lose, send nonsense, and log in wrongly."""
    async with (
        connected(url, source=address, name=name) as one,
        connected(url, source=address, name=f"{name} again") as two,
    ):
        game_id = await begin(one, two)
        await one.ask(f"event.{name}", game_id=name)
        await one.ask("game.turn", game_id=game_id, ply=len(name), turn=name)
        await one.ask("game.watch", game_id=name)
        await one.ask_raw("game.turn", name)
        await two.do("game.action", game_id=game_id, action="resign")
    for auth in ({"v": 1, "token": name}, {"v": 1, "guest_key": name}, {"v": name}, {}, name):
        client = ArenaClient(address)
        with pytest.raises(NotConnected):
            await client.connect(url, auth)
        await client.close()


async def request_nonsense(url: str, word: str) -> None:
    async with aiohttp.ClientSession() as session:
        for method in ("GET", "POST", word.upper() * 3):
            for path in (f"/{word}", f"/api/{word}", f"/api/records/{word}", f"/socket.io/?{word}"):
                async with session.request(method, f"{url}{path}", headers={"Origin": word}):
                    pass
    reader, writer = await asyncio.open_connection("127.0.0.1", urlsplit(url).port)
    writer.write(f"{word} {word} {word}\r\n\r\n".encode())
    await reader.read()
    writer.close()


async def test_a_database_that_cannot_be_written_shows_in_queue_trouble_and_clocks(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    time = FakeTime()
    monkeypatch.setattr(requests, "ANSWER_S", 100)
    async with begun(tmp_path, time) as t:
        before = await values(t.url)
        with locked(tmp_path):
            turn = asyncio.create_task(t.play(2, "2-4,2-6"))
            await standing(t)
            await time.advance(10)
            during = await values(t.url)
        await turn
        after = await values(t.url)
    trouble = ("writer_trouble", "clocks_stopped", "writer_waiting_jobs")
    assert [before[each] for each in trouble] == [0, 0, 0]
    assert [during[each] > 0 for each in trouble] == [True, True, True]
    assert during["writer_oldest_job_seconds"] > 0
    assert [after[each] for each in trouble] == [0, 0, 0]
    assert after["writer_oldest_job_seconds"] == 0
    assert after["clocks_stopped_seconds_total"] == pytest.approx(10, abs=1)


async def test_tournaments_and_their_rounds_are_counted(tmp_path: Path) -> None:
    time = FakeTime()
    async with hall(tmp_path, ("one", "two"), time) as h:
        await h.create(format={"kind": "swiss", "rounds": 1}, review_s=0)
        await h.enter("one", "two")
        opened = await values(h.url)
        await h.do("start")
        state = await h.until(lambda state: bool(games(state, "playing")))
        await h.do("pause", why="lunch")
        paused = await values(h.url)
        await h.do("resume")
        await h.resign(games(state, "playing")[0], 1)
        await h.until(lambda state: state.state == "over")
        over = await values(h.url)
    assert (opened["tournaments/open"], opened["tournaments/running"]) == (1, 0)
    assert (paused["tournaments/open"], paused["tournaments/paused"]) == (0, 1)
    assert (over["tournaments/running"], over["tournament_rounds_total"]) == (0, 1)


async def test_a_tournament_waits_while_it_should_go_on_and_cannot(tmp_path: Path) -> None:
    time = FakeTime()
    async with hall(tmp_path, ("one", "two"), time) as h:
        await h.create(no_show_s=3600)
        await h.enter("one", "two")
        await h.go("two")
        await h.do("start")
        await h.until(lambda state: bool(games(state)))
        await time.advance(600)
        assert (await values(h.url))["tournament_waiting_seconds"] == pytest.approx(600, abs=5)
        await h.come("two")
        await h.until(lambda state: bool(games(state, "playing")))
        assert (await values(h.url))["tournament_waiting_seconds"] == 0
