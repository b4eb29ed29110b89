"""A game of the platform as the daemon sees it: whose turn, which clocks, and how it ended."""

from datetime import UTC, datetime

import pytest

from bot.errors import PeerError
from bot.guests.abstract_play.facts import NotOurs, facts_of, setup_of_challenge
from bot.guests.abstract_play.messages import ChallengeNotice, game_record, webhook_body
from bot.platforms.base import GameFacts, GameOutcome, NoAnswer, Participant
from bot.time_controls import Correspondence, PlayerClock, full_clock
from tests.bot.guests.abstract_play import bodies
from tests.bot.guests.abstract_play.bodies import HOUR_MS, LAST_MOVE_MS, OURS, THEIRS
from tests.fakes.time import FakeTime

LAST_MOVE = datetime.fromtimestamp(LAST_MOVE_MS / 1000, UTC)
THREE = ("3-2", "pass", "0-0,5-3")


def time_at(seconds_after_last_move: float = 0.0) -> FakeTime:
    time = FakeTime()
    time.step_wall((LAST_MOVE - time.wall()).total_seconds() + seconds_after_last_move)
    return time


def read(body: dict[str, object], time: FakeTime | None = None, our_id: str = OURS) -> GameFacts:
    return facts_of(game_record(bodies.text(body)), our_id, time or time_at())


def challenge(**changes: object) -> ChallengeNotice:
    asked = webhook_body(bodies.text(bodies.challenge(**changes)))
    assert isinstance(asked, ChallengeNotice)
    return asked


def test_a_running_game_that_waits_for_us() -> None:
    facts = read(bodies.record())
    assert facts.game_id == "c0ffee00"
    assert facts.seat == 2
    assert facts.to_play == 2
    assert facts.our_turn
    assert facts.outcome is None
    assert [played.turn for played in facts.turns] == list(THREE)
    assert facts.setup.game == "bluestone"
    assert facts.setup.board == "pent-6"
    assert facts.setup.rules == "abstractplay"
    assert facts.setup.rated
    assert not facts.draw_offered
    assert facts.opponent == Participant("Ann", account=THEIRS)
    assert facts.started_at == datetime.fromtimestamp(bodies.BEGAN_MS / 1000, UTC)


def test_the_seat_is_where_our_id_stands_among_the_players() -> None:
    facts = read(bodies.record(), our_id=THEIRS)
    assert (facts.seat, facts.to_play) == (1, 2)
    assert not facts.our_turn


def test_it_arrived_when_it_was_read() -> None:
    time = time_at()
    assert read(bodies.record(), time).arrived == time.monotonic()


@pytest.mark.parametrize(
    ("meta", "variants", "board"),
    [("bluestone", ["size-8"], "pent-8"), ("blooms", ["size-4"], "hexhex-4")],
)
def test_the_board_is_that_of_the_variants(meta: str, variants: list[str], board: str) -> None:
    facts = read(bodies.record(metaGame=meta, variants=variants))
    assert (facts.setup.game, facts.setup.board) == (meta, board)


# ---- turns -----------------------------------------------------------------------------------


def test_a_pass_that_the_platform_played_for_us_is_one_of_the_turns() -> None:
    """Ann's turn and our pass came at once, and it is her turn again."""
    facts = read(bodies.record([*THREE, "5-5", "0-3", "pass"], toMove="0"))
    assert facts.ply == 6
    assert facts.turns[5].turn == "pass"
    assert not facts.our_turn


def test_two_plies_at_once_leave_the_turn_with_us() -> None:
    facts = read(bodies.record([*THREE, "5-5", "pass"]))
    assert facts.ply == 5
    assert facts.our_turn


def test_a_game_before_its_first_turn() -> None:
    body = bodies.record([], toMove="0")
    del body["numMoves"]
    facts = read(body, our_id=THEIRS)
    assert facts.ply == 0
    assert facts.our_turn


def test_a_number_of_moves_that_lags_behind_the_state_does_not_count() -> None:
    assert read(bodies.record(numMoves=1)).ply == 3


# ---- clocks ----------------------------------------------------------------------------------


def test_our_clock_runs_since_the_last_move_and_theirs_is_stopped() -> None:
    facts = read(bodies.record(), time_at(3600))
    theirs, ours = facts.clocks
    assert ours == PlayerClock(main_ms=40 * HOUR_MS)
    assert theirs == PlayerClock(main_ms=48 * HOUR_MS)


def test_their_clock_runs_while_it_is_their_turn() -> None:
    theirs, ours = read(bodies.record((*THREE, "4-1"), toMove="0"), time_at(3600)).clocks
    assert theirs.main_ms == 47 * HOUR_MS
    assert ours.main_ms == 41 * HOUR_MS


def test_an_expired_clock_that_is_not_claimed_shows_zero() -> None:
    theirs, ours = read(bodies.record(), time_at(42 * 3600)).clocks
    assert ours == PlayerClock(main_ms=0, flagged=True)
    assert theirs.main_ms == 48 * HOUR_MS


