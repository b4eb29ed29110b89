"""The stand-in over HTTP: addresses, statuses, signed calls, and answers that never come."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from typing import Any

import aiohttp
import orjson
import pytest
from aiohttp import web

from bot.rehearsal.app import StandIn
from bot.rehearsal.audit import FORGED
from bot.rehearsal.faults import NONE, Faults
from bot.rehearsal.game import ClockTerms
from bot.rehearsal.opponents import Habits, Wanted
from bot.runtime.listening import address_of, bound
from bot.time_source import SystemTime
from tests.bot.rehearsal.patient_bot import CREDENTIALS, FORM, scenario

WAIT_S = 20.0


class Webhook:
    """Keeps what is sent to it; answers with the status of the body's verb."""

    def __init__(self, statuses: dict[str, int]) -> None:
        self.requests: list[tuple[dict[str, Any], dict[str, str]]] = []
        self.came = asyncio.Event()
        self._statuses = statuses

    async def handle(self, request: web.Request) -> web.Response:
        body = await request.json()
        self.requests.append((body, dict(request.headers)))
        self.came.set()
        return web.Response(status=self._statuses[body["verb"]])


class Running:
    def __init__(self, stand_in: StandIn, webhook: Webhook, base: str) -> None:
        self.stand_in, self.webhook, self.base = stand_in, webhook, base
        self.session = aiohttp.ClientSession()

    async def token(self) -> str:
        async with self.session.post(self.base + "oauth2/token", data=FORM) as answer:
            token: str = (await answer.json())["access_token"]
            return token

    async def move(self, game_id: str, move: str) -> tuple[int, Any]:
        request = {"verb": "move", "gameid": game_id, "metaGame": "bluestone", "move": move}
        headers = {"Authorization": f"Bearer {await self.token()}"}
        address = self.base + "botQuery"
        async with self.session.post(address, json=request, headers=headers) as answer:
            return answer.status, await answer.json()

    def game(self) -> str:
        site = self.stand_in.world.site
        players = (CREDENTIALS.client_id, "person-001")
        game = site.begin("bluestone", (), players, ClockTerms(48, 12, 96), self.stand_in.now())
        return game.terms.game_id


@asynccontextmanager
async def running(
    faults: Faults = NONE, statuses: dict[str, int] | None = None
) -> AsyncIterator[Running]:
    webhook = Webhook(statuses or {"challenge": 200, "move": 202})
    app = web.Application()
    app.router.add_post("/hook", webhook.handle)
    runner = web.AppRunner(app, shutdown_timeout=0.1)
    await runner.setup()
    listening, own = bound("127.0.0.1", 0), bound("127.0.0.1", 0)
    await web.SockSite(runner, own).start()
    habits = Habits(between_challenges_ms=(1, 2), challenges_oddly=0.0, bot_opens=1.0)
    rehearsed = scenario(faults=faults, habits=habits, wanted=Wanted(1, 1))
    stand_in = StandIn(rehearsed, address_of(own) + "/hook", SystemTime())
    serving = asyncio.create_task(stand_in.run(listening))
    place = Running(stand_in, webhook, address_of(listening) + "/")
    try:
        async with asyncio.timeout(WAIT_S):
            yield place
    finally:
        await place.session.close()
        serving.cancel()
        with suppress(asyncio.CancelledError):
            await serving
        await runner.cleanup()


async def test_the_key_is_published() -> None:
    async with running() as place, place.session.get(place.base + "ap-public-key.txt") as answer:
        assert (await answer.text()).startswith("---- BEGIN SSH2 PUBLIC KEY ----")


async def test_a_move_is_played_over_http() -> None:
    async with running() as place:
        status, envelope = await place.move(place.game(), "5-3")
    assert (status, envelope["statusCode"]) == (200, 200)
    assert orjson.loads(envelope["body"])["numMoves"] == 1


async def test_an_answer_that_is_cut_ends_the_connection() -> None:
    async with running(Faults(cut_after=1.0)) as place:
        game_id = place.game()
        with pytest.raises(aiohttp.ClientError):
            await place.move(game_id, "5-3")
        assert place.stand_in.world.site.games[game_id].now.ply == 1


async def test_queries_can_be_asked_both_ways() -> None:
    async with running() as place:
        game_id = place.game()
        pars = {"metaGame": "bluestone", "type": "current"}
        query = place.base + "query"
        async with place.session.get(query, params={"query": "games", **pars}) as answer:
            got = await answer.json()
        async with place.session.post(query, json={"query": "games", "pars": pars}) as answer:
            assert await answer.json() == got
        assert [game["id"] for game in got] == [game_id]


async def test_statuses_of_the_gateway() -> None:
    async with running() as place:
        headers = {"Content-Type": "application/json"}
        for path, sent, status in (
            ("botQuery", {}, 415),
            ("botQuery", headers, 401),
            ("query", headers, 400),
        ):
            post = place.session.post(place.base + path, data=b"no json", headers=sent)
            async with post as answer:
                assert answer.status == status


async def test_a_challenge_that_is_accepted_becomes_a_game_of_which_the_bot_is_told() -> None:
    async with running() as place:
        place.stand_in.people_come()
        while len(place.webhook.requests) < 2:
            place.webhook.came.clear()
            await place.webhook.came.wait()
    (challenge, headers), (notice, _) = place.webhook.requests[:2]
    assert challenge["verb"] == "challenge"
    assert {"X-Signature", "X-Signature-Nonce", "X-Signature-Timestamp"} <= headers.keys()
    assert headers["Content-Type"] == "application/json"
    assert notice["moves"] == []
    assert notice["gameid"] in place.stand_in.world.site.games


async def test_a_bot_that_believes_everybody_is_found_out() -> None:
    async with running(Faults(forged=1.0)) as place:
        place.stand_in.people_come()
        while len(place.webhook.requests) < 2:
            place.webhook.came.clear()
            await place.webhook.came.wait()
    assert {one.kind for one in place.stand_in.world.audit.violations} == {FORGED}
