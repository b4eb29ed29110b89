"""A tree search over one game, without a clock: positions in, playouts, candidates out."""

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

from engine.contract import Candidate
from engine.game import Game, Position
from engine.games.refusal import Refusal
from engine.kernel.generic import STOP, Record
from engine.neural.network import Network, no_network
from engine.search.descent import PLAYOUTS_ALONE, WITH_NETWORK, Tuning
from engine.search.readout import candidates
from engine.search.simulation import Scratch, scratch, simulate
from engine.search.step_worths import Floats, step_worths
from engine.search.tree import (
    NOTHING,
    ROOT,
    UNSOLVED,
    Tree,
    allocate,
    clear,
    copy_subtree,
    find_child,
)

LARGEST_SEED = 2**64


@dataclass
class Worker:
    """One thread's tree, the memory into which it is copied when it is reused, and its scratch
    records.
    """

    tree: Tree
    spare: Tree
    scratch: Scratch
    state: Record


class Searcher:
    """Root-parallel search: each thread grows a tree of its own, and the visits are added up.

    With one thread, the same seed, positions and numbers of playouts give the same candidates.
    """

    def __init__(
        self,
        game: Game,
        *,
        megabytes: float,
        threads: int,
        seed: int,
        tuning: Tuning | None = None,
        network: Network | None = None,
    ) -> None:
        self.game = game
        self._network = network or no_network()
        self._seed = seed
        self._tuning = tuning or (WITH_NETWORK if network else PLAYOUTS_ALONE)
        self._position: Position | None = None
        n_steps = len(game.step_names)
        self._workers = [
            Worker(
                tree=allocate(megabytes / threads / 2, n_steps),
                spare=allocate(megabytes / threads / 2, n_steps),
                scratch=scratch(n_steps, 1, self._network),
                state=game.start().record(),
            )
            for _ in range(threads)
        ]
        self._pool = ThreadPoolExecutor(threads, "search") if threads > 1 else None

    def close(self) -> None:
        """End the threads."""
        if self._pool is not None:
            self._pool.shutdown()

    def move_to(self, position: Position) -> int:
        """Search this position next; returns how many playouts are kept from the search before."""
        turns = self._turns_since(position)
        for number, worker in enumerate(self._workers):
            worker.scratch.rng[0] = stream(self._seed, position.turn_number, number)
            if turns is None or not self._keep(worker, turns):
                clear(worker.tree)
        self._position = position
        return sum(int(worker.tree.visits[ROOT]) for worker in self._workers)

    def _turns_since(self, position: Position) -> tuple[str, ...] | None:
        """The turns that lead from the last position to this one; None if none do."""
        if self._position is None:
            return None
        known = len(self._position.turns)
        if position.turns[:known] != self._position.turns:
            return None
        return position.turns[known:]

    def _keep(self, worker: Worker, turns: tuple[str, ...]) -> bool:
        """Make the node after `turns` the root, if the tree has looked that far."""
        node = ROOT
        for turn in turns:
            node = self._node_after(worker.tree, node, turn)
            if node == NOTHING or worker.tree.first_child[node] == NOTHING:
                return False
        if node != ROOT:
            copy_subtree(worker.tree, worker.spare, node)
            worker.tree, worker.spare = worker.spare, worker.tree
        return True

    def _node_after(self, tree: Tree, node: int, turn: str) -> int:
        """The node in which `turn`, played at `node`, ends; -1 if the tree has none."""
        mover = tree.mover[node]
        for step in steps_of(self.game, turn):
            node = find_child(tree, node, step)
            if node == NOTHING:
                return NOTHING
        if tree.mover[node] == mover:
            return int(find_child(tree, node, STOP))
        return node

    def grow(self, playouts: int) -> int:
        """Run about so many playouts over all threads (exactly, on one) and return how many were
        run.
        """
        if self._position is None:
            raise ValueError("no position to search")
        if self._pool is None:
            return self._grow_one(self._workers[0], playouts)
        each = -(-playouts // len(self._workers))
        tasks = [self._pool.submit(self._grow_one, worker, each) for worker in self._workers]
        return sum(task.result() for task in tasks)

    def _grow_one(self, worker: Worker, playouts: int) -> int:
        assert self._position is not None
        record = self._position.record()
        arguments = (self.game.record, record, worker.state, worker.tree, worker.scratch)
        return int(simulate(*arguments, self._tuning, self._network, playouts))

    def warm_up(self) -> None:
        """Compile or load every kernel that a search needs."""
        self.move_to(self.game.start())
        self.grow(100)
        self.candidates(1)
        self.step_worths((), (0,))
        for worker in self._workers:
            copy_subtree(worker.tree, worker.spare, ROOT)

    @property
    def has_network(self) -> bool:
        """Whether a network judges positions."""
        return bool(self._network.layers.shape[0] > 0)

    @property
    def solved(self) -> bool:
        """Whether the result of the position is proved."""
        return any(worker.tree.solved[ROOT] != UNSOLVED for worker in self._workers)

    @property
    def trees(self) -> tuple[Tree, ...]:
        """Each thread's tree, to be read while nothing searches."""
        return tuple(worker.tree for worker in self._workers)

    @property
    def visits(self) -> int:
        """Playouts in the trees, kept ones included."""
        return sum(int(worker.tree.visits[ROOT]) for worker in self._workers)

    def candidates(self, count: int) -> tuple[Candidate, ...]:
        """The best turns found, best first; empty while no turn has been seen to its end."""
        return candidates(self.game, [worker.tree for worker in self._workers], count)

    def step_worths(self, path: Sequence[int], steps: Sequence[int]) -> Floats:
        """What the first thread's tree says of each of `steps` as the next one of the turn, of
        which `path` are the steps so far; see `engine.search.step_worths`.
        """
        return step_worths(self._workers[0].tree, path, steps, self._tuning)


def steps_of(game: Game, turn: str) -> tuple[int, ...]:
    """The steps of a turn that was legal when it was played."""
    steps = game.rules.parse(game.board, turn)
    assert not isinstance(steps, Refusal), steps
    return steps


def stream(seed: int, turn_number: int, thread: int) -> int:
    """A nonzero start for a thread's random numbers, by SplitMix64 (Steele et al., 2014)."""
    word = (
        seed * 0x9E3779B97F4A7C15 + turn_number * 0xD1342543DE82EF95 + thread + 1
    ) % LARGEST_SEED
    word = (word ^ (word >> 30)) * 0xBF58476D1CE4E5B9 % LARGEST_SEED
    word = (word ^ (word >> 27)) * 0x94D049BB133111EB % LARGEST_SEED
    return (word ^ (word >> 31)) or 1
