"""Which challenge became which game."""

from bot.platforms.base import ChallengeGone
from bot.platforms.challenges import PendingChallenges
from tests.fakes.time import FakeTime


def test_a_game_belongs_to_the_oldest_challenge_with_its_opponent() -> None:
    challenges = PendingChallenges(75, FakeTime())
    challenges.accepting("c1", "Ann")
    challenges.accepting("c2", "Bea")
    challenges.accepting("c3", "Ann")
    assert challenges.began("Ann", "g1") == (ChallengeGone("c1", "started", "g1"), True)
    assert challenges.began("Ann", "g2") == (ChallengeGone("c3", "started", "g2"), True)
    assert challenges.began("Ann", "g3") == (None, False)
    assert challenges.ids == {"c2"}


def test_a_game_may_begin_before_the_id_of_our_challenge_is_known() -> None:
    challenges = PendingChallenges(75, FakeTime())
    pending = challenges.offering("Ann")
    assert challenges.began("Ann", "g1") == (None, True)
    assert challenges.offered(pending, "c1") == ChallengeGone("c1", "started", "g1")
    assert challenges.ids == frozenset()


def test_ours_are_told_apart() -> None:
    challenges = PendingChallenges(75, FakeTime())
    challenges.accepting("c1", "Ann")
    assert challenges.offered(challenges.offering("Bea"), "c2") is None
    assert challenges.ids == {"c1", "c2"}
    assert challenges.own_ids == {"c2"}
    assert challenges.opponents == ["Ann", "Bea"]


async def test_challenges_without_news_end() -> None:
    time = FakeTime()
    challenges = PendingChallenges(75, time)
    challenges.accepting("c1", "Ann")
    await time.advance(60)
    challenges.accepting("c2", "Bea")
    assert challenges.expired() == []
    await time.advance(20)
    assert challenges.expired() == [ChallengeGone("c1", "expired", code="unseen")]
    assert challenges.ids == {"c2"}


def test_what_was_refused_is_forgotten() -> None:
    challenges = PendingChallenges(75, FakeTime())
    challenges.accepting("c1", "Ann")
    pending = challenges.offering("Bea")
    challenges.drop("c1")
    challenges.drop(pending)
    assert challenges.opponents == []
