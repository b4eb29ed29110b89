"""Turns that are taken back, in every order with turns, offers and waits."""

from contextlib import suppress
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import engine
from bot import wire
from bot.arena.games.game import SEATS, Game
from bot.arena.games.game_start import new_game
from bot.arena.games.takebacks import (
    acted,
    check_known,
    check_replayed,
    earlier_position,
    hinted,
    plies_to_take_back,
)
from bot.arena.refusals import Refused
from bot.arena.settings import Allowances
from bot.time_controls import parse_time_control, time_left_ms
from tests.bot.arena.games.test_game import ANNA, BEN, CONTROLS, PAIRS, ROBOT, some_turn, started
from tests.fakes.time import EPOCH

FULL = "2d+1d:2d"
"""Clocks that begin at their maximum."""


def played(game: Game, turns: int, now: float = 0.0) -> Game:
    """The game after some more turns, a second apart."""
    for _ in range(turns):
        now += 1.0
        game = game.play(game.to_play, game.ply, some_turn(game, 0), now)
    return game


def taken_back(game: Game, seat: wire.Seat, now: float = 10.0) -> Game:
    """The game after a person's request was granted."""
    other: wire.Seat = 2 if seat == 1 else 1
    asked = acted(game, seat, "ask_takeback", now)
    assert asked.takeback_offer == seat
    assert asked.turns == game.turns
    return acted(asked, other, "accept_takeback", now)


def test_a_replay_from_before_serves_only_the_same_turns() -> None:
    old = played(started(players=(ANNA, ROBOT)), 3)
    known = earlier_position(old, 1, "ask_takeback")
    assert known is not None
    for game in (old, played(old, 2, 3.0)):
        after = acted(game, 1, "ask_takeback", 10.0, known)
        assert (after.position is known.position) is (game is old)
        assert [*after.position.turns] == [turn.turn for turn in after.turns]
    check_replayed(old, 1, "ask_takeback", known)
    check_replayed(old, 1, "resign", None)
    for stale in (known, None):
        with pytest.raises(Refused, match="stale_ply"):
            check_replayed(played(old, 2, 3.0), 1, "ask_takeback", stale)


def test_only_an_action_that_takes_back_turns_is_replayed() -> None:
    game = played(started(), 3)
    assert earlier_position(game, 1, "ask_takeback") is None, "the opponent must agree"
    assert earlier_position(game, 2, "accept_takeback") is None, "nobody has asked"
    assert earlier_position(game, 2, "resign") is None
    asked = acted(game, 1, "ask_takeback", 10.0)
    known = earlier_position(asked, 2, "accept_takeback")
    assert known is not None
    assert acted(asked, 2, "accept_takeback", 10.0, known).position is known.position


def test_a_player_takes_back_the_last_turn_and_the_answer_to_it() -> None:
    game = played(started(), 5)
    assert game.to_play == 2
    assert taken_back(game, 1).turns == game.turns[:4]
    assert taken_back(game, 2).turns == game.turns[:3]


def test_the_position_is_the_earlier_one_and_goes_on() -> None:
    earlier = played(started(), 3)
    game = taken_back(played(earlier, 2, 3.0), 2)
    assert (game.view, game.digest, game.takebacks) == (earlier.view, earlier.digest, 1)
    assert game.play(2, 3, some_turn(game, 3), 11.0).ply == 4


@pytest.mark.parametrize(("plies", "seat"), [(0, 1), (0, 2), (1, 2)])
def test_who_has_not_played_has_nothing_to_take_back(plies: int, seat: wire.Seat) -> None:
    game = played(started(), plies)
    assert plies_to_take_back(game, seat) == 0
    with pytest.raises(Refused, match="no_takebacks"):
        acted(game, seat, "ask_takeback", 1.0)


def test_a_bot_grants_at_once_in_casual_games_only() -> None:
    game = played(started(players=(ANNA, ROBOT)), 4)
    assert acted(game, 1, "ask_takeback", 5.0).ply == 2
    setup = game.setup.model_copy(update={"rated": True})
    rated = new_game("g", setup, (ANNA, ROBOT), Allowances(), EPOCH, 0.0)
    with pytest.raises(Refused, match="rated games"):
        acted(played(rated, 4), 1, "ask_takeback", 5.0)


