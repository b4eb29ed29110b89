"""Wrong tokens and guest keys, one after the other and many at once."""

import asyncio

import pytest

from bot.arena.edge.login import LoginAttempts
from bot.arena.refusals import Refused
from bot.arena.settings import ConnectionLimits
from tests.fakes.time import FakeTime

ADDRESS, ELSEWHERE = "192.0.2.1", "192.0.2.2"


class Desk:
    """Looks secrets up, when it is told to; three may be wrong, then one in ten seconds."""

    def __init__(self) -> None:
        self.time = FakeTime()
        limits = ConnectionLimits(failed_logins_per_s=0.1, failed_logins_burst=3)
        self.attempts = LoginAttempts(limits, self.time)
        self.may_look = asyncio.Event()
        self.may_look.set()
        self.looked_up = 0

    async def log_in(self, secret: str, address: str = ADDRESS) -> str:
        """The code of a refusal, or "ok"."""
        try:
            async with self.attempts.attempt(address, secret):
                await self._look_up(secret)
        except Refused as refused:
            return refused.code
        return "ok"

    async def _look_up(self, secret: str) -> None:
        self.looked_up += 1
        await self.may_look.wait()
        if secret == "disk full":
            raise OSError(secret)
        if not secret.startswith("right"):
            raise Refused("bad_token")


@pytest.fixture
def desk() -> Desk:
    return Desk()


async def test_after_too_many_wrong_secrets_no_secret_is_looked_up(desk: Desk) -> None:
    codes = [await desk.log_in(f"wrong {number}") for number in range(5)]
    assert codes == ["bad_token"] * 3 + ["rate_limited"] * 2
    assert desk.looked_up == 3
    assert await desk.log_in("right") == "rate_limited"


async def test_a_refused_login_has_a_retry_time(desk: Desk) -> None:
    for _ in range(3):
        await desk.log_in("wrong")
    with pytest.raises(Refused) as caught:
        async with desk.attempts.attempt(ADDRESS, "right"):
            pass
    assert caught.value.retry_after_s == pytest.approx(10)
    desk.time.lapse(10)
    assert await desk.log_in("right") == "ok"


async def test_other_addresses_do_not_suffer(desk: Desk) -> None:
    for _ in range(5):
        await desk.log_in("wrong")
    assert await desk.log_in("right", ELSEWHERE) == "ok"


async def test_a_secret_that_succeeded_before_is_never_limited(desk: Desk) -> None:
    assert await desk.log_in("right") == "ok"
    for _ in range(5):
        await desk.log_in("wrong")
    assert await desk.log_in("right") == "ok"


async def test_right_ones_cost_nothing(desk: Desk) -> None:
    assert {await desk.log_in(f"right {number}") for number in range(50)} == {"ok"}


async def test_a_fault_of_ours_costs_nothing(desk: Desk) -> None:
    for _ in range(5):
        with pytest.raises(OSError, match="disk full"):
            await desk.log_in("disk full")
    assert await desk.log_in("right") == "ok"


async def test_of_many_wrong_ones_at_once_no_more_are_looked_up(desk: Desk) -> None:
    desk.may_look.clear()
    asked = [asyncio.create_task(desk.log_in(f"wrong {number}")) for number in range(100)]
    await desk.time.settle()
    assert desk.looked_up == 3
    desk.may_look.set()
    codes = await asyncio.gather(*asked)
    assert (codes.count("bad_token"), codes.count("rate_limited")) == (3, 97)
    assert desk.looked_up == 3


async def test_many_right_ones_at_once_all_come_in(desk: Desk) -> None:
    desk.may_look.clear()
    asked = [asyncio.create_task(desk.log_in(f"right {number}")) for number in range(100)]
    await desk.time.settle()
    desk.may_look.set()
    assert set(await asyncio.gather(*asked)) == {"ok"}


async def test_an_attempt_that_is_given_up_leaves_its_place_to_others(desk: Desk) -> None:
    desk.may_look.clear()
    asked = [asyncio.create_task(desk.log_in("right")) for _ in range(4)]
    await desk.time.settle()
    for task in asked[:3]:
        task.cancel()
    await asyncio.gather(*asked[:3], return_exceptions=True)
    desk.may_look.set()
    assert await asked[3] == "ok"
