"""Judges positions and single turns by searches of equal length, for puzzles and reviews.

An engine that plays keeps its tree from turn to turn. A judge starts each search from nothing, so
two values may be compared, and it can search a position as if some turns were not allowed.
"""

from dataclasses import dataclass
from time import monotonic

from engine.contract import Candidate, Info, Signals
from engine.game import Game, Position
from engine.neural.shipped import shipped_network
from engine.players.search import tuning_with, with_chance
from engine.search.budget import TurnPlan
from engine.search.searcher import Searcher
from engine.search.thinking import Thinking

MEGABYTES = 256
"""Memory of a judge: enough for trees of 100,000 playouts."""
FIRST_LOOK = 8
"""Playouts after which `found_after` looks for the first time."""


@dataclass(frozen=True)
class Judgement:
    """The turns of a position, best first, after `playouts` playouts.

    The value of a candidate is its player's chance to win, 0 to 1.
    """

    candidates: tuple[Candidate, ...]
    playouts: int

    @property
    def best(self) -> Candidate:
        return self.candidates[0]


class Judge:
    """Searches positions of one game, with one thread; equal arguments give equal results."""

    def __init__(self, game: Game, *, seed: int = 1, megabytes: float = MEGABYTES) -> None:
        self.game = game
        self._seed = seed
        self._megabytes = megabytes
        self._searchers: dict[bool, Searcher] = {}
        """By whether the game's prover takes part."""

    def judge(
        self, position: Position, playouts: int, *, excluded: tuple[str, ...] = (), count: int = 10
    ) -> Judgement:
        """Return the best `count` turns of a position that is not over, without the excluded ones.

        With excluded turns the search makes no proofs. If no other turn is legal, or too few
        playouts have visited one to its end, there are no candidates.
        """
        searcher = self._searcher(proofs=not excluded)
        searcher.forget()
        searcher.move_to(position)
        for turn in excluded:
            searcher.exclude(turn)
        thinking = Thinking(searcher, _ignore, Signals(), monotonic)
        thinking.run(TurnPlan(nodes=playouts))
        left_out = {_after(position, turn) for turn in excluded}
        found = searcher.candidates(count + 2 * len(excluded))
        allowed = [each for each in found if _after(position, each.turn) not in left_out]
        return Judgement(tuple(map(with_chance, allowed[:count])), thinking.nodes)

    def found_after(self, position: Position, solution: str, playouts: int) -> int | None:
        """Return after how many playouts a search without proofs chooses `solution` for good.

        The search is looked at after 8, 16, 32, ... up to `playouts` playouts. None: it does not
        choose that turn at the end.
        """
        searcher = self._searcher(proofs=False)
        searcher.forget()
        searcher.move_to(position)
        wanted, since = _after(position, solution), None
        thinking, due = Thinking(searcher, _ignore, Signals(), monotonic), FIRST_LOOK
        while due <= playouts:
            thinking.run(TurnPlan(nodes=due - thinking.nodes))
            best = searcher.candidates(1)
            if not best or _after(position, best[0].turn) != wanted:
                since = None
            elif since is None:
                since = due
            if searcher.solved:
                break
            due *= 2
        return since

    def _searcher(self, *, proofs: bool) -> Searcher:
        if proofs not in self._searchers:
            network = shipped_network(self.game)
            tuning = tuning_with(self.game.mechanics, network, knowledge=True)
            if not proofs:
                tuning = tuning._replace(proof_nodes=0)
            self._searchers[proofs] = Searcher(
                self.game,
                megabytes=self._megabytes,
                threads=1,
                seed=self._seed,
                tuning=tuning,
                network=network,
            )
        return self._searchers[proofs]


def _ignore(_: Info) -> None:
    """Take a report that no reader waits for."""


def _after(position: Position, turn: str) -> frozenset[object]:
    """Return the stones after a turn: two turns with equal stones are the same turn."""
    return frozenset(position.play(turn).stones.items())
