"""The players that installed packages offer."""

import pytest

from engine.players.installed import known_engines, load_engine
from engine.players.search import SearchEngine


def test_players_are_found_by_their_entry_points() -> None:
    assert {"search", "random"} <= set(known_engines())
    assert isinstance(load_engine("search"), SearchEngine)
    with pytest.raises(KeyError):
        load_engine("nobody")
