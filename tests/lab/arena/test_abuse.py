"""Abuse beside honest players: a short form with real processes, and the bounds of harm."""

import sys
from typing import Any

import pytest

import engine
from bot.bench.usage import Memory, Window
from bot.cli.measurements import print_report
from bot.errors import HostError
from lab.arena import abuse
from lab.arena.abuse import ABUSES, AbusePlan, AbuseVerdict, Seen, abuse_report, verdict

WINDOW = Window(100.0, 110.0)
SHORT = (
    *(each.name for each in ABUSES if not each.name.startswith(("event", "route"))),
    *("event game.state", "route /api/position"),
)
"""Every abuse, and one flood of each kind: test_costs says that no flood is missing."""
ATTACK = {"tried": 7, "inside": 3, "shut_out": {"too_many": 4}}


def ignore(_: str) -> None:
    """Ignore progress, which is for people."""


@pytest.mark.e2e
async def test_every_kind_of_abuse_runs_with_honest_players() -> None:
    game = engine.game("blooms", "hexhex-4")
    plan = AbusePlan(
        game,
        seconds=1.5,
        rest_s=0.2,
        settle_s=0.1,
        share=0.01,
        entrants=6,
        long_games=1,
        only=SHORT,
    )
    found = await abuse.measure(plan, ignore)
    assert [each.abuse for each in found] == list(SHORT)
    assert [each.tried for each in found] == [0, 21, 20, 5, 10, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1]
    assert all(each.done > 0 for each in found if each.most_done is not None)
    for each in found:
        assert each.inside + sum(each.shut_out.values()) == each.tried
        assert each.logins > 0
        assert each.turns > 0
        assert (each.refused, each.lost) == ({}, 0)
        if sys.platform == "linux":
            assert each.memory_mb is not None
    inside = {each.abuse: each.inside for each in found}
    assert inside["wrong tokens"] == 0
    assert inside["boards"] == inside["large documents"] == 1


def played(**changes: Any) -> dict[str, Any]:
    """Return two turns and two logins, all of them quick."""
    turns = [
        {"game_id": "g", "ply": ply, "sent": sent, "acknowledged": sent + 0.02, "arrived": arrived}
        for ply, sent, arrived in ((0, 101.0, 101.03), (1, 102.0, 102.25))
    ]
    tally = {"turns": turns, "refusals": {}, "given_up": {}}
    logins = [{"seconds": 0.2, "code": None}, {"seconds": 0.9, "code": None}]
    return {"tally": {**tally, **changes}, "logins": changes.get("logins", logins)}


def broken(seen: Memory | None = None, **changes: Any) -> list[str]:
    return verdict("drips", WINDOW, ATTACK, played(**changes), Seen(seen, 5, 0.5)).broken


def test_within_the_bounds_nothing_is_broken() -> None:
    found = verdict("drips", WINDOW, ATTACK, played(), Seen(Memory(100, 180, 110), 5, 0.5))
    assert found.broken == []
    assert (found.login_median_s, found.login_slowest_s) == (0.55, 0.9)
    assert (found.turns, found.turn_slowest_ms) == (2, 250)
    assert (found.tried, found.inside, found.log_lines) == (7, 3, 5)


def test_each_bound_is_named() -> None:
    slow = verdict("drips", WINDOW, ATTACK, {**played(), "health": [0.1, 0.3]}, Seen(None, 0, None))
    assert slow.broken == ["/healthz took more than 250 ms"]
    late = [{"game_id": "g", "ply": 0, "sent": 101.0, "acknowledged": 101.3, "arrived": 101.02}]
    assert broken(turns=late) == ["a turn took more than 250 ms"]
    assert broken(logins=[{"seconds": 1.0, "code": None}]) == ["a login took 1 s or longer"]
    assert broken(Memory(100, 180, 111)) == ["memory stayed above 110% of what it was"]
    assert broken(refusals={"rate_limited": 1}) == ["honest players were refused"]
    assert broken(given_up={"connection_lost": 1}) == ["honest turns or logins were lost"]
    kept = Seen(Memory(100, 180, 129), 5, 0.5)
    assert verdict("reads", WINDOW, ATTACK, played(), kept, keeps_mb=20).broken == []
    refused = [{"seconds": 0.1, "code": "too_many"}]
    assert broken(logins=refused) == ["honest players were refused"]
    lost = [{"seconds": 0.1, "code": "connection_lost"}]
    assert broken(logins=lost) == ["honest turns or logins were lost"]


def test_what_abusers_may_do_is_bounded() -> None:
    attack = {**ATTACK, "done": 8}
    seen = Seen(None, 5, 0.5)
    assert verdict("greed", WINDOW, attack, played(), seen, most_done=8).broken == []
    found = verdict("greed", WINDOW, attack, played(), seen, most_done=7)
    assert found.broken == ["the abusers were allowed 8 instead of 7"]


def test_a_window_without_activity_is_an_error() -> None:
    with pytest.raises(HostError, match="too short"):
        verdict("drips", WINDOW, ATTACK, played(turns=[]), Seen(None, 0, None))


def test_an_abuse_with_an_effect_is_marked(capsys: pytest.CaptureFixture[str]) -> None:
    def found(slowest_s: float, refused: dict[str, int]) -> AbuseVerdict:
        return AbuseVerdict(
            *("drips", 500, 100, {"closed": 400}, 40, 0.01, slowest_s, 400, 90.0, refused, 0),
            *(Memory(200, 260, 210), 440, None),
        )

    report = abuse_report([found(0.2, {}), found(1.25, {"too_many": 4})])
    assert print_report(report, as_json=False) == 1
    well, badly = capsys.readouterr().out.splitlines()[-2:]
    assert well == "drips: shut out 400 closed; honest players did not notice"
    assert "BROKEN: honest players were refused, a login took 1 s or longer (4 too_many)" in badly
