"""Games of HeXO keep their turns, results and clocks on the way to a notation and back."""

import gzip
import json
import random
from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import engine
from bot.guests.hexo.htttx import Version
from bot.guests.hexo.htttx_reading import read
from bot.guests.hexo.records import (
    game_text,
    notation_of,
    position_text,
    record_of,
    why_not_exported,
)
from bot.records.model import NOT_DECIDED, GameRecord, RecordedResult, RecordedTurn
from bot.records.notations import Unplayable
from bot.records.writing import verify
from bot.time_controls import Absolute, PlayerClock
from tests.bot.records import samples
from tests.bot.records.samples import finished_position
from tests.docs.pages import ROOT

NOW = datetime(2026, 11, 24, 12, 0, 0, tzinfo=UTC)
VECTORS = ROOT / "tests" / "engine" / "games" / "vectors" / "hexo.jsonl.gz"
WON = ["0:0", "0:1,0:2", "1:0,2:0", "0:3,0:4", "3:0,4:0", "1:1,5:2", "5:0"]
GAME = engine.game("hexo", cap=0)


def recorded(played: list[str], **changes: Any) -> GameRecord:
    return samples.record_of(GAME.replay(played), **changes)


def turns_of(record: GameRecord) -> list[str]:
    return [turn.turn for turn in record.turns]


def text_of(turns: str, **tags: str) -> str:
    head = "".join(f"{key}[{value}]" for key, value in tags.items())
    return f"version[2]{head};{turns}"


@pytest.mark.parametrize("version", [1, 2])
def test_every_recorded_game_of_the_community_comes_back(version: Version) -> None:
    with gzip.open(VECTORS, "rt") as file:
        games = [game for line in file if "turns" in (game := json.loads(line))]
    assert len(games) > 100
    for game in games[::8]:
        turns = [",".join(f"{q}:{r}" for q, r in turn) for turn in game["turns"]]
        if len(game["turns"][-1]) == 1 and not game["won_by_first_stone"]:
            del turns[-1]  # it was cut off within a turn, and a record has whole turns
        record = recorded(turns, result=None)
        back = record_of(read(game_text(record, version)), NOW)
        assert turns_of(back) == turns
        assert verify(back) == []


@settings(max_examples=15)
@given(st.integers(0, 10**6), st.integers(0, 12), st.booleans())
def test_clocks_and_values_come_back(seed: int, plies: int, is_timed: bool) -> None:
    chance = random.Random(seed)
    position = GAME.start()
    for _ in range(plies):
        position = position.play(position.random_turn(chance))
    turns = [
        RecordedTurn(
            turn=turn,
            clock=PlayerClock(main_ms=chance.randrange(10**6)) if is_timed and ply else None,
            value=chance.randrange(201) / 200 if is_timed and ply else None,
        )
        for ply, turn in enumerate(position.turns)
    ]
    record = recorded(list(position.turns), turns=turns, result=None)
    back = record_of(read(game_text(record, 2)), NOW)
    if plies:
        assert [turn.clock for turn in back.turns] == [turn.clock for turn in turns]
        assert [turn.value for turn in back.turns] == [
            None if turn.value is None else pytest.approx(turn.value) for turn in turns
        ]
    assert (back.started_at, back.clock) == (record.started_at, record.clock)


@pytest.mark.parametrize("version", [1, 2])
def test_a_finished_game_says_who_won_and_how(version: Version) -> None:
    record = recorded(WON, clock=Absolute(initial_s=90))
    text = game_text(record, version)
    for tag in ("name[game-1]", "platform[arena]", "playercross[Granite]", "playercircle[Ada]"):
        assert tag in text
    for tag in ("timecontrol[90]", "endreason[win]", "winner[cross]"):
        assert tag in text
    back = record_of(read(text), NOW)
    assert back.result == RecordedResult(winner=1, reason="played_out")
    assert [player.name for player in back.players] == ["Granite", "Ada"]
    assert ("[/]" in text) == (version == 2)


@pytest.mark.parametrize(
    ("result", "tags"),
    [
        (
            RecordedResult(winner=2, reason="time_forfeit"),
            {"endreason": "time", "winner": "circle"},
        ),
        (
            RecordedResult(winner=1, reason="resignation"),
            {"endreason": "resign", "winner": "cross"},
        ),
        (RecordedResult(winner=None, reason="draw_agreement"), {"endreason": "draw"}),
        (RecordedResult(winner=1, reason="abandonment"), {"winner": "cross"}),
        *((RecordedResult(winner=None, reason=reason), {}) for reason in NOT_DECIDED),
    ],
)
def test_results_have_their_words(result: RecordedResult, tags: dict[str, str]) -> None:
    notation = notation_of(recorded(WON[:3], result=result), 1)
    assert {key: value for key, value in notation.tags if key in ("endreason", "winner")} == tags
    back = record_of(notation, NOW)
    assert back.result == (result if tags else None)


def test_a_draw_by_the_limit_of_the_host_stays_a_draw() -> None:
    result = RecordedResult(winner=None, reason="adjudication", message="not over after 3 turns")
    notation = notation_of(recorded(WON[:3], result=result), 2)
    assert ("endreason", "draw") in notation.tags
    back = record_of(notation, NOW)
    assert back.result == RecordedResult(winner=None, reason="draw_agreement")
    assert verify(back) == []


