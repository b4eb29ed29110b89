"""The stand-in without sockets: an honest bot plays all games to their ends, whatever happens."""

from dataclasses import replace

import pytest

from bot.rehearsal.audit import CHANGED, DEADLINE
from bot.rehearsal.faults import NASTY, NONE, Faults
from bot.rehearsal.opponents import Habits, Wanted
from tests.bot.rehearsal.patient_bot import PatientBot, scenario

MONTH_MS = 30 * 86_400_000
QUICK = Habits(variants=(("bluestone", ()), ("blooms", ("size-4",))))


@pytest.mark.parametrize("faults", [NONE, NASTY], ids=["fair", "nasty"])
@pytest.mark.parametrize("seed", [1, 2])
def test_an_honest_bot_gets_through(faults: Faults, seed: int) -> None:
    bot = PatientBot(scenario(faults=faults, habits=QUICK, wanted=Wanted(4, 2), seed=seed))
    bot.play(MONTH_MS)
    assert bot.world.finished
    assert len(bot.world.site.games) == 4
    assert bot.world.audit.violations == []


def test_the_same_scenario_goes_the_same_way() -> None:
    first, second = (
        PatientBot(scenario(faults=NASTY, habits=QUICK, wanted=Wanted(2, 2), seed=5))
        for _ in range(2)
    )
    assert first.play(MONTH_MS) == second.play(MONTH_MS)
    assert first.world.audit.counts == second.world.audit.counts


def test_every_kind_of_fault_happens() -> None:
    often = replace(
        NASTY, again_a_minute_later=0.1, late=0.1, crashed_after=0.1, bad_gateway=0.1, too_many=0.1
    )
    bot = PatientBot(scenario(faults=often, habits=QUICK, wanted=Wanted(4, 4), seed=3))
    bot.play(MONTH_MS)
    counts = bot.world.audit.counts
    happened = {name for name, number in counts.items() if number}
    assert happened >= {
        "calls lost",
        "calls twice",
        "calls delayed",
        "calls again a minute later",
        "submissions cut after",
        "submissions late",
        "submissions crashed after",
        "submissions not played",
        "submissions bad gateway",
        "submissions too many",
        "answers 401",
        "queries too many",
        "queries failed",
        "old reads",
        "games left out of lists",
    }


class _Forgetful(PatientBot):
    """Chooses anew each time that it sends a turn."""

    def _remembered(self, key: tuple[str, int], turn: str) -> str:
        self._chosen.pop(key, None)
        return super()._remembered(key, turn)


def test_a_bot_that_chooses_again_after_a_doubt_is_found_out() -> None:
    doubtful = replace(NONE, bad_gateway=0.3)
    bot = _Forgetful(scenario(faults=doubtful, habits=QUICK, wanted=Wanted(1, 1)))
    bot.play(MONTH_MS)
    assert {violation.kind for violation in bot.world.audit.violations} == {CHANGED}


class _Asleep(PatientBot):
    """Accepts games, and never plays."""

    def _look(self, game_id: str, now: int) -> None:
        pass


def test_a_bot_that_lets_its_time_run_out_is_found_out() -> None:
    bot = _Asleep(scenario(habits=QUICK, wanted=Wanted(2, 2)))
    bot.play(MONTH_MS)
    assert bot.world.finished
    assert [violation.kind for violation in bot.world.audit.violations] == [DEADLINE] * 2
    assert bot.world.audit.counts["ended by timeout"] == 2
