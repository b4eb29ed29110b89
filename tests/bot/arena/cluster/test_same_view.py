"""Tests of an arena of one process, on an arena of three behind one address: nothing differs.

The connections of each test are spread over the processes.
"""

from collections.abc import Callable
from pathlib import Path

import pytest

from bot.arena.settings import Place
from bot.arena.store import opening
from bot.arena.store.connection import Driver, Hold
from tests.bot.arena import hall, table
from tests.bot.arena.cluster.spread import spread_over
from tests.bot.arena.games.test_changes import (
    test_a_client_that_joins_in_the_middle_continues_from_the_answer as test_joining,
)
from tests.bot.arena.tournaments.test_tournaments import (
    test_the_host_pauses_replaces_withdraws_and_ends as test_the_host,
)
from tests.bot.daemon import test_daemon_on_arena
from tests.bot.daemon.test_daemon_on_arena import (
    test_daemons_enter_a_tournament_play_it_and_leave_nothing_behind as test_daemons_enter,
)
from tests.bot.daemon.test_daemon_on_arena import (
    test_two_daemons_play_each_other_unattended as test_two_daemons,
)
from tests.bot.daemon.test_daemon_on_arena import tokens as tokens
from tests.bot.daemon.test_daemon_on_arena import url as url
from tests.fakes.postgres import Postgres

__all__ = [
    "test_daemons_enter",
    "test_joining",
    "test_the_host",
    "test_two_daemons",
]

pytestmark = pytest.mark.xdist_group("postgres")


@pytest.fixture(autouse=True)
def three_processes(postgres: Postgres, monkeypatch: pytest.MonkeyPatch) -> None:
    """An arena is three processes, and every database is one of the server's."""
    database = postgres.create()
    for module in (hall, table, test_daemon_on_arena):
        monkeypatch.setattr(module, "running_arena", spread_over(database))
    chosen: Callable[[Place, Hold], tuple[Driver, Callable[[], None]]] = opening._chosen

    def on_server(place: Place, hold: Hold) -> tuple[Driver, Callable[[], None]]:
        return chosen(Place(Path(place.folder), database), hold)

    monkeypatch.setattr(opening, "_chosen", on_server)
