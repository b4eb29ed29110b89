"""What every bus promises: within one process, over PostgreSQL, and over Valkey."""

import asyncio
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from collections.abc import Set as AbstractSet
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path

import pytest
import structlog

from bot.arena.cluster.bus import Bus, Envelope, bus_key
from bot.arena.cluster.connected_bus import LOST, ConnectedBus
from tests.bot.arena.cluster.wiring import KEY, Wire, wire_of
from tests.fakes.time import FakeTime
from tests.fakes.waiting import eventually

KINDS = (
    "local",
    "valkey",
    pytest.param("postgres", marks=pytest.mark.xdist_group("postgres")),
)


@dataclass
class Member:
    """A process: its bus, and what it got."""

    bus: Bus
    got: list[bytes] = field(default_factory=list)
    gaps: int = 0

    def __post_init__(self) -> None:
        self.bus.on_message = self.got.append
        self.bus.on_gap = self._gap

    def _gap(self) -> None:
        self.gaps += 1


@pytest.fixture(params=KINDS)
def wire(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Wire]:
    with wire_of(request.param, request, tmp_path) as made:
        yield made


@asynccontextmanager
async def member_of(wire: Wire, name: str, *topics: str) -> AsyncIterator[Member]:
    member = Member(wire.bus(name))
    for topic in topics:
        member.bus.subscribe(topic)
    await member.bus.open()
    try:
        await member.bus.settle()
        yield member
    finally:
        await member.bus.close()


@pytest.fixture
async def pair(wire: Wire) -> AsyncIterator[tuple[Member, Member]]:
    """Two processes that both subscribe to the game g1 and to the end of the test."""
    async with AsyncExitStack() as stack:
        one = await stack.enter_async_context(member_of(wire, "one", "game:g1", "end"))
        two = await stack.enter_async_context(member_of(wire, "two", "game:g1", "end"))
        yield one, two


async def got_all(publisher: Member, subscriber: Member) -> list[bytes]:
    """What the subscriber has got when everything that was published before is there."""
    publisher.bus.publish(["end"], b"end")
    await eventually(lambda: b"end" in subscriber.got)
    subscriber.got.remove(b"end")
    return subscriber.got


async def test_a_message_reaches_the_other_processes_that_subscribe(wire: Wire) -> None:
    async with (
        member_of(wire, "one") as one,
        member_of(wire, "two", "game:g1", "end") as two,
        member_of(wire, "three", "game:g1", "end") as three,
        member_of(wire, "four", "game:g2", "end") as four,
    ):
        one.bus.publish(["game:g1"], b"a turn\x00\xff")
        assert await got_all(one, two) == [b"a turn\x00\xff"]
        await eventually(lambda: len(three.got) >= 2)
        await eventually(lambda: b"end" in four.got)
        assert four.got == [b"end"]


async def test_a_process_does_not_get_its_own_messages(pair: tuple[Member, Member]) -> None:
    one, two = pair
    one.bus.publish(["game:g1"], b"mine")
    assert await got_all(one, two) == [b"mine"]
    assert await got_all(two, one) == []


async def test_a_message_with_several_topics_comes_once(pair: tuple[Member, Member]) -> None:
    one, two = pair
    two.bus.subscribe("player:anna")
    two.bus.subscribe("lobby")
    await two.bus.settle()
    one.bus.publish(["lobby", "game:g1", "game:g2", "player:anna"], b"started")
    one.bus.publish(["player:anna", "lobby"], b"ended")
    assert await got_all(one, two) == [b"started", b"ended"]


async def test_topics_may_have_any_characters(pair: tuple[Member, Member]) -> None:
    one, two = pair
    topic = 'player:Zoë "O\'Hara" %s\n{}*' + "x" * 7000
    two.bus.subscribe(topic)
    await two.bus.settle()
    one.bus.publish([topic], b"hello")
    assert await got_all(one, two) == [b"hello"]


async def test_nothing_comes_after_unsubscribing(pair: tuple[Member, Member]) -> None:
    one, two = pair
    two.bus.unsubscribe("game:g1")
    two.bus.unsubscribe("game:unknown")
    one.bus.publish(["game:g1"], b"missed")
    assert await got_all(one, two) == []
    two.bus.subscribe("game:g1")
    await two.bus.settle()
    one.bus.publish(["game:g1"], b"seen")
    assert await got_all(one, two) == [b"seen"]


async def test_messages_of_a_publisher_come_in_their_order(pair: tuple[Member, Member]) -> None:
    one, two = pair
    messages = [b"%d" % number for number in range(3000)]
    for number, message in enumerate(messages):
        one.bus.publish(["game:g1", "end"] if number % 7 else ["game:g1"], message)
    assert await got_all(one, two) == messages


async def test_a_message_may_have_a_megabyte(pair: tuple[Member, Member]) -> None:
    one, two = pair
    large = bytes(range(256)) * 4096
    one.bus.publish(["game:g1"], b"before")
    one.bus.publish(["game:g1"], large)
    one.bus.publish(["game:g1"], b"")
    assert await got_all(one, two) == [b"before", large, b""]


async def test_a_failing_subscriber_gets_the_next_message(pair: tuple[Member, Member]) -> None:
    one, two = pair

    def fail_once(message: bytes) -> None:
        two.bus.on_message = two.got.append
        raise RuntimeError(message)

    two.bus.on_message = fail_once
    one.bus.publish(["game:g1"], b"first")
    one.bus.publish(["game:g1"], b"second")
    assert await got_all(one, two) == [b"second"]