def test_a_hint_is_for_the_present_position_of_that_game_only() -> None:
    rules = engine.game_of("blooms", None, None, {"captures": "20"})
    options = {"captures": "20"}
    clock = parse_time_control("600")
    setup = wire.GameSetup(game="blooms", board=rules.board.name, options=options, clock=clock)
    game = new_game("g", setup, (ANNA, ROBOT), Allowances(), EPOCH, 0.0)
    right = {"game": "blooms", "board": rules.board.name, "rules": "official", "options": options}
    assert hinted(game, 1, wire.AnalysisSetup.model_validate(right), []).hints == 1
    changes: list[dict[str, object]] = [
        {"options": {}},
        {"options": {"captures": "21"}},
        {"rules": "abstractplay"},
        {"board": "hexhex-4"},
        {"game": "bluestone", "board": "pent-6", "options": {}},
    ]
    for change in changes:
        with pytest.raises(Refused, match="in_game"):
            hinted(game, 1, wire.AnalysisSetup.model_validate({**right, **change}), [])
    with pytest.raises(Refused, match="stale_ply"):
        hinted(game, 1, wire.AnalysisSetup.model_validate(right), ["1a1"])


def test_a_tournament_has_no_takebacks() -> None:
    place = wire.TournamentPlace(tournament_id="t", name="cup", round=1, pairing=1, game=1)
    setup = wire.GameSetup(board="pent-3", clock=parse_time_control("60+2"))
    game = new_game("g", setup, (ANNA, ROBOT), Allowances(), EPOCH, 0.0, place, ["0-0"])
    with pytest.raises(Refused, match="no_takebacks"):
        acted(played(game, 3), 1, "ask_takeback", 5.0)


def test_a_turn_ends_a_request_and_a_declined_one_is_not_repeated_at_once() -> None:
    game = played(started(), 4)
    asked = acted(game, 1, "ask_takeback", 5.0)
    assert acted(asked, 1, "ask_takeback", 5.0) is asked
    assert played(asked, 1, 5.0).takeback_offer is None
    declined = acted(asked, 2, "decline_takeback", 5.0)
    with pytest.raises(Refused, match="too_soon"):
        acted(declined, 1, "ask_takeback", 6.0)
    with pytest.raises(Refused, match="no_takeback_asked"):
        acted(declined, 2, "accept_takeback", 6.0)
    assert acted(played(declined, 1, 6.0), 1, "ask_takeback", 8.0).takeback_offer == 1


def main_ms(game: Game, seat: wire.Seat, now: float) -> int:
    shown = game.clock_view(now).players[seat - 1].main_ms
    assert shown is not None
    return shown


def play_at(game: Game, *moments: float) -> Game:
    for now in moments:
        game = game.play(game.to_play, game.ply, some_turn(game, 0), now)
    return game


def test_the_player_who_asks_gets_neither_time_nor_an_increment_back() -> None:
    game = play_at(started("60+2"), 1, 2, 5, 6)  # Anna's second turn took 3 s
    assert main_ms(game, 1, 16) == 60_000 - 3_000 + 2_000 - 10_000
    after = taken_back(game, 1, 16)
    assert main_ms(after, 1, 16) == 60_000 - 3_000 - 10_000
    assert main_ms(after, 1, 20) == 60_000 - 3_000 - 14_000


def test_the_opponent_gains_and_loses_no_time_by_an_answer_that_is_taken_back() -> None:
    quick = play_at(started("60+2"), 1, 2, 5, 6)  # Ben's answer took 1 s of the 2 s that he got
    assert main_ms(taken_back(quick, 1, 7), 2, 7) == 60_000
    slow = play_at(started("60+2"), 1, 2, 5, 10)
    assert main_ms(taken_back(slow, 1, 11), 2, 11) == 60_000 - 5_000 + 2_000


def test_a_first_turn_had_no_increment_to_lose() -> None:
    game = play_at(started("60+2"), 1, 2)
    after = taken_back(game, 2, 5)
    assert main_ms(game, 1, 5) == main_ms(after, 1, 5) == 60_000 - 3_000
    assert main_ms(after, 2, 5) == 60_000


def test_a_full_clock_in_days_loses_only_what_it_got() -> None:
    game = play_at(started(FULL), 1, 2)
    after = taken_back(game, 2, 5)
    assert main_ms(after, 2, 5) == 2 * 86_400_000 - 1_000


def test_who_has_no_time_without_the_increment_cannot_take_back() -> None:
    game = play_at(started("5+60"), 1, 2, 3)  # Anna has 64 s, 60 of them by the increment
    after = play_at(game, 4)
    assert main_ms(after, 1, 8) == 60_000
    with pytest.raises(Refused, match="no time left"):
        acted(after, 1, "ask_takeback", 8)
    asked = acted(after, 1, "ask_takeback", 7)
    with pytest.raises(Refused, match="no time left"):
        acted(asked, 2, "accept_takeback", 8)
    assert main_ms(acted(asked, 2, "accept_takeback", 7.5), 1, 7.5) == 500


