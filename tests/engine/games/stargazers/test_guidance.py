"""What guidance foresees of a Stargazers stone, against what the stone then does."""

from typing import Any

import numpy as np
import pytest

import engine
from engine.games.stargazers.guidance import PLAIN, darkening_cell, guided_cell, is_opening, outlook
from engine.games.stargazers.inspiration import opposite
from engine.kernel import calls
from engine.kernel import generic as kernel
from engine.kernel.generic import Record, compiled

pytestmark = pytest.mark.uncompiled

GAME = engine.game("stargazers")


def positions(count: int) -> list[engine.Position]:
    """Positions of random games, from their beginnings to their ends."""
    found = list[engine.Position]()
    for seed in range(count):
        position = GAME.start()
        for turn in engine.play_out(GAME, seed).turns[:-1]:
            position = position.play(turn)
            found.append(position)
    return found


def first_stones(position: engine.Position) -> list[int]:
    steps = np.zeros(len(GAME.step_names) + 2, np.int16)
    count = calls.legal_steps(GAME.record, position.record(), steps)
    return [int(step) for step in steps[:count]]


def after(state: Record, cell: int) -> Record:
    state = state.copy()
    assert calls.try_step(GAME.record, state, cell)
    return state


def is_open_to(state: Record, side: int, cell: int) -> bool:
    """Whether player `side` + 1 might place on a cell if it were their turn."""
    state = state.copy()
    state["player"] = side + 1
    return calls.try_step(GAME.record, state, cell)


def test_predicted_effects_happen() -> None:
    counts = dict.fromkeys(("darkened", "parted", "revived", "eyes"), 0)
    for position in positions(30):
        state: Any = position.record()
        side = int(state["player"]) - 1
        for cell in first_stones(position):
            darkened, parted, revived, is_eye = outlook(GAME.record, state, cell, side)
            then = after(state, cell)
            if darkened:
                assert then["uninspired"][1 - side] > state["uninspired"][1 - side]
            if revived:
                assert then["uninspired"][side] < state["uninspired"][side]
            assert is_eye != is_open_to(state, 1 - side, cell)
            counts["darkened"] += darkened
            counts["parted"] += parted
            counts["revived"] += revived
            counts["eyes"] += is_eye
    assert all(count > 20 for count in counts.values())


def largest_darkened(state: Any, cell: int) -> int:
    """The stones of the largest enemy group whose last view a stone on a cell would end."""
    largest, label = 0, state["label"]
    for direction in range(6):
        stone = state["seen"][cell, direction]
        if stone >= 0 and state["cells"][stone] == 3 - state["player"]:
            last_view = state["views"][label[stone]] == 1
            if last_view and state["gaze"][stone] >> opposite(direction) & 1:
                group = (state["cells"] == state["cells"][stone]) & (label == label[stone])
                largest = max(largest, int(group.sum()))
    return largest


def test_a_darkening_stone_targets_the_largest_group() -> None:
    rng = calls.random_source(1)
    sizes = set()
    for position in positions(30):
        state: Any = position.record()
        cell = darkening_cell(GAME.record, state, rng)
        largest = max((largest_darkened(state, each) for each in first_stones(position)), default=0)
        assert (cell >= 0) == (largest > 0)
        if cell >= 0:
            assert largest_darkened(state, cell) == largest
            gained = after(state, cell)["uninspired"] - state["uninspired"]
            assert gained[2 - state["player"]] >= largest
        sizes.add(largest)
    assert {0, 1, 2, 3, 4} <= sizes


def test_a_pressing_player_darkens_unless_the_stone_is_random() -> None:
    rng = calls.random_source(2)
    found = (each.record() for each in positions(30) if not is_opening(each.record()))
    state = next(each for each in found if darkening_cell(GAME.record, each, rng) >= 0)
    draws = 400
    darkened = {
        presses: sum(
            largest_darkened(state, guided_cell(GAME.record, state, rng, presses)) > 0
            for _ in range(draws)
        )
        for presses in (True, False)
    }
    assert darkened[True] > max(darkened[False], draws * (1 - 1.2 / PLAIN))


@compiled
def listed_priors(board: Record, state: Record, steps: Any, first: Any, revised: Any) -> int:
    count = kernel.legal_steps(board, state, steps)
    kernel.priors(board, state, steps, count, first)
    revised[:count] = first[:count]
    kernel.revised_priors(board, state, steps, count, revised)
    return int(count)


def test_a_closer_look_compares_stones_with_each_other_once_the_opening_is_over() -> None:
    size = len(GAME.step_names) + 2
    steps, first, revised = (
        np.zeros(size, np.int16),
        np.zeros(size, np.int8),
        np.zeros(size, np.int8),
    )
    compared = 0
    for position in positions(6):
        state = position.record()
        count = listed_priors(GAME.record, state, steps, first, revised)
        if is_opening(state):
            assert (revised[:count] == first[:count]).all()
        elif (np.abs(revised[:count]) < 100).all():
            assert abs(revised[:count].astype(int).mean()) <= 1
            compared += bool(revised[:count].any())
    assert compared > 10
