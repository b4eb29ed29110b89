"""The match of a candidate against the best network so far, with equal playouts per turn.

It is played in pairs of games: both have the same opening, and the players change seats.
"""

import math
import random
from collections.abc import Iterable
from dataclasses import dataclass

from engine.game import Game, Position
from engine.search.searcher import Searcher
from engine.training.self_play import look, opened, searcher_for

SEEDS = 63
"""Bits of a searcher's seed."""


@dataclass(frozen=True)
class MatchGame:
    """One game of a match.

    `seat` is the candidate's, 1 or 2; `winner` is 1, 2, or 0 for a draw. `board` is empty in files
    that are older than matches on several boards.
    """

    pair: int
    seat: int
    winner: int
    turns: tuple[str, ...]
    board: str = ""


@dataclass(frozen=True)
class Score:
    """The games of a match that the candidate won, drew and lost."""

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
        """The Elo difference to the opponent; each side gets half a point more, so it is finite."""
        points = self.wins + self.draws / 2
        return 400 * math.log10((points + 0.5) / (self.games - points + 0.5))


def score_of(games: Iterable[MatchGame]) -> Score:
    """Return the candidate's score in these games."""
    found = [0 if game.winner == 0 else 1 if game.winner == game.seat else -1 for game in games]
    return Score(found.count(1), found.count(0), found.count(-1))


@dataclass(frozen=True)
class Contest:
    """The players of a match: weights as bytes, None for the search without a network."""

    game: Game
    candidate: bytes
    best: bytes | None
    nodes: int
    most_random_turns: int = 4


def play_pair(contest: Contest, pair: int, seed: str) -> tuple[MatchGame, MatchGame]:
    """Play two games from one opening; they are the same for the same arguments."""
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
    """Return the best turn; None if no turn is visited to its end."""
    found = look(searcher, position, nodes)
    return found[0].turn if found else None
