"""What goes to many people goes in slices, and only the newest of it."""

import asyncio

from bot.arena.edge.broadcast import MOST_CHANGES, SLICE, Crowds
from tests.fakes.waiting import eventually


class Listener:
    def __init__(self) -> None:
        self.heard: list[bytes] = []

    def put(self, frame: bytes) -> None:
        self.heard.append(frame)


def listeners(count: int) -> list[Listener]:
    return [Listener() for _ in range(count)]


async def until_served(crowds: Crowds, name: str) -> None:
    await eventually(lambda: not crowds.is_busy_with(name))


async def one_slice() -> None:
    """Let the crowd's task begin, or go on, once."""
    await asyncio.sleep(0)


async def test_each_recipient_gets_an_event_once() -> None:
    crowds, people = Crowds(), listeners(3 * SLICE + 1)
    crowds.send("game", b"1", people)
    await until_served(crowds, "game")
    assert all(each.heard == [b"1"] for each in people)


async def test_others_get_their_turn_between_two_slices() -> None:
    crowds, people = Crowds(), listeners(3 * SLICE)
    crowds.send("game", b"1", people)
    heard = []
    while crowds.is_busy_with("game"):
        await asyncio.sleep(0)
        heard.append(sum(map(len, (each.heard for each in people))))
    assert {SLICE, 2 * SLICE} <= set(heard)


async def test_a_newer_state_replaces_a_waiting_one() -> None:
    crowds, people = Crowds(), listeners(3 * SLICE)
    crowds.send("game", b"1", people)
    await one_slice()
    missed = [each for each in people if not each.heard]
    assert 0 < len(missed) < len(people)
    crowds.send("game", b"2", people)
    await until_served(crowds, "game")
    assert all(each.heard[-1] == b"2" for each in people)
    assert all(each.heard == [b"2"] for each in missed)


async def test_recipients_who_missed_the_older_state_are_served_first() -> None:
    crowds, people = Crowds(), listeners(2 * SLICE)
    crowds.send("game", b"1", people)
    await one_slice()
    missed = [each for each in people if not each.heard]
    crowds.send("game", b"2", people)
    await one_slice()
    assert [each for each in people if b"2" in each.heard] == missed


async def test_crowds_are_served_by_turns() -> None:
    crowds, one, two = Crowds(), listeners(4 * SLICE), listeners(SLICE)
    crowds.send("one", b"1", one)
    crowds.send("two", b"2", two)
    await one_slice()
    await one_slice()
    assert not crowds.is_busy_with("two")
    assert crowds.is_busy_with("one")
    await until_served(crowds, "one")


async def test_changes_arrive_at_every_recipient_in_order() -> None:
    crowds, people = Crowds(), listeners(3 * SLICE)
    crowds.send_change("game", b"1", people)
    await one_slice()
    crowds.send_change("game", b"2", people)
    crowds.send_change("game", b"3", people)
    await until_served(crowds, "game")
    assert all(each.heard == [b"1", b"2", b"3"] for each in people)


async def test_a_whole_state_replaces_waiting_changes() -> None:
    crowds, people = Crowds(), listeners(3 * SLICE)
    crowds.send_change("game", b"1", people)
    crowds.send_change("game", b"2", people)
    crowds.send("game", b"whole", people)
    await until_served(crowds, "game")
    assert all(each.heard == [b"whole"] for each in people)


async def test_a_limited_number_of_changes_waits_for_a_crowd() -> None:
    crowds, people = Crowds(), listeners(2 * SLICE)
    for number in range(MOST_CHANGES + 1):
        crowds.send_change("game", b"%d" % number, people)
    await until_served(crowds, "game")
    assert all(each.heard[0] == b"1" for each in people)
    assert all(len(each.heard) == MOST_CHANGES for each in people)


async def test_a_client_that_requested_the_whole_state_gets_no_older_events_after_it() -> None:
    crowds, people = Crowds(), listeners(3 * SLICE)
    crowds.send_change("game", b"1", people)
    crowds.send_change("game", b"2", people)
    crowds.forget("game", people[0])
    await until_served(crowds, "game")
    assert people[0].heard == []
    assert all(each.heard == [b"1", b"2"] for each in people[1:])
