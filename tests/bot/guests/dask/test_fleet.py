import asyncio

import pytest

from bot.errors import HostError
from bot.guests.dask.fleet import Fleet, HiredWorker
from tests.fakes.time import FakeTime

from .fakes import facts

ENGINES = ("left", "right")


def member(name: str, slots: int = 1, **lacks: str) -> HiredWorker:
    return HiredWorker(facts(name, slots), lacks, now=0.0)


def fleet_of(*members: HiredWorker) -> Fleet:
    fleet = Fleet(FakeTime())
    for each in members:
        fleet.add(each)
    return fleet


async def test_a_slot_takes_one_game_at_a_time() -> None:
    fleet = fleet_of(member("one", slots=2))
    places = [asyncio.create_task(fleet.take(game, ENGINES)) for game in (1, 2, 3)]
    await FakeTime.settle()
    assert [each.done() for each in places] == [True, True, False]
    fleet.give_back(places[0].result(), 1)
    await FakeTime.settle()
    assert places[2].result().address == "tcp://one"


async def test_games_go_where_most_slots_are_free() -> None:
    fleet = fleet_of(member("small"), member("large", slots=4))
    taken = [await fleet.take(game, ENGINES) for game in (1, 2, 3)]
    assert {each.address for each in taken} == {"tcp://large"}


async def test_a_worker_gets_no_game_of_an_engine_that_it_lacks() -> None:
    fleet = fleet_of(member("one", left="no such program"))
    place = asyncio.create_task(fleet.take(1, ENGINES))
    await FakeTime.settle()
    assert fleet.stuck() == "no worker can start left: no such program"
    fleet.add(member("two"))
    assert (await place).address == "tcp://two"
    assert fleet.stuck() is None


async def test_a_game_waits_for_another_worker_than_the_one_that_failed_it() -> None:
    fleet = fleet_of(member("one"), member("two"))
    busy = await fleet.take(1, ENGINES, avoided=["tcp://one"])
    assert busy.address == "tcp://two"
    place = asyncio.create_task(fleet.take(2, ENGINES, avoided=["tcp://one"]))
    await FakeTime.settle()
    assert not place.done()
    fleet.give_back(busy, 1)
    assert (await place).address == "tcp://two"


async def test_a_game_that_all_workers_have_failed_goes_to_any_of_them() -> None:
    fleet = fleet_of(member("one"))
    assert (await fleet.take(1, ENGINES, avoided=["tcp://one"])).address == "tcp://one"


async def test_a_worker_that_is_short_of_memory_begins_no_game() -> None:
    paused = HiredWorker(facts("one", takes_games=False), {}, now=0.0)
    fleet = fleet_of(paused)
    place = asyncio.create_task(fleet.take(1, ENGINES))
    await FakeTime.settle()
    assert not place.done()
    paused.hear(facts("one"), now=1.0)
    fleet.hand_out()
    assert await place is paused


async def test_a_cancelled_game_frees_its_slot() -> None:
    fleet = fleet_of(member("one"))
    first = await fleet.take(1, ENGINES)
    place = asyncio.create_task(fleet.take(2, ENGINES))
    await FakeTime.settle()
    fleet.give_back(first, 1)  # the second gets it, and is cancelled before it resumes
    place.cancel()
    await asyncio.gather(place, return_exceptions=True)
    assert first.free == 1
    assert fleet.waiting == 0


async def test_a_failed_fleet_raises_its_error_in_all_waiting_games() -> None:
    fleet = fleet_of()
    place = asyncio.create_task(fleet.take(1, ENGINES))
    await FakeTime.settle()
    assert fleet.stuck() == "no worker is connected"
    fleet.fail(HostError("all is lost"))
    with pytest.raises(HostError):
        await place
    with pytest.raises(HostError):
        await fleet.take(2, ENGINES)


async def test_figures_show_which_workers_played_and_which_are_slow() -> None:
    quick, slow, idle, gone = member("quick"), member("slow"), member("idle"), member("gone")
    fleet = fleet_of(quick, slow, idle, gone)
    quick.games, quick.seconds = 20, 20.0
    slow.games, slow.seconds = 4, 40.0
    gone.lost = 1
    fleet.remove("tcp://gone", "it is gone")
    shown = {each.worker: each for each in fleet.figures()}
    assert [each.worker for each in fleet.figures()][:2] == ["quick", "slow"]
    slowest = shown["slow"]
    assert (slowest.mean_s, slowest.is_slow, shown["quick"].is_slow) == (10.0, True, False)
    assert (shown["gone"].is_there, shown["gone"].lost) == (False, 1)
    assert shown["idle"].mean_s is None


async def test_figures_leave_out_lost_workers_without_a_game() -> None:
    fleet = fleet_of(member("one"))
    fleet.remove("tcp://one", "it is gone")
    assert fleet.figures() == []
