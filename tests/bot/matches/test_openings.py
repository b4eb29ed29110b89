"""Making fair random openings."""

import pytest

import engine
from bot.errors import HostError
from bot.matches.adjudication import ResultJudge
from bot.matches.openings import OpeningSearch, made_openings
from bot.time_source import SystemTime

GAME = engine.game("bluestone", "pent-4")


class Doubter:
    """Answers with the given chances in turn, for any position."""

    def __init__(self, *chances: float) -> None:
        self._chances = chances
        self._asked = 0

    async def chance(self, position: engine.Position) -> float:
        assert not position.over
        self._asked += 1
        return self._chances[(self._asked - 1) % len(self._chances)]


async def test_openings_are_fair_and_different() -> None:
    steps: list[tuple[int, int]] = []
    search = await made_openings(
        GAME,
        plies=3,
        count=20,
        seed=1,
        judge=Doubter(0.5, 0.9, 0.1, 0.41),
        on_progress=lambda now: steps.append((now.tried, len(now.found))),
    )
    assert {opening.chance for opening in search.found} == {0.5, 0.41}
    ends = [frozenset(GAME.replay(each.turns).stones.items()) for each in search.found]
    assert len(set(ends)) == 20
    assert all(len(opening.turns) == 3 for opening in search.found)
    assert (search.within, steps[0], steps[-1]) == (0.1, (1, 1), (40, 20))


async def test_the_same_seed_gives_the_same_openings() -> None:
    def turns(search: OpeningSearch) -> list[tuple[str, ...]]:
        return [opening.turns for opening in search.found]

    one, same, other = [
        turns(await made_openings(GAME, 2, 5, seed, Doubter(0.5))) for seed in (1, 1, 2)
    ]
    assert one == same != other


async def test_the_bound_is_widened_if_fair_openings_are_rare() -> None:
    search = await made_openings(GAME, 2, 3, 1, Doubter(0.7, 0.75, 0.8))
    assert search.within == pytest.approx(0.2)
    assert [opening.chance for opening in search.found] == [0.7, 0.7, 0.7]


async def test_a_small_board_gives_all_openings_that_it_has() -> None:
    cells = len(GAME.board.cells)
    search = await made_openings(GAME, 1, 500, 1, Doubter(0.5, 0.99))
    assert not search.is_complete
    assert 1 < len(search.found) <= cells
    assert search.found[-1].chance == 0.99


async def test_a_judge_that_fails_ends_the_search() -> None:
    class NoJudge:
        async def chance(self, position: engine.Position) -> float:
            raise HostError(f"no engine for {position}")

    with pytest.raises(HostError):
        await made_openings(GAME, 2, 3, 1, NoJudge())


async def test_the_judge_gives_the_same_openings_each_time() -> None:
    found = []
    for _ in range(2):
        judge = ResultJudge(SystemTime(), nodes=100)
        found.append((await made_openings(GAME, 3, 3, 7, judge)).found)
        await judge.close()
    assert found[0] == found[1]
