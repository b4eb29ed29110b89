"""The challenge policy: one row for each way to be refused."""

from dataclasses import replace
from typing import Any

import pytest

from bot.daemon.policy import CHECKS, Circumstances, decide
from bot.daemon.settings import PolicySettings
from bot.platforms.base import ChallengeFacts, Participant, Setup
from bot.time_controls import parse_time_control

SETUP = Setup("bluestone", "pent-6", "official", parse_time_control("300+5"))
ANN = Participant("Ann", "person")
CHALLENGE = ChallengeFacts("c1", SETUP, ANN)
NOW = Circumstances("Granite", draining=False, busy_with=[])


def with_setup(**changes: Any) -> ChallengeFacts:
    return replace(CHALLENGE, setup=replace(SETUP, **changes))


def with_clock(text: str) -> ChallengeFacts:
    return with_setup(control=parse_time_control(text))


def by(name: str, kind: Any = "person") -> ChallengeFacts:
    return replace(CHALLENGE, opponent=Participant(name, kind))


REFUSALS: list[tuple[str, dict[str, Any], Circumstances, ChallengeFacts]] = [
    ("draining", {}, replace(NOW, draining=True), CHALLENGE),
    ("disk", {}, replace(NOW, can_write=False), CHALLENGE),
    ("warming", {}, replace(NOW, is_ready=False), CHALLENGE),
    ("itself", {}, NOW, by("Granite", "bot")),
    ("blocked", {"block": ["ann"]}, NOW, CHALLENGE),
    ("not_allowed", {"allow": ["Bob"]}, NOW, CHALLENGE),
    ("no_guests", {"opponents": ["bot", "person"]}, NOW, by("Gast", "guest")),
    ("open_challenge", {}, NOW, replace(CHALLENGE, is_open=True)),
    ("game", {"games": ["bluestone"]}, NOW, with_setup(game="blooms")),
    ("board", {"boards": ["pent-6", "hexhex-?"]}, NOW, with_setup(board="pent-8")),
    ("rules", {"rules": ["official"]}, NOW, with_setup(rules="abstractplay")),
    ("not_playable", {}, NOW, with_setup(board="pent-0")),
    ("not_playable", {}, NOW, with_setup(options={"captures": "9"})),
    ("clock_kind", {"clocks": ["fischer"]}, NOW, with_clock("600")),
    ("clock_kind", {"clocks": ["fischer"]}, NOW, with_clock("none")),
    ("clock_too_short", {"min_base_s": 60}, NOW, with_clock("59+9")),
    ("clock_too_short", {"min_base_s": 60}, NOW, with_clock("29/1x30")),
    ("clock_too_long", {"max_base_s": 60}, NOW, with_clock("61+9")),
    ("increment_too_short", {"min_increment_s": 1}, NOW, with_clock("600")),
    ("increment_too_long", {"max_increment_s": 10}, NOW, with_clock("300/3x11")),
    ("casual_only", {"rated": "casual"}, NOW, with_setup(rated=True)),
    ("rated_only", {"rated": "rated"}, NOW, CHALLENGE),
    ("too_many_games", {"max_games": 2}, replace(NOW, busy_with=["Bob", "Eve"]), CHALLENGE),
    ("too_many_with_you", {}, replace(NOW, busy_with=["ANN", "Ann"]), CHALLENGE),
]


@pytest.mark.parametrize(("code", "policy", "now", "challenge"), REFUSALS)
def test_refusals_have_a_code_and_a_sentence(
    code: str, policy: dict[str, Any], now: Circumstances, challenge: ChallengeFacts
) -> None:
    refusal = decide(PolicySettings.model_validate(policy), now, challenge)
    assert refusal is not None
    assert refusal.code == code
    assert refusal.sentence.endswith(".")
    assert len(refusal.sentence) <= 300


def test_every_check_refuses_something() -> None:
    refusing = set()
    for _, policy, now, challenge in REFUSALS:
        settings = PolicySettings.model_validate(policy)
        refusing.add(next(check for check in CHECKS if check(settings, now, challenge)))
    assert refusing == set(CHECKS)


@pytest.mark.parametrize(
    ("policy", "challenge"),
    [
        ({}, CHALLENGE),
        ({"open_challenges": True}, replace(CHALLENGE, is_open=True)),
        ({"allow": ["ANN"]}, CHALLENGE),
        ({"opponents": ["bot"]}, by("Somebody", None)),
        ({"min_base_s": 60}, with_clock("30/1x30")),
        ({"min_base_s": 60, "min_increment_s": 5}, with_clock("none")),
        ({"rated": "rated"}, with_setup(rated=True)),
        ({}, with_setup(board="limping-7", rules="abstractplay")),
    ],
)
def test_wanted_challenges_are_accepted(policy: dict[str, Any], challenge: ChallengeFacts) -> None:
    assert decide(PolicySettings.model_validate(policy), NOW, challenge) is None
