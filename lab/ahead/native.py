"""Searches with native kernels for `lab.ahead.ahead`: a line of JSON for each line on stdin.

How its kernels run is decided when a process starts (`engine.kernel.mode`).
"""

import json
import sys
import time
from functools import cache

import engine
from engine.neural.shipped import shipped_network
from engine.search.searcher import Searcher

MEGABYTES = 64
SEED = 7


@cache
def searcher_of(name: str, *, network: bool) -> Searcher:
    game = engine.game(name)
    judge = shipped_network(game) if network else None
    return Searcher(game, megabytes=MEGABYTES, threads=1, seed=SEED, network=judge)


def main() -> None:
    for line in sys.stdin:
        asked = json.loads(line)
        searcher = searcher_of(asked["game"], network=asked["network"])
        searcher.forget()
        searcher.move_to(searcher.game.start())
        began = time.thread_time()
        playouts = searcher.grow(asked["playouts"])
        took = time.thread_time() - began
        answer = {"playouts": playouts, "seconds": took, "visits": searcher.visits}
        print(json.dumps(answer), flush=True)


if __name__ == "__main__":
    main()
