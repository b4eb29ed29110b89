"""Why turns of Bluestone are refused: each rule by its code, the cell, and a sentence."""

import pytest

import engine

pytestmark = pytest.mark.uncompiled

CLOSED = ["5-10", "5-0", "5-13", "5-2", "5-16", "4-0", "5-19", "4-1"]
"""Player 2 walls 5-1 in; single stones, so `abstractplay` only."""

PENT = ("pent-6", "abstractplay")
OFFICIAL = ("pent-6", "official")


def position(setting: tuple[str, str], turns: list[str]) -> engine.Position:
    board, rules = setting
    here = engine.game("bluestone", board=board, rules=rules).start()
    for turn in turns:
        here = here.play(turn)
    return here


def refused(here: engine.Position, turn: str) -> engine.IllegalTurn:
    assert not here.is_legal(turn)
    with pytest.raises(engine.IllegalTurn) as caught:
        here.play(turn)
    assert caught.value.turn == turn
    assert repr(turn[:10])[:-1] in str(caught.value)
    return caught.value


@pytest.mark.parametrize("setting", [PENT, OFFICIAL])
@pytest.mark.parametrize(
    ("played", "turn", "rule", "where"),
    [
        ("", "9-9", "unknown-cell", "9-9"),
        ("", "resign", "unknown-cell", "resign"),
        ("", "5-25", "unknown-cell", "5-25"),
        ("", "", "malformed", None),
        ("", "0-0,", "malformed", None),
        ("", "0-0,5-5,5-9", "malformed", None),
        ("", "0-0,pass", "unknown-cell", "pass"),
        ("", "0-0,5-5", "one-stone", "5-5"),
        ("0-0", "0-0,5-5", "occupied", "0-0"),
        ("0-0", "5-5,0-0", "occupied", "0-0"),
        ("0-0", "5-5,5-5", "same-cell", "5-5"),
        ("0-0", "5-5,5-6", "same-group", "5-6"),
        ("pass pass", "0-0", "game-over", None),
        ("pass pass", "pass", "game-over", None),
    ],
)
def test_rules_that_both_rule_sets_know(
    setting: tuple[str, str], played: str, turn: str, rule: str, where: str | None
) -> None:
    refusal = refused(position(setting, played.split()), turn)
    assert (refusal.rule, refusal.where) == (rule, where)


def test_a_single_stone_is_half_a_turn_under_the_official_rules_only() -> None:
    assert position(PENT, ["0-0"]).is_legal("5-5")
    refusal = refused(position(OFFICIAL, ["0-0"]), "5-5")
    assert (refusal.rule, refusal.where) == ("two-stones", "5-5")
    assert "two stones" in str(refusal)


def test_a_closed_region() -> None:
    here = position(PENT, CLOSED)
    for turn in ("5-1", "3-3,5-1", "5-1,3-3"):
        refusal = refused(here, turn)
        assert (refusal.rule, refusal.where) == ("closed-region", "5-1")
    assert here.play("pass").is_legal("5-1")


def test_a_stone_that_would_be_dead_at_once() -> None:
    wall = ["3-3", "5-0,5-2", "5-10,5-13", "4-0,2-0", "5-16,5-19", "4-1,2-2"]
    here = position(OFFICIAL, wall)
    for turn in ("5-1", "3-0,5-1", "5-1,3-0"):
        refusal = refused(here, turn)
        assert (refusal.rule, refusal.where) == ("dead-cell", "5-1")


RING = "2-1 0-0,5-10 2-3,2-5 5-2,5-12 2-7,2-9 5-4,5-14 2-2,2-6 5-6,5-16 2-4,4-0 5-8,5-18 2-8,4-10"
"""Player 1 lacks only 2-0 for a wall round player 2's stone in the middle."""


def test_the_second_stone_on_a_cell_that_the_first_has_freed() -> None:
    """Open under `official`, where captures happen at once, but not under `abstractplay`."""
    official = position(OFFICIAL, [*RING.split(), "5-20,5-22"])
    assert official.play("2-0,0-0").captured == ("0-0",)
    assert official.play("2-0,0-0").stones["0-0"].player == 1
    assert refused(official, "0-0,2-0").rule == "occupied"
    refusal = refused(position(PENT, [*RING.split(), "5-20,5-22"]), "2-0,0-0")
    assert (refusal.rule, refusal.where) == ("occupied", "0-0")
    assert "when the turn begins" in str(refusal)


def test_blanks_and_capitals_are_read_and_not_written() -> None:
    game = engine.game("bluestone", board="hexhex-5")
    here = game.start().play(" A1 ").play("C3 ,\td5\n")
    assert here.turns == ("a1", "c3,d5")
    assert set(here.stones) == {"a1", "c3", "d5"}


def test_a_long_string_is_not_repeated_in_the_message() -> None:
    here = position(PENT, [])
    assert len(str(refused(here, "x" * 100_000))) < 300
