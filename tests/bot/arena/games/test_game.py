"""A game as a state machine, under every order of turns, actions and hours."""

from contextlib import suppress
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bot import wire
from bot.arena.games.game import DRAW_PAUSE_TURNS, SEATS, Game
from bot.arena.games.game_start import new_game, revived
from bot.arena.refusals import Refused
from bot.arena.settings import Allowances
from bot.time_controls import parse_time_control
from tests.fakes.early_end import DECIDED, TURNS
from tests.fakes.time import EPOCH

ANNA, BEN = wire.Player(name="Anna", kind="person"), wire.Player(name="Ben", kind="guest")
ROBOT = wire.Player(name="robot", kind="bot")
PAIRS = [(ANNA, ROBOT), (ROBOT, BEN), (ANNA, BEN), (ROBOT, ROBOT.model_copy(update={"name": "R2"}))]
CONTROLS = ["60+2", "10/3x20", "30/turn", "90", "1d+1d:2d", "none"]


def started(
    control: str = "60+2",
    now: float = 0.0,
    players: tuple[wire.Player, wire.Player] = (ANNA, BEN),
) -> Game:
    setup = wire.GameSetup(board="pent-3", clock=parse_time_control(control))
    return new_game("g", setup, players, Allowances(), EPOCH, now)


def some_turn(game: Game, pick: int) -> str:
    """One of the first legal turns; drawing from all of them would be slow."""
    turns = game.position.legal_turns()
    few = [turn for _, turn in zip(range(1 + pick % 7), turns, strict=False)]
    return few[-1]


def begun(control: str, now: float = 0.0) -> Game:
    """A game in which both have played once."""
    game = started(control, now)
    for seat in SEATS:
        game = game.play(seat, game.ply, some_turn(game, 0), now)
    return game


@st.composite
def steps(draw: st.DrawFn) -> list[tuple[str, Any]]:
    """What may happen to a game: play, act, wait, come, go, and stand still for a restart."""
    step = st.one_of(
        st.tuples(st.just("play"), st.integers(0, 50)),
        st.tuples(
            st.just("act"),
            st.tuples(
                st.sampled_from(SEATS),
                st.sampled_from(["offer_draw", "decline_draw", "accept_draw", "abort", "resign"]),
            ),
        ),
        st.tuples(st.just("wait"), st.floats(0, 40)),
        st.tuples(st.just("go"), st.sampled_from(SEATS)),
        st.tuples(st.just("come"), st.sampled_from(SEATS)),
        st.tuples(st.just("restart"), st.floats(0, 10)),
    )
    return draw(st.lists(step, max_size=25))


def after(game: Game, step: str, value: Any, now: float) -> Game:
    match step:
        case "play" if game.result is None:
            return game.play(game.to_play, game.ply, some_turn(game, value), now)
        case "act" if game.result is None:
            seat, action = value
            return game.act(seat, action, now)
        case "go":
            return game.disconnected(value, now)
        case "come":
            return game.connected(value, now)
        case "restart" if game.result is None:
            begun = started(str(game.setup.clock), now, game.players)
            stands = replace(revived(begun, game.turns))
            return replace(
                stands,
                banked_ms=game.thought_ms(now),
                resume_at=now + value,
                away_since=(now, now),
                draw_offer=game.draw_offer,
            )
        case _:
            return game


@settings(max_examples=60)
@given(st.sampled_from(CONTROLS), st.sampled_from(PAIRS), steps())
def test_whatever_happens_a_game_keeps_its_promises(
    control: str, players: tuple[wire.Player, wire.Player], happenings: list[tuple[str, Any]]
) -> None:
    now, game = 100.0, started(control, 100.0, players)
    for step, value in happenings:
        now += value if step == "wait" else 0.0
        before, game = game, game.settle(now)
        with suppress(Refused):
            game = after(game, step, value, now)
        check(before, game, now)


def here(game: Game, seat: wire.Seat) -> bool:
    return game.away_since[seat - 1] is None


