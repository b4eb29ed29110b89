"""Turns, clocks and results of HeXO-Arena as the daemon knows them."""

import random
from dataclasses import replace

import pytest

import engine
from bot.daemon.record_book import record_of
from bot.errors import PeerError
from bot.guests.hexo_arena.facts import (
    BOARD,
    GAME,
    OPTIONS,
    RULES,
    KnownGame,
    OtherGame,
    clock_of,
    clocks_at,
    control_of,
    first_turns,
    outcome_of,
    points_of,
    turns_of_snapshot,
    two_stones,
    why_not_placeable,
    with_played,
)
from bot.guests.hexo_arena.messages import (
    Cell,
    Clock,
    Coordinate,
    MatchClock,
    PlayedTurn,
    Side,
    Snapshot,
    TurnClock,
    Unlimited,
)
from bot.records.model import EngineSettings
from bot.records.writing import verify
from bot.time_controls import Absolute, ByoYomi, Fischer, PerTurn, TimeControl, Untimed
from tests.fakes.time import EPOCH

WON = ("0:0", "1:0,2:0", "0:1,0:2", "3:0,4:0", "0:3,0:4", "-3:0,-4:0", "0:5")
"""x has six from 0:0 to 0:5, the last of them with the first stone of a turn."""


def played(side: Side, *points: tuple[int, int]) -> PlayedTurn:
    return PlayedTurn(side=side, pieces=tuple(Coordinate(q=q, r=r) for q, r in points))


def game(side: Side = "x", *turns: str) -> KnownGame:
    known = KnownGame("g1", side, PerTurn(turn_s=15), True, "Ann", "bot", 1500, EPOCH)
    return known.with_turns(["0:0", *turns])


def snapshot(turns: tuple[str, ...], **more: object) -> Snapshot:
    """The game as the site shows it: x = q + r, y = -r."""
    cells = [
        {"x": q + r, "y": -r, "side": "x" if ply % 2 == 0 else "o"}
        for ply, turn in enumerate(turns)
        for q, r in points_of(turn)
    ]
    player = {"name": "Ann", "rating": 1, "provisional": True, "kind": "bot"}
    return Snapshot.model_validate(
        {
            "gameId": "g1",
            "status": "finished",
            "players": {"x": player, "o": player},
            "board": {"cells": cells},
            **more,
        }
    )


def test_turns_are_those_of_the_setup_and_of_all_requests() -> None:
    turns = first_turns([Cell(q=0, r=0, p="x")])
    turns = with_played(turns, [played("o", (1, 0), (2, 0)), played("x", (0, 1), (0, -2))])
    assert turns == ["0:0", "1:0,2:0", "0:1,0:-2"]


def test_turns_that_are_not_in_order_are_another_game() -> None:
    with pytest.raises(OtherGame):
        first_turns([Cell(q=1, r=0, p="x")])
    with pytest.raises(OtherGame):
        with_played(["0:0"], [played("x", (1, 0), (2, 0))])


def test_a_finished_game_is_read_in_our_coordinates_with_its_last_stone() -> None:
    turns = turns_of_snapshot(snapshot(WON))
    assert tuple(turns) == WON
    position = engine.game_of(GAME, BOARD, RULES, OPTIONS).replay(turns)
    assert position.over
    assert position.winner == 1


def test_stones_in_another_order_are_another_game() -> None:
    mixed = snapshot(WON)
    cells = mixed.board.cells
    board = mixed.board.model_copy(update={"cells": (cells[0], cells[3], cells[1], *cells[4:])})
    with pytest.raises(OtherGame):
        turns_of_snapshot(mixed.model_copy(update={"board": board}))


def test_our_rules_play_what_the_second_guard_lets_through() -> None:
    """The guard against illegal turns agrees with the engine's rules, which it does not use."""
    rng, rules = random.Random(5), engine.game_of(GAME, BOARD, RULES, OPTIONS)
    position = rules.start().play("0:0")
    for _ in range(12):
        points = [(rng.randint(-12, 12), rng.randint(-12, 12)) for _ in range(2)]
        turn = ",".join(f"{q}:{r}" for q, r in points)
        assert (why_not_placeable(turn, position.turns) is None) == position.is_legal(turn)
        position = position.play(position.random_turn(rng))
        if position.over:
            break


@pytest.mark.parametrize(
    ("turn", "why"),
    [
        ("0:0,1:0", "occupied"),
        ("1:0,1:0", "occupied"),
        ("9:0,1:0", "more than 8"),
        ("1:0,2:0,3:0", "3 stones"),
        ("pass", "not a turn"),
        ("", "not a turn"),
    ],
)
def test_turns_that_would_lose_the_game_are_found(turn: str, why: str) -> None:
    assert why in str(why_not_placeable(turn, ["0:0"]))


