"""What is stored about a person: every table that says whose a row is falls into these tests."""

import re
from collections.abc import Mapping
from typing import Final

from bot.arena.store.tables import all_columns, all_tables

OF_BOTS: Final = "only bots have rows"
NOT_ERASED: Final[Mapping[str, str]] = {
    "analysts": OF_BOTS,
    "blocks": "a person must not get rid of a block",
    "games": "they are of the opponents, too, and get a neutral name",
    "rating_changes": "they are of the opponents, too",
    "ratings": "the opponents' ratings follow from them",
    "sessions": "they are ended, so that open connections are found",
    "tokens": OF_BOTS,
    "tournament_entrants": "the other entrants' tables name them; they get a neutral name",
    "tournaments": "they are of the entrants, too, and get a neutral name",
}
NOT_EXPORTED: Final[Mapping[str, str]] = {
    "analysts": OF_BOTS,
    "blocks": "the operator's notes",
    "ceremonies": "random numbers that are forgotten in minutes",
    "tokens": OF_BOTS,
}


def test_each_table_about_people_is_erased_or_is_kept_for_a_reason() -> None:
    erased = {table for each in all_tables() for table in each.personal.erased}
    assert _about_people() - erased == NOT_ERASED.keys()


def test_each_table_about_people_is_exported_or_is_left_out_for_a_reason() -> None:
    sources = [part.source for each in all_tables() for part in each.personal.exported]
    exported = {name for source in sources for name in re.findall(r"\w+", source)}
    assert _about_people() - exported == NOT_EXPORTED.keys()


def _about_people() -> set[str]:
    return {
        table
        for table, columns in all_columns().items()
        if any("REFERENCES accounts" in kind for kind in columns.values())
    }