@settings(max_examples=80)
@given(
    st.sampled_from([FULL, *(control for control in CONTROLS if control != "none")]),
    st.sampled_from([(ANNA, BEN), (ANNA, ROBOT)]),
    st.booleans(),
    st.lists(
        st.tuples(st.integers(0, 3000), st.integers(0, 3000), st.integers(0, 500)), max_size=8
    ),
)
def test_a_turn_and_its_takeback_never_gain_time(
    control: str,
    players: tuple[wire.Player, wire.Player],
    answered: bool,
    rounds: list[tuple[int, int, int]],
) -> None:
    """Whatever is repeated: turn, answer, takeback. Times are in milliseconds."""
    now = 100.0
    game = play_at(started(control, now, players), now, now, now, now)
    first = [left_ms(game, seat, now) for seat in SEATS]
    for turn_ms, answer_ms, wait_ms in rounds:
        # A clock at its maximum does not tell how much of an increment had room.
        before = first if ":" in control else [left_ms(game, seat, now) for seat in SEATS]
        now += turn_ms / 1000
        tried = play_at(game.settle(now), now)
        if answered or players[1] is ROBOT:
            now += answer_ms / 1000
            tried = play_at(tried, now)
        now += wait_ms / 1000
        asked = acted(tried.settle(now), 1, "ask_takeback", now)
        game = asked if asked.ply == 4 else acted(asked, 2, "accept_takeback", now)
        assert game.ply == 4
        after = [left_ms(game, seat, now) for seat in SEATS]
        assert all(shown <= had for shown, had in zip(after, before, strict=True))
        if control == "60+2":
            assert after[0] <= before[0] - turn_ms + 1


def left_ms(game: Game, seat: wire.Seat, now: float) -> int:
    left = time_left_ms(game.setup.clock, game.clock_view(now).players[seat - 1])
    assert left is not None
    return left


@pytest.mark.parametrize("control", ["30/turn", "10/3x20"])
def test_an_allowance_for_one_turn_begins_anew(control: str) -> None:
    game = taken_back(played(started(control), 4), 1, 20.0)
    assert game.clocks[0].period_used_ms == 0
    assert control != "30/turn" or game.clocks[0].main_ms == 30_000


def test_a_request_for_an_earlier_list_of_turns_is_refused() -> None:
    game = taken_back(played(started(), 4), 1)
    check_known(game, None, None)
    check_known(game, 2, 1)
    for ply, takebacks in ((2, 0), (4, 1), (None, 0)):
        with pytest.raises(Refused, match="stale_ply"):
            check_known(game, ply, takebacks)


@pytest.mark.parametrize("name", [info.name for info in engine.games()])
def test_every_game_goes_back_to_the_same_position(name: str) -> None:
    rules = engine.game_of(name, None, None, {})
    setup = wire.GameSetup(
        game=name, board=rules.board.name, rules=rules.rule_set, clock=parse_time_control("600")
    )
    earlier = played(new_game("g", setup, (ANNA, BEN), Allowances(), EPOCH, 0.0), 2)
    game = taken_back(played(earlier, 2, 2.0), 1)
    assert (game.view, game.turns, game.to_play) == (earlier.view, earlier.turns, 1)


@st.composite
def steps(draw: st.DrawFn) -> list[tuple[str, Any]]:
    step = st.one_of(
        st.tuples(st.just("play"), st.integers(0, 50)),
        st.tuples(st.just("wait"), st.floats(0, 5)),
        st.tuples(
            st.sampled_from(["offer_draw", "ask_takeback", "accept_takeback", "decline_takeback"]),
            st.sampled_from(SEATS),
        ),
    )
    return draw(st.lists(step, max_size=40))


@settings(max_examples=60)
@given(st.sampled_from(CONTROLS), st.sampled_from([*PAIRS, (ANNA, BEN)]), steps())
def test_whatever_is_taken_back_the_game_is_that_of_its_turns(
    control: str, players: tuple[wire.Player, wire.Player], happenings: list[tuple[str, Any]]
) -> None:
    now, game = 100.0, started(control, 100.0, players)
    for step, value in happenings:
        now += value if step == "wait" else 0.0
        before = game = game.settle(now)
        if game.result is not None:
            return
        with suppress(Refused):
            if step == "play":
                game = game.play(game.to_play, game.ply, some_turn(game, value), now)
            elif step != "wait":
                game = acted(game, value, step, now)  # type: ignore[arg-type]
        replayed = game.position.game.replay([turn.turn for turn in game.turns])
        assert replayed.stones == game.position.stones
        assert game.digest == wire.digest_after("", game.turns)
        assert game.takebacks == before.takebacks + (game.ply < before.ply)
        assert game.turns[: min(game.ply, before.ply)] == before.turns[: game.ply]
        if game.ply < before.ply:
            for shown, was in zip(
                game.clock_view(now).players, before.clock_view(now).players, strict=True
            ):
                least = shown.main_ms is None or (was.main_ms or 0) >= shown.main_ms
                assert least or control == "30/turn"
