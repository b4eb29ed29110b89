"""What the search and the levels of play choose with native kernels, and the cases to repeat.

    BLUESTONE_KERNELS=build/ahead python -m tests.page.engine.native_choices blooms

prints a JSON object of `searches` and `levels`, each with what to repeat and what was found.
"""

import json
import sys
from collections.abc import Iterator
from itertools import islice
from typing import Any, Final

import numpy as np

from engine.contract import Candidate, Limits, Signals
from engine.game import Game, Position
from engine.neural.shipped import shipped_network
from engine.players.judge import Judge
from engine.players.levels import LEVEL_WORDS
from engine.players.search import SearchEngine
from engine.search.budget import TurnPlan
from engine.search.searcher import Searcher
from engine.search.thinking import Thinking
from tests.page.engine.native import positions

SEED: Final = 7
MEGABYTES: Final = 16
PLAYOUTS: Final = 700
COUNT: Final = 10
AT_LEVELS: Final = (1, 6, 13)
"""Numbers of the positions at which levels choose."""
DRAWS: Final = 4
"""Random numbers for one choice: one a stone."""


def main(name: str) -> None:
    found = {
        "searches": [*searches(name)],
        "judgements": [*judgements(name)],
        "levels": [*levels(name)],
    }
    print(json.dumps(found))


def setup_of(game: Game) -> dict[str, Any]:
    return {"game": game.name, "board": game.board.name, "rules": game.rule_set, "options": {}}


def candidate(found: Candidate) -> dict[str, Any]:
    return {
        "turn": found.turn,
        "value": found.value,
        "visits": found.visits,
        "line": list(found.line),
        "result": found.result,
    }


def searches(name: str) -> Iterator[dict[str, Any]]:
    """A search of each position, and of the one after its choice: it keeps a part of the tree."""
    for position in positions(name):
        judge = shipped_network(position.game)
        for network in [None] if judge is None else [None, judge]:
            searcher = Searcher(
                position.game, megabytes=MEGABYTES, threads=1, seed=SEED, network=network
            )
            steps, shown = [position], []
            for at in steps:
                searcher.move_to(at)
                thinking = Thinking(searcher, lambda _: None, Signals(), lambda: 0.0)
                thinking.run(TurnPlan(nodes=PLAYOUTS))
                best = searcher.candidates(COUNT)
                shown.append({"visits": searcher.visits, "best": [*map(candidate, best)]})
                after = at.play(best[0].turn)
                if len(steps) == 1 and not after.over:
                    steps.append(after)
            yield {
                "setup": setup_of(position.game),
                "turns": [list(at.turns) for at in steps],
                "network": network is not None,
                "found": shown,
            }


def judgements(name: str) -> Iterator[dict[str, Any]]:
    """Chances to win, as a judge gives them."""
    for position in islice(positions(name), 3):
        found = Judge(position.game, megabytes=MEGABYTES).judge(position, PLAYOUTS)
        best = [candidate(each) for each in found.candidates]
        yield {"setup": setup_of(position.game), "turns": list(position.turns), "found": best}


def levels(name: str) -> Iterator[dict[str, Any]]:
    """The turn of each level, with the random numbers that it drew."""
    at = [position for number, position in enumerate(positions(name)) if number in AT_LEVELS]
    for number in range(1, len(LEVEL_WORDS) + 1):
        for position in at:
            draws = np.random.default_rng((SEED, position.turn_number))
            yield {
                "setup": setup_of(position.game),
                "turns": list(position.turns),
                "level": number,
                "draws": [draws.random() for _ in range(DRAWS)],
                "found": chosen(position, number),
            }


def chosen(position: Position, number: int) -> str:
    player = SearchEngine()
    for option, value in {"Seed": SEED, "Level": number, "Hash": MEGABYTES}.items():
        player.set_option(option, value)
    player.set_position(position)
    limits = Limits(nodes=PLAYOUTS)
    return player.search(limits, lambda _: None, Signals()).turn


if __name__ == "__main__":
    main(sys.argv[1])