def test_the_first_stone_of_a_turn_counts_for_the_second() -> None:
    assert why_not_placeable("8:0,16:0", ["0:0"]) is None
    assert why_not_placeable("16:0,8:0", ["0:0"]) is not None


def test_a_winning_first_stone_gets_a_legal_second_one() -> None:
    first, second = two_stones("0:5", WON[:-1])
    assert first == (0, 5)
    assert why_not_placeable(f"0:5,{second[0]}:{second[1]}", WON[:-1]) is None
    assert two_stones("1:0,2:0", ["0:0"]) == ((1, 0), (2, 0))


@pytest.mark.parametrize(
    ("clock", "control"),
    [
        (Unlimited(mode="unlimited"), Untimed()),
        (TurnClock(mode="turn", turn_time_ms=15_000), PerTurn(turn_s=15)),
        (MatchClock(mode="match", main_time_ms=60_000, increment_ms=0), Absolute(initial_s=60)),
        (
            MatchClock(mode="match", main_time_ms=180_000, increment_ms=2_000),
            Fischer(initial_s=180, increment_s=2),
        ),
    ],
)
def test_clocks_are_the_same_in_both_directions(clock: Clock, control: TimeControl) -> None:
    assert control_of(clock) == control
    assert clock_of(control) == clock


def test_a_clock_that_the_server_lacks_is_refused() -> None:
    with pytest.raises(PeerError, match="byoyomi"):
        clock_of(ByoYomi(main_s=60, period_s=10, periods=3))


def test_our_clock_is_what_the_request_says() -> None:
    ours, theirs = clocks_at(Absolute(initial_s=60), 1, 12.34)
    assert (ours.main_ms, theirs.main_ms) == (12_340, 60_000)
    untimed, _ = clocks_at(Untimed(), 2, None)
    assert untimed.main_ms is None


def test_the_facts_of_a_game_say_whose_turn_it_is() -> None:
    facts = game("o").facts("Granite", 1000.0, 3.5)
    assert (facts.seat, facts.to_play, facts.our_turn) == (2, 2, True)
    assert facts.opponent.name == "Ann"
    assert facts.clocks[1].main_ms == 3500
    assert not game("x").facts("Granite", 1000.0).our_turn


@pytest.mark.parametrize(
    ("winner", "reason", "recorded"),
    [
        ("o", "six-in-a-row", (2, "played_out")),
        ("x", "timeout", (1, "time_forfeit")),
        ("x", "surrender", (1, "resignation")),
        ("x", "disconnect", (1, "abandonment")),
        ("x", "terminated", (1, "illegal_turn")),
        (None, "terminated", (None, "adjudication")),
        (None, "aborted", (None, "aborted")),
        (None, "unknown", (None, "unknown")),
        ("o", "new-reason", (2, "new_reason")),
    ],
)
def test_reasons_are_words_of_records(
    winner: Side | None, reason: str, recorded: tuple[int | None, str]
) -> None:
    over = replace(game("x"), outcome=outcome_of(winner, reason))
    shown = over.facts("Granite", 1000.0).outcome
    assert shown is not None
    assert (shown.winner, shown.reason) == recorded


@pytest.mark.parametrize(
    ("turns", "winner", "reason", "wrong"),
    [
        (WON, "x", "six-in-a-row", None),
        (WON, "o", "six-in-a-row", "a win of player 2 is recorded, a win of player 1 by the rules"),
        (WON[:-1], "x", "six-in-a-row", "the game is not over"),
        (WON[:-1], None, "terminated", None),
        (WON, None, "terminated", "adjudication, but the game was over already"),
        (WON[:-1], "o", "timeout", None),
        (WON[:-1], None, "timeout", "time_forfeit without a winner"),
        (WON[:-1], None, "unknown", None),
    ],
)
def test_records_are_verified_by_the_rules(
    turns: tuple[str, ...], winner: Side | None, reason: str, wrong: str | None
) -> None:
    over = replace(game("x").with_turns(turns), outcome=outcome_of(winner, reason))
    facts = over.facts("Granite", 1000.0)
    found = verify(record_of(facts, "hexo-arena", {}, EngineSettings(name="search"), EPOCH))
    assert [sentence for sentence in found if wrong and wrong in sentence] == found
    assert bool(found) == bool(wrong)
