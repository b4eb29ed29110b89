"""What the search says of single steps."""

import numpy as np

import engine
from engine.kernel.generic import PASS
from engine.search.searcher import Searcher
from engine.search.step_worths import WON


def searched(board: str, *turns: str, playouts: int = 400) -> tuple[Searcher, list[int]]:
    position = engine.game("bluestone", board=board).start()
    for turn in turns:
        position = position.play(turn)
    searcher = Searcher(position.game, megabytes=8, threads=1, seed=2)
    searcher.move_to(position)
    searcher.grow(playouts)
    return searcher, position.game.mechanics.steps(position.record())


def test_every_stone_has_a_worth_after_few_playouts() -> None:
    searcher, steps = searched("pent-6", "0-0", playouts=60)
    stones = [step for step in steps if step >= 0]
    worths = searcher.step_worths((), stones)
    assert not np.isnan(worths).any()
    assert ((worths >= 0) & (worths <= 1)).all()
    assert worths.std() > 0


def test_the_second_stone_is_judged_after_the_first() -> None:
    searcher, steps = searched("pent-4", "0-0", playouts=4_000)
    names = searcher.game.step_names
    first, second = (names.index(name) for name in searcher.candidates(1)[0].turn.split(","))
    others = [step for step in steps if step >= 0 and step != first]
    after = searcher.step_worths((first,), others)
    alone = searcher.step_worths((), others)
    assert (after != alone).any()
    assert after[others.index(second)] > np.median(after)


def test_a_step_that_was_never_tried_is_judged_by_the_stones_of_playouts() -> None:
    searcher, steps = searched("pent-6", "0-0", playouts=30)
    stones = [step for step in steps if step >= 0]
    worths = searcher.step_worths((stones[0], stones[1], stones[2]), stones)
    assert not np.isnan(worths).all()


def test_proved_steps_are_reported_as_proved() -> None:
    searcher, steps = searched("pent-4", "3-0", "pass")
    assert searcher.step_worths((), steps)[steps.index(PASS)] == WON
    level, steps = searched("pent-4", "0-0", "2-0,2-2", "pass")
    assert level.step_worths((), steps)[steps.index(PASS)] == 0.5


def test_nothing_is_known_of_a_pass_that_was_not_tried() -> None:
    searcher, steps = searched("pent-4", "0-0")
    assert PASS not in steps or np.isnan(searcher.step_worths((), [PASS])[0])
