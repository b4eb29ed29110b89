"""A turn is sent once, and again only when it is sure that it was not played."""

from collections.abc import Callable
from datetime import timedelta

import pytest
from structlog.testing import capture_logs

from bot.errors import PeerError
from bot.guests.abstract_play.answers import Conclusion, Verdict
from bot.guests.abstract_play.store import Sent
from bot.guests.abstract_play.submissions import APART_S, SETTLED_AFTER_S, Outdated, Submissions
from bot.platforms.base import GameFacts, NoAnswer, NotNow, TurnRefused
from tests.bot.guests.abstract_play.sinks import facts
from tests.fakes.time import FakeTime

PLAYED = Conclusion(Verdict.PLAYED)
UNKNOWN = Conclusion(Verdict.READ_THE_GAME, "504")
NOT_PLAYED = Conclusion(Verdict.NOT_PLAYED, "illegal")


class Site:
    """A game at ply 4 with us to move; `answers` are those to what is sent, the last for ever."""

    def __init__(self, *answers: Conclusion) -> None:
        self.time = PassingTime()
        self.stands: Callable[[], GameFacts] = lambda: facts(4)
        self.seen = 4
        self.turns: list[str] = []
        self.reads: list[float] = []
        self.written: Sent | None = None
        self.takes_s = 0.0
        self._answers = list(answers)
        self.submissions = Submissions(self.send, self.read, lambda _: self.seen, self, self.time)

    async def submit(self, turn: str = "1-1") -> Conclusion:
        return await self.submissions.submit("g1", 4, turn)

    async def send(self, game_id: str, turn: str) -> Conclusion:
        assert game_id == "g1"
        assert self.written == Sent(4, turn, self.time.wall()), "it is written down before"
        self.turns.append(turn)
        await self.time.sleep(self.takes_s)
        return self._answers.pop(0) if len(self._answers) > 1 else self._answers[0]

    async def read(self, game_id: str) -> GameFacts:
        assert game_id == "g1"
        self.reads.append(self.time.monotonic())
        return self.stands()

    # ---- a store ---------------------------------------------------------------------------

    async def sending(self, game_id: str, sent: Sent) -> None:
        assert game_id == "g1"
        self.written = sent

    async def sent(self, game_id: str) -> Sent | None:
        assert game_id == "g1"
        return self.written

    async def settled(self, game_id: str) -> None:
        assert game_id == "g1"
        self.written = None


class PassingTime(FakeTime):
    """Nobody else sleeps: time passes by itself."""

    async def sleep(self, seconds: float) -> None:
        await self.jump(seconds)


async def test_a_turn_that_is_played_is_settled() -> None:
    site = Site(PLAYED)

    assert await site.submit() == PLAYED

    assert site.turns == ["1-1"]
    assert site.written is None
    assert site.reads == []


async def test_without_an_answer_the_doubt_stays() -> None:
    site = Site(UNKNOWN)

    with pytest.raises(NoAnswer):
        await site.submit()

    assert site.written is not None


async def test_in_doubt_the_game_is_read_twice_and_late_before_the_same_is_sent_again() -> None:
    site = Site(UNKNOWN, PLAYED)
    began = site.time.monotonic()
    with pytest.raises(NoAnswer):
        await site.submit()

    assert await site.submit() == PLAYED

    first, second = site.reads
    assert second - began >= SETTLED_AFTER_S
    assert second - first >= APART_S
    assert site.turns == ["1-1", "1-1"]


async def test_after_a_long_while_the_two_reads_are_still_apart() -> None:
    site = Site(PLAYED)
    site.written = Sent(4, "1-1", site.time.wall() - timedelta(hours=1))

    await site.submit()

    first, second = site.reads
    assert second - first == APART_S


async def test_a_clock_that_was_set_back_causes_no_long_wait() -> None:
    site = Site(PLAYED)
    site.written = Sent(4, "1-1", site.time.wall() + timedelta(hours=1))

    await site.submit()

    first, second = site.reads
    assert second - first == SETTLED_AFTER_S


async def test_a_turn_that_was_played_despite_the_answer_is_not_sent_again() -> None:
    site = Site(UNKNOWN)
    with pytest.raises(NoAnswer):
        await site.submit()
    site.stands = lambda: facts(5, ours=False)

    with pytest.raises(Outdated):
        await site.submit()

    assert site.turns == ["1-1"]
    assert site.written is None


