"""The tree search of one game, without a clock: it takes positions and returns candidates."""

from collections.abc import Sequence
from concurrent.futures import Future, ThreadPoolExecutor, wait
from dataclasses import dataclass

import numpy as np

from engine.contract import Candidate
from engine.game import Game, Position
from engine.kernel import splitmix
from engine.kernel.generic import NO_PROOF, STOP, Record
from engine.kernel.halt import halt_in, halt_now, new_halt
from engine.neural.network import Network, no_network
from engine.search.descent import Scratch, scratch
from engine.search.expansion import exclude_turn, prove_root
from engine.search.readout import candidates, seen_turns
from engine.search.simulation import simulate
from engine.search.step_worths import Floats, step_worths
from engine.search.tree import (
    NOTHING,
    ROOT,
    TABLES_FOR_NETWORK,
    TABLES_FOR_PLAYOUTS,
    UNSOLVED,
    Int64s,
    Tree,
    allocate,
    child_of,
    clear,
    copy_subtree,
    free,
)
from engine.search.tuning import Tuning, usual_tuning


@dataclass
class Worker:
    """The buffers of one thread."""

    scratch: Scratch
    state: Record


class Searcher:
    """Threads that grow one tree together; `tree` may be read only while no search runs.

    With one thread, the same seed, positions and numbers of playouts give the same candidates.

    Arguments: `megabytes` is the memory of both trees, `tree` and a spare one. `tuning` is by
    default `usual_tuning`.
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
        with_network = network is not None
        self._tuning = tuning or usual_tuning(game.mechanics, with_network=with_network)
        self._position: Position | None = None
        self._is_proved = False
        """Whether the game's prover cannot find more about the position."""
        self._before: Position | None = None
        """The root of the spare tree."""
        n_steps = game.mechanics.n_steps
        tables = TABLES_FOR_NETWORK if with_network else TABLES_FOR_PLAYOUTS
        if self._tuning.table_visits < 0:
            tables = 0.0
        self.tree = allocate(megabytes / 2, n_steps, tables)
        self._spare = allocate(megabytes / 2, n_steps, tables)
        self._halt = new_halt()
        self._workers = [
            Worker(
                scratch=scratch(
                    n_steps, 1, self._network, game.mechanics.prover_memory(), self._halt
                ),
                state=game.start().record(),
            )
            for _ in range(threads)
        ]
        self._helpers = ThreadPoolExecutor(threads - 1, "search") if threads > 1 else None

    def close(self) -> None:
        """End the threads of the search."""
        if self._helpers is not None:
            self._helpers.shutdown()

    def move_to(self, position: Position) -> int:
        """Set the position to search next; return how many earlier playouts are kept.

        Playouts are kept from the last search, or from the one before it: the last position may
        have been an expected one, for pondering, that was not played.
        """
        turns = turns_between(self._position, position)
        if turns is None and turns_between(self._before, position) is not None:
            self._step_back()
            turns = turns_between(self._position, position)
        for number, worker in enumerate(self._workers):
            worker.scratch.rng[0] = stream(self._seed, position.turn_number, number)
        if turns is None or not self._keep(turns, position):
            self._swap()
            clear(self.tree)
        self._is_proved = False
        if turns != ():
            self._before = self._position
        self._position = position
        return self.visits

    def forget(self) -> None:
        """Discard all playouts, so that the next position is searched from nothing."""
        self._position = self._before = None

    def free_earlier(self) -> None:
        """Return the memory of the search before this one, which may be half of all.

        The next position then keeps playouts of this search alone.
        """
        self._before = None
        free(self._spare)

    def exclude(self, turn: str) -> None:
        """Search the position as if this turn, in either order of its stones, were not allowed.

        Call it right after `forget` and `move_to`, and `forget` after the search: the tree takes
        the turn for a proved loss. The tuning must have no proofs, which know nothing of it.
        """
        assert self._position is not None
        steps = self._position.frame.steps_of(self.game.canonical(turn))
        if steps is None:  # outside of the frame, so the search does not consider the turn
            return
        worker, record = self._workers[0], self._position.record()
        for order in {steps, steps[::-1]}:
            exclude_turn(
                self.game.record,
                record,
                worker.state,
                self.tree,
                worker.scratch.steps,
                worker.scratch.rng,
                np.array((*order, STOP), np.int16),
                self._tuning,
            )

    def _step_back(self) -> None:
        """Restore the position and tree of the search before the last one."""
        self._position, self._before = self._before, self._position
        self._swap()

    def _swap(self) -> None:
        self.tree, self._spare = self._spare, self.tree

    def _keep(self, turns: tuple[str, ...], position: Position) -> bool:
        """Make the node after `turns` the root, for the search of `position` that they lead to.

        Returns False if the node is missing or has no edges, or if the position has another frame:
        then the codes in the tree mean other steps.
        """
        assert self._position is not None
        frame = self._position.frame
        if frame != position.frame:
            return False
        node = ROOT
        for turn in turns:
            steps = frame.steps_of(turn)
            node = NOTHING if steps is None else self._node_after(self.tree, node, steps)
            if node == NOTHING or self.tree.first_edge[node] == NOTHING:
                return False
        if not is_playable(self.tree, node):
            return False
        if node != ROOT:
            copy_subtree(self.tree, self._spare, node)
            self._swap()
        return True

    def _node_after(self, tree: Tree, node: int, steps: tuple[int, ...]) -> int:
        """Return the node after a turn of `steps` at `node`; NOTHING if the tree has none."""
        mover = tree.mover[node]
        for step in steps:
            node = child_of(tree, node, step)
            if node == NOTHING:
                return NOTHING
        if tree.mover[node] == mover:
            return int(child_of(tree, node, STOP))
        return node

    def grow(self, playouts: int) -> int:
        """Run `playouts` playouts, fewer if solved or halted; return how many were run.

        The threads take playouts one by one from a shared counter. So no thread waits long at the
        end for a slower one, or for one that a busy machine has not started by then. Raises
        ValueError if no position is set.
        """
        if self._position is None:
            raise ValueError("no position to search")
        left = np.array([playouts], np.int64)
        root = self._position.record()
        first, *others = self._workers
        tasks = [self._start(worker, root, left) for worker in others]
        try:
            done = self._take_part(first, root, left)
        finally:  # even after an error, no thread may use the tree when this returns
            begun = [task for task in tasks if not task.cancel()]
            wait(begun)
        return done + sum(task.result() for task in begun)

    def halt(self) -> None:
        """End `grow` and `prove` at once, and every later call after one playout.

        Any thread may call this. `halt_in` allows long calls again.
        """
        halt_now(self._halt)

    def halt_in(self, seconds: float | None) -> None:
        """Let `grow` and `prove` end so many seconds from now; None: when they are done."""
        halt_in(self._halt, seconds)

    @property
    def may_prove(self) -> bool:
        """Whether `prove` may find more about the position."""
        return self._tuning.proof_nodes > 0 and not self._is_proved

    def prove(self, nodes: int) -> None:
        """Let the game look at `nodes` positions for a proof of the result.

        A game without a prover does nothing. Call `grow` before.
        """
        assert self._position is not None
        worker = self._workers[0]
        arguments = (self.game.record, self._position.record(), worker.state, self.tree)
        buffers = worker.scratch.steps, worker.scratch.proofs
        found = prove_root(*arguments, *buffers, nodes, self._halt)
        self._is_proved = found == NO_PROOF

    def _start(self, worker: Worker, root: Record, left: Int64s) -> Future[int]:
        assert self._helpers is not None
        return self._helpers.submit(self._take_part, worker, root, left)

    def _take_part(self, worker: Worker, root: Record, left: Int64s) -> int:
        arguments = (self.game.record, root, worker.state, self.tree, worker.scratch)
        return int(simulate(*arguments, self._tuning, self._network, left))

    def warm_up(self, playouts: int = 100) -> None:
        """Call every kernel that a search needs, so that it is compiled, or loaded from the cache.

        It runs `playouts`, and as many again until it has visited a turn to its end.
        """
        start = self.game.start()
        self.move_to(start)
        self.grow(playouts)
        while not self.candidates(1):
            self.grow(playouts)
        self.prove(1)
        best, *_ = self.candidates(1)
        self.step_worths((), (0,))
        copy_subtree(self.tree, self._spare, ROOT)
        self.move_to(start.play(best.turn))  # which looks for the turn in the tree
        self.forget()
        self.move_to(start)
        self.exclude(best.turn)
        self.forget()

    @property
    def has_network(self) -> bool:
        """Whether a network evaluates positions."""
        return bool(self._network.layers.shape[0] > 0)

    @property
    def solved(self) -> bool:
        """Whether the result of the position is proved."""
        return bool(self.tree.solved[ROOT] != UNSOLVED)

    @property
    def visits(self) -> int:
        """Playouts in the tree, including those kept from earlier searches."""
        return int(self.tree.visits[ROOT])

    def candidates(self, count: int) -> tuple[Candidate, ...]:
        """Return the best `count` turns, best first; empty while no turn is visited to its end."""
        if self._position is None:
            return ()
        return candidates(self._position.frame, self.tree, count)

    def step_worths(self, path: Sequence[int], steps: Sequence[int]) -> Floats:
        """Return the worth of each of `steps` as the next step of a turn; shape (len(steps),).

        `path` has the steps of the turn so far. See `engine.search.step_worths.step_worths`.
        """
        return step_worths(self.tree, path, steps, self._tuning)


