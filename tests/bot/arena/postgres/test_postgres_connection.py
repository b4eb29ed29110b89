"""Statements and rows of the stores, as psycopg takes and gives them."""

from contextlib import closing

import pytest

from bot.arena.postgres.postgres_connection import spelled
from bot.arena.postgres.postgres_database import PostgresDriver
from bot.arena.store.connection import Hold
from tests.bot.arena.store.server import url as url

pytestmark = pytest.mark.xdist_group("postgres")


@pytest.mark.parametrize(
    ("statement", "expected"),
    [
        ("SELECT a FROM b WHERE c = ? AND d = ?", "SELECT a FROM b WHERE c = %s AND d = %s"),
        ("SELECT :one, :two_2, :one", "SELECT %(one)s, %(two_2)s, %(one)s"),
        ("SELECT '?:a%', \"?\", x::int, 7 % 2", "SELECT '?:a%%', \"?\", x::int, 7 %% 2"),
    ],
)
def test_places_for_values_are_spelled_for_psycopg(statement: str, expected: str) -> None:
    assert spelled(statement).decode() == expected


def test_values_of_a_row_are_found_by_name_and_by_index(url: str) -> None:
    driver = PostgresDriver(url, Hold.NONE)
    with closing(driver.session("serializable")) as connection:
        row = connection.execute("SELECT 1 AS one, ? AS two, true AS three", ("2",)).fetchone()
    assert (row["one"], row["two"], row[1], row["three"]) == (1, "2", "2", True)
    assert dict(row) == {"one": 1, "two": "2", "three": True}
