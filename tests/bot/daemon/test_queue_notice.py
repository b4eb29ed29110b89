"""What the opponent is told while a turn of ours waits for an engine."""

from bot.daemon.queue_notice import PAUSE_S, QueueNotice
from bot.errors import PeerError
from tests.fakes.platform import FakePlatform, facts
from tests.fakes.time import FakeTime


class Refusing(FakePlatform):
    """A server that accepts no notice."""

    async def report_queue(self, game_id: str, ply: int, before: int) -> None:
        await super().report_queue(game_id, ply, before)
        raise PeerError("rate_limited", "slower")


async def test_the_newest_number_is_sent_now_and_then_and_only_if_it_is_new() -> None:
    platform, time = FakePlatform(), FakeTime()
    async with QueueNotice(platform, facts("3-0"), time) as notice:
        for before in (4, 3):
            notice.note(before)
        await time.advance(PAUSE_S)
        assert platform.named("queue") == [("queue", "g1", 1, 3)]
        await time.advance(3 * PAUSE_S)
        notice.note(1)
        notice.note(0)
        await time.advance(PAUSE_S)
    assert platform.named("queue") == [("queue", "g1", 1, 3), ("queue", "g1", 1, 0)]
    await time.advance(PAUSE_S)
    assert time.sleepers == 0


async def test_nothing_is_sent_for_a_turn_that_begins_soon() -> None:
    platform, time = FakePlatform(), FakeTime()
    async with QueueNotice(platform, facts(), time) as notice:
        notice.note(0)
        await time.settle()
        assert time.sleepers == 0
        notice.note(1)
        await time.advance(PAUSE_S / 2)
        notice.note(0)
        await time.advance(3 * PAUSE_S)
    assert platform.named("queue") == []


async def test_a_notice_that_is_refused_ends_nothing() -> None:
    platform, time = Refusing(), FakeTime()
    async with QueueNotice(platform, facts(), time) as notice:
        for before in (2, 1):
            notice.note(before)
            await time.advance(PAUSE_S)
    assert [call[3] for call in platform.named("queue")] == [2, 1]
