"""Who is asked to wait waits, after a restart too."""

from datetime import timedelta

import pytest

from bot.platforms.abstract_play.calls import LONGEST_PAUSE_S, USUAL_PAUSE_S, Answer, Throttled
from bot.platforms.abstract_play.pauses import FIRST_PAUSE_S, Kind, PatientPoster
from tests.bot.platforms.abstract_play.posters import FakePoster, FakeWaits
from tests.fakes.time import FakeTime

FINE = Answer(200, b"", None)


def throttled(retry_after_s: float | None) -> Answer:
    return Answer(429, b"", retry_after_s)


class Desk:
    def __init__(self, *answers: Answer) -> None:
        self.time = FakeTime()
        self.waits = FakeWaits()
        self.poster = FakePoster(*answers)
        self.start()

    def start(self, kind: Kind = "moves") -> None:
        self.patient = PatientPoster(kind, self.poster, self.waits, self.time)

    async def post(self) -> int:
        return (await self.patient.post("https://x.example/", b"", {}, 100)).status

    @property
    def sent(self) -> int:
        return len(self.poster.posted)


@pytest.mark.parametrize(("asked_s", "pause_s"), [(120.0, 120.0), (None, FIRST_PAUSE_S)])
async def test_nothing_is_sent_before_the_platform_wants_it(
    asked_s: float | None, pause_s: float
) -> None:
    desk = Desk(throttled(asked_s), FINE)
    assert await desk.post() == 429
    await desk.time.advance(pause_s - 1)
    with pytest.raises(Throttled) as caught:
        await desk.post()
    assert caught.value.pause_s == pytest.approx(1)
    assert desk.sent == 1
    await desk.time.advance(1)
    assert await desk.post() == 200


async def test_pauses_of_which_nobody_said_how_long_grow_until_an_answer_comes() -> None:
    desk = Desk(*[throttled(None)] * 6, FINE, throttled(None), FINE)
    pauses = []
    while await desk.post() == 429:
        pauses.append(next(iter(desk.waits.kept.values())) - desk.time.wall())
        await desk.time.advance(USUAL_PAUSE_S)
    assert [pause.total_seconds() for pause in pauses] == [2, 4, 8, 16, 30, 30]
    await desk.post()
    await desk.time.advance(FIRST_PAUSE_S)
    assert await desk.post() == 200


async def test_a_pause_outlives_the_program() -> None:
    desk = Desk(throttled(600.0), FINE)
    await desk.post()
    assert desk.waits.kept == {"moves": desk.time.wall() + timedelta(seconds=600)}
    desk.start()
    with pytest.raises(Throttled):
        await desk.post()
    await desk.time.advance(600)
    assert await desk.post() == 200


async def test_who_reads_too_much_may_still_move() -> None:
    desk = Desk(throttled(600.0), FINE)
    desk.start("queries")
    await desk.post()
    desk.start("moves")
    assert await desk.post() == 200


async def test_a_pause_of_nothing_is_none() -> None:
    desk = Desk(throttled(0.0), FINE)
    await desk.post()
    assert await desk.post() == 200


async def test_pauses_of_nothing_one_after_the_other_grow_all_the_same() -> None:
    """A date that is past says so: the platform's clock may be behind ours."""
    desk = Desk(*[throttled(0.0)] * 4, FINE)
    pauses = []
    while await desk.post() == 429:
        pauses.append(next(iter(desk.waits.kept.values())) - desk.time.wall())
        await desk.time.advance(USUAL_PAUSE_S)
    assert [pause.total_seconds() for pause in pauses] == [0, 4, 8, 16]


async def test_a_day_of_refusals_is_like_an_hour_of_them() -> None:
    desk = Desk(*[throttled(None)] * 1100, FINE)
    for _ in range(1100):
        assert await desk.post() == 429
        await desk.time.advance(USUAL_PAUSE_S)
    assert await desk.post() == 200


async def test_the_file_is_read_once() -> None:
    desk = Desk(FINE, FINE)
    await desk.post()
    await desk.post()
    assert desk.waits.reads == 1


async def test_without_a_disk_a_pause_lasts_as_long_as_the_program() -> None:
    desk = Desk(FINE, throttled(600.0))
    desk.waits.is_broken = True
    assert await desk.post() == 200
    assert await desk.post() == 429
    with pytest.raises(Throttled):
        await desk.post()


async def test_a_file_that_can_be_read_again_is() -> None:
    desk = Desk(FINE)
    desk.waits.kept["moves"] = desk.time.wall() + timedelta(seconds=60)
    desk.waits.is_broken = True
    await desk.post()
    desk.waits.is_broken = False
    with pytest.raises(Throttled):
        await desk.post()


async def test_a_clock_that_was_set_back_does_not_silence_the_bot() -> None:
    desk = Desk(throttled(LONGEST_PAUSE_S), FINE)
    await desk.post()
    desk.time.step_wall(-86_400)
    assert await desk.post() == 200
