"""What a process of its own does: a few games of self-play, or a pair of a match.

A task says everything that its games depend on, so that whoever plays it, on which machine and
after which interruption, plays the same ones.
"""

import random
from dataclasses import dataclass

import engine
from engine.game import Game
from engine.training.gate import SEEDS, Contest, MatchGame, play_pair
from engine.training.records import GameArrays, arrays_of
from engine.training.searching import searcher_for
from engine.training.self_play import play_game
from engine.training.settings import Identity, SelfPlay


@dataclass(frozen=True)
class PlayTask:
    """`weights` is the file of a network; None: without one."""

    identity: Identity
    generation: int
    number: int
    games: int
    weights: bytes | None
    settings: SelfPlay

    @property
    def board(self) -> str:
        return self.identity.board_of(self.number)


@dataclass(frozen=True)
class PairTask:
    """A pair of games between a candidate and the best so far."""

    identity: Identity
    generation: int
    pair: int
    candidate: bytes
    best: bytes | None
    nodes: int


def game_of(identity: Identity, board: str | None = None) -> Game:
    """The game that is learnt, on that one of its boards, or on the first."""
    return engine.game(identity.game, board=board or identity.boards[0], rules=identity.rules)


def self_play(task: PlayTask) -> GameArrays:
    """The games of the task."""
    game = game_of(task.identity, task.board)
    seed = f"{task.identity.seed} {task.generation} {task.number}"
    games = []
    for number in range(task.games):
        chance = random.Random(f"{seed} {number}")
        searcher = searcher_for(game, task.weights, chance.getrandbits(SEEDS))
        games.append(play_game(game, searcher, task.settings, chance))
    return arrays_of(games, len(game.step_names))


def match_pair(task: PairTask) -> tuple[MatchGame, MatchGame]:
    """The two games of the task."""
    game = game_of(task.identity, task.identity.board_of(task.pair))
    contest = Contest(game, task.candidate, task.best, task.nodes)
    return play_pair(contest, task.pair, f"{task.identity.seed} {task.generation}")
