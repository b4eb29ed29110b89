"""Records as they are built from games."""

from typing import Any, Literal

import pytest

import engine
from bot import __version__
from bot.records.model import GameRecord, RecordedPlayer, RecordedResult, RecordedTurn
from bot.records.writing import game_record, setup_of, verify
from bot.time_controls import Untimed
from tests.bot.records.samples import finished_position, record_of
from tests.fakes.early_end import DECIDED, TURNS, decided_game, whole_game
from tests.fakes.time import EPOCH

PLAYERS = RecordedPlayer(name="Ann", kind="person"), RecordedPlayer(name="Granite", kind="bot")


def test_a_game_with_options_replays_from_its_record() -> None:
    position = engine.play_out(engine.game("blooms", board="hexhex-4", captures=9), seed=2)
    turns, at = [], position.game.start()
    for turn in position.turns:
        at = at.play(turn)
        turns.append(RecordedTurn(turn=turn, captured=list(at.captured)))
    result = RecordedResult(winner=position.winner, reason="played_out")
    setup = setup_of(position.game, Untimed())
    record = game_record(
        "g1", "terminal", setup, PLAYERS, turns, result, last=position, began=EPOCH, ended=EPOCH
    )
    assert verify(record) == []
    assert record.options == {"captures": "9"}
    assert record.software == f"bluestone {__version__}"


def test_a_game_that_our_rules_cannot_follow_has_no_scores() -> None:
    setup = setup_of(engine.game("bluestone", board="pent-3"), Untimed())
    turns = [RecordedTurn(turn="nowhere")]
    record = game_record(
        "g1", "arena", setup, PLAYERS, turns, None, last=None, began=EPOCH, ended=None
    )
    assert (record.scores, record.result) == (None, None)


@pytest.mark.parametrize("rules", ["official", "abstractplay"])
@pytest.mark.parametrize("board", ["pent-4", "limping-3", "hexhex-3"])
def test_random_games_replay(board: str, rules: str) -> None:
    for seed in range(5):
        assert verify(record_of(finished_position(board, seed, rules))) == []


@pytest.mark.parametrize(
    "game",
    [
        engine.game("blooms", "hexhex-4", captures=9),
        engine.game("blooms", "hexhex-4", captures=9, handicap_2=8),
        engine.game("blooms", rules="abstractplay"),
        engine.game("stargazers", rules="ludii", protocol="alternating"),
    ],
)
def test_games_with_options_replay_and_are_nothing_without_them(game: engine.Game) -> None:
    record = record_of(engine.play_out(game, seed=3))
    assert verify(record) == []
    if record.options:
        assert verify(record.model_copy(update={"options": {}})) != []


def test_an_unfinished_game_and_one_resigned_replay() -> None:
    position = engine.game("bluestone", board="pent-4").start().play("0-0").play("1-1,3-3")
    resigned = RecordedResult(winner=2, reason="resignation")
    assert verify(record_of(position)) == []
    assert verify(record_of(position, result=resigned)) == []


@pytest.mark.parametrize(
    ("changes", "problem"),
    [
        ({"board": "pent-99"}, "unknown board 'pent-99'"),
        ({"rules": "mine"}, "unknown rule set 'mine'"),
        ({"options": {"captures": "4"}}, "unknown option 'captures'"),
        ({"options": {"board": "pent-3"}}, "unknown option 'board'"),
        (
            {"game": "blooms", "board": "pent-4"},
            "unknown board 'pent-4'; known: hexhex-4, hexhex-5",
        ),
        (
            {"game": "blooms", "board": "hexhex-4", "options": {"captures": "0"}},
            "captures takes a whole number from 1 to 1000, not '0'",
        ),
        (
            {"turns": [RecordedTurn(turn="0-0"), RecordedTurn(turn="0-0,1-1")]},
            "turn 2: illegal turn",
        ),
        (
            {"turns": [RecordedTurn(turn="0-0", captured=["1-1"])], "scores": None},
            "turn 1 (0-0): captures nothing, recorded is 1-1",
        ),
        ({"scores": ([99], [0])}, "scores: ([99], [0]) is recorded"),
        (
            {"result": RecordedResult(winner=None, reason="played_out")},
            "result: a draw is recorded",
        ),
        (
            {"result": RecordedResult(winner=1, reason="resignation")},
            "but the game was over already",
        ),
        (
            {"result": RecordedResult(winner=1, reason="draw_agreement")},
            "draw_agreement with a win",
        ),
        ({"result": RecordedResult(winner=None, reason="time_forfeit")}, "time_forfeit without a"),
    ],
)
def test_contradictions_to_the_rules_are_found(changes: dict[str, Any], problem: str) -> None:
    found = verify(record_of(finished_position(), **changes))
    assert any(problem in sentence for sentence in found), found


@pytest.mark.parametrize("reason", ["adjudication", "no_show", "unknown"])
def test_a_host_may_end_a_game_without_a_winner(reason: str) -> None:
    """Such as after the most turns that it lets a game have."""
    position = engine.game("hexo", cap=0).replay(["0:0", "1:0,2:0"])
    nobody = RecordedResult(winner=None, reason=reason, message="not over after 2 turns")
    assert verify(record_of(position, result=nobody)) == []


def test_a_host_cannot_draw_a_game_that_is_over() -> None:
    position = engine.play_out(engine.game("hexo", cap=4), seed=1)
    drawn = RecordedResult(winner=None, reason="adjudication")
    assert verify(record_of(position, result=drawn)) == [
        "result: adjudication, but the game was over already"
    ]
    assert verify(record_of(position)) == [], "the rules draw it at the cap"
    won = RecordedResult(winner=1, reason="unknown")
    assert verify(record_of(position, result=won)) == [
        "result: a win of player 1 is recorded, a draw by the rules"
    ]


def test_a_site_may_tell_who_won_and_not_why() -> None:
    position = engine.game("hexo", cap=0).replay(["0:0", "1:0,2:0"])
    assert verify(record_of(position, result=RecordedResult(winner=1, reason="unknown"))) == []


def test_a_game_cut_off_was_not_played_out() -> None:
    position = engine.game("bluestone", board="pent-4").start().play("0-0")
    record = record_of(position, result=RecordedResult(winner=1, reason="played_out"))
    assert verify(record) == ["result: recorded as played out, but the game is not over"]


def record_of_early_game(last: engine.Position, winner: Literal[1, 2]) -> GameRecord:
    turns = [RecordedTurn(turn=turn) for turn in last.turns]
    result = RecordedResult(winner=winner, reason="played_out")
    setup = setup_of(last.game, Untimed())
    return game_record(
        "g1", "arena", setup, PLAYERS, turns, result, last=last, began=EPOCH, ended=EPOCH
    )


def test_a_game_may_end_early_and_a_record_of_1_0_0_plays_on() -> None:
    assert verify(record_of_early_game(decided_game(), 2)) == []
    assert verify(record_of_early_game(whole_game(), 2)) == []
    wrong = ["result: a win of player 1 is recorded, a win of player 2 by the rules"]
    assert verify(record_of_early_game(decided_game(), 1)) == wrong
    before = engine.game("stargazers").replay(TURNS[: DECIDED - 1])
    assert "is not over" in verify(record_of_early_game(before, 2))[0]
