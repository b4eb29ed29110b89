"""Events of games of other processes, delivered here, and found if they were lost."""

from collections.abc import AsyncIterator
from dataclasses import dataclass, field

import pytest

from bot.arena.cluster.directory import Directory
from bot.arena.cluster.watch import END_S, GameWatch
from bot.arena.refusals import Refused, unavailable
from tests.bot.arena.cluster.fakes import FakeDelivery, entry
from tests.fakes.time import FakeTime


@dataclass
class Bench:
    """A watch over one game of process `b`, which a client of this process follows."""

    delivery: FakeDelivery = field(default_factory=lambda: FakeDelivery({"game:g"}))
    directory: Directory = field(default_factory=Directory)
    time: FakeTime = field(default_factory=FakeTime)
    fetched: list[str] = field(default_factory=list)
    refusal: Refused | None = None

    def __post_init__(self) -> None:
        self.watch = GameWatch(self.delivery, self.directory, self.whole, "a", self.time)
        self.directory.add(entry())

    async def whole(self, game_id: str) -> str:
        self.fetched.append(game_id)
        if self.refusal is not None:
            raise self.refusal
        return f"whole {game_id}"

    def receive(
        self, revision: int, form: str = "change", *, over: bool = False, plies: int = 0
    ) -> None:
        told = {
            "game": "g",
            "names": ["Anna", "Ben"],
            "revision": revision,
            "plies": plies,
            "form": form,
            "over": over,
        }
        self.watch.received(told, f"{form} {revision}")


@pytest.fixture
async def bench() -> AsyncIterator[Bench]:
    made = Bench()
    yield made
    await made.watch.close()


async def test_changes_and_whole_games_are_passed_on(bench: Bench) -> None:
    bench.receive(2, plies=1)
    bench.receive(3, "whole", plies=2)
    assert bench.delivery.sent == [("change", "change 2", False), ("game", "whole 3", True)]
    found = bench.directory.find("g")
    assert found is not None
    assert found.plies == 2
    assert not bench.fetched


async def test_clients_of_whole_games_get_one_for_several_changes(bench: Bench) -> None:
    bench.delivery.need_whole = True
    for revision in range(2, 7):
        bench.receive(revision)
    await bench.time.settle()
    assert bench.fetched == ["g"]
    assert bench.delivery.sent[-1] == ("game", "whole g", False)
    bench.receive(7)
    await bench.time.settle()
    assert bench.fetched == ["g", "g"]


async def test_a_lost_event_is_found_by_the_revision(bench: Bench) -> None:
    assert bench.watch.shown == ["g"]
    bench.receive(4)
    bench.watch.compare({"g": 4})
    await bench.time.settle()
    assert bench.delivery.sent == [("change", "change 4", False)]
    bench.watch.compare({"g": 5})
    bench.watch.compare({"g": 5})
    await bench.time.settle()
    assert bench.delivery.sent[1:] == [("game", "whole g", True)]


async def test_a_game_of_which_no_event_has_come_is_fetched_once(bench: Bench) -> None:
    bench.watch.compare({"g": 4})
    bench.watch.compare({"g": 4})
    await bench.time.settle()
    assert bench.delivery.sent == [("game", "whole g", True)]


async def test_games_that_no_client_sees_are_not_compared(bench: Bench) -> None:
    bench.delivery.rooms = {"player:Carl"}
    assert bench.watch.shown == []
    bench.delivery.rooms = {"player:Ben"}
    assert bench.watch.shown == ["g"]
    bench.directory.add(entry(owner="a", epoch=2))
    assert bench.watch.shown == []


async def test_an_end_is_delivered_once(bench: Bench) -> None:
    bench.receive(2)
    bench.directory.end("g")  # which every process hears first
    bench.receive(3, "whole", over=True)
    await bench.time.advance(2 * END_S)
    assert [text for _, text, _ in bench.delivery.sent] == ["change 2", "whole 3"]


async def test_an_end_whose_event_was_lost_is_fetched(bench: Bench) -> None:
    bench.receive(2)
    bench.directory.end("g")
    await bench.time.advance(END_S)
    assert bench.delivery.sent[-1] == ("game", "whole g", True)


async def test_the_end_of_an_own_game_is_not_fetched(bench: Bench) -> None:
    bench.receive(2)
    bench.directory.add(entry(owner="a", epoch=2))
    bench.directory.end("g")
    await bench.time.advance(2 * END_S)
    assert not bench.fetched


async def test_a_game_that_cannot_be_had_is_tried_at_the_next_news(bench: Bench) -> None:
    bench.refusal = unavailable()
    bench.watch.compare({"g": 5})
    await bench.time.settle()
    bench.refusal = None
    bench.watch.compare({"g": 5})
    await bench.time.settle()
    assert bench.delivery.sent == [("game", "whole g", True)]
