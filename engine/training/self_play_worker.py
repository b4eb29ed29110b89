"""The tasks of a worker process: some games of self-play, or a pair of games of a match.

A task contains everything on which its games depend. So its games are the same in every process, on
every machine and after an interruption.
"""

import random
from dataclasses import dataclass

import engine
from engine.game import Game
from engine.training.gate import SEEDS, Contest, MatchGame, play_pair
from engine.training.records import GameArrays, arrays_of
from engine.training.self_play import play_game, searcher_for
from engine.training.settings import Identity, SelfPlay


@dataclass(frozen=True)
class PlayTask:
    """Some games of self-play; `weights` is the content of a network's file, None for none."""

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
    """A pair of games between a candidate and the best player so far, weights as in `PlayTask`."""

    identity: Identity
    generation: int
    pair: int
    candidate: bytes
    best: bytes | None
    nodes: int


def game_of(identity: Identity, board: str | None = None) -> Game:
    """Return the game of the training on `board`, by default on its first board."""
    return engine.game(identity.game, board=board or identity.boards[0], rules=identity.rules)


def self_play(task: PlayTask) -> GameArrays:
    """Play the games of the task."""
    game = game_of(task.identity, task.board)
    seed = f"{task.identity.seed} {task.generation} {task.number}"
    games = []
    for number in range(task.games):
        chance = random.Random(f"{seed} {number}")
        searcher = searcher_for(game, task.weights, chance.getrandbits(SEEDS))
        games.append(play_game(game, searcher, task.settings, chance))
    return arrays_of(games, game.mechanics.n_steps)


def match_pair(task: PairTask) -> tuple[MatchGame, MatchGame]:
    """Play the two games of the task."""
    game = game_of(task.identity, task.identity.board_of(task.pair))
    contest = Contest(game, task.candidate, task.best, task.nodes)
    return play_pair(contest, task.pair, f"{task.identity.seed} {task.generation}")
