"""A game that is not found is gone only after long, and only if the platform works otherwise."""

from bot.guests.abstract_play.client import GONE_AFTER_S, Absences
from tests.fakes.time import FakeTime

GAME = "c0ffee00"


class Desk:
    def __init__(self) -> None:
        self.time = FakeTime()
        self.absences = Absences(self.time)

    async def look(self, *, after_s: float, others_answered: bool) -> bool:
        """A question about the game, some time after another one."""
        await self.time.advance(after_s / 2)
        if others_answered:
            self.absences.answered()
        await self.time.advance(after_s / 2)
        return self.absences.missed(GAME)


async def test_it_is_gone_after_ten_minutes_in_which_others_were_found() -> None:
    desk = Desk()
    seen = [await desk.look(after_s=GONE_AFTER_S / 2, others_answered=True) for _ in range(3)]
    assert seen == [False, False, True]


async def test_it_is_not_gone_while_nothing_is_found() -> None:
    desk = Desk()
    for _ in range(20):
        assert not await desk.look(after_s=GONE_AFTER_S, others_answered=False)


async def test_an_outage_that_began_after_an_answer_is_an_outage() -> None:
    desk = Desk()
    await desk.look(after_s=1, others_answered=True)
    await desk.look(after_s=1, others_answered=True)
    for _ in range(20):
        assert not await desk.look(after_s=GONE_AFTER_S, others_answered=False)


async def test_many_questions_in_a_row_make_nothing_of_it() -> None:
    desk = Desk()
    for _ in range(20):
        assert not await desk.look(after_s=2, others_answered=True)


async def test_a_game_that_is_found_again_was_never_gone() -> None:
    desk = Desk()
    for _ in range(2):
        await desk.look(after_s=GONE_AFTER_S, others_answered=True)
    desk.absences.answered(GAME)
    assert not await desk.look(after_s=GONE_AFTER_S, others_answered=True)


async def test_games_are_missed_apart_from_each_other() -> None:
    desk = Desk()
    for _ in range(2):
        await desk.look(after_s=GONE_AFTER_S, others_answered=True)
    assert not any(desk.absences.missed(f"other-{number}") for number in range(1000))
    assert await desk.look(after_s=GONE_AFTER_S, others_answered=True)
