"""The players that installed packages offer."""

import pytest

from engine import contract
from engine.players.installed import known_engines, load_engine
from engine.players.search import SearchEngine
from engine.search import contract as former


def test_players_are_found_by_their_entry_points() -> None:
    assert {"search", "random"} <= set(known_engines())
    assert isinstance(load_engine("search"), SearchEngine)
    with pytest.raises(KeyError):
        load_engine("nobody")


def test_players_of_other_packages_may_call_their_choice_an_answer() -> None:
    assert contract.Answer("5-3", value=0.5, visits=0) == contract.Choice("5-3", 0.5, 0)


def test_engines_of_other_packages_find_the_contract_where_it_was() -> None:
    assert former.__all__
    for name in former.__all__:
        assert getattr(former, name) is getattr(contract, name)
