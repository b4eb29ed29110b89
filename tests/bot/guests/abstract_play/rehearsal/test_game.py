"""One game as the platform keeps it."""

import random

import orjson
import pytest

from bot.guests.abstract_play.rehearsal.game import (
    HOUR_MS,
    PASS,
    ClockTerms,
    GameState,
    IllegalMove,
    Terms,
    begun,
    ended,
    played,
)

TERMS = ClockTerms(48, 12, 96)


def test_a_move_gives_the_increment_back() -> None:
    assert TERMS.after(48 * HOUR_MS, 5 * HOUR_MS) == 55 * HOUR_MS


def test_a_clock_never_has_more_than_its_maximum() -> None:
    assert TERMS.after(95 * HOUR_MS, 1) == 96 * HOUR_MS


def test_time_that_ran_out_unclaimed_leaves_the_increment_alone() -> None:
    assert TERMS.after(HOUR_MS, HOUR_MS + 1) == 12 * HOUR_MS


def test_short_hours_count_as_hours() -> None:
    hurried = ClockTerms(12, 6, 24, hour_ms=10_000)
    assert hurried.start_ms == 120_000
    assert hurried.hours(34_000) == 3


CLOCK = ClockTerms(48, 12, 96)


def terms(meta: str = "bluestone", variants: tuple[str, ...] = ()) -> Terms:
    return Terms("game-1", meta, variants, ("ann", "bot"), CLOCK, rated=True, started=1_000)


def lastmoves(state: GameState) -> list[str | None]:
    return [entry.get("lastmove") for entry in orjson.loads(state.text)["stack"]]


def test_a_game_begins_with_an_empty_board_and_full_clocks() -> None:
    state = begun(terms())
    assert lastmoves(state) == [None]
    assert state.to_move == 0
    assert state.times == (48 * HOUR_MS, 48 * HOUR_MS)
    assert state.deadline == 1_000 + 48 * HOUR_MS
    assert state.rounds == []


def test_a_turn_is_stored_as_the_engine_writes_it_and_credits_its_player() -> None:
    state = played(begun(terms()), " 5-3", 1_000 + 5 * HOUR_MS)
    assert lastmoves(state) == [None, "5-3"]
    assert state.times == (55 * HOUR_MS, 48 * HOUR_MS)
    assert state.moved_at == 1_000 + 5 * HOUR_MS
    assert state.to_move == 1


def test_two_stones_of_blooms_are_sorted() -> None:
    state = played(played(begun(terms("blooms", ("size-4",))), "1a1", 2_000), "2b2,1a2", 3_000)
    assert lastmoves(state) == [None, "1a1", "1a2,2b2"]


def test_rounds_hold_a_turn_for_each_seat() -> None:
    state = begun(terms())
    for turn in ("3-2", "pass", "0-0,5-3"):
        state = played(state, turn, 2_000)
    assert state.rounds == [["3-2", "pass"], ["0-0,5-3"]]


@pytest.mark.parametrize("turn", ["5-3", "9-9", "no turn", "0-0,0-0"])
def test_an_illegal_turn_is_refused(turn: str) -> None:
    state = played(begun(terms()), "5-3", 2_000)
    with pytest.raises(IllegalMove):
        played(state, turn, 3_000)


def test_an_empty_move_of_bluestone_plays_nothing_and_credits_the_clock() -> None:
    state = played(begun(terms()), "", 1_000 + HOUR_MS)
    assert lastmoves(state) == [None]
    assert state.to_move == 0
    assert state.times[0] == 59 * HOUR_MS


def test_blooms_refuses_an_empty_move() -> None:
    with pytest.raises(IllegalMove):
        played(begun(terms("blooms")), "", 2_000)


def test_a_played_out_game_names_its_winner_in_the_record_and_in_its_state() -> None:
    state, chance = begun(terms("blooms", ("size-4",))), random.Random(1)
    while state.ending is None:
        state = played(state, state.position.random_turn(chance), 2_000)
    assert state.ending.winners == (state.position.winner,)
    stored = orjson.loads(state.text)
    assert stored["gameover"]
    assert stored["winner"] == [state.position.winner]
    assert len(stored["stack"]) == state.ply + 1


def test_early_passes_end_in_a_draw() -> None:
    state = played(played(begun(terms()), "pass", 2_000), "pass", 3_000)
    assert state.ending is not None
    assert state.ending.winners == (1, 2)
    assert state.to_move is None


def test_a_player_who_can_only_pass_is_passed_automatically() -> None:
    forced = 0
    for seed in range(1, 8):
        state, chance = begun(terms()), random.Random(seed)
        while state.ending is None:
            before = state.ply
            state = played(state, state.position.random_turn(chance), 2_000)
            forced += state.ply - before - 1
            assert state.ending or state.position.random_turn(chance) != PASS
    assert forced > 0


def test_a_resignation_is_the_last_entry_and_no_turn() -> None:
    state = ended(played(begun(terms()), "5-3", 2_000), "resign", 1, 3_000)
    assert lastmoves(state) == [None, "5-3", "resign"]
    assert state.ply == 1
    assert state.ending is not None
    assert state.ending.winners == (1,)


def test_an_abandoned_game_has_no_winner() -> None:
    state = ended(begun(terms()), "abandoned", None, 3_000)
    assert state.ending is not None
    assert state.ending.winners == ()
