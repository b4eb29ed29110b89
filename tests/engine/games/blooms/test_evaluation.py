"""How positions of Blooms are judged, against a count by hand and the symmetry of the players."""

import engine
from engine.games.blooms.evaluation import expectation
from engine.games.liberties import ENOUGH, liberties_up_to_enough
from engine.kernel.generic import WIN
from tests.engine.games.blooms.test_guidance import GAME, NAMES, blooms_in_random_games, played


def expected(*turns: str) -> int:
    return int(expectation(GAME.record, played(*turns).record()))


def test_liberties_are_counted_once_each() -> None:
    seen = set[int]()
    for state, root, by_hand in blooms_in_random_games():
        count = liberties_up_to_enough(GAME.record, state, root)
        assert count == min(len(by_hand), ENOUGH)
        seen.add(count)
    assert seen == set(range(ENOUGH + 1))


def test_room_is_worth_something_and_so_are_captures() -> None:
    attacked, free = expected("1a1", "1b1,2d4"), expected("1a1", "1g1,2d4")
    assert attacked < free
    position = played("1a1", "1b1,2d4", "1g1,2g4", "1a2,2b2")
    assert position.scores == (0, 1)
    record = position.record()
    before = expectation(GAME.record, record)
    record["captured"][0] = 2
    assert expectation(GAME.record, record) > before


def test_the_expectations_of_both_players_add_up_to_one() -> None:
    for seed in range(20):
        record = played(*engine.play_out(GAME, seed).turns[: 3 * seed % 17 + 1]).record()
        before = expectation(GAME.record, record)
        assert 0 <= before <= WIN
        for index in range(len(NAMES)):
            if record["cells"][index]:
                record["cells"][index] = (record["cells"][index] + 1) % 4 + 1
        record["captured"][:] = record["captured"][::-1].copy()
        record["player"] = 3 - record["player"]
        assert abs(expectation(GAME.record, record) - (WIN - before)) <= 1
