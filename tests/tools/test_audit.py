"""Affected versions are found by the rules of OSV's format."""

import json

import pytest

from tools.audit import FILE, affected, is_affected, pinned

RANGES = {"package": "p", "versions": [], "ranges": [[{"introduced": "0"}, {"fixed": "3.9.4"}]]}
TWICE = [{"introduced": "1"}, {"fixed": "1.5"}, {"introduced": "2"}, {"last_affected": "2.3"}]


@pytest.mark.parametrize(
    ("version", "is_so"),
    [("3.9.3", True), ("3.9.4", False), ("3.10.0", False), ("3.9.4rc1", True)],
)
def test_a_version_before_the_repair_is_affected(version: str, *, is_so: bool) -> None:
    assert is_affected(version, RANGES) is is_so


@pytest.mark.parametrize(
    ("version", "is_so"),
    [("0.9", False), ("1.4", True), ("1.5", False), ("2.3", True), ("2.3.1", False)],
)
def test_a_vulnerability_may_come_back(version: str, *, is_so: bool) -> None:
    assert is_affected(version, {"versions": [], "ranges": [TWICE]}) is is_so


def test_a_version_may_be_listed_alone() -> None:
    assert is_affected("1.0", {"versions": ["1.0"], "ranges": []})
    assert not is_affected("1.1", {"versions": ["1.0"], "ranges": []})


def test_packages_that_are_not_used_are_ignored() -> None:
    assert affected([RANGES], {"q": "1.0"}) == []
    assert affected([RANGES], {"p": "1.0"}) == [RANGES]


def test_no_version_that_the_tests_use_has_a_stored_vulnerability() -> None:
    stored = json.loads(FILE.read_text(encoding="utf-8"))["advisories"]
    assert stored
    assert affected(stored, pinned()) == []
    old = {"aiohttp": "3.8.0"}
    assert affected(stored, old)
