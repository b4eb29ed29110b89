"""The stand-in over HTTP: addresses, statuses, signed calls, and answers that never come."""

import asyncio
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager, suppress
from dataclasses import replace
from typing import Any

import aiohttp
import orjson
import pytest
from aiohttp import web

from bot.guests.abstract_play.rehearsal.audit import CHANGED, DEADLINE, FORGED
from bot.guests.abstract_play.rehearsal.faults import NASTY, NONE, Faults
from bot.guests.abstract_play.rehearsal.game import ClockTerms
from bot.guests.abstract_play.rehearsal.opponents import Habits, Wanted
from bot.guests.abstract_play.rehearsal.stand_in import Life, StandIn
from bot.runtime.listening import address_of, bound
from bot.runtime.simulated_time import SimulatedLoop, SimulatedTime
from bot.time_source import SystemTime
from tests.bot.guests.abstract_play.rehearsal.patient_bot import (
    CREDENTIALS,
    FORM,
    PatientBot,
    scenario,
)

MONTH_MS = 30 * 86_400_000
QUICK = Habits(variants=(("bluestone", ()), ("blooms", ("size-4",))))


@pytest.mark.parametrize("faults", [NONE, NASTY], ids=["fair", "nasty"])
@pytest.mark.parametrize("seed", [1, 2])
def test_an_honest_bot_gets_through(faults: Faults, seed: int) -> None:
    bot = PatientBot(scenario(faults=faults, habits=QUICK, wanted=Wanted(4, 2), seed=seed))
    bot.play(MONTH_MS)
    assert bot.world.finished
    assert len(bot.world.site.games) == 4
    assert bot.world.audit.violations == []


def test_the_same_scenario_goes_the_same_way() -> None:
    first, second = (
        PatientBot(scenario(faults=NASTY, habits=QUICK, wanted=Wanted(2, 2), seed=5))
        for _ in range(2)
    )
    assert first.play(MONTH_MS) == second.play(MONTH_MS)
    assert first.world.audit.counts == second.world.audit.counts


def test_every_kind_of_fault_happens() -> None:
    often = replace(
        NASTY, again_a_minute_later=0.1, late=0.1, crashed_after=0.1, bad_gateway=0.1, too_many=0.1
    )
    bot = PatientBot(scenario(faults=often, habits=QUICK, wanted=Wanted(4, 4), seed=3))
    bot.play(MONTH_MS)
    counts = bot.world.audit.counts
    happened = {name for name, number in counts.items() if number}
    assert happened >= {
        "calls lost",
        "calls twice",
        "calls delayed",
        "calls again a minute later",
        "submissions cut after",
        "submissions late",
        "submissions crashed after",
        "submissions not played",
        "submissions bad gateway",
        "submissions too many",
        "answers 401",
        "queries too many",
        "queries failed",
        "old reads",
        "games left out of lists",
    }


class _Forgetful(PatientBot):
    """Chooses anew each time that it sends a turn."""

    def _remembered(self, key: tuple[str, int], turn: str) -> str:
        self._chosen.pop(key, None)
        return super()._remembered(key, turn)


def test_a_bot_that_chooses_again_after_a_doubt_is_found_out() -> None:
    doubtful = replace(NONE, bad_gateway=0.3)
    bot = _Forgetful(scenario(faults=doubtful, habits=QUICK, wanted=Wanted(1, 1)))
    bot.play(MONTH_MS)
    assert {violation.kind for violation in bot.world.audit.violations} == {CHANGED}


class _Asleep(PatientBot):
    """Accepts games, and never plays."""

    def _look(self, game_id: str, now: int) -> None:
        pass


def test_a_bot_that_lets_its_time_run_out_is_found_out() -> None:
    bot = _Asleep(scenario(habits=QUICK, wanted=Wanted(2, 2)))
    bot.play(MONTH_MS)
    assert bot.world.finished
    assert [violation.kind for violation in bot.world.audit.violations] == [DEADLINE] * 2
    assert bot.world.audit.counts["ended by timeout"] == 2


SOON = Habits(between_challenges_ms=(60_000, 60_000), challenges_oddly=0.0, bot_opens=1.0)
HOUR_S = 3600.0


class Called:
    """What is sent to a bot that answers every call with the same status, or none."""

    def __init__(self, status: int | None) -> None:
        self.status = status
        self.nonces: list[str | None] = []

    async def reach(self, headers: Mapping[str, str], body: bytes) -> int | None:
        del body
        self.nonces.append(headers.get("X-Signature-Nonce"))
        return self.status


def lived(called: Called, faults: Faults, *, frozen: bool = False) -> Life:
    """An hour of it."""
    loop = SimulatedLoop()

    async def live() -> Life:
        plan = scenario(faults=faults, habits=SOON, wanted=Wanted(1, 1))
        life = Life(plan, SimulatedTime(loop), called.reach)
        life.people_come()
        if frozen:
            life.freeze()
        going_on = asyncio.create_task(life.go_on())
        await asyncio.sleep(HOUR_S)
        going_on.cancel()
        await life.hang_up()
        return life

    with asyncio.Runner(loop_factory=lambda: loop) as runner:
        return runner.run(live())


def test_people_come_until_a_challenge_is_taken() -> None:
    called = Called(400)
    life = lived(called, Faults())
    assert life.world.audit.counts["webhook 400"] == len(called.nonces) > 1
    assert not life.world.site.games
    assert len(lived(Called(200), Faults()).world.site.games) == 1


def test_nothing_happens_in_a_frozen_world() -> None:
    called = Called(200)
    lived(called, Faults(), frozen=True)
    assert called.nonces == []


@pytest.mark.parametrize(("status", "is_found_out"), [(200, True), (401, False), (None, False)])
def test_a_forged_call_has_to_be_refused(status: int | None, is_found_out: bool) -> None:
    audit = lived(Called(status), Faults(forged=1.0)).world.audit
    assert audit.counts["calls forged"] > 0
    assert bool(audit.violations) == is_found_out
    assert {one.kind for one in audit.violations} <= {FORGED}


@pytest.mark.parametrize("status", [200, 503])
def test_only_a_call_that_got_through_is_replayed(status: int) -> None:
    called = Called(status)
    lived(called, Faults(replayed=1.0))
    twice = len(called.nonces) - len(set(called.nonces))
    assert twice == (len(called.nonces) / 2 if status == 200 else 0)
    assert called.nonces


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


async def test_queries_work_by_get_and_post() -> None:
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


async def test_an_accepted_challenge_becomes_a_game_with_a_notice() -> None:
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


async def test_a_bot_that_accepts_forged_calls_is_detected() -> None:
    async with running(Faults(forged=1.0)) as place:
        place.stand_in.people_come()
        while len(place.webhook.requests) < 2:
            place.webhook.came.clear()
            await place.webhook.came.wait()
    assert {one.kind for one in place.stand_in.world.audit.violations} == {FORGED}
