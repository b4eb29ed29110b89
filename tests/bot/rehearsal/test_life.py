"""A stand-in's life, in simulated time: what is due happens, and the bot is called and deceived."""

import asyncio
from collections.abc import Mapping

import pytest

from bot.rehearsal.audit import FORGED
from bot.rehearsal.faults import Faults
from bot.rehearsal.life import Life
from bot.rehearsal.opponents import Habits, Wanted
from bot.rehearsal.simulated_time import SimulatedLoop, SimulatedTime
from tests.bot.rehearsal.patient_bot import scenario

SOON = Habits(between_challenges_ms=(60_000, 60_000), challenges_oddly=0.0, bot_opens=1.0)
HOUR_S = 3600.0


class Called:
    """What is sent to a bot that answers every call with the same status, or none."""

    def __init__(self, status: int | None) -> None:
        self.status = status
        self.nonces: list[str | None] = []

    async def reach(self, headers: Mapping[str, str], body: bytes) -> int | None:
        del body
        self.nonces.append(headers.get("X-Signature-Nonce"))
        return self.status


def lived(called: Called, faults: Faults, *, frozen: bool = False) -> Life:
    """An hour of it."""
    loop = SimulatedLoop()

    async def live() -> Life:
        plan = scenario(faults=faults, habits=SOON, wanted=Wanted(1, 1))
        life = Life(plan, SimulatedTime(loop), called.reach)
        life.people_come()
        if frozen:
            life.freeze()
        going_on = asyncio.create_task(life.go_on())
        await asyncio.sleep(HOUR_S)
        going_on.cancel()
        await life.hang_up()
        return life

    with asyncio.Runner(loop_factory=lambda: loop) as runner:
        return runner.run(live())


def test_people_come_until_a_challenge_is_taken() -> None:
    called = Called(400)
    life = lived(called, Faults())
    assert life.world.audit.counts["webhook 400"] == len(called.nonces) > 1
    assert not life.world.site.games
    assert len(lived(Called(200), Faults()).world.site.games) == 1


def test_nobody_does_anything_in_a_frozen_world() -> None:
    called = Called(200)
    lived(called, Faults(), frozen=True)
    assert called.nonces == []


@pytest.mark.parametrize(("status", "is_found_out"), [(200, True), (401, False), (None, False)])
def test_a_forged_call_has_to_be_refused(status: int | None, is_found_out: bool) -> None:
    audit = lived(Called(status), Faults(forged=1.0)).world.audit
    assert audit.counts["calls forged"] > 0
    assert bool(audit.violations) == is_found_out
    assert {one.kind for one in audit.violations} <= {FORGED}


@pytest.mark.parametrize("status", [200, 503])
def test_only_a_call_that_got_through_is_replayed(status: int) -> None:
    called = Called(status)
    lived(called, Faults(replayed=1.0))
    twice = len(called.nonces) - len(set(called.nonces))
    assert twice == (len(called.nonces) / 2 if status == 200 else 0)
    assert called.nonces