def is_playable(tree: Tree, node: int) -> bool:
    """Return whether the tree has the turn to play at a node whose result is proved.

    A proof may say that all turns lose, or that one wins, and the tree knows none of them. Returns
    True if nothing is proved.
    """
    if tree.solved[node] == UNSOLVED:
        return True
    results = tree.solved[seen_turns(tree, node)[:, 2]]
    if tree.solved[node] == tree.mover[node]:
        return bool((results == tree.mover[node]).any())
    return len(results) > 0


def turns_between(earlier: Position | None, later: Position) -> tuple[str, ...] | None:
    """Return the turns from `earlier` to `later`; None if `later` does not follow from it."""
    if earlier is None or later.turns[: len(earlier.turns)] != earlier.turns:
        return None
    return later.turns[len(earlier.turns) :]


def steps_of(position: Position, turn: str) -> tuple[int, ...]:
    """Return the steps of a turn that is legal in a position, with the codes of its frame."""
    steps = position.frame.steps_of(turn)
    assert steps is not None, f"{turn} lies outside the frame"
    return steps


def stream(seed: int, turn_number: int, thread: int) -> int:
    """Return a nonzero seed for a thread's random numbers, by SplitMix64."""
    word = seed * splitmix.STEP + turn_number * 0xD1342543DE82EF95 + thread + 1
    return splitmix.mixed(word & splitmix.ALL_BITS) or 1