def test_a_game_over_three_hundred_turns_replays() -> None:
    rows = ((number, 2 * (number % 2)) for number in range(1, 311))
    turns = ["0:0", *(f"{q}:{r},{q}:{r + 5}" for q, r in rows)]
    back = record_of(read(game_text(recorded(turns, result=None), 1)), NOW)
    assert len(back.turns) == 311
    assert verify(back) == []


# ---- games of others ---------------------------------------------------------------------------


def test_a_second_stone_after_a_win_is_left_out() -> None:
    text = game_text(recorded(WON, result=None), 1)
    with_two = text.replace("[5,0]", "[5,0][9,9]")
    assert turns_of(record_of(read(with_two), NOW))[-1] == "5:0"


def test_the_stones_of_a_turn_may_be_in_any_order() -> None:
    assert turns_of(record_of(read("1.[16,0][8,0];"), NOW)) == ["0:0", "8:0,16:0"]


def test_a_turn_that_was_never_finished_is_left_out() -> None:
    text = text_of("1.[1,0][0,1];2.[5,0][/];", endreason="time", winner="circle")
    record = record_of(read(text), NOW)
    assert turns_of(record) == ["0:0", "1:0,0:1"]
    assert record.result == RecordedResult(winner=2, reason="time_forfeit")


def test_what_a_notation_does_not_say_is_filled_in() -> None:
    record = record_of(read("1.[1,0][0,1];"), NOW)
    assert record.id.startswith("hexo-")
    assert record.started_at == NOW
    assert [player.name for player in record.players] == ["cross", "circle"]
    assert str(record.clock) == "none"
    assert record.result is None


def test_games_of_one_name_have_ids_of_their_own() -> None:
    texts = [f"name[Duel, game 1 of 2];1.[1,0][0,{place}];" for place in (1, 1, 2)]
    one, again, other = (record_of(read(text), NOW).id for text in texts)
    assert one == again != other
    assert one.startswith("Duel, game 1 of 2-")


@pytest.mark.parametrize(
    ("text", "moment"),
    [
        ("2026-03-19T14:00:00+02:00", datetime(2026, 3, 19, 12, tzinfo=UTC)),
        ("2026-03-19 14:00:00", datetime(2026, 3, 19, 14, tzinfo=UTC)),
        ("2026-03-19T14:00:00Z", datetime(2026, 3, 19, 14, tzinfo=UTC)),
        ("0001-01-01T00:00:00+02:00", NOW),
    ],
)
def test_the_offset_of_a_time_counts(text: str, moment: datetime) -> None:
    record = record_of(read(f"utcdatetime[{text}];1.[1,0][0,1];"), NOW)
    assert record.started_at == moment


@pytest.mark.parametrize(
    ("text", "clock"), [("Fischer 60+5", "60+5"), ("90", "90"), ("soon", "none"), ("0", "none")]
)
def test_time_controls_are_read(text: str, clock: str) -> None:
    record = record_of(read(text_of("1.[1,0][0,1];", timecontrol=text)), NOW)
    assert str(record.clock).removesuffix("/game") == clock or str(record.clock) == clock


def test_a_setup_becomes_the_opening_turns() -> None:
    text = "version[2]; x [0,0] [2,0] [1,0] : o [0,1] [0,2] ; 1. [5,0] [5,1];"
    with pytest.raises(Unplayable, match="it is o's turn"):
        record_of(read(text), NOW)
    text = "version[2]; o [0,2] [0,1] : x [2,0] [0,0] [1,0] ; 1. [5,0] [5,1];"
    record = record_of(read(text), NOW)
    assert [turn.source for turn in record.turns] == ["opening"] * 3 + [None]
    assert turns_of(record)[-1] == "5:0,5:1"


def test_a_position_is_written_as_a_setup_and_read_back() -> None:
    record = recorded(WON[:4], result=None)
    text = position_text(record, GAME.replay(WON[:4]))
    assert "x [0,0] [1,0] [2,0] : o [0,1] [0,2] [0,3] [0,4] ;" in text
    back = record_of(read(text), NOW)
    assert GAME.replay(turns_of(back)).stones == GAME.replay(WON[:4]).stones


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("1.[0,0][1,0];", "turn 1: "),
        ("1.[1,0][99,0];", "turn 1: "),
        ("1.[1,0][2,0];2.[3,0][1,0];", "turn 2: "),
        ("version[2];x[1,0]:o;", r"setup: no game leads to it: the first stone"),
        (
            "version[2];o [0,1][0,3][2,2][2,3][5,5][6,6]:x [9,9][0,0][1,0][2,0][3,0][4,0][5,0];",
            "setup: a side has six in a row",
        ),
        ("version[2];o:x[0,0][1,0];", "setup: no game leads to it: x has 2 stones"),
    ],
)
def test_a_game_against_the_rules_is_refused(text: str, message: str) -> None:
    with pytest.raises(Unplayable, match=message):
        record_of(read(text), NOW)


def test_other_games_have_no_notation() -> None:
    assert why_not_exported(recorded(WON)) is None
    other = samples.record_of(finished_position())
    assert why_not_exported(other) == "the notation is for HeXO, not for bluestone"
    odd = recorded(WON[:3], turns=[RecordedTurn(turn="1:1")], result=None)
    assert why_not_exported(odd) == "the first turn is 1:1, not 0:0"


def test_names_cannot_end_their_brackets() -> None:
    text = game_text(recorded(WON, id="a]b[c\nwinner[circle"), 1)
    back = record_of(read(text), NOW)
    assert back.id.startswith("a)b(c winner(circle-")
    assert back.result == RecordedResult(winner=1, reason="played_out")
