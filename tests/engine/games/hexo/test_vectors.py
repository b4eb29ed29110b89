"""Recorded games of HeXO on which two independent engines agree, replayed stone by stone."""

import gzip
import json
from typing import Any

import pytest

import engine
from engine.boards.plane import Cell, cells_within, distance
from engine.games.hexo.unbounded import REACH, HexoState
from tests.engine.games.platform_games import VECTORS
from tests.matrix import nightly_after

PARTS = 8
EVERY = 15
RULES = {
    "CellOccupied": ("occupied", "same-cell"),
    "OutOfRange": ("out-of-range",),
    "origin": ("off-origin",),
    "GameOver": ("game-over",),
}
"""Our words for the reasons of the other engines."""


def recorded() -> list[dict[str, Any]]:
    with gzip.open(VECTORS / "hexo.jsonl.gz", "rt", encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]


ALL = recorded()
GAMES = [each for each in ALL if "turns" in each]
REFUSED = [each for each in ALL if "refused" in each]


def cells_of(game: dict[str, Any]) -> list[tuple[int, int]]:
    """The stones in the order in which they were placed."""
    return [(q, r) for turn in game["turns"] for q, r in turn]


def facts(before: HexoState, after: HexoState, legal: int) -> list[int]:
    """What a recording says of a stone: mover, next to move, stones left, winner, legal cells."""
    if after.over:
        return [before.player, 0, 0, after.winner, 0]
    left = 2 if after.first is None else 1
    return [before.player, after.player, left, after.winner, legal]


@pytest.mark.parametrize("part", nightly_after(1, range(PARTS)))
def test_every_stone(part: int) -> None:
    for game in GAMES[part::PARTS]:
        state, reached = HexoState(stones={}, cap=0), set[Cell]()
        for cell, ply in zip(cells_of(game), game["plies"], strict=True):
            assert state.why_not(cell) is None
            before, state = state, state.placed(cell)
            legal = before.legal_after(cell, reached)
            assert facts(before, state, len(legal)) == ply
            # Computing all of it takes milliseconds.
            assert len(state.stones) % EVERY or state.over or state.legal() == legal
            reached |= cells_within(REACH, [cell])
        assert state.winner == game["winner"]
        assert not state.winner or max(state.longest) == game["line"]


def text(cells: list[list[int]]) -> str:
    return ",".join(f"{q}:{r}" for q, r in cells)


def test_every_turn() -> None:
    for game in GAMES:
        turns = game["turns"]
        if not game["winner"] and len(turns[-1]) == 1:  # the recording ends in the middle of one
            turns = turns[:-1]
        last = engine.game("hexo", cap=0).replay([text(turn) for turn in turns])
        assert (last.over, last.winner or 0) == (bool(game["winner"]), game["winner"])
        assert game["won_by_first_stone"] == (last.over and len(turns[-1]) == 1)
        assert len(last.stones) == sum(map(len, turns))


@pytest.mark.parametrize("given", REFUSED, ids=lambda given: given["id"])
def test_refused_stones(given: dict[str, Any]) -> None:
    state = HexoState(stones={}, cap=0)
    for q, r in given["cells"]:
        state = state.placed((q, r))
    q, r = given["refused"]
    refusal = state.why_not((q, r))
    assert refusal is not None
    assert refusal.rule in RULES[given["why"]]
    assert (q, r) not in state.legal()


def test_all_of_them_are_here() -> None:
    assert (len(GAMES), len(REFUSED)) == (200, 9)
    far = [max(distance((0, 0), cell) for cell in cells_of(game)) for game in GAMES]
    assert (sum(steps > 50 for steps in far), max(far)) == (9, 182)
