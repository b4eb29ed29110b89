"""Places for work that keys share fairly."""

import asyncio

import pytest

from bot.runtime.fair_places import FairPlaces, NoRoom


class Desk:
    """Work that is done in the order in which places are granted, until it is let go."""

    def __init__(self, places: FairPlaces) -> None:
        self.places = places
        self.began: list[str] = []
        self.goes_on = asyncio.Event()

    def ask(self, key: str, name: str = "") -> asyncio.Task[None]:
        return asyncio.create_task(self._work(key, name or key))

    async def _work(self, key: str, name: str) -> None:
        async with self.places.taken(key):
            self.began.append(name)
            await self.goes_on.wait()


async def settle() -> None:
    for _ in range(20):
        await asyncio.sleep(0)


async def test_keys_take_turns() -> None:
    desk = Desk(FairPlaces(1))
    flood = [desk.ask("a", f"a{number}") for number in range(5)]
    await settle()
    others = [desk.ask("b"), desk.ask("c")]
    await settle()
    assert desk.began == ["a0"]
    desk.goes_on.set()
    await asyncio.gather(*flood, *others)
    assert desk.began == ["a0", "a1", "b", "c", "a2", "a3", "a4"]


async def test_a_key_has_its_share_of_the_places() -> None:
    desk = Desk(FairPlaces(3, of_each=2))
    asked = [desk.ask(key) for key in "aaaab"]
    await settle()
    assert desk.began == ["a", "a", "b"]
    desk.goes_on.set()
    await asyncio.gather(*asked)
    assert desk.places.running == 0


async def test_more_than_may_wait_is_refused() -> None:
    desk = Desk(FairPlaces(1, waiting=2))
    asked = [desk.ask("a") for _ in range(3)]
    await settle()
    with pytest.raises(NoRoom):
        await desk.places.take("a")
    other = desk.ask("b")
    desk.goes_on.set()
    await asyncio.gather(*asked, other)


async def test_who_no_longer_waits_gets_no_place() -> None:
    desk = Desk(FairPlaces(1))
    asked = [desk.ask("a", name) for name in ("one", "two", "three")]
    await settle()
    asked[1].cancel()
    await settle()
    assert desk.places.waiting_of("a") == 1
    desk.goes_on.set()
    await asyncio.gather(*asked, return_exceptions=True)
    assert desk.began == ["one", "three"]
    assert desk.places.running == 0


async def test_a_place_that_is_granted_at_the_moment_of_a_cancellation_is_given_back() -> None:
    places = FairPlaces(1)
    await places.take("a")
    waiting = asyncio.create_task(places.take("b"))
    await settle()
    places.give_back("a")
    waiting.cancel()
    await asyncio.gather(waiting, return_exceptions=True)
    assert places.running == 0
    await places.take("c")


async def test_those_who_leave_together_leave_no_place_taken() -> None:
    desk = Desk(FairPlaces(1))
    asked = [desk.ask("a") for _ in range(5)]
    await settle()
    for task in asked:  # the one that runs gives its place back before the others have noticed
        task.cancel()
    await asyncio.gather(*asked, return_exceptions=True)
    assert (desk.places.running, desk.places.waiting_of("a")) == (0, 0)
    async with desk.places.taken("b"):
        pass