def test_a_platform_that_is_ahead_of_us_gives_no_time() -> None:
    assert read(bodies.record(), time_at(-100)).clocks[1].main_ms == 41 * HOUR_MS


def test_a_player_without_a_time_has_the_initial_time() -> None:
    players = [{"id": THEIRS, "name": "Ann"}, {"id": OURS, "name": "Bot"}]
    facts = read(bodies.record(players=players))
    assert facts.clocks[0] == full_clock(facts.setup.control)


def test_the_clocks_of_a_finished_game_stand() -> None:
    facts = read(bodies.finished(THREE, [1]), time_at(100_000))
    assert [clock.main_ms for clock in facts.clocks] == [48 * HOUR_MS, 41 * HOUR_MS]


def test_the_control_is_in_seconds() -> None:
    control = read(bodies.record()).setup.control
    assert control == Correspondence(initial_s=172_800, increment_s=43_200, maximum_s=345_600)


# ---- ends ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("winner", "last", "outcome"),
    [
        ([1], None, GameOutcome(1, "played_out")),
        ([2], None, GameOutcome(2, "played_out")),
        ([1, 2], None, GameOutcome(None, "played_out")),
        ([1], "resign", GameOutcome(1, "resignation")),
        ([2], "timeout", GameOutcome(2, "time_forfeit")),
        ([1, 2], "draw", GameOutcome(None, "draw_agreement")),
        ([], "abandoned", GameOutcome(None, "aborted")),
        ([], None, GameOutcome(None, "aborted")),
    ],
)
def test_how_a_game_ended(winner: list[int], last: str | None, outcome: GameOutcome) -> None:
    facts = read(bodies.finished(THREE, winner, last))
    assert facts.outcome == outcome
    assert [played.turn for played in facts.turns] == list(THREE)
    assert not facts.our_turn


def test_the_state_determines_the_winner_if_the_game_does_not() -> None:
    body = bodies.finished(THREE, [2])
    del body["winner"]
    assert read(body).outcome == GameOutcome(2, "played_out")


# ---- what asks nothing of us, and what cannot be true ------------------------------------------


def test_a_game_between_others_is_not_ours() -> None:
    with pytest.raises(NotOurs) as caught:
        read(bodies.record(), our_id="somebody")
    assert caught.value.code == "not_ours"


@pytest.mark.parametrize(
    "changes",
    [
        {"metaGame": "go"},
        {"variants": ["size-99"]},
        {"players": [*bodies.players(), {"id": "third", "name": "Cy", "time": 1}]},
    ],
)
def test_a_game_with_unknown_rules_is_recognized(changes: dict[str, object]) -> None:
    with pytest.raises(NotOurs) as caught:
        read(bodies.record(**changes))
    assert caught.value.code == "unknown_game"


@pytest.mark.parametrize(
    "changes",
    [
        {"toMove": "0"},
        {"toMove": "2"},
        {"toMove": "x"},
        {"state": bodies.state("3-2", "pass")},
        {"state": bodies.state("3-2", "", "0-0")},
    ],
)
def test_a_contradictory_record_is_no_answer(changes: dict[str, object]) -> None:
    with pytest.raises(NoAnswer, match="c0ffee00"):
        read(bodies.record(**changes))


@pytest.mark.parametrize(
    ("name", "shown"),
    [
        ("Ann", "Ann"),
        (" A\nn\x1b[0m ", "A n[0m"),
        ("", THEIRS),
        ("\t", THEIRS),
        ("x" * 5000, "x" * 100),
    ],
)
def test_a_name_is_one_line_that_can_be_shown(name: str, shown: str) -> None:
    players = bodies.players()
    players[0] = {"id": THEIRS, "name": name, "time": 1}
    assert read(bodies.record(players=players)).opponent.name == shown


# ---- challenges --------------------------------------------------------------------------------


def test_what_a_challenge_offers() -> None:
    setup = setup_of_challenge(challenge())
    assert (setup.game, setup.board, setup.rules) == ("bluestone", "pent-8", "abstractplay")
    assert setup.control == Correspondence(initial_s=172_800, increment_s=43_200, maximum_s=345_600)


@pytest.mark.parametrize("hours", [0, 1_000_000])
def test_clocks_of_any_length_can_be_offered(hours: int) -> None:
    setup = setup_of_challenge(challenge(clockStart=hours, clockInc=hours, clockMax=hours))
    clock = full_clock(setup.control)
    assert clock.main_ms is not None
    assert clock.main_ms > 0


@pytest.mark.parametrize(
    "changes",
    [
        {"metaGame": "chess"},
        {"variants": ["size-8", "x"]},
        {"challengers": []},
        {"challengers": ["a", "b"]},
    ],
)
def test_a_challenge_to_an_unknown_game_is_refused_with_a_sentence(
    changes: dict[str, object],
) -> None:
    with pytest.raises(PeerError) as caught:
        setup_of_challenge(challenge(**changes))
    assert isinstance(caught.value, NotOurs)
    assert len(caught.value.message) < 150
