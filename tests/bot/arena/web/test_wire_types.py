"""The types of the page's scripts: those of the protocol as it is."""

from tools.wire_types import FILE, written


def test_the_types_are_those_of_the_protocol() -> None:
    assert FILE.read_text(encoding="utf-8") == written(), "run: python -m tools.wire_types"
