"""How often an address may ask."""

from bot.arena.net.rate_limit import AddressBuckets
from tests.fakes.time import FakeTime


def test_each_address_has_a_bucket_of_its_own() -> None:
    buckets = AddressBuckets(1, 1, FakeTime())
    assert [buckets.of(address).take() for address in ("a", "a", "b")] == [True, False, True]


def test_of_too_many_addresses_only_the_one_longest_unseen_is_forgotten() -> None:
    buckets = AddressBuckets(1, 1, FakeTime(), remembered=3)
    assert all(buckets.of(address).take() for address in "abc")
    assert not buckets.of("a").take()
    assert buckets.of("d").take()
    assert [buckets.of(address).take() for address in "acd"] == [False, False, False]
    assert buckets.of("b").take()
