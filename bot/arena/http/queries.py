"""Values in the query of an address."""

from collections.abc import Mapping
from typing import Final

from bot.arena.refusals import Refused

TRUTHS: Final = {"true": True, "1": True, "false": False, "0": False}


def truth_in(query: Mapping[str, str], name: str) -> bool | None:
    """The value true or false of a query; None if it is missing. Raises Refused."""
    text = query.get(name)
    if text and text not in TRUTHS:
        raise Refused("invalid", f"{name} is true or false.")
    return TRUTHS[text] if text else None


def number_in(query: Mapping[str, str], name: str, usual: int, among: range) -> int:
    """A whole number of a query. Raises Refused if it is not `among` the valid ones."""
    text = query.get(name, str(usual))
    if not (text.isascii() and text.isdigit() and len(text) < 6 and int(text) in among):
        raise Refused("invalid", f"{name} is a number from {among[0]} to {among[-1]} here.")
    return int(text)
