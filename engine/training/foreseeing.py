"""Measures what pondering can gain.

It counts how often the opponent plays the expected turn. It also counts how many playouts of a
search over all replies remain useful after the turn that is played.
"""

import random
from dataclasses import dataclass

from engine.game import Game, Position
from engine.neural.shipped import shipped_network
from engine.notation import stones_of
from engine.search.searcher import Searcher
from engine.training.playout_time import MEGABYTES, RANDOM_TURNS, SEEDS
from engine.training.self_play import opened


@dataclass(frozen=True)
class Foreseen:
    """Counts over `turns` turns of the opponent; `hits` of them were the expected ones.

    `kept` are the playouts in the tree that the next search keeps without pondering. `kept_of_all`
    are those that it keeps if it pondered about all replies, for as many playouts as a turn has.
    """

    turns: int = 0
    hits: int = 0
    kept: int = 0
    kept_of_all: int = 0

    def __add__(self, other: "Foreseen") -> "Foreseen":
        return Foreseen(
            self.turns + other.turns,
            self.hits + other.hits,
            self.kept + other.kept,
            self.kept_of_all + other.kept_of_all,
        )


def foreseen_in(game: Game, nodes: int, number: int, seed: int) -> Foreseen:
    """Play one game of self-play, `nodes` playouts per turn; the same for the same arguments."""
    chance = random.Random(f"{seed} foreseeing {number}")
    network = shipped_network(game)
    plain, opponent, ponders = (
        Searcher(
            game,
            megabytes=MEGABYTES,
            threads=1,
            seed=chance.getrandbits(SEEDS),
            network=network,
        )
        for _ in range(3)
    )
    position, found = opened(game, RANDOM_TURNS, chance, []), Foreseen()
    while not position.over:
        turn, expected = _looked(plain, position, nodes)
        _looked(ponders, position, nodes)
        position = position.play(turn or position.random_turn(chance))
        if position.over:
            break
        ponders.move_to(position)
        ponders.grow(nodes)
        reply = _looked(opponent, position, nodes)[0] or position.random_turn(chance)
        position = position.play(reply)
        if expected is not None and not position.over:
            is_hit = stones_of(expected) == stones_of(reply)
            kept = plain.move_to(position), ponders.move_to(position)
            found += Foreseen(1, int(is_hit), *kept)
    return found


def _looked(searcher: Searcher, position: Position, nodes: int) -> tuple[str | None, str | None]:
    """Search and return the best turn and the expected reply, None for each that is unknown."""
    searcher.move_to(position)
    searcher.grow(nodes)
    best = searcher.candidates(1)
    line = best[0].line if best else ()
    return (line[0] if line else None, line[1] if len(line) > 1 else None)
