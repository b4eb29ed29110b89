import pytest

from bot.guests.dask.limits import longest_s
from bot.time_controls import parse_time_control
from bot.tournaments.conduct import HostConduct

from .fakes import task

CONDUCT = HostConduct()


def limit(clock: str, conduct: HostConduct = CONDUCT) -> float:
    game = task()
    setup = game.setup.model_copy(update={"nodes": None, "clock": parse_time_control(clock)})
    return longest_s(game.model_copy(update={"setup": setup, "conduct": conduct}))


@pytest.mark.parametrize(("less", "more"), [("60", "120"), ("60+0", "60+1"), ("1/turn", "2/turn")])
def test_more_time_on_the_clock_gives_a_longer_limit(less: str, more: str) -> None:
    assert limit(less) < limit(more)


@pytest.mark.parametrize("clock", ["60", "60+1", "60/3x10", "none", "1d+1d:2d"])
def test_the_limit_has_room_for_both_clocks(clock: str) -> None:
    assert limit(clock) > 120


def test_fewer_turns_give_a_shorter_limit() -> None:
    assert limit("10/turn", HostConduct(most_turns=2)) < limit(
        "10/turn", HostConduct(most_turns=20)
    )
