"""The platform's names of games and boards."""

import pytest

import engine
from bot.guests.abstract_play.facts import META_GAMES, RULES, setup_of

TABLE = [
    ("bluestone", (), "pent-6"),
    ("bluestone", ("size-8",), "pent-8"),
    ("blooms", ("size-4",), "hexhex-4"),
    ("blooms", ("size-5",), "hexhex-5"),
    ("blooms", (), "hexhex-6"),
    ("blooms", ("size-8",), "hexhex-8"),
    ("blooms", ("size-10",), "hexhex-10"),
]


@pytest.mark.parametrize(("meta", "variants", "board"), TABLE)
def test_variants_stand_for_boards(meta: str, variants: tuple[str, ...], board: str) -> None:
    assert setup_of(meta, variants) == (meta, board)


def test_the_table_is_all_there_is() -> None:
    assert set(META_GAMES) == {meta for meta, _, _ in TABLE}
    named = [f"size-{number}" for number in range(30)]
    known = [
        (meta, variants)
        for meta in META_GAMES
        for variants in [(), *[(name,) for name in named]]
        if setup_of(meta, variants) is not None
    ]
    assert sorted(known) == sorted((meta, variants) for meta, variants, _ in TABLE)


@pytest.mark.parametrize(
    ("meta", "variants"),
    [
        ("bluestone", ("size-6",)),
        ("bluestone", ("size-4",)),
        ("bluestone", ("size-8", "size-8")),
        ("bluestone", ("",)),
        ("bluestone", ("SIZE-8",)),
        ("blooms", ("size-6",)),
        ("blooms", ("size-4", "size-5")),
        ("Bluestone", ()),
        ("stargazers", ()),
        ("go", ()),
    ],
)
def test_unknown_variants_are_not_played(meta: str, variants: tuple[str, ...]) -> None:
    assert setup_of(meta, variants) is None


@pytest.mark.parametrize(("meta", "variants", "board"), TABLE)
def test_our_engine_plays_all_of_it(meta: str, variants: tuple[str, ...], board: str) -> None:
    del variants
    [info] = [each for each in engine.games() if each.name == meta]
    assert RULES in info.rule_sets
    assert board in info.boards
