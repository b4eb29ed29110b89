"""Games recorded from the rules library of Abstract Play: read, and replayed ply by ply."""

import gzip
import hashlib
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import engine

VECTORS = Path(__file__).parent / "vectors"

Facts = Callable[[engine.Position, engine.Position, dict[str, Any]], dict[str, Any]]
"""What there is to compare with a ply, given the positions before and after it."""


def recorded(file: str, game: str) -> list[dict[str, Any]]:
    """The games of one file, or those of it that are games of `game`."""
    with gzip.open(VECTORS / f"{file}.jsonl.gz", "rt", encoding="utf-8") as lines:
        games = [json.loads(line) for line in lines]
    return [each for each in games if each["game"] == game]


def board_size(game: dict[str, Any]) -> str:
    return game["variants"][0].removeprefix("size-") if game["variants"] else "6"


def legal(position: engine.Position) -> dict[str, Any]:
    turns = sorted(position.legal_turns())
    digest = hashlib.sha1("\n".join(turns).encode()).hexdigest()
    return {"legal_count": len(turns), "legal_sha1": digest}


def replay(position: engine.Position, game: dict[str, Any], facts: Facts) -> engine.Position:
    """The last position of a recorded game, every ply compared on the way."""
    for number, ply in enumerate(game["plies"], start=1):
        seen = {"move": ply["move"], "mover": position.to_play, **legal(position)}
        before, position = position, position.play(ply["move"])
        assert {**seen, **facts(before, position, ply)} == ply, f"ply {number}"
    return position


def check_end(game: dict[str, Any], last: engine.Position) -> None:
    assert last.over == game["gameover"]
    if last.over:
        assert ([last.winner] if last.winner else [1, 2]) == game["winner"]
    else:
        assert last.winner is None


def check_what_may_follow(game: dict[str, Any], last: engine.Position) -> None:
    """A special position says what must and what must not be legal after its last ply."""
    assert legal(last)["legal_count"] == game.get("final_legal_count", legal(last)["legal_count"])
    assert [turn for turn in game.get("then_legal", ()) if not last.is_legal(turn)] == []
    assert [turn for turn in game.get("then_illegal", ()) if last.is_legal(turn)] == []
