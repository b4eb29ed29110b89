"""Forced wins in HeXO: hand-made positions, brute force, and recorded games."""

import gzip
import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.games.hexo import threats, windows
from engine.games.hexo.forcing import LOOK_EVERY, MEMORY_DTYPE
from engine.games.hexo.state import (
    RADIUS,
    STATE_DTYPE,
    WIDTH,
    board_record,
    code_of,
    coordinates,
    within,
)
from engine.kernel.generic import Record
from engine.kernel.halt import NEVER, halt_now, new_halt
from tests.engine.games.hexo import forced_wins
from tests.engine.games.hexo.forced_wins import Cell, Stones, Turn

BOARD = board_record()
ENOUGH = 20_000
NEAR = (*within(4), (0, 0))
FAR_NEAR = within(8)
GAMES = Path(__file__).parents[1] / "vectors" / "hexo.jsonl.gz"


def put(stones: Stones) -> Record:
    state = np.zeros(1, STATE_DTYPE)[0]
    windows.clear(BOARD, state)
    for cell, player in stones.items():
        windows.place(BOARD, state, code_of(*cell), player)
    return state


class Solver:
    """`threats.solve` with a memory of its own; `zone` is that of the last proof."""

    def __init__(self, singles: int = 0, nodes: int = ENOUGH) -> None:
        self.memory = np.zeros(1, MEMORY_DTYPE)[0]
        self.singles, self.nodes, self.halt = singles, nodes, new_halt()

    def __call__(self, stones: Stones, attacker: int, n_stones: int = 2, free: int = 0) -> Any:
        state = put(stones)
        before = state.copy()
        arguments = (attacker, n_stones, self.singles, free, self.nodes, self.halt)
        turns = int(threats.solve(BOARD, state, self.memory, *arguments))
        assert state["hash"] == before["hash"]
        assert (state["counts"] == before["counts"]).all()
        codes = [int(self.memory[name][0]) for name in ("one", "other")]
        turn: Turn = tuple(coordinates(code) for code in codes if code >= 0)
        return (turns, turn) if turns else (0, ())

    @property
    def zone(self) -> set[Cell]:
        rows = enumerate(self.memory["zone"][0])
        return {
            coordinates(row * WIDTH + bit)
            for row, bits in rows
            for bit in range(WIDTH)
            if int(bits) >> bit & 1
        }


def row(cells: Iterable[int], r: int = 0, player: int = 1) -> Stones:
    return {(q, r): player for q in cells}


@pytest.mark.uncompiled
@pytest.mark.parametrize(
    ("stones", "n_stones", "turns"),
    [
        (row([0, 1, 2, 3, 4]), 1, 1),
        (row([0, 1, 2, 3]), 2, 1),
        (row([0, 1, 2, 3]), 1, 0),  # the defender blocks an open five at both ends
        (row([0, 1, 2, 3]) | row([8, 9, 10], 5), 1, 2),
        (row([0, 1, 2]), 2, 0),
        (row([0, 1, 2]) | row([10, 11, 12], 5), 2, 2),  # two open fours: four cells to block
        (row([0, 1, 2, 3]) | row([-1, 4], player=2), 2, 0),  # no room
    ],
)
def test_wins_that_one_can_count(stones: Stones, n_stones: int, turns: int) -> None:
    found, turn = Solver()(stones, 1, n_stones)
    assert found == turns
    assert 1 <= len(turn) <= n_stones or turns == 0
    assert not set(turn) & stones.keys()


@pytest.mark.uncompiled
def test_a_threat_of_the_defender_is_blocked_first() -> None:
    two_lines = row([0, 1, 2]) | row([10, 11, 12], 5)
    assert Solver()(two_lines, 1)[0] == 2
    assert Solver()(two_lines | row([0, 1, 2, 3], -7, player=2), 1) == (0, ())
    closed = row([0, 1, 2, 3], -7, player=2) | row([-1], -7)  # one cell blocks it
    turns, turn = Solver()(two_lines | row([13, 14], 5) | closed, 1)
    assert turns == 1 or (4, -7) in turn or (5, -7) in turn


