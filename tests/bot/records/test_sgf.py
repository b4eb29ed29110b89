"""SGF exports are read back by an independent reader of FF[4]."""

import re
from typing import Any

import pytest
import sgfmill.sgf
import sgfmill.sgf_moves

import engine
from bot.records.model import RecordedPlayer, RecordedResult, RecordedTurn
from bot.records.sgf import OTHER_GAME, sgf_game
from bot.time_controls import PlayerClock, parse_time_control
from tests.bot.records.samples import finished_position, record_of
from tests.bot.records.sgf_reader import Node, read_sgf
from tests.docs.pages import ROOT


def nodes_of(**changes: Any) -> list[Node]:
    (game,) = read_sgf(sgf_game(record_of(finished_position(), **changes)))
    return game


def test_the_root_node_has_the_setup() -> None:
    root = nodes_of()[0]
    expected = {
        "FF": ["4"],
        "CA": ["UTF-8"],
        "GAME": ["bluestone"],
        "BOARD": ["pent-4"],
        "RU": ["official"],
        "GN": ["game-1"],
        "PC": ["arena"],
        "DT": ["2026-01-01"],
        "PB": ["Granite"],
        "PW": ["Ada"],
        "TM": ["300"],
        "OT": ["5 fischer"],
    }
    assert {name: root[name] for name in expected} == expected
    assert int(root["GM"][0]) > 100, "a reader for Go must not take it for Go"


def test_each_game_has_a_number_that_the_page_names_and_any_other_goes_by_one() -> None:
    page = (ROOT / "docs" / "records.md").read_text(encoding="utf-8")
    numbers = [known.sgf_number for known in engine.games()]
    assert len({*numbers, OTHER_GAME}) == len(numbers) + 1
    for known in engine.games():
        position = engine.play_out(engine.game(known.name))
        assert sgf_game(record_of(position)).startswith(f"(;FF[4]GM[{known.sgf_number}]")
        assert f"`GM[{known.sgf_number}]` {known.title}" in page
    assert nodes_of(game="chess")[0]["GM"] == [str(OTHER_GAME)]
    assert f"`GM[{OTHER_GAME}]` any other" in page


def test_programs_for_go_open_a_game_on_their_board() -> None:
    position = engine.game("freego", "square-9").replay(["e5", "a9", "j1", "g7"])
    text = sgf_game(record_of(position))
    game = sgfmill.sgf.Sgf_game.from_string(text)
    assert (game.get_size(), game.get_komi()) == (9, 0)
    board, turns = sgfmill.sgf_moves.get_setup_and_moves(game)
    assert board.is_empty()
    assert turns == [("b", (4, 4)), ("w", (8, 0)), ("b", (0, 8)), ("w", (6, 6))]


def test_options_of_the_game_and_both_colours_of_a_player_are_kept() -> None:
    position = engine.play_out(engine.game("blooms", "hexhex-4", captures=9, handicap_1=2), seed=2)
    (game,) = read_sgf(sgf_game(record_of(position)))
    options = ["captures=9", "handicap_1=2"]
    assert (game[0]["GAME"], game[0]["OPTION"]) == (["blooms"], options)
    assert f"captured {position.scores[0]}" in game[0]["GC"][0]
    assert [(node.get("B") or node["W"])[0] for node in game[1:]] == list(position.turns)


def test_every_turn_is_one_node_with_both_stones_in_one_move() -> None:
    position = finished_position()
    turns = nodes_of()[1:]
    assert [(node.get("B") or node["W"]) for node in turns] == [[turn] for turn in position.turns]
    assert ["B" in node for node in turns] == [ply % 2 == 0 for ply in range(len(turns))]
    assert not any({"B", "W"} <= node.keys() for node in turns)


def test_turns_have_clocks_captures_and_evaluations() -> None:
    clock = PlayerClock(main_ms=61_500)
    said = {"value": 0.75, "visits": 4000, "pv": ["1-1", "1-2,1-4"], "source": "engine"}
    turns = [
        RecordedTurn(turn="0-0", clock=clock, time_ms=1200, **said),
        RecordedTurn(turn="1-0,2-2", captured=["3-0", "3-1"], clock=clock, **said),
    ]
    _, black, white = nodes_of(turns=turns)
    assert (black["BL"], white["WL"]) == (["61.5"], ["61.5"])
    assert (black["V"], white["V"]) == (["0.5"], ["-0.5"])
    assert white["CAPTURED"] == ["3-0", "3-1"]
    assert black["C"] == ["value 75.0%\nvisits 4000\npv 1-1 1-2,1-4\ntime 1.2 s\nsource engine"]


@pytest.mark.parametrize(
    ("winner", "reason", "expected"),
    [
        (1, "played_out", "B+"),
        (2, "played_out", "W+"),
        (1, "resignation", "B+R"),
        (2, "time_forfeit", "W+T"),
        (1, "abandonment", "B+F"),
        (None, "draw_agreement", "Draw"),
        (None, "aborted", "Void"),
        (None, "no_show", "Void"),
        (None, "unknown", "?"),
        (1, "unknown", "B+"),
    ],
)
def test_results_have_the_forms_of_the_format(winner: Any, reason: str, expected: str) -> None:
    root = nodes_of(result=RecordedResult(winner=winner, reason=reason))[0]
    assert root["RE"] == [expected]


def test_a_running_game_has_an_unknown_result() -> None:
    assert nodes_of(result=None)[0]["RE"] == ["?"]


@pytest.mark.parametrize(
    ("control", "main", "overtime"),
    [
        ("600", "600", None),
        ("300/3x30", "300", "3x30 byo-yomi"),
        ("10/turn", "0", "10 per turn"),
        ("3d+1d:7d", "259200", "3d+1d:7d correspondence"),
        ("none", None, None),
    ],
)
def test_clocks_are_given_in_seconds(control: str, main: str | None, overtime: str | None) -> None:
    root = nodes_of(clock=parse_time_control(control))[0]
    assert root.get("TM", [None]) == [main]
    assert root.get("OT", [None]) == [overtime]


def test_text_that_looks_like_sgf_stays_text() -> None:
    name = r"a]b\c;(B[0-0])" + "\nsecond line:"
    players = (RecordedPlayer(name=name, kind="person"), RecordedPlayer(name="Ada", kind="guest"))
    result = RecordedResult(winner=1, reason="resignation", message="gave up]\\")
    root = nodes_of(players=players, result=result)[0]
    assert root["PB"] == [r"a]b\c;(B[0-0]) second line:"]
    assert root["GC"][0].endswith("gave up]\\")
    assert "second line:" in root["GC"][0]


def test_values_of_moves_hold_no_character_that_needs_care() -> None:
    for node in nodes_of()[1:]:
        (move,) = node.get("B") or node["W"]
        assert re.fullmatch(r"[a-z0-9,\-]+", move)


def test_games_in_a_row_are_a_collection() -> None:
    text = sgf_game(record_of(finished_position(seed=1))) + sgf_game(
        record_of(finished_position(seed=2), id="game-2")
    )
    assert [game[0]["GN"] for game in read_sgf(text)] == [["game-1"], ["game-2"]]
