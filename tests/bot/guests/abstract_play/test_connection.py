"""Challenges have no id on the platform, are answered at once, and promise nothing."""

import asyncio

from bot.guests.abstract_play.connection import ANSWER_S, PROMISED_S, Challenges
from bot.platforms.base import ChallengeGone, ChallengeOffered
from tests.bot.guests.abstract_play.sinks import ANN, SETUP, Listener, facts
from tests.fakes.time import FakeTime
from tests.fakes.waiting import eventually


async def asked(challenges: Challenges, heard: Listener) -> tuple[asyncio.Task[bool], str]:
    """The answer to come, and what the challenge is called."""
    before = len(heard.events)
    asking = asyncio.create_task(challenges.ask(ANN, SETUP, heard))
    await eventually(lambda: len(heard.events) > before)
    offered = heard.events[-1]
    assert isinstance(offered, ChallengeOffered)
    assert offered.challenge.opponent.player_id == ANN
    return asking, offered.challenge.challenge_id


async def test_the_daemon_decides() -> None:
    challenges, heard = Challenges(FakeTime()), Listener()
    taken, one = await asked(challenges, heard)
    declined, two = await asked(challenges, heard)

    assert challenges.answer(one, accept=True)
    assert challenges.answer(two, accept=False)

    assert await taken
    assert not await declined
    assert challenges.open == {one}
    assert heard.events[-1] == ChallengeGone(two, "declined")


async def test_a_missing_answer_declines_and_a_late_one_is_refused() -> None:
    time = FakeTime()
    challenges, heard = Challenges(time), Listener()
    asking, challenge_id = await asked(challenges, heard)
    await time.advance(ANSWER_S)

    assert not await asking
    assert not challenges.answer(challenge_id, accept=True)
    assert challenges.open == frozenset()


async def test_a_new_game_against_the_challenger_ends_the_challenge() -> None:
    challenges, heard = Challenges(FakeTime()), Listener()
    taken, challenge_id = await asked(challenges, heard)
    challenges.answer(challenge_id, accept=True)
    await taken

    assert challenges.began(facts(0)) == ChallengeGone(challenge_id, "started", "g1")
    assert challenges.began(facts(0, game_id="g2")) is None


async def test_two_equal_challenges_are_two() -> None:
    challenges, heard = Challenges(FakeTime()), Listener()
    for _ in range(2):
        taken, challenge_id = await asked(challenges, heard)
        challenges.answer(challenge_id, accept=True)
        await taken

    assert len(challenges.open) == 2


async def test_an_accepted_challenge_without_a_game_is_dropped_after_some_minutes() -> None:
    time = FakeTime()
    challenges, heard = Challenges(time), Listener()
    taken, challenge_id = await asked(challenges, heard)
    challenges.answer(challenge_id, accept=True)
    await taken
    assert challenges.expired() == []

    await time.advance(PROMISED_S)

    assert [gone.challenge_id for gone in challenges.expired()] == [challenge_id]
    assert challenges.open == frozenset()