@pytest.mark.uncompiled
def test_a_block_may_be_part_of_the_attack() -> None:
    """The one cell that stops the defender is also the attacker's."""
    stones = row([0, 1, 2]) | {(3, -4): 2, (3, -3): 2, (3, -2): 2, (3, -1): 2, (3, -5): 1}
    stones |= {(4, 3): 1, (5, 2): 1, (6, 1): 1}
    turns, turn = Solver()(stones, 1)
    assert turns > 0
    assert (3, 0) in turn or (3, 1) in turn
    assert forced_wins.refutation(stones, 1, Solver(), around(stones)) is None


def around(stones: Stones) -> list[Cell]:
    near = {(q + dq, r + dr) for q, r in stones for dq, dr in NEAR}
    return sorted(near - stones.keys())


cells = st.sampled_from([(q, r) for q in range(-4, 5) for r in range(-4, 5) if abs(q + r) <= 4])
positions = st.lists(cells, min_size=7, max_size=15, unique=True).map(
    lambda chosen: {cell: 1 + number % 2 for number, cell in enumerate(chosen)}
)


@settings(max_examples=60)
@given(positions, st.integers(1, 2))
def test_a_win_stands_against_every_defence(stones: Stones, n_stones: int) -> None:
    solver = Solver()
    if solver(stones, 1, n_stones)[0]:

        def prove(after: Stones, attacker: int) -> tuple[int, Turn]:
            found: tuple[int, Turn] = solver(after, attacker, n_stones if after == stones else 2)
            return found

        found = forced_wins.refutation(stones, 1, prove, around(stones), n_stones)
        assert found is None


@settings(max_examples=40)
@given(positions, st.integers(1, 2))
def test_no_win_in_two_turns_is_missed(stones: Stones, n_stones: int) -> None:
    turns = Solver()(stones, 1, n_stones)[0]
    assert (0 < turns <= 2) == forced_wins.wins_by_force(stones, 1, 2, n_stones)


@settings(max_examples=60)
@given(positions, st.integers(1, 2), st.data())
def test_stones_outside_of_the_zone_of_a_proof_save_nobody(
    stones: Stones, free: int, data: st.DataObject
) -> None:
    solver = Solver()
    turns, _ = solver(stones, 1, free=free)
    if turns:
        outside = st.sampled_from(sorted(set(around(stones)) - solver.zone))
        more = data.draw(st.lists(outside, min_size=free, max_size=free))
        with_more = Solver(nodes=50 * ENOUGH)(stones | dict.fromkeys(more, 2), 1)
        assert 0 < with_more[0] <= turns


SINGLES = [
    "1,1 1,0 -2,2 0,-3 -1,3 / -1,-2 3,-1 2,-3 1,-1",
    "1,-3 -4,3 0,0 0,2 1,-4 -2,1 / -3,0 0,4 -4,4 1,-1 -3,-1 1,0",
    "2,0 0,0 1,-2 0,-1 0,1 -1,-1 / 1,1 1,-1 -2,0 -2,1 0,2",
]
"""Stones of both players: the first wins, but only with a threat that one stone covers."""


def read(text: str) -> Stones:
    both = enumerate(text.split(" / "), start=1)
    named = ((name.split(","), player) for player, names in both for name in names.split())
    return {(int(q), int(r)): player for (q, r), player in named}


@pytest.mark.parametrize("text", SINGLES)
def test_a_single_threat_wins_wherever_the_free_stone_goes(text: str) -> None:
    stones = read(text)
    assert Solver()(stones, 1) == (0, ())
    solver = Solver(singles=1)
    assert solver(stones, 1)[0] in (4, 5)
    assert forced_wins.refutation(stones, 1, solver, around(stones)) is None


def test_a_free_stone_may_make_a_threat_that_stops_the_attack() -> None:
    """Without such stones these would be wins in four turns."""
    for text in (
        "1,-2 1,-3 2,-2 0,-1 1,2 -1,-1 -3,2 0,-3 / -2,-1 -2,0 0,0 -3,1 -2,2 -1,-2 -1,0",
        "0,-1 1,1 0,3 -1,2 2,1 2,-2 -1,-2 / 1,-2 1,-3 3,-3 2,-3 3,0 -2,1",
    ):
        assert Solver(singles=1)(read(text), 1) == (0, ())


