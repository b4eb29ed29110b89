"""Which names may be had, and which look like one that somebody has."""

import pytest

from bot.arena.players.names import is_name, is_reserved, skeleton


@pytest.mark.parametrize("name", ["alpha", "Al Pha", "a1", "x_y.z-9", "A" * 24])
def test_names(name: str) -> None:
    assert is_name(name)


@pytest.mark.parametrize(
    "name",
    [
        *("a", "alpha ", " alpha", "al  pha", "-a", "älpha", "A" * 25, "a\n"),
        *("al\u200bpha", "al\u202epha", "al\x1b[2Jpha", "<b>alpha</b>", "al\u0440ha"),
    ],
)
def test_no_names(name: str) -> None:
    assert not is_name(name)


@pytest.mark.parametrize("name", ["ALPHA", "aIpha", "al pha", "a1pha", "al_pha", "a.l-p.h-a"])
def test_look_alikes_of_alpha(name: str) -> None:
    assert skeleton(name) == skeleton("alpha")


@pytest.mark.parametrize(("name", "other"), [("Bern", "Bem"), ("vvin", "win"), ("B0b", "Bob")])
def test_other_look_alikes(name: str, other: str) -> None:
    assert skeleton(name) == skeleton(other)


@pytest.mark.parametrize(("name", "other"), [("bot1", "bot2"), ("Anna", "Ana"), ("Ben", "Bea")])
def test_names_that_differ(name: str, other: str) -> None:
    assert skeleton(name) != skeleton(other)


@pytest.mark.parametrize(
    "name",
    [
        *("admin", "Adm1n", "a.d.m.i.n", "moderator", "0perator", "System", "5ystem", "Arena"),
        *(
            "Guest-abc123",
            "Guest-Anna",
            "guestabc123",
            "Gue5t 0815ab",
            "Deleted-3fa2b1",
            "DeIeted.x",
        ),
    ],
)
def test_names_of_the_arena(name: str) -> None:
    assert is_reserved(name)


@pytest.mark.parametrize(
    "name", ["Adminas", "Arenal", "Guest", "Guesthouse", "Deletedscenes", "Ada"]
)
def test_names_that_only_begin_like_those_of_the_arena(name: str) -> None:
    assert not is_reserved(name)
