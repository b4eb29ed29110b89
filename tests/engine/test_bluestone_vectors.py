"""Every recorded game of Bluestone, reproduced in every field (rule set `abstractplay`)."""

import gzip
import hashlib
import json
from itertools import chain
from pathlib import Path
from typing import Any

import pytest

import engine

VECTORS = Path(__file__).parent / "vectors"
PARTS = 8


def recorded(file: str) -> list[dict[str, Any]]:
    with gzip.open(VECTORS / f"{file}.jsonl.gz", "rt", encoding="utf-8") as lines:
        games = [json.loads(line) for line in lines]
    return [game for game in games if game["game"] == "bluestone"]


def start_of(game: dict[str, Any]) -> engine.Position:
    size = game["variants"][0].removeprefix("size-") if game["variants"] else "6"
    return engine.game("bluestone", board=f"pent-{size}", rules="abstractplay").start()


def packed(scores: tuple[int, ...]) -> float:
    """The platform's display number: 10, 5, 4 becomes 10.0504; five groups at most."""
    return float(f"{scores[0]}." + "".join(f"{score:02}" for score in scores[1:5]))


def facts(position: engine.Position) -> dict[str, Any]:
    """What a recorded ply says about the position after it."""
    return {
        "captured": list(position.captured),
        "p1": [cell for cell, stone in position.stones.items() if stone.player == 1],
        "p2": [cell for cell, stone in position.stones.items() if stone.player == 2],
        "group_scores": [list(scores) for scores in position.scores],
        "scores": [packed(scores) for scores in position.scores],
    }


def legal(position: engine.Position) -> dict[str, Any]:
    turns = sorted(position.legal_turns())
    digest = hashlib.sha1("\n".join(turns).encode()).hexdigest()
    return {"legal_count": len(turns), "legal_sha1": digest}


def capture_groups(position: engine.Position) -> list[list[str]]:
    """The captured cells, cut into connected groups."""
    near = position.game.board.neighbours
    groups: list[list[str]] = []
    for cell in position.captured:
        touching = [group for group in groups if set(near(cell)) & set(group)]
        groups = [group for group in groups if group not in touching]
        groups.append([*chain.from_iterable(touching), cell])
    return groups


def replay(game: dict[str, Any]) -> engine.Position:
    """The last position of a recorded game, every ply compared on the way."""
    position = start_of(game)
    for number, ply in enumerate(game["plies"], start=1):
        seen = {"move": ply["move"], "mover": position.to_play, **legal(position)}
        position = position.play(ply["move"])
        if "capture_groups" in ply:
            seen["capture_groups"] = capture_groups(position)
        assert {**seen, **facts(position)} == ply, f"ply {number}"
    return position


def check_end(game: dict[str, Any], last: engine.Position) -> None:
    assert last.over == game["gameover"]
    if last.over:
        assert ([last.winner] if last.winner else [1, 2]) == game["winner"]
    else:
        assert last.winner is None


@pytest.mark.parametrize("file", ["bluestone-6", "bluestone-8"])
@pytest.mark.parametrize("part", range(PARTS))
def test_recorded_games(file: str, part: int) -> None:
    games = recorded(file)[part::PARTS]
    assert games
    for game in games:
        check_end(game, replay(game))


SPECIAL = {game["id"]: game for game in recorded("special")}


@pytest.mark.parametrize("name", SPECIAL)
def test_special_positions(name: str) -> None:
    game = SPECIAL[name]
    last = replay(game)
    check_end(game, last)
    assert legal(last)["legal_count"] == game.get("final_legal_count", legal(last)["legal_count"])
    assert [turn for turn in game.get("then_legal", ()) if not last.is_legal(turn)] == []
    assert [turn for turn in game.get("then_illegal", ()) if last.is_legal(turn)] == []


def test_all_of_them_are_here() -> None:
    assert len(recorded("bluestone-6")) == 150
    assert len(recorded("bluestone-8")) == 40
    assert len(SPECIAL) == 31
    assert all(name.startswith("bs-") for name in SPECIAL)