async def test_a_turn_that_only_the_second_read_shows_is_not_sent_again() -> None:
    site = Site(UNKNOWN)
    with pytest.raises(NoAnswer):
        await site.submit()
    site.stands = lambda: facts(4) if len(site.reads) < 2 else facts(5, ours=False)

    with pytest.raises(Outdated):
        await site.submit()

    assert site.turns == ["1-1"]


async def test_a_read_that_is_older_than_the_turn_settles_nothing() -> None:
    site = Site(UNKNOWN, PLAYED)
    with pytest.raises(NoAnswer):
        await site.submit()
    site.stands = lambda: facts(3, ours=False)

    with pytest.raises(NoAnswer, match="older"):
        await site.submit()

    assert site.turns == ["1-1"]
    assert site.written is not None


async def test_the_wait_counts_from_the_answer_that_left_a_doubt() -> None:
    site = Site(UNKNOWN, PLAYED)
    site.takes_s = 15.0
    with pytest.raises(NoAnswer):
        await site.submit()
    answered = site.time.monotonic()

    await site.submit()

    assert site.reads[1] - answered >= SETTLED_AFTER_S


async def test_a_game_that_was_seen_further_is_sent_nothing() -> None:
    site = Site(PLAYED)
    site.seen = 6

    with pytest.raises(Outdated):
        await site.submit()

    assert site.turns == []


async def test_doubt_about_an_earlier_ply_is_harmless() -> None:
    site = Site(PLAYED)
    site.written = Sent(2, "0-0", site.time.wall())

    assert await site.submit() == PLAYED

    assert site.reads == []


async def test_a_turn_that_is_not_played_again_and_again_is_refused() -> None:
    site = Site(NOT_PLAYED)

    with pytest.raises(TurnRefused, match="illegal"):
        await site.submit()

    assert site.turns == ["1-1"] * 4
    assert len(site.reads) == 2 * 4
    assert site.written is None


async def test_a_platform_that_cannot_store_a_turn_for_a_minute_gets_the_same_one_again() -> None:
    site = Site(NOT_PLAYED, NOT_PLAYED, NOT_PLAYED, PLAYED)
    before = site.time.monotonic()

    assert await site.submit() == PLAYED

    assert site.turns == ["1-1"] * 4
    assert site.time.monotonic() - before > 60


async def test_the_game_counts_more_than_the_message_of_a_refusal() -> None:
    site = Site(NOT_PLAYED)
    site.stands = lambda: facts(5, ours=False)

    with pytest.raises(Outdated):
        await site.submit()

    assert site.turns == ["1-1"]


@pytest.mark.parametrize(
    ("answer", "is_settled"),
    [
        (Conclusion(Verdict.LATER, "429", retry_after_s=7), False),
        (Conclusion(Verdict.NEW_TOKEN, "401", retry_after_s=7), True),
        (Conclusion(Verdict.NOT_SENT, "no token", retry_after_s=7), True),
    ],
)
async def test_a_requested_pause_is_observed(answer: Conclusion, is_settled: bool) -> None:
    site = Site(answer)

    with pytest.raises(NotNow) as refusal:
        await site.submit()

    assert refusal.value.retry_after_s == 7
    assert (site.written is None) == is_settled


async def test_a_turn_that_a_pause_held_back_goes_out_when_it_is_over() -> None:
    site = Site(Conclusion(Verdict.NOT_SENT, "a pause", retry_after_s=7), PLAYED)
    began = site.time.monotonic()

    with capture_logs() as logs, pytest.raises(NotNow) as refusal:
        await site.submit()
    await site.time.sleep(refusal.value.retry_after_s)
    await site.submit()

    assert site.time.monotonic() - began == 7
    assert site.reads == []
    assert logs == [], "nothing is in doubt"


async def test_a_game_that_cannot_be_read_keeps_the_turn_back() -> None:
    site = Site(UNKNOWN)
    with pytest.raises(NoAnswer):
        await site.submit()

    def fails() -> GameFacts:
        raise NoAnswer("504")

    site.stands = fails
    with pytest.raises(PeerError):
        await site.submit()

    assert site.turns == ["1-1"]
    assert site.written is not None
