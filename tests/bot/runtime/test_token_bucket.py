"""How often somebody may ask."""

import pytest

from bot.runtime.token_bucket import TokenBucket
from tests.fakes.time import FakeTime


def test_a_bucket_allows_a_burst_and_then_a_steady_flow() -> None:
    time = FakeTime()
    bucket = TokenBucket(2, 3, time)
    assert [bucket.take() for _ in range(4)] == [True, True, True, False]
    time.lapse(1)
    assert [bucket.take() for _ in range(3)] == [True, True, False]


def test_an_empty_bucket_reports_when_the_next_token_comes() -> None:
    time = FakeTime()
    bucket = TokenBucket(0.2, 1, time)
    assert (bucket.wait_s, bucket.take()) == (0, True)
    assert bucket.wait_s == pytest.approx(5)
    time.lapse(3)
    assert bucket.wait_s == pytest.approx(2)
    time.lapse(2)
    assert bucket.take()


def test_several_tokens_are_taken_together_or_not_at_all() -> None:
    time = FakeTime()
    bucket = TokenBucket(1, 5, time)
    assert [bucket.take(4), bucket.take(4), bucket.take(1)] == [True, False, True]
    assert bucket.wait_for(4) == pytest.approx(4)
    time.lapse(4)
    assert bucket.take(4)


def test_a_request_heavier_than_the_bucket_takes_all_of_it() -> None:
    bucket = TokenBucket(1, 3, FakeTime())
    assert [bucket.wait_for(4), bucket.take(4), bucket.take()] == [0, True, False]


def test_a_token_that_was_not_needed_can_be_taken_again() -> None:
    bucket = TokenBucket(1, 1, FakeTime())
    assert bucket.take()
    bucket.give_back()
    bucket.give_back()
    assert [bucket.take(), bucket.take()] == [True, False]
