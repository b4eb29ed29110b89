"""bluestone rehearse, with a rehearsal that is over at once."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from bot.errors import ConfigurationError
from bot.guests.abstract_play.rehearsal.faults import NASTY, NONE
from bot.guests.abstract_play.rehearsal.fortnight import Fortnight
from bot.guests.abstract_play.rehearsal.plan import RehearsalPlan
from bot.guests.hexo_arena.rehearsal.faults import NASTY as NASTY_HEXO
from bot.guests.hexo_arena.rehearsal.run import HexoPlan
from bot.rehearsal.verdict import Condition, RehearsalProgress, RehearsalVerdict
from tests.bot.cli.commands import Bluestone

Show = Callable[[RehearsalProgress], None]


class Rehearsal:
    """Keeps the plan, and finds what the test tells it to find."""

    def __init__(self) -> None:
        self.found = 0
        self.plan: RehearsalPlan | None = None

    async def __call__(self, plan: RehearsalPlan, show: Show) -> RehearsalVerdict:
        self.plan = plan
        show(RehearsalProgress(31.0, plan.games, 0, self.found, {"games over": 2}))
        check = Condition("illegal turn", self.found, ("9-9",) * self.found)
        return RehearsalVerdict(31.0, 1.0, 5, {"games over": 2}, [check])


@pytest.fixture
def rehearsal(monkeypatch: pytest.MonkeyPatch) -> Rehearsal:
    rehearsal = Rehearsal()
    monkeypatch.setattr("bot.guests.abstract_play.rehearsal.run.rehearse", rehearsal)
    return rehearsal


def test_a_fine_rehearsal_ends_with_0_and_leaves_nothing(
    bluestone: Bluestone, rehearsal: Rehearsal
) -> None:
    outcome = bluestone("rehearse", "abstract-play", "--games", "2", "--at-once", "1")
    assert outcome.code == 0
    assert "2 of 2 games" in outcome.err
    assert "illegal turn" in outcome.out
    assert rehearsal.plan is not None
    assert (rehearsal.plan.games, rehearsal.plan.at_once) == (2, 1)
    assert rehearsal.plan.faults == NONE
    assert not rehearsal.plan.folder.exists()


def test_violations_end_with_1_and_the_folder(
    bluestone: Bluestone, rehearsal: Rehearsal, tmp_path: Path
) -> None:
    rehearsal.found = 1
    folder = tmp_path / "kept"
    words = ("--faults", "--kills", "3", "--seed", "7", "--folder", folder)
    outcome = bluestone("rehearse", "abstract-play", *words)
    assert outcome.code == 1
    assert "9-9" in outcome.out
    assert str(folder) in outcome.err
    assert folder.is_dir()
    assert rehearsal.plan is not None
    assert (rehearsal.plan.faults, rehearsal.plan.kills, rehearsal.plan.seed) == (NASTY, 3, 7)


def test_json_has_all_of_it(bluestone: Bluestone, rehearsal: Rehearsal) -> None:
    outcome = bluestone("rehearse", "abstract-play", "--json")
    found = json.loads(outcome.out)
    assert found["fine"]
    assert found["counts"] == {"games over": 2}
    assert found["checks"] == [{"name": "illegal turn", "found": 0, "examples": []}]
    assert rehearsal.plan is not None


def test_days_are_simulated(
    bluestone: Bluestone, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    plans: list[Fortnight] = []

    def play(plan: Fortnight, show: Show) -> RehearsalVerdict:
        plans.append(plan)
        show(RehearsalProgress(43_200.0, plan.games, 0, 0, {}))
        return RehearsalVerdict(1.0, 1.0, 0, {}, [Condition("illegal turn", 1)])

    monkeypatch.setattr("bot.guests.abstract_play.rehearsal.fortnight.play", play)
    words = ("--days", "14", "--games", "60", "--faults", "--seed", "3", "--folder", tmp_path)
    outcome = bluestone("rehearse", "abstract-play", *words)
    assert outcome.code == 1
    assert plans == [Fortnight(tmp_path, games=60, days=14, hours_off=48, faults=NASTY, seed=3)]


@pytest.mark.parametrize(
    ("words", "problem"),
    [(("--hours-off", "24"), "--hours-off"), (("--hours-off", "1", "--kills", "2"), "--kills")],
)
def test_options_that_contradict_simulated_time_are_refused(
    bluestone: Bluestone, words: tuple[str, ...], problem: str
) -> None:
    outcome = bluestone("rehearse", "abstract-play", "--days", "1", *words)
    assert outcome.code == ConfigurationError.exit_code
    assert problem in outcome.err


def test_the_stand_in_of_hexo_arena_has_its_own_plan(
    bluestone: Bluestone, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    plans: list[HexoPlan] = []

    async def play(plan: HexoPlan, show: Show) -> RehearsalVerdict:
        plans.append(plan)
        show(RehearsalProgress(31.0, plan.games, 0, 0, {"streams cut": 3}))
        return RehearsalVerdict(31.0, 1.0, None, {"games over": 2}, [Condition("illegal turn", 0)])

    monkeypatch.setattr("bot.guests.hexo_arena.rehearsal.run.rehearse", play)
    words = ("--games", "300", "--faults", "--kills", "5", "--crashes", "3", "--folder", tmp_path)
    outcome = bluestone("rehearse", "hexo-arena", *words)
    assert outcome.code == 0
    assert "3 streams cut" in outcome.err
    assert "webhook" not in outcome.out
    (plan,) = plans
    assert (plan.games, plan.at_once, plan.kills, plan.crashes) == (300, 4, 5, 3)
    assert plan.faults == NASTY_HEXO


@pytest.mark.parametrize(
    ("words", "problem"),
    [
        (("hexo-arena", "--days", "3"), "--days"),
        (("hexo-arena", "--at-once", "5"), "--at-once"),
        (("abstract-play", "--crashes", "1"), "--crashes"),
    ],
)
def test_options_of_the_other_platform_are_refused(
    bluestone: Bluestone, words: tuple[str, ...], problem: str
) -> None:
    outcome = bluestone("rehearse", *words)
    assert outcome.code == 2
    assert problem in outcome.err


def test_another_platform_is_refused(bluestone: Bluestone) -> None:
    assert bluestone("rehearse", "arena").code == 2
