"""How long games to a number of captures are, and how often the player who leads halfway wins.

This helps to choose the number: with a small one the first fight decides, with a large one games
are long and the leader seldom loses.
"""

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from statistics import fmean
from typing import Final

import engine
from engine.contract import Engine
from lab.engines.mixed_games import built_in, search

RANDOM_TURNS: Final = 3
"""Random turns at the start of each game."""

Scores = tuple[int, int]
Progress = Callable[[str], None]


@dataclass(frozen=True)
class Leads:
    """What games to one number of captures were like.

    `leading` counts the games in which one player was ahead as soon as a player had half of the
    captures, `kept` those that this player won. `changes` is how often the lead changed per game.
    """

    captures: int
    games: int
    turns: float
    first_won: int
    leading: int
    kept: int
    changes: float


def measure(
    game: engine.Game, games: int, playouts: int, seed: int, on_progress: Progress
) -> Leads:
    """Let the engine play a game with an option `captures` against itself, without a network."""
    goal, player = int(game.all_options["captures"]), built_in({"Network": False})
    played = list[list[Scores]]()
    for number in range(games):
        played.append(_play(game, player, playouts, f"{seed} {number}"))
        on_progress(f"game {number + 1} of {games}: {len(played[-1])} turns")
    winners = [leader(scores[-1]) for scores in played]
    halfway = [leader_at(scores, goal / 2) for scores in played]
    return Leads(
        captures=goal,
        games=games,
        turns=fmean(map(len, played)),
        first_won=winners.count(1),
        leading=sum(map(bool, halfway)),
        kept=sum(half != 0 and half == won for half, won in zip(halfway, winners, strict=True)),
        changes=fmean(map(changes, played)),
    )


def _play(game: engine.Game, player: Engine, playouts: int, seed: str) -> list[Scores]:
    """Return the scores after each turn of a game."""
    chance, position = random.Random(seed), game.start()
    player.set_option("Seed", chance.getrandbits(31))
    scores = []
    while not position.over:
        is_random = len(position.turns) < RANDOM_TURNS
        turn = (
            position.random_turn(chance) if is_random else search(player, position, playouts).turn
        )
        position = position.play(turn)
        scores.append(position.scores)
    return scores


def leader(scores: Scores) -> int:
    """Return the player with more captures, or 0."""
    one, two = scores
    return 1 if one > two else 2 if two > one else 0


def leader_at(scores: Sequence[Scores], captures: float) -> int:
    """Return the leader as soon as a player has that many captures, or 0."""
    return leader(next(each for each in scores if max(each) >= captures))


def changes(scores: Sequence[Scores]) -> int:
    """Return how often the lead passed from one player to the other."""
    leaders = [found for found in map(leader, scores) if found]
    return sum(one != two for one, two in pairwise(leaders))
