"""Several who share the processes of a pool: nobody is forgotten, or finds a trace of another."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path

import pytest

from bot.engines.pool import EnginePool
from bot.engines.questions import Budget, EngineAnswer, Question
from bot.time_source import SystemTime
from tests.bot.engines.fakes import AMPLE, fake, question, searched, until_searches
from tests.fakes.time import FakeTime
from tests.fakes.waiting import eventually

# ---- several who share the processes -----------------------------------------------------------

DEFAULTS = {"Seed": "0", "Level": "weak"}


def set_at_each_go(log: Path) -> list[dict[str, str]]:
    """The options of the only process at each `go`, its defaults included."""
    current, found = dict(DEFAULTS), []
    for line in log.read_text().splitlines():
        match line.split(maxsplit=4):
            case ["setoption", "name", name, "value", value] if name != "Board":
                current[name] = value
            case ["go", *_]:
                found.append(dict(current))
            case _:
                pass
    return found


async def test_each_user_gets_their_own_options_and_none_of_the_former_users(
    tmp_path: Path,
) -> None:
    log = tmp_path / "log"
    async with EnginePool(fake("ok", "--log", log), 1, SystemTime()) as pool:
        strong = pool.user("strong", {"level": "very strong", "Seed": "5"})
        other = pool.user("other", {"Seed": "7"})
        plain = pool.user("plain", {})
        asked = [strong, other, strong, plain, plain, other]
        # The same game: an identity of each side may sit in it.
        answers = [await pool.ask(question(user=user)) for user in asked]
        assert pool.health.alive == 1
    wanted = {
        "strong": {"Seed": "5", "Level": "very strong"},
        "other": {"Seed": "7", "Level": "weak"},
        "plain": DEFAULTS,
    }
    assert set_at_each_go(log) == [wanted[user.name] for user in asked]
    assert [answer.engine.options for answer in answers] == [dict(user.options) for user in asked]
    assert {answer.source for answer in answers} == {"engine"}


async def test_an_option_that_no_user_named_is_not_sent(tmp_path: Path) -> None:
    log = tmp_path / "log"
    async with EnginePool(fake("ok", "--log", log), 1, SystemTime()) as pool:
        for name in ("one", "two"):
            await pool.ask(question(user=pool.user(name, {})))
    lines = [line for line in log.read_text().splitlines() if line.startswith("setoption")]
    assert lines == ["setoption name Board value pent-6"] * 2


async def test_a_cancelled_user_leaves_no_option_to_the_next(tmp_path: Path) -> None:
    log = tmp_path / "log"
    async with EnginePool(fake("waits", "--log", log), 1, SystemTime()) as pool:
        users = pool.user("strong", {"Level": "very strong"}), pool.user("plain", {})
        for number, user in enumerate(users, 1):
            asking = asyncio.create_task(pool.ask(question(user=user)))
            await until_searches(log, number)
            asking.cancel()
            await asyncio.wait({asking})
    assert [each["Level"] for each in set_at_each_go(log)] == ["very strong", "weak"]


@pytest.mark.parametrize(
    ("options", "reason"),
    [
        ({"Level": "odd"}, "does not offer Level 'odd'"),
        ({"Seed": "100"}, "does not offer Seed '100', only whole numbers from 0 to 99"),
        ({"Network": "a.nn"}, "has no default for Network"),
    ],
)
async def test_invalid_options_affect_only_their_user(options: dict[str, str], reason: str) -> None:
    async with EnginePool(fake(), 1, SystemTime()) as pool:
        proper, odd = pool.user("proper", {"Level": "weak"}), pool.user("odd", options)
        assert (await pool.ask(question(user=proper))).source == "engine"
        answer = await pool.ask(question(user=odd))
        assert (answer.source, reason in (answer.failure or "")) == ("fallback", True)
        assert (await pool.ask(question(user=proper))).source == "engine"
        assert pool.health.failures == {}


async def test_an_engine_that_fails_on_ones_options_stays_good_for_the_others() -> None:
    async with EnginePool(fake("no-level"), 1, SystemTime()) as pool:
        proper, odd = pool.user("proper", {}), pool.user("odd", {"Level": "very strong"})
        for _ in range(4):
            assert (await pool.ask(question(user=odd))).source == "fallback"
            assert pool.health.healthy
        assert pool.health.failures == {}
        assert (await pool.ask(question(user=proper))).source == "engine"


@asynccontextmanager
async def thinking(
    pool: EnginePool, *games: tuple[str, str]
) -> AsyncIterator[list[asyncio.Task[EngineAnswer]]]:
    """Users who ask, in this order, in games with these openings, for engines that think on."""
    tasks = [
        asyncio.create_task(pool.ask(question(opening, game_id=opening, user=pool.user(user, {}))))
        for user, opening in games
    ]
    try:
        yield tasks
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


async def test_no_user_can_hold_all_processes(tmp_path: Path) -> None:
    log = tmp_path / "log"
    async with EnginePool(fake("waits", "--log", log), 2, SystemTime()) as pool:
        pool.user("weak", {})
        async with thinking(pool, ("strong", "0-0"), ("strong", "1-0"), ("strong", "1-1")):
            await eventually(lambda: searched(log) == ["0-0"])
            await eventually(lambda: pool.health.alive == 2)
            async with thinking(pool, ("weak", "2-0")):
                await eventually(lambda: searched(log) == ["0-0", "2-0"])


async def test_users_of_one_process_alternate(tmp_path: Path) -> None:
    log = tmp_path / "log"
    async with (
        EnginePool(fake("waits", "--log", log), 1, SystemTime()) as pool,
        thinking(pool, ("strong", "0-0"), ("strong", "1-0"), ("weak", "2-0")) as asking,
    ):
        await eventually(lambda: searched(log) == ["0-0"])
        asking[0].cancel()
        await eventually(lambda: searched(log) == ["0-0", "2-0"])


# ---- those who can wait ------------------------------------------------------------------------

HOUR = 3600.0


class Patient:
    """A turn that can wait; it gets all the time that there is."""

    def __init__(self, due: float) -> None:
        self.due = self.latest = due
        self.is_live = False
        self.wanted = asyncio.Event()
        self.begun = 0
        self.interruptions = 0

    def waits(self, before: int) -> None:
        """A turn by correspondence is not told."""

    def begin(self) -> Budget:
        self.begun += 1
        return AMPLE

    def interrupted(self) -> None:
        self.interruptions += 1
        self.wanted.clear()


def patiently(patient: Patient, *turns: str) -> Question:
    return replace(question(*turns, game_id=turns[0]), patience=patient)


async def test_a_patient_turn_gets_an_engine_even_after_long_searches(tmp_path: Path) -> None:
    log, time = tmp_path / "log", FakeTime()
    async with EnginePool(fake("waits", "--log", log), 1, time) as pool:
        await eventually(lambda: pool.health.alive == 1)
        first = asyncio.create_task(pool.ask(question("0-0")))
        await until_searches(log, 1)
        patient = Patient(time.monotonic() + HOUR)
        second = asyncio.create_task(pool.ask(patiently(patient, "1-0")))
        await time.advance(59.8)
        assert (await first).source == "engine"
        await until_searches(log, 2)
        await time.advance(59.8)
        assert (await second).source == "engine"
        assert patient.begun == 1


async def test_when_it_is_due_the_fallback_plays(tmp_path: Path) -> None:
    log, time = tmp_path / "log", FakeTime()
    async with EnginePool(fake("waits", "--log", log), 1, time) as pool:
        await eventually(lambda: pool.health.alive == 1)
        first = asyncio.create_task(pool.ask(question("0-0")))
        await until_searches(log, 1)
        second = asyncio.create_task(pool.ask(patiently(Patient(time.monotonic() + 20), "1-0")))
        await time.advance(20)
        answer = await second
        assert (answer.source, answer.failure) == ("fallback", "no process was free in time")
        first.cancel()
        await asyncio.wait({first})


async def test_live_games_come_first_then_the_earliest_due_turn(tmp_path: Path) -> None:
    log, now = tmp_path / "log", SystemTime().monotonic()
    async with EnginePool(fake("waits", "--log", log), 1, SystemTime()) as pool:
        urgent = Patient(now + 30)
        asked = [
            question("0-0"),
            patiently(Patient(now + 3 * HOUR), "1-0"),
            patiently(Patient(now + HOUR), "1-1"),
            patiently(urgent, "1-2"),
            question("2-0"),
        ]
        tasks = []
        for each in asked:
            tasks.append(asyncio.create_task(pool.ask(each)))
            await until_searches(log, 1)
        served = ["0-0"]
        for number, game in enumerate(("1-2", "2-0", "1-1", "1-0"), 2):
            opening = {
                each.position.turns[0]: task for each, task in zip(asked, tasks, strict=True)
            }
            opening[served[-1]].cancel()
            await until_searches(log, number)
            served.append(game)
            assert searched(log) == served
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


async def test_an_urgent_turn_interrupts_a_patient_one(tmp_path: Path) -> None:
    log, patient = tmp_path / "log", Patient(SystemTime().monotonic() + HOUR)
    async with EnginePool(fake("waits", "--log", log), 1, SystemTime()) as pool:
        waits = asyncio.create_task(pool.ask(patiently(patient, "0-0")))
        await until_searches(log, 1)
        live = asyncio.create_task(pool.ask(question("1-0")))
        await until_searches(log, 2)
        assert patient.interruptions == 1
        live.cancel()
        await until_searches(log, 3)
        assert searched(log) == ["0-0", "1-0", "0-0"]
        assert pool.health.failures == {}
        waits.cancel()
        await asyncio.gather(live, waits, return_exceptions=True)


async def test_ones_own_search_that_can_wait_is_taken_back_also_where_others_share(
    tmp_path: Path,
) -> None:
    log, patient = tmp_path / "log", Patient(SystemTime().monotonic() + HOUR)
    async with EnginePool(fake("waits", "--log", log), 1, SystemTime()) as pool:
        both, _ = pool.user("both", {}), pool.user("other", {})
        waits = asyncio.create_task(pool.ask(replace(patiently(patient, "0-0"), user=both)))
        await until_searches(log, 1)
        live = asyncio.create_task(pool.ask(question("1-0", user=both)))
        await until_searches(log, 2)
        assert searched(log) == ["0-0", "1-0"]
        for task in (waits, live):
            task.cancel()
        await asyncio.gather(live, waits, return_exceptions=True)


async def test_a_patient_turn_gets_another_engine_after_a_failure(tmp_path: Path) -> None:
    patient = Patient(SystemTime().monotonic() + HOUR)
    spec = fake("dies", "--times", 1, "--state", tmp_path / "state")
    async with EnginePool(spec, 1, SystemTime()) as pool:
        assert (await pool.ask(patiently(patient, "0-0"))).source == "engine"
        assert pool.health.failures == {"died": 1}
    assert patient.begun == 2