def test_the_zone_of_a_proof_has_the_lines_on_which_the_defender_could_threaten() -> None:
    stones = read("1,-2 0,1 0,2 4,0 0,0 2,0 0,-4 / 4,-4 3,0 -1,4 -4,2 -2,2 3,1 1,3")
    solver = Solver()
    assert solver(stones, 1, free=1)[0] == 3
    outside = set(around(stones)) - solver.zone
    assert len(outside) > 100
    prove = Solver()
    assert all(0 < prove(stones | {cell: 2}, 1)[0] <= 3 for cell in outside)


def test_no_proof_relies_on_lines_that_leave_the_window() -> None:
    edge = RADIUS - 5
    won = row([0, 1, 2]) | row([10, 11, 12], 5)
    assert Solver()(won | {(-edge, 3): 2}, 1)[0] == 2
    assert Solver()(won | {(-edge - 1, 3): 2}, 1)[0] == 0
    shifted = {(q + edge - 4, r): player for (q, r), player in read(SINGLES[2]).items()}
    assert Solver(singles=1)(shifted, 1)[0] == 4
    beyond = {(q + 1, r): player for (q, r), player in shifted.items()}
    assert Solver(singles=1)(beyond, 1)[0] == 0


def test_few_nodes_end_the_search_without_a_win() -> None:
    stones = read(SINGLES[0])
    solver = Solver(singles=1, nodes=500)
    assert solver(stones, 1) == (0, ())
    assert solver.memory["nodes"] < 2 * 500


def recorded_wins(turns_left: int) -> list[tuple[str, Stones, int]]:
    """Positions of recorded games that one side won, so many turns of the winner before the end."""
    found = []
    with gzip.open(GAMES, "rt") as lines:
        games = [game for game in map(json.loads, lines) if game.get("winner")]
    for game in games:
        turns = game["turns"][: len(game["turns"]) - 2 * turns_left + 1]
        stones = {tuple(cell): 1 + number % 2 for number, turn in enumerate(turns) for cell in turn}
        if max(abs(x) for cell in stones for x in cell) < RADIUS - 5 and len(turns) > 1:
            found.append((game["id"], stones, game["winner"]))
    return found


def test_every_recorded_win_is_seen_before_its_last_turn() -> None:
    wins = recorded_wins(1)
    assert len(wins) > 100
    assert [name for name, stones, winner in wins if Solver()(stones, winner)[0] != 1] == []


def test_recorded_games_that_were_won_by_force_are_proved_two_turns_before_the_end() -> None:
    solver = Solver()
    proved = 0
    for name, stones, winner in recorded_wins(2):
        if "strix" in name and solver(stones, winner)[0] > 1:
            proved += 1
            assert forced_wins.refutation(stones, winner, solver, around(stones)) is None
    assert proved > 5


BUSY = row([0, 1, 2]) | row([0, 1, 2], 4) | row([0, 3, 5], 9) | row([0, 2, 5], -5)
"""Lines that make so many forcing turns that a search looks at thousands."""


@pytest.mark.uncompiled
def test_a_halted_search_ends_within_a_few_hundred_nodes_and_leaves_nothing_wrong() -> None:
    solver, fresh = Solver(singles=1, nodes=2000), Solver(singles=1, nodes=2000)
    expected = fresh(BUSY, 1)
    halt_now(solver.halt)
    assert solver(BUSY, 1) == (0, ())
    assert solver.memory["nodes"] <= 3 * LOOK_EVERY
    solver.halt[:] = NEVER
    assert solver(BUSY, 1) == expected


@pytest.mark.uncompiled
def test_a_halted_search_still_completes_six() -> None:
    solver = Solver()
    halt_now(solver.halt)
    assert solver(row([0, 1, 2, 3]), 1)[0] == 1
