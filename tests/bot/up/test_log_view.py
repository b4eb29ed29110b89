"""What a person sees of the children's logs."""

import json

import pytest

from bot.up.log_view import LogView, readable

GAME = {
    "level": "info",
    "game": "g1",
    "rules": "bluestone pent-6 official",
    "plies": 31,
    "players": ["Ada", "Granite"],
    "timestamp": "2026-01-01",
}
LINE = "game g1: Ada - Granite on bluestone pent-6 official"


@pytest.mark.parametrize(
    ("child", "event", "text"),
    [
        ("arena", {"event": "game_started"}, None),
        (
            "arena",
            {"event": "game", "winner": 2, "reason": "time_forfeit"},
            f"{LINE}: Granite won after 31 turns, time forfeit",
        ),
        (
            "arena",
            {"event": "game", "winner": None, "reason": "draw_agreement"},
            f"{LINE}: no winner after 31 turns, draw agreement",
        ),
        ("bot", {"event": "game", "winner": 2, "reason": "resignation"}, None),
        (
            "arena",
            {"event": "compiling", "parts": ["A: rules", "B: rules"]},
            "compiling the engine, once: A: rules, then 1 more",
        ),
        ("arena", {"event": "compiled", "part": "A: rules"}, "compiled A: rules"),
        ("arena", {"event": "all_compiled"}, "compiled everything"),
        ("bot", {"event": "compiled", "part": "A: rules"}, None),
        ("arena", {"event": "turn"}, None),
    ],
)
def test_games_are_printed_once(child: str, event: dict[str, object], text: str | None) -> None:
    assert readable(child, json.dumps({**GAME, **event})) == text


def test_warnings_are_shown_with_their_facts() -> None:
    line = json.dumps({"event": "engine_failed", "level": "warning", "kind": "died"})
    assert readable("bot", line) == "bot: warning: engine_failed kind=died"


def test_other_lines_are_shown_unchanged() -> None:
    assert readable("bot", "Traceback (most recent call last):") is not None
    assert readable("bot", "[1, 2]") == "bot: [1, 2]"
    assert readable("arena", "http://127.0.0.1:1") is None
    assert readable("arena", "") is None


def test_nothing_is_shown_while_everything_ends() -> None:
    shown: list[str] = []
    view = LogView(shown.append)
    listener = view.listener("bot")
    listener("oops")
    view.quiet = True
    listener("oops again")
    assert shown == ["bot: oops"]
