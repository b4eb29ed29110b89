"""What native kernels make of recorded games and of searches, and the cases to repeat elsewhere.

    BLUESTONE_KERNELS=build/ahead python -m tests.page.engine.native searches blooms

prints a JSON object of `cases` and `results`. How its kernels run is decided when a process starts,
so each of them has a process of its own.
"""

import base64
import gzip
import hashlib
import json
import random
import sys
from collections.abc import Iterator, Sequence
from typing import Any, Final, TypeAlias

import numpy as np

import engine
from engine.game import Game, Position
from engine.games.hexo.kernel import set_up
from engine.kernel import calls
from engine.kernel.generic import STOP, Record
from engine.kernel.mode import MODE
from engine.neural.network import Network
from engine.neural.shipped import shipped_network
from engine.search.searcher import Searcher
from engine.search.tree import Tree
from tests.engine.games.platform_games import VECTORS, board_size
from tests.engine.games.stargazers.test_vectors import sites

Case: TypeAlias = dict[str, Any]

UNRECORDED: Final = {"freego"}
"""Games of which no other program has recorded games."""
SEED: Final = 7
POSITIONS: Final = 20
PLAYOUTS: Final = 400
PROOF_NODES: Final = 500
MEGABYTES: Final = 8.0


def main(subject: str, game: str) -> None:
    cases, results = {"replays": replays, "searches": searches}[subject](game)
    said = {"mode": MODE.value, "cases": cases, "results": results}
    print(json.dumps(said))


def digest(*parts: bytes) -> str:
    return hashlib.sha256(b"".join(parts)).hexdigest()[:12]


# Recorded games


def replays(name: str) -> tuple[list[Case], list[list[str]]]:
    """Replay the recorded games of a game: what each step leads to."""
    found = [(case, [*results]) for case, results in map(replay, recorded(name))]
    return [case for case, _ in found], [results for _, results in found]


def recorded(name: str) -> Iterator[tuple[Game, list[Any]]]:
    """Each recorded game, with its turns, or in Stargazers with its cells."""
    for file in sorted(VECTORS.glob("*.jsonl.gz")):
        with gzip.open(file, "rt", encoding="utf-8") as lines:
            for line in lines:
                game = json.loads(line)
                of, *_ = file.name.split("-" if "-" in file.name else ".")
                if game.get("game", of) == name and not game.keys() & {"refused"}:
                    yield played(name, game)


def played(name: str, game: dict[str, Any]) -> tuple[Game, list[Any]]:
    match name:
        case "hexo":
            turns = [",".join(f"{q}:{r}" for q, r in turn) for turn in game["turns"]]
            return engine.game(name, cap=0), turns
        case "stargazers":
            board = f"stars-{game['size']}"
            protocol = "122" if game["protocol"] == "122" else "alternating"
            cells = sites(board)
            made = engine.game(name, board=board, rules="ludii", protocol=protocol)
            return made, [cells[ply["cell"]] for ply in game["plies"]]
        case _:
            board = ("hexhex-" if name == "blooms" else "pent-") + board_size(game)
            made = engine.game(name, board=board, rules="abstractplay")
            return made, [ply["move"] for ply in game["plies"]]


def replay(recorded: tuple[Game, list[Any]]) -> tuple[Case, Iterator[str]]:
    game, turns = recorded
    parts: list[Any] = []
    case = {"board": game.board.name, "rules": game.rule_set, "options": dict(game.options)}
    results = list(_hexo(game, turns, parts) if game.name == "hexo" else _fixed(game, turns, parts))
    return {**case, "parts": parts}, iter(results)


def _fixed(game: Game, turns: Sequence[str], parts: list[Any]) -> Iterator[str]:
    steps: list[int] = []
    parts.append({"steps": steps})
    state = game.mechanics.start()
    frame = game.start().frame
    for turn in turns:
        codes = frame.steps_of(turn)
        assert codes is not None
        for step in codes:
            steps.append(step)
            yield _stepped(game, state, step)
        if state["step"] == 1 and game.name != "stargazers":
            steps.append(STOP)
            yield _stepped(game, state, STOP)


def _hexo(game: Game, turns: Sequence[str], parts: list[Any]) -> Iterator[str]:
    position = game.start()
    for number, turn in enumerate(turns):
        position = position.play(turns[number - 1]) if number else position
        frame = position.frame
        seen = [(frame.steps_of(cell), stone.player) for cell, stone in position.stones.items()]
        stones = [(code, player) for steps, player in seen for code in steps or ()]
        steps = frame.steps_of(turn) or ()
        state = game.mechanics.new_state()
        numbers = position.turn_number, position.winner or 0
        codes = np.array([code for code, _ in stones], np.int16)
        players = np.array([player for _, player in stones], np.int64)
        set_up(game.record, state, codes, players, *numbers)
        parts.append({"stones": stones, "numbers": numbers, "steps": steps})
        for step in steps:
            yield _stepped(game, state, step)


def _stepped(game: Game, state: Record, step: int) -> str:
    """Play a step; return the digest of all that kernels say of the state after it."""
    assert calls.try_step(game.record, state, step), step
    lists = (game.mechanics.steps(state), game.mechanics.promising_steps(state))
    steps = (np.array(each, np.int16).tobytes() for each in lists)
    return digest(state.tobytes(), *steps, bytes([calls.outcome(game.record, state)]))


# Searches


def searches(name: str) -> tuple[list[Case], list[dict[str, str]]]:
    """Search positions of a game, without and with a network: the trees."""
    cases, results = [], []
    for with_network in (False, True):
        for number, position in enumerate(positions(name)):
            network = shipped_network(position.game) if with_network else None
            if with_network and network is None:
                continue
            case, result = search(position, SEED + number, network)
            cases.append(case)
            results.append(result)
    return cases, results


def positions(name: str) -> Iterator[Position]:
    """Positions of random games, on each board; the later, the more turns they have."""
    boards = [engine.game(name, board=board) for board in engine.game_info(name).boards]
    for number in range(POSITIONS):
        game = boards[number % len(boards)]
        chance, position = random.Random(number), game.start()
        for _ in range(number):
            after = position.play(position.likely_turn(chance))
            position = position if after.over else after
        yield position


def search(position: Position, seed: int, network: Network | None) -> tuple[Case, dict[str, str]]:
    game = position.game
    searcher = Searcher(game, megabytes=MEGABYTES, threads=1, seed=seed, network=network)
    searcher.move_to(position)
    state = position.record().tobytes()
    searcher.grow(PLAYOUTS)
    searcher.prove(PROOF_NODES)
    case = {
        "board": game.board.name,
        "state": base64.b64encode(state).decode(),
        "ply": len(position.turns),
        "seed": seed,
        "megabytes": MEGABYTES,
        "network": network is not None,
        "playouts": PLAYOUTS,
        "proof_nodes": PROOF_NODES,
    }
    return case, tree_digests(searcher.tree)


def tree_digests(tree: Tree) -> dict[str, str]:
    """A digest of the part in use of each array."""
    nodes, edges, tables = tree.used.tolist()
    used = {"child": edges, "step": edges, "prior": edges}
    used |= {"amaf_visits": tables, "amaf_points": tables, "used": 3}
    return {
        name: digest(array[: used.get(name, nodes)].tobytes())
        for name, array in tree._asdict().items()
    } | {"counts": f"{nodes} {edges} {tables} {tree.visits[0]} {tree.solved[0]}"}


if __name__ == "__main__":
    main(*sys.argv[1:])
