"""How often an address may ask."""

from bot.runtime.bounded import ENTRY_BYTES
from bot.runtime.rate_limit import AddressBuckets
from bot.runtime.sizes import size_of
from bot.runtime.token_bucket import BUCKET_BYTES
from tests.fakes.time import FakeTime


def test_each_address_has_a_bucket_of_its_own() -> None:
    buckets = AddressBuckets(1, 1, FakeTime())
    assert [buckets.of(address).take() for address in ("a", "a", "b")] == [True, False, True]


def test_of_too_many_addresses_only_the_one_longest_unseen_is_forgotten() -> None:
    one = size_of("a") + BUCKET_BYTES + ENTRY_BYTES
    buckets = AddressBuckets(1, 1, FakeTime(), most_bytes=3 * one)
    assert all(buckets.of(address).take() for address in "abc")
    assert not buckets.of("a").take()
    assert buckets.of("d").take()
    assert [buckets.of(address).take() for address in "acd"] == [False, False, False]
    assert buckets.of("b").take()
