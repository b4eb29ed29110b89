"""The table of weights: complete, and in accordance with the floods of the lab."""

from pathlib import Path

import pytest
from structlog.testing import capture_logs

import engine
from bot import wire
from bot.arena.edge.requests import WRITING
from bot.arena.http import costs
from bot.arena.http.costs import EVENTS, ROUTES, check_routes, weight_of_answer, weight_of_request
from bot.arena.server import running_arena
from tests.bot.arena.table import settings
from tests.lab import floods

PLANE = engine.game("hexo").board
SMALL = engine.game("bluestone", "pent-4").board
LARGE = engine.game("bluestone", "hexhex-7").board


def test_every_event_has_a_weight_and_a_flood() -> None:
    assert EVENTS.keys() == wire.CLIENT_EVENTS.keys()
    assert floods.EVENTS.keys() == wire.CLIENT_EVENTS.keys()


def test_every_route_has_a_flood() -> None:
    elsewhere = {"/metrics", "/socket.io/"}  # for this machine only; reconnecting is its own abuse
    assert {*floods.ROUTES, *floods.BODIES} == ROUTES.keys() - elsewhere


async def test_the_arena_does_not_start_with_a_route_without_a_weight(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    known = dict(ROUTES)
    del known["/api/caller"]
    monkeypatch.setattr(costs, "ROUTES", known)
    with pytest.raises(AssertionError, match="/api/caller"), capture_logs():
        async with running_arena(settings(tmp_path)):
            pass
    with pytest.raises(AssertionError, match="/new"):
        check_routes(["/healthz", "/new/{id}"])


def test_no_weight_is_for_a_route_that_does_not_exist() -> None:
    assert weight_of_request(None, {}) == 1
    assert all(weight_of_request(route, {"form": "png"}) >= 1 for route in ROUTES)


def test_a_request_that_writes_is_no_question() -> None:
    assert not {event for event in WRITING if EVENTS[event].is_question}


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
def test_the_board_decides(event: str, fields: dict[str, object], weights: tuple[int, ...]) -> None:
    of_game = EVENTS[event].of_game
    assert of_game is not None
    message = wire.CLIENT_EVENTS[event][0].model_validate({"v": 1, "game_id": "g", **fields})
    assert tuple(of_game(message, board) for board in (SMALL, LARGE, PLANE)) == weights


def test_the_turns_of_an_analysis_decide() -> None:
    turns = {"setup": {"game": "hexo"}, "turns": ["0:0"] * 200}
    found = {}
    for event in ("analysis.position", "analysis.legal", "analysis.start"):
        more = {"request": "r"} if event == "analysis.start" else {}
        message = wire.CLIENT_EVENTS[event][0].model_validate({"v": 1, **turns, **more})
        found[event] = EVENTS[event].of(message)
    assert found == {"analysis.position": 5, "analysis.legal": 12, "analysis.start": 8}


def test_a_long_answer_is_charged_by_its_bytes() -> None:
    assert [weight_of_answer(size) for size in (100, 16_000, 1_150_000)] == [0, 1, 71]


def test_pictures_weigh_by_their_form() -> None:
    route = "/api/records/{id}.{form}"
    assert [weight_of_request(route, {"form": form}) for form in ("sgf", "png", "gif")] == [
        50,
        100,
        2000,
    ]
