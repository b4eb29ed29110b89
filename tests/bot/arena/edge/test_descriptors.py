"""How many connections fit into the process."""

import os
import resource
from collections.abc import Iterator

import pytest
from structlog.testing import capture_logs

from bot.arena.edge.descriptors import (
    DescriptorLimits,
    capacity,
    descriptor_limit,
    open_descriptors,
    raise_limit,
)
from bot.errors import HostError


def test_there_is_room_for_as_many_sockets_as_are_wished_and_for_pages() -> None:
    with capture_logs() as lines:
        assert capacity(2000, limit=20_000, in_use=30) == DescriptorLimits(4000, 2000)
        assert capacity(10, limit=20_000, in_use=30) == DescriptorLimits(266, 10)
    assert lines == []


def test_with_few_descriptors_it_serves_fewer_connections_and_logs_it_once() -> None:
    with capture_logs() as lines:
        room = capacity(2000, limit=256, in_use=30)
    assert room == DescriptorLimits(162, 121)
    [line] = lines
    assert (line["event"], line["limit"], line["room_for"]) == ("few_descriptors", 256, 121)


def test_with_hardly_any_it_does_not_start() -> None:
    with pytest.raises(HostError, match="open files is 100; the arena needs 126 or more"):
        capacity(2000, limit=100, in_use=30)
    assert capacity(2000, limit=126, in_use=30).connections == 32


def test_open_descriptors_are_counted() -> None:
    before = open_descriptors()
    reading, writing = os.pipe()
    assert open_descriptors() == before + 2
    os.close(reading)
    os.close(writing)
    assert open_descriptors() == before


@pytest.fixture
def limits() -> Iterator[tuple[int, int]]:
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    yield soft, hard
    resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))


def test_the_limit_is_raised_as_far_as_it_goes(limits: tuple[int, int]) -> None:
    _, hard = limits
    low = open_descriptors() + 100
    resource.setrlimit(resource.RLIMIT_NOFILE, (low, hard))
    assert descriptor_limit() == low
    raise_limit()
    assert descriptor_limit() > low
