"""Bodies as the platform sends them, for tests to change one thing in."""

import json
from collections.abc import Sequence

OURS = "5kq-bot"
THEIRS = "7b1e-ann"
HOUR_MS = 3_600_000
BEGAN_MS = 1_787_000_000_000
LAST_MOVE_MS = 1_787_003_600_000


def text(body: object) -> bytes:
    return json.dumps(body).encode()


def challenge(**changes: object) -> dict[str, object]:
    return {
        "verb": "challenge",
        "metaGame": "bluestone",
        "variants": ["size-8"],
        "clockStart": 48,
        "clockInc": 12,
        "clockMax": 96,
        "challengers": [THEIRS],
        **changes,
    }


def notice(**changes: object) -> dict[str, object]:
    return {
        "verb": "move",
        "metaGame": "bluestone",
        "variants": ["size-8"],
        "gameid": "c0ffee00",
        "clockCurr": 41,
        "numPlayers": 2,
        "moves": [["3-2", "pass"], ["0-0,5-3"]],
        **changes,
    }


def players(ours_ms: int = 41 * HOUR_MS, theirs_ms: int = 48 * HOUR_MS) -> list[object]:
    """Ann is in the first seat, and our bot in the second."""
    return [
        {"id": THEIRS, "name": "Ann", "time": theirs_ms},
        {"id": OURS, "name": "Bot", "time": ours_ms},
    ]


def listed(**changes: object) -> dict[str, object]:
    return {
        "id": "c0ffee00",
        "metaGame": "bluestone",
        "players": players(),
        "toMove": "1",
        "gameStarted": BEGAN_MS,
        "numMoves": 3,
        "variants": ["size-8"],
        "commented": 0,
        **changes,
    }


def state(*plies: str, **changes: object) -> str:
    """The text of a state; every position has a board, which is a map, as the real ones have."""
    board = {"dataType": "Map", "value": [["3-2", 1], ["0-0", 2]]}
    stack: list[object] = [{"_version": "1", "board": {"dataType": "Map", "value": []}}]
    stack += [{"board": board, "currplayer": 1, "lastmove": ply} for ply in plies]
    begun = {"game": "bluestone", "numplayers": 2, "variants": [], "gameover": False, "winner": []}
    return json.dumps({**begun, "stack": stack, **changes})


def record(
    plies: Sequence[str] = ("3-2", "pass", "0-0,5-3"), /, **changes: object
) -> dict[str, object]:
    """A running game in which our bot is to move, as `get_game` has it under `game`."""
    return {
        "id": "c0ffee00",
        "metaGame": "bluestone",
        "numPlayers": 2,
        "players": players(),
        "toMove": "1",
        "variants": [],
        "rated": True,
        "clockStart": 48,
        "clockInc": 12,
        "clockMax": 96,
        "clockHard": False,
        "lastMoveTime": LAST_MOVE_MS,
        "gameStarted": BEGAN_MS,
        "numMoves": len(plies),
        "state": state(*plies),
        **changes,
    }


def finished(
    plies: Sequence[str], winner: Sequence[int], last: str | None = None, **changes: object
) -> dict[str, object]:
    """A game that is over; `last` is how, where it was not played out."""
    stack = [*plies, last] if last is not None else plies
    over = {
        "toMove": "",
        "winner": list(winner),
        "gameEnded": LAST_MOVE_MS,
        "state": state(*stack, gameover=True, winner=list(winner)),
    }
    return record(plies, **{**over, **changes})


def asked(game: dict[str, object]) -> bytes:
    """The answer to `get_game`."""
    return text({"game": game, "comments": [], "watchCount": 0})