async def test_all_hear_of_the_gap_and_go_on_when_the_server_comes_back(
    wire: Wire, pair: tuple[Member, Member]
) -> None:
    one, two = pair
    wire.stop()
    for _ in range(50_000):
        one.bus.publish(["game:g1"], b"nobody hears this" * 1000)
    two.bus.subscribe("game:g2")
    wire.start()
    await eventually(lambda: one.gaps > 0 and two.gaps > 0)
    await two.bus.settle()
    two.got.clear()
    one.bus.publish(["game:g2"], b"back")
    assert (await got_all(one, two))[-1:] == [b"back"]
    two.bus.publish(["game:g1"], b"me too")
    assert await got_all(two, one) == [b"me too"]


async def test_closing_is_possible_at_any_time(wire: Wire) -> None:
    never_open, twice = wire.bus("one"), wire.bus("two")
    never_open.publish(["game:g1"], b"dropped")
    await never_open.close()
    await twice.open()
    await twice.close()
    await twice.close()
    twice.publish(["game:g1"], b"dropped")
    async with member_of(wire, "three"):
        wire.stop()
    wire.start()


class SlowToClose:
    """A transport with one session, which is lost at once, and then needs long to disconnect."""

    name = "slow"
    errors: tuple[type[Exception], ...] = ()

    def __init__(self) -> None:
        self.closing, self.may_close, self.is_closed = asyncio.Event(), asyncio.Event(), False

    async def connect(self, topics: AbstractSet[str]) -> "SlowToClose":  # noqa: ARG002
        if self.closing.is_set():
            await asyncio.Event().wait()
        return self

    async def receive(self, take: Callable[[Envelope], None]) -> None:  # noqa: ARG002
        raise OSError("lost")

    async def send(self, batch: Sequence[Envelope]) -> None:
        pass

    async def follow(self, topics: AbstractSet[str]) -> None:
        pass

    async def close(self) -> None:
        self.closing.set()
        await self.may_close.wait()
        self.is_closed = True


async def test_closing_waits_for_a_lost_session_that_still_disconnects() -> None:
    transport = SlowToClose()
    bus = ConnectedBus(transport, KEY)
    await bus.open()
    await transport.closing.wait()
    closing = asyncio.create_task(bus.close())
    asyncio.get_running_loop().call_soon(transport.may_close.set)
    await closing
    assert transport.is_closed


class Forgeable:
    """A transport into which a test puts what the server of the bus delivers."""

    name = "forgeable"
    errors: tuple[type[Exception], ...] = ()

    def __init__(self) -> None:
        self.delivered: asyncio.Queue[Envelope] = asyncio.Queue()
        self.sent: list[Envelope] = []

    async def connect(self, topics: AbstractSet[str]) -> "Forgeable":  # noqa: ARG002
        return self

    async def receive(self, take: Callable[[Envelope], None]) -> None:
        while True:
            take(await self.delivered.get())

    async def send(self, batch: Sequence[Envelope]) -> None:
        self.sent += batch

    async def follow(self, topics: AbstractSet[str]) -> None: ...

    async def close(self) -> None: ...


def signed(number: int, message: bytes, key: bytes = KEY, topic: str = "arena") -> Envelope:
    bare = Envelope("another", number, (topic,), message)
    return replace(bare, mac=bare.mac_by(key))


@pytest.mark.parametrize(
    "forged",
    [
        Envelope("another", 2, ("arena",), b"forged"),
        signed(2, b"forged", bus_key("a guess")),
        replace(signed(1, b"true"), number=2),
        replace(signed(1, b"true"), sender="a third", number=1),
        replace(signed(2, b"true"), message=b"forged"),
        replace(signed(1, b"true"), number=10**19),
        signed(10**19, b"too high"),
        replace(signed(1, b""), topics=(LOST,), number=3),
    ],
)
async def test_a_stranger_on_the_bus_is_not_heard_and_deafens_nobody(forged: Envelope) -> None:
    transport = Forgeable()
    member = Member(ConnectedBus(transport, KEY))
    member.bus.subscribe("arena")
    await member.bus.open()
    try:
        for each in (signed(1, b"true"), forged, signed(2, b"also true")):
            transport.delivered.put_nowait(each)
        await eventually(lambda: b"also true" in member.got)
    finally:
        await member.bus.close()
    assert (member.got, member.gaps) == ([b"true", b"also true"], 0)


async def test_a_flood_of_forged_messages_is_one_line_of_the_log() -> None:
    transport = Forgeable()
    bus = ConnectedBus(transport, KEY, FakeTime())
    bus.subscribe("arena")
    heard = asyncio.Event()
    bus.on_message = lambda _: heard.set()
    with structlog.testing.capture_logs() as lines:
        await bus.open()
        for number in range(100):
            transport.delivered.put_nowait(replace(signed(number, b"x"), mac="0" * 32))
        transport.delivered.put_nowait(signed(1, b"true"))
        await heard.wait()
        await bus.close()
    assert [line["event"] for line in lines] == ["bus_message_refused"]


async def test_what_a_bus_sends_another_one_of_the_arena_believes() -> None:
    transport = Forgeable()
    bus = ConnectedBus(transport, KEY)
    await bus.open()
    bus.publish(["arena"], b"hello")
    await eventually(lambda: bool(transport.sent))
    await bus.close()
    [envelope] = transport.sent
    assert envelope.is_by(KEY)
    assert not envelope.is_by(bus_key("another arena"))