def check(before: Game, game: Game, now: float) -> None:
    assert game.digest == wire.digest_after(before.digest, game.turns[before.ply :])
    assert game.turns[: before.ply] == before.turns
    assert [turn.turn for turn in game.turns] == list(game.position.turns)
    for clock in game.clock_view(now).players:
        assert clock.main_ms is None or clock.main_ms >= 0
    deadline = game.deadline()
    if game.result is not None:
        assert deadline is None
        assert game.settle(now + 10**9) is game
        assert game.clock_view(now).running is None
    elif deadline is not None:
        assert game.settle(deadline - 0.01) is game or deadline - 0.01 > now
        assert game.settle(deadline) is not game
    elif game.is_live and not (game.waits_for_person and here(game, game.to_play)):
        pytest.fail("a live game without a deadline would never end")


@given(st.sampled_from(["60+2", "10/3x20", "30/turn", "90"]), st.floats(0.001, 1000))
@settings(max_examples=60)
def test_the_flag_falls_at_the_deadline_and_not_before(control: str, thought: float) -> None:
    game = begun(control)
    deadline = game.deadline()
    assert deadline is not None
    settled = game.settle(thought)
    assert (settled.result is None) == (thought < deadline)
    if settled.result is not None:
        assert (settled.result.winner, settled.result.reason) == (2, "time_forfeit")
        assert settled.clocks[0].flagged


def test_a_long_clock_gives_a_first_turn_more_time() -> None:
    assert started("60+2").deadline() == 60
    assert started("7200").deadline() == 720
    assert started("100/turn").deadline() == 100


def test_what_was_thought_before_a_restart_is_charged_once() -> None:
    game = begun("60+0")
    stands = replace(game, thinking_since=None, banked_ms=20_000, resume_at=500.0)
    assert stands.clock_view(400.0).running is None
    assert stands.settle(499.0) is stands
    runs = stands.settle(510.0)
    assert runs.clock_view(510.0).players[0].main_ms == 30_000
    assert runs.play(1, 2, "pass", 515.0).turns[2].time_ms == 35_000


def test_the_state_says_how_long_the_player_to_move_may_be_disconnected() -> None:
    game = begun("60+2")
    assert game.clock_view(10.0).away_ms == 60_000
    away = game.disconnected(1, 10.0).disconnected(2, 0.0)
    assert away.clock_view(30.0).away_ms == 40_000
    assert game.disconnected(2, 0.0).clock_view(30.0).away_ms == 60_000
    # The limit of a player who left before their turn starts with that turn.
    next_turn = away.play(1, 2, some_turn(away, 0), 35.0)
    assert next_turn.clock_view(40.0).away_ms == 55_000
    assert next_turn.settle(95.0).clock_view(95.0).away_ms is None
    assert begun("none").clock_view(0.0).away_ms is None


def test_after_a_declined_draw_some_turns_come_before_the_next_offer() -> None:
    offered = begun("60+2").act(1, "offer_draw", 0.0)
    played = offered.play(1, 2, some_turn(offered, 0), 1.0)
    declined = played.act(2, "decline_draw", 2.0)
    later = declined
    for left in range(DRAW_PAUSE_TURNS, 0, -1):
        with pytest.raises(Refused, match=f"after {left} more turn"):
            later.act(1, "offer_draw", 3.0)
        later = later.play(later.to_play, later.ply, some_turn(later, 0), 4.0)
    assert later.act(1, "offer_draw", 5.0).draw_offer == 1
    assert declined.act(2, "offer_draw", 5.0).draw_offer == 2


def test_a_player_disconnected_before_their_turn_has_the_full_grace_period() -> None:
    game = begun("600+0").disconnected(2, 10.0)
    waited = game.play(1, 2, some_turn(game, 0), 500.0)
    assert waited.deadline() == 560.0
    assert waited.settle(560.0).result == wire.Result(
        winner=1, reason="abandonment", message="Ben left the game."
    )


