"""Whether a candidate becomes the best: a match at equal playouts, in pairs of games from one
opening with the seats changed.
"""

import math
import random
from collections.abc import Iterable
from dataclasses import dataclass

from engine.game import Game, Position
from engine.search.searcher import Searcher
from engine.training.searching import searcher_for
from engine.training.self_play import look, opened

SEEDS = 63
"""Bits of a searcher's seed."""


@dataclass(frozen=True)
class MatchGame:
    """`seat` is the candidate's, 1 or 2; `winner` 1, 2 or 0 for a draw. Before there were matches
    on several boards, `board` was not written down.
    """

    pair: int
    seat: int
    winner: int
    turns: tuple[str, ...]
    board: str = ""


@dataclass(frozen=True)
class Score:
    """Of a candidate."""

    wins: int = 0
    draws: int = 0
    losses: int = 0

    @property
    def games(self) -> int:
        return self.wins + self.draws + self.losses

    @property
    def share(self) -> float:
        return (self.wins + self.draws / 2) / max(1, self.games)

    @property
    def elo(self) -> float:
        """How much stronger it is; half a point is added on both sides, so that it is finite."""
        points = self.wins + self.draws / 2
        return 400 * math.log10((points + 0.5) / (self.games - points + 0.5))


def score_of(games: Iterable[MatchGame]) -> Score:
    """What the candidate made of these games."""
    found = [0 if game.winner == 0 else 1 if game.winner == game.seat else -1 for game in games]
    return Score(found.count(1), found.count(0), found.count(-1))


@dataclass(frozen=True)
class Contest:
    """Who plays: weights as bytes, None for the search without a network."""

    game: Game
    candidate: bytes
    best: bytes | None
    nodes: int
    most_random_turns: int = 4


def play_pair(contest: Contest, pair: int, seed: str) -> tuple[MatchGame, MatchGame]:
    """Two games, the same for the same seed."""
    chance = random.Random(f"{seed} match {pair}")
    start = opened(contest.game, contest.most_random_turns, chance, [])
    while start.over:
        start = opened(contest.game, contest.most_random_turns, chance, [])
    return _played(contest, start, pair, 1, chance), _played(contest, start, pair, 2, chance)


def _played(
    contest: Contest, start: Position, pair: int, seat: int, chance: random.Random
) -> MatchGame:
    weights = (contest.candidate, contest.best) if seat == 1 else (contest.best, contest.candidate)
    searchers = [searcher_for(contest.game, each, chance.getrandbits(SEEDS)) for each in weights]
    position = start
    while not position.over:
        turn = best_turn(searchers[position.to_play - 1], position, contest.nodes)
        position = position.play(turn or position.random_turn(chance))
    board = contest.game.board.name
    return MatchGame(pair, seat, position.winner or 0, position.turns, board)


def best_turn(searcher: Searcher, position: Position, nodes: int) -> str | None:
    """None where no turn was seen to its end."""
    found = look(searcher, position, nodes)
    return found[0].turn if found else None
