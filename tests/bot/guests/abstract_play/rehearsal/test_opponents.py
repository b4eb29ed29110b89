"""Challenges that people make."""

from bot.guests.abstract_play.rehearsal.audit import TAKEN
from bot.guests.abstract_play.rehearsal.faults import Faults
from bot.guests.abstract_play.rehearsal.notices import Call
from bot.guests.abstract_play.rehearsal.opponents import Habits, Wanted
from bot.guests.abstract_play.rehearsal.stand_in import World
from tests.bot.guests.abstract_play.rehearsal.patient_bot import START, scenario

DAY_MS = 86_400_000
HABITS = Habits(challenges_oddly=0.0)


def one_day(habits: Habits, *, accepts: bool, faults: Faults | None = None) -> World:
    """A day on which the bot answers every challenge in the same way, and plays nothing."""

    def answer(call: Call, now: int) -> None:
        world.notices.answered(call, 200 if accepts else 400, now)

    rehearsed = scenario(habits=habits, wanted=Wanted(3, 3), faults=faults or Faults())
    world = World(rehearsed, answer)
    world.start(START)
    world.advance(START + DAY_MS)
    return world


def test_accepted_challenges_become_as_many_games_as_are_wanted() -> None:
    world = one_day(HABITS, accepts=True)
    assert len(world.site.games) == 3
    assert world.audit.counts["challenges"] == 3


def test_a_declined_person_challenges_again() -> None:
    world = one_day(HABITS, accepts=False)
    assert world.site.games == {}
    assert world.audit.counts["challenges declined"] > 3


def test_challenges_that_get_lost_are_made_again() -> None:
    world = one_day(HABITS, accepts=True, faults=Faults(lost=0.5))
    assert len(world.site.games) == 3


def test_a_challenge_may_be_withdrawn_though_it_was_accepted() -> None:
    world = one_day(HABITS, accepts=True, faults=Faults(withdrawn=0.5))
    assert len(world.site.games) == 3
    assert world.audit.counts["challenges withdrawn"] > 0


def test_two_equal_challenges_may_be_two_games() -> None:
    world = one_day(Habits(challenges_oddly=0.0, challenges_alike=1.0), accepts=True)
    games = [(game.terms.meta, game.terms.variants) for game in world.site.games.values()]
    assert len(games) == 3
    assert len(set(games)) == 1


def test_a_bot_that_accepts_unplayable_games_is_detected() -> None:
    world = one_day(Habits(challenges_oddly=1.0), accepts=True)
    assert TAKEN in {violation.kind for violation in world.audit.violations}


def test_a_bot_that_declines_it_is_not() -> None:
    world = one_day(Habits(challenges_oddly=1.0), accepts=False)
    assert world.audit.counts["challenges to other games"] > 0
    assert world.audit.violations == []
