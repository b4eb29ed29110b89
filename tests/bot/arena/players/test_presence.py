"""Who is here, and who hears of it."""

import pytest

from bot import wire
from bot.arena.players.presence import Presence

ANNA = wire.Player(id="a1", name="Anna", kind="person")
ANNABEL = wire.Player(id="a1", name="Annabel", kind="person")


@pytest.fixture
def heard() -> list[tuple[str, ...]]:
    return []


@pytest.fixture
def presence(heard: list[tuple[str, ...]]) -> Presence:
    presence = Presence()
    presence.on_came.append(lambda name: heard.append(("came", name)))
    presence.on_left.append(lambda name: heard.append(("left", name)))
    presence.on_renamed.append(
        lambda former, player: heard.append(("renamed", former, player.name))
    )
    return presence


def test_several_connections_come_and_leave_as_one_player(
    presence: Presence, heard: list[tuple[str, ...]]
) -> None:
    assert [presence.add(ANNA, connection) for connection in ("c1", "c2")] == [True, False]
    assert heard == [("came", "Anna")]
    assert [presence.remove("Anna", connection) for connection in ("c1", "c2")] == [False, True]
    assert heard == [("came", "Anna"), ("left", "Anna")]
    assert not presence.remove("Anna", "c2")
    assert len(heard) == 2


def test_a_renamed_player_is_present_under_the_new_name_before_listeners_run(
    presence: Presence, heard: list[tuple[str, ...]]
) -> None:
    here: list[bool] = []
    presence.on_renamed.append(lambda _former, player: here.append(presence.is_here(player.name)))
    presence.add(ANNA, "c1")
    presence.rename("Anna", ANNABEL)
    assert here == [True]
    assert presence.connections("Annabel") == {"c1"}
    assert presence.remove("Annabel", "c1")
    assert heard == [("came", "Anna"), ("renamed", "Anna", "Annabel"), ("left", "Annabel")]


def test_a_renaming_during_a_login_is_reported(
    presence: Presence, heard: list[tuple[str, ...]]
) -> None:
    presence.rename("Anna", ANNABEL)
    assert heard == [("renamed", "Anna", "Annabel")]
    assert not presence.is_here("Annabel")


def test_no_departures_are_reported_while_the_server_closes(
    presence: Presence, heard: list[tuple[str, ...]]
) -> None:
    presence.add(ANNA, "c1")
    presence.close()
    assert presence.remove("Anna", "c1")
    assert heard == [("came", "Anna")]
