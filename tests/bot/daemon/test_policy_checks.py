"""Policies under which nothing could be accepted."""

import tomllib

import pytest

from bot.daemon.policy_checks import check_policies
from bot.runtime.settings import spell

THERE = '[[platforms]]\nkind = "abstract_play"\n'
ARENA = '[[platforms]]\nurl = "http://127.0.0.1:8765"\n'


def problems(text: str) -> list[str]:
    return [spell(place) + told for place, told in check_policies(tomllib.loads(text))]


@pytest.mark.parametrize(
    ("policy", "needed"),
    [
        ('clocks = ["fischer", "none"]', "'correspondence'"),
        ('rules = ["official"]', "'abstractplay'"),
        ('games = ["stargazers"]', "'blooms' or 'bluestone'"),
        ('boards = ["limping-7"]', "'pent-6' or 'pent-8' or 'hexhex-4'"),
        ('games = ["bluestone"]\nboards = ["hexhex-*"]', "'pent-6' or 'pent-8'"),
        ("max_base_s = 600", "3600 or more"),
        ('rated = "rated"', "'any' or 'casual'"),
    ],
)
def test_policies_that_no_challenge_can_satisfy_are_reported(policy: str, needed: str) -> None:
    (found,) = problems(f"[policy]\n{policy}\n{THERE}")
    key = policy.splitlines()[-1].split(" ")[0]
    told = "no challenge on platforms[0] could ever be accepted; this key needs"
    assert found.startswith(f"policy.{key}: {told} {needed}")
    assert problems(f"[policy]\n{policy}\n{ARENA}") == []


def test_a_platforms_own_policy_comes_before_the_general_one() -> None:
    live = '[policy]\nclocks = ["fischer"]\n'
    own = THERE + 'policy = { clocks = ["correspondence"] }\n'
    assert problems(live + ARENA + own) == []
    (found,) = problems(own.replace("correspondence", "fischer"))
    assert found.startswith("platforms[0].policy.clocks: ")


def test_defaults_and_invalid_policies_are_ignored() -> None:
    assert problems(THERE) == []
    assert problems(f'[policy]\nclocks = []\ngames = 3\nboards = "x"\n{THERE}') == []
    assert problems('policy = 3\nplatforms = "x"\n') == []


@pytest.mark.parametrize("place", ["policy", "platforms[0].policy"])
def test_a_pattern_without_a_board_is_reported_for_every_platform(place: str) -> None:
    boards = 'boards = ["hexhex-11", "pnet-*", "stars-*", "pent-14"]'
    text = f"[policy]\n{boards}" if place == "policy" else f"{ARENA}policy = {{ {boards} }}"
    first, second = problems(text)
    told = "matches no board of any game; known forms: pent-N with N = 3..13, "
    assert first.startswith(f"{place}.boards[1]: 'pnet-*' {told}")
    assert second.startswith(f"{place}.boards[3]: 'pent-14' {told}")
