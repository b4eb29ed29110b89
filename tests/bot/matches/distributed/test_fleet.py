import asyncio

import pytest

from bot.errors import HostError
from bot.matches.distributed.fleet import Fleet, Member
from tests.fakes.time import FakeTime

from .fakes import facts

ENGINES = ("left", "right")


def member(name: str, slots: int = 1, **lacks: str) -> Member:
    return Member(facts(name, slots), lacks, now=0.0)


def fleet_of(*members: Member) -> Fleet:
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


async def test_a_worker_without_an_engine_gets_no_game_of_it() -> None:
    fleet = fleet_of(member("one", left="no such program"))
    place = asyncio.create_task(fleet.take(1, ENGINES))
    await FakeTime.settle()
    assert fleet.stuck() == "no worker has left: no such program"
    fleet.add(member("two"))
    assert (await place).address == "tcp://two"
    assert fleet.stuck() is None


async def test_another_worker_is_waited_for_where_one_has_failed_the_game() -> None:
    fleet = fleet_of(member("one"), member("two"))
    busy = await fleet.take(1, ENGINES, avoided=["tcp://one"])
    assert busy.address == "tcp://two"
    place = asyncio.create_task(fleet.take(2, ENGINES, avoided=["tcp://one"]))
    await FakeTime.settle()
    assert not place.done()
    fleet.give_back(busy, 1)
    assert (await place).address == "tcp://two"


async def test_where_all_have_failed_a_game_any_will_do() -> None:
    fleet = fleet_of(member("one"))
    assert (await fleet.take(1, ENGINES, avoided=["tcp://one"])).address == "tcp://one"


async def test_a_worker_short_of_memory_begins_nothing() -> None:
    paused = Member(facts("one", takes_games=False), {}, now=0.0)
    fleet = fleet_of(paused)
    place = asyncio.create_task(fleet.take(1, ENGINES))
    await FakeTime.settle()
    assert not place.done()
    paused.hear(facts("one"), now=1.0)
    fleet.hand_out()
    assert await place is paused


async def test_a_game_that_is_not_wanted_any_more_leaves_its_place() -> None:
    fleet = fleet_of(member("one"))
    first = await fleet.take(1, ENGINES)
    place = asyncio.create_task(fleet.take(2, ENGINES))
    await FakeTime.settle()
    fleet.give_back(first, 1)  # given to the second, which is cancelled before it knows
    place.cancel()
    await asyncio.gather(place, return_exceptions=True)
    assert first.free == 1
    assert fleet.waiting == 0


async def test_nobody_waits_where_nothing_will_come() -> None:
    fleet = fleet_of()
    place = asyncio.create_task(fleet.take(1, ENGINES))
    await FakeTime.settle()
    assert fleet.stuck() == "no worker is there"
    fleet.fail(HostError("all is lost"))
    with pytest.raises(HostError):
        await place
    with pytest.raises(HostError):
        await fleet.take(2, ENGINES)


async def test_figures_tell_who_played_and_who_is_slow() -> None:
    quick, slow, idle, gone = member("quick"), member("slow"), member("idle"), member("gone")
    fleet = fleet_of(quick, slow, idle, gone)
    quick.games, quick.seconds = 20, 20.0
    slow.games, slow.seconds = 4, 40.0
    gone.lost = 1
    fleet.remove("tcp://gone", "it is gone")
    told = {each.worker: each for each in fleet.figures()}
    assert [each.worker for each in fleet.figures()][:2] == ["quick", "slow"]
    assert (told["slow"].mean_s, told["slow"].is_slow, told["quick"].is_slow) == (10.0, True, False)
    assert (told["gone"].is_there, told["gone"].lost) == (False, 1)
    assert told["idle"].mean_s is None


async def test_who_went_without_having_done_anything_is_not_spoken_of() -> None:
    fleet = fleet_of(member("one"))
    fleet.remove("tcp://one", "it is gone")
    assert fleet.figures() == []