@pytest.mark.parametrize("control", CONTROLS)
@pytest.mark.parametrize("seat", SEATS)
def test_a_person_has_unlimited_time_for_a_first_turn_against_a_bot(
    control: str, seat: wire.Seat
) -> None:
    game = started(control, players=(ANNA, ROBOT) if seat == 1 else (ROBOT, ANNA))
    if seat == 2:
        game = game.play(1, 0, some_turn(game, 0), 0.0)
    # Without a clock, the bot waits for a day only.
    full, week = game.clocks[seat - 1], 86_000.0 if control == "none" else 7 * 86_400.0
    assert game.deadline() == (86_400.0 if control == "none" else None)
    assert game.settle(week) is game
    view = game.clock_view(week)
    assert (view.running, view.first_turn_ms, view.players[seat - 1]) == (None, None, full)
    played = game.play(seat, game.ply, some_turn(game, 0), week)
    assert (played.result, played.clocks[seat - 1]) == (None, full)


@pytest.mark.parametrize("control", ["60+2", "30/turn"])
def test_a_bot_has_its_allowance_for_a_first_turn_against_a_person(control: str) -> None:
    waits = started(control, players=(ROBOT, ANNA))
    assert waits.deadline() == 60.0
    settled = waits.settle(60.0)
    assert settled.result is not None
    assert settled.result.reason == "aborted"


@pytest.mark.parametrize(("control", "limit"), [("60+2", 60.0), ("1d+1d:2d", 86_400.0)])
def test_a_person_who_disconnects_before_a_first_turn_frees_the_bot(
    control: str, limit: float
) -> None:
    game = started(control, players=(ANNA, ROBOT)).disconnected(1, 500.0)
    assert game.deadline() == 500.0 + limit
    settled = game.settle(500.0 + limit)
    assert settled.result is not None
    assert (settled.result.reason, settled.result.message) == ("aborted", "Anna left the game.")
    assert game.connected(1, 520.0).deadline() is None


def test_a_stranger_has_no_seat() -> None:
    with pytest.raises(Refused, match="not_a_player"):
        started().seat_of("nobody")


def test_a_repeated_turn_is_known_by_its_player_and_ply() -> None:
    game = begun("60+2")
    first = game.turns[0].turn
    assert game.is_repeated(1, 0, first.upper())
    assert not game.is_repeated(2, 0, first)
    assert not game.is_repeated(1, 1, first)
    assert not game.is_repeated(1, 2, first)


def test_the_result_of_a_missed_first_turn_does_not_speak_of_the_clock() -> None:
    place = wire.TournamentPlace(tournament_id="t", name="cup", round=1, pairing=1, game=1)
    setup = wire.GameSetup(board="pent-3", clock=parse_time_control("60+2"))
    lost = new_game("g", setup, (ANNA, BEN), Allowances(), EPOCH, 0.0, place).settle(60.0).result
    assert lost is not None
    assert (lost.winner, lost.reason) == (2, "time_forfeit")
    assert lost.message == "Anna did not play a first turn in time."


def stars() -> Game:
    setup = wire.GameSetup(game="stargazers", board="stars-39", clock=parse_time_control("none"))
    return new_game("g", setup, (ANNA, BEN), Allowances(), EPOCH, 0.0)


def test_a_game_ends_as_soon_as_its_winner_is_certain() -> None:
    game = stars()
    for ply, turn in enumerate(TURNS[:DECIDED]):
        assert game.result is None
        game = game.play(game.to_play, ply, turn, 0.0)
    assert game.result is not None
    assert (game.result.winner, game.result.reason) == (2, "played_out")
    assert game.result.message == (
        "Ben wins: 0 uninspired stones against 3. The game ends early, because the winner is "
        "certain: Anna keeps at least 3, and Ben gets at most 2."
    )
    assert game.view.early_end == wire.EarlyEnd(winner=2, assured=3, potential=2)
    with pytest.raises(Refused, match="has ended"):
        game.play(1, DECIDED, TURNS[DECIDED], 0.0)


def test_a_running_game_of_1_0_0_that_is_decided_ends_with_its_next_turn() -> None:
    plies = list(enumerate(TURNS[: DECIDED + 1]))
    played = tuple(
        wire.PlayedTurn(turn=turn, captured=[], time_ms=0, clock=stars().clocks[0])
        for _, turn in plies
    )
    game = revived(stars(), played).resumed(0.0)
    assert game.result is None
    game = game.play(game.to_play, game.ply, TURNS[game.ply], 0.0)
    assert game.result is not None
    assert game.result.winner == 2
