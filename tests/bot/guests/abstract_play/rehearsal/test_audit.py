"""What the bot must never do is noticed."""

import pytest

from bot.guests.abstract_play.rehearsal.faults import Faults
from tests.bot.guests.abstract_play.rehearsal.platform import Platform


def kinds(platform: Platform) -> list[str]:
    return [violation.kind for violation in platform.audit.violations]


def test_a_second_try_of_the_same_turn_after_a_while_is_fine() -> None:
    platform = Platform(Faults(bad_gateway=1.0))
    game = platform.game()
    platform.submit(game, "5-3")
    platform.wait(10_000)
    platform.submit(game, "5-3")
    assert kinds(platform) == []


def test_two_stones_in_another_order_are_the_same_turn() -> None:
    platform = Platform(Faults(not_played=1.0))
    game = platform.game()
    platform.submit(game, "5-3,0-0")
    platform.wait(1_000)
    platform.submit(game, "0-0, 5-3")
    assert kinds(platform) == []


def test_a_hasty_second_try_after_a_doubtful_answer() -> None:
    platform = Platform(Faults(bad_gateway=1.0))
    game = platform.game()
    platform.submit(game, "5-3")
    platform.wait(2_000)
    platform.submit(game, "5-3")
    assert kinds(platform) == ["sent again too soon"]


def test_another_turn_for_the_same_ply() -> None:
    platform = Platform(Faults(not_played=1.0))
    game = platform.game()
    platform.submit(game, "5-3")
    platform.wait(20_000)
    platform.submit(game, "5-4")
    assert kinds(platform) == ["another turn for the same ply"]


def test_two_submissions_at_once() -> None:
    platform = Platform(Faults(not_played=1.0))
    game = platform.game()
    platform.submit(game, "5-3")
    platform.submit(game, "5-3")
    assert kinds(platform) == ["two submissions at once"]


@pytest.mark.parametrize("turn", ["9-9", "", " ", "timeout"])
def test_an_illegal_turn(turn: str) -> None:
    platform = Platform()
    platform.submit(platform.game(), turn)
    assert kinds(platform) == ["illegal turn"]


def test_a_turn_after_an_unclaimed_time_forfeit_is_counted() -> None:
    platform = Platform(Faults(token_lives_s=10**6))
    game = platform.game()
    platform.wait(48 * 3_600_000 + 1)
    platform.submit(game, "5-3")
    assert kinds(platform) == ["deadline passed"]


def test_a_turn_out_of_turn_is_counted_and_no_more() -> None:
    platform = Platform()
    platform.submit(platform.game("ann", "bob"), "5-3")
    assert kinds(platform) == []
    assert platform.audit.counts["submissions out of turn"] == 1
