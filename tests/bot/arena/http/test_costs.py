"""The table of weights: complete, and in accordance with the floods of the lab."""

from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest
from aiohttp import web
from aiohttp.test_utils import make_mocked_request
from structlog.testing import capture_logs

import engine
from bot import wire
from bot.arena.http.costs import weight_of_answer
from lab.arena import floods
from tests.bot.arena.declared import Declared, declared

Weigh = Callable[[str], Awaitable[int]]
PLANE = engine.game("hexo").board
SMALL = engine.game("bluestone", "pent-4").board
WRITING = {
    *("challenge.accept", "game.turn", "game.action", "game.chat", "game.report", "game.add"),
    "player.ignore",
    *(event for event in wire.CLIENT_EVENTS if event.startswith("tournament.")),
} - {"tournament.watch"}
LARGE = engine.game("bluestone", "hexhex-7").board


@pytest.fixture
async def arena(tmp_path: Path) -> Declared:
    with capture_logs():
        return await declared(tmp_path)


def test_every_event_has_a_weight_and_a_flood(arena: Declared) -> None:
    assert arena.requests.events == wire.CLIENT_EVENTS.keys()
    assert floods.EVENTS.keys() == wire.CLIENT_EVENTS.keys()


def test_every_route_has_a_flood(arena: Declared) -> None:
    elsewhere = {"/metrics", "/socket.io/"}  # for this machine only; reconnecting is its own abuse
    assert {*floods.ROUTES, *floods.BODIES} == {*arena.routes} - elsewhere


@pytest.fixture
def weigh(arena: Declared) -> Weigh:
    """The weight of a GET request for an address."""
    app = web.Application()
    arena.routes.add_to(app)

    async def weight(path: str) -> int:
        found = await app.router.resolve(make_mocked_request("GET", path))
        return arena.routes.weight(found)

    return weight


async def test_an_address_without_a_route_weighs_a_file(weigh: Weigh) -> None:
    assert [await weigh(path) for path in ("/js/main.js", "/nothing", "/healthz")] == [1, 1, 10]


def test_a_request_that_writes_is_no_question(arena: Declared) -> None:
    requests = [arena.requests.find(event) for event in arena.requests.events]
    assert not [each.event for each in requests if each.writes and each.cost.is_question]
    assert {each.event for each in requests if each.writes} == WRITING


def test_what_could_take_effect_twice_is_not_repeated(arena: Declared) -> None:
    requests = [arena.requests.find(event) for event in arena.requests.events]
    once = {each.event for each in requests if each.place == "owner" and not each.may_repeat}
    assert once == {"game.action", "game.chat"}


@pytest.mark.parametrize(
    ("event", "fields", "weights"),
    [
        ("game.legal", {}, (1, 4, 4)),
        ("game.position", {}, (1, 1, 1)),
        ("game.position", {"ply": 3}, (2, 2, 4)),
        ("game.action", {"action": "resign"}, (1, 1, 1)),
        ("game.action", {"action": "accept_takeback"}, (2, 2, 4)),
        ("game.plan", {"ply": 3, "lines": []}, (1, 1, 1)),
        ("game.plan", {"ply": 3, "lines": [["a1", "b2"]] * 3}, (4, 4, 19)),
    ],
)
def test_the_board_decides(
    arena: Declared, event: str, fields: dict[str, object], weights: tuple[int, ...]
) -> None:
    of_game = arena.requests.find(event).cost.of_game
    assert of_game is not None
    message = wire.CLIENT_EVENTS[event][0].model_validate({"v": 1, "game_id": "g", **fields})
    assert tuple(of_game(message, board) for board in (SMALL, LARGE, PLANE)) == weights


def test_the_turns_of_an_analysis_decide(arena: Declared) -> None:
    turns = {"setup": {"game": "hexo"}, "turns": ["0:0"] * 200}
    found = {}
    for event in ("analysis.position", "analysis.legal", "analysis.start"):
        more = {"request": "r"} if event == "analysis.start" else {}
        message = wire.CLIENT_EVENTS[event][0].model_validate({"v": 1, **turns, **more})
        found[event] = arena.requests.find(event).cost.of(message)
    assert found == {"analysis.position": 5, "analysis.legal": 12, "analysis.start": 8}


def test_a_long_answer_is_charged_by_its_bytes() -> None:
    assert [weight_of_answer(size) for size in (100, 16_000, 1_150_000)] == [0, 1, 71]


async def test_pictures_weigh_by_their_form(weigh: Weigh) -> None:
    forms = ("sgf", "jsonl", "svg", "png", "gif")
    found = [await weigh(f"/api/records/abc.{form}") for form in forms]
    assert found == [50, 50, 50, 100, 2000]
    assert await weigh("/api/position.pdf") == 100
