"""The fair queue of analyses."""

import random
from collections import Counter

import pytest

from bot import wire
from bot.arena.analysis.analysis_queue import Ask, FairQueue, QueueFull, seconds_for

SETUP = wire.AnalysisSetup()


def ask(visitor: str, origin: str = "home", key: str = "", seconds: float = 1.0) -> Ask:
    return Ask(visitor, origin, f"of-{visitor}", key or visitor, SETUP, (), seconds)


def served(queue: FairQueue) -> list[str]:
    found = []
    while (each := queue.pop()) is not None:
        found.append(each.visitor)
    return found


def test_a_new_position_replaces_the_one_that_waits_and_keeps_its_place() -> None:
    queue = FairQueue()
    queue.put(ask("anna", key="old"))
    queue.put(ask("ben"))
    former = queue.put(ask("anna", key="new"))
    assert former is not None
    assert former.key == "old"
    first = queue.pop()
    assert first is not None
    assert (first.visitor, first.key, len(queue)) == ("anna", "new", 1)


def test_addresses_take_turns_however_many_visitors_each_has() -> None:
    queue = FairQueue()
    for number in range(5):
        queue.put(ask(f"pupil{number}", "school"))
    queue.put(ask("anna", "home"))
    assert served(queue)[:3] == ["pupil0", "anna", "pupil1"]


def test_a_visitor_who_was_served_and_asks_again_waits_behind_the_others() -> None:
    queue = FairQueue()
    for name in ("anna", "ben", "carl"):
        queue.put(ask(name, f"at-{name}"))
    order = []
    for _ in range(6):
        each = queue.pop()
        assert each is not None
        order.append(each.visitor)
        queue.put(each)
    assert order == ["anna", "ben", "carl"] * 2


def test_the_queue_has_room_for_so_many_visitors_and_each_keeps_theirs() -> None:
    queue = FairQueue(most=2)
    queue.put(ask("anna"))
    queue.put(ask("ben"))
    with pytest.raises(QueueFull):
        queue.put(ask("carl"))
    queue.put(ask("anna", key="another"))
    queue.drop("ben")
    queue.put(ask("carl"))
    assert served(queue) == ["anna", "carl"]


def test_a_lost_request_is_the_next_one() -> None:
    queue = FairQueue()
    queue.put(ask("anna", "a"))
    queue.put(ask("ben", "b"), first=True)
    assert served(queue) == ["ben", "anna"]


def test_one_search_serves_all_who_asked_for_as_much_or_less() -> None:
    queue = FairQueue()
    queue.put(ask("anna", key="start", seconds=4))
    queue.put(ask("ben", key="start", seconds=15))
    queue.put(ask("carl", key="start", seconds=1))
    first = queue.pop()
    assert first is not None
    assert [each.visitor for each in queue.take_equal(first)] == ["carl"]
    assert served(queue) == ["ben"]


@pytest.mark.parametrize("seed", range(20))
def test_whatever_happens_nobody_is_lost_served_twice_or_starved(seed: int) -> None:
    chance, queue = random.Random(seed), FairQueue(most=8)
    waiting: dict[str, str] = {}
    passed: Counter[str] = Counter()
    for step in range(400):
        name = f"visitor{chance.randrange(10)}"
        match chance.choice(["put", "put", "drop", "pop"]):
            case "put":
                try:
                    queue.put(ask(name, f"at-{chance.randrange(3)}", f"{step}"))
                    waiting[name] = f"{step}"
                except QueueFull:
                    assert len(waiting) == 8
                    assert name not in waiting
            case "drop":
                dropped = queue.drop(name)
                assert (dropped.key if dropped else None) == waiting.pop(name, None)
                passed.pop(name, None)
            case _:
                order = [each.visitor for each in queue.in_order()]
                each = queue.pop()
                assert (each.visitor if each else None) == (order[0] if order else None)
                if each is not None:
                    assert waiting.pop(each.visitor) == each.key
                    passed.pop(each.visitor, None)
                passed.update(waiting.keys())
        assert len(queue) == len(waiting)
        assert {each.visitor: each.key for each in queue.in_order()} == waiting
        assert max(passed.values(), default=0) <= 40


def test_a_crowd_makes_searches_shorter_and_more_engines_longer() -> None:
    assert seconds_for(4.0, 2, 1) == 4.0
    assert seconds_for(4.0, 10, 1) == 1.0
    assert seconds_for(4.0, 50, 1) == 0.5
    assert seconds_for(4.0, 10, 4) == 4.0
    assert seconds_for(0.3, 50, 1) == 0.3
