"""The generic kernel functions: the compiled interface of every game on a board and a state record.

This module declares each function once. Each game implements it with `implements` for its own state
record, a NumPy structured dtype that Numba treats as a record type. Code compiled by Numba calls
the functions by these names and works for every game; Numba compiles it once per game. `jitable`
marks the helper functions of a kernel, `compiled` marks the entry points for Python.

Calls
    A *board record* and a *state record* are scalars of structured arrays: `np.zeros(1, DTYPE)[0]`.
    Such a scalar is a view that shares the array's memory, so a kernel changes it in place.
    Compiled code passes records unchanged or takes them out of an array (`states[i]`) at no cost.
    The functions of this module are for compiled code only; `engine.kernel.calls` has entry points
    for Python. Only one thread at a time may use a state, even to read it: a lookup of a chain's
    root shortens its path.

Steps
    A turn consists of one or two *steps*. A step is a code: a placement in 0..n_steps-1 (in
    Bluestone the index of the cell), `PASS`, or `STOP`. `STOP` ends a turn after one stone if the
    rules allow that. If both orders of two stones are legal, they lead to the same position, and
    the search examines only one of them. If placements are legal, the search tries a pass only
    after a pass.

Fields
    Every board record has `n_steps` and `n_cells`. Every state record has `player` (1 | 2, to
    move), `step` (0: first stone, 1: second), `first` (code of this turn's first stone, or -1),
    `turn` (from 1), `passes` (in a row), and `over` (0 | 1). The game defines all other fields.
"""

from collections.abc import Callable
from types import ModuleType
from typing import Any, Final, TypeAlias, TypeVar, cast

import numpy as np

from engine.kernel import uncompiled
from engine.kernel.library import LibraryEntry, know_records
from engine.kernel.mode import MODE, Mode

PASS: Final = -1
STOP: Final = -2
UNPROVED, NO_PROOF = 0, -1
"""What `prove` returns if it finds no winner."""
WIN: Final = 100
"""The value of a win in sums of results. A draw counts half of it, a loss 0."""

Record: TypeAlias = Any
"""A scalar of a structured array. Its fields are known only at run time."""
Array: TypeAlias = Any
"""A one-dimensional array. Each function documents the dtype; codes are int16."""
Memory: TypeAlias = Any
"""A record of the game's own type, or an array that nobody reads."""
Kernel = TypeVar("Kernel", bound=Callable[..., Any])


def compiled(function: Kernel) -> Kernel:
    """Mark a kernel that Python calls. Other threads of Python run meanwhile."""
    match MODE:
        case Mode.COMPILED:
            return cast("Kernel", _compiler().entry(function))
        case Mode.LIBRARY:
            return cast("Kernel", LibraryEntry(function))
        case Mode.PYTHON:
            return function


def jitable(function: Kernel) -> Kernel:
    """Let kernels call `function`, which must not create arrays. Python calls a `compiled` version.

    Kernels are the only callers of most functions. Those compile in a third of the time that
    `compiled` would take (`engine.kernel.llvm.inner`). Pass integers as int64: Numba compiles each
    combination of argument types separately.
    """
    if MODE is not Mode.COMPILED:
        return function
    return cast("Kernel", _compiler().helper(function))


def _compiler() -> ModuleType:
    """Return what compiles kernels; the other modes do not load it."""
    from engine.kernel.llvm import kernels

    return kernels


@uncompiled.dispatched
def start(board: Record, state: Record) -> None:
    """Set `state` to the initial position. Its previous content does not matter."""
    raise NotImplementedError


@uncompiled.dispatched
def legal_steps(board: Record, state: Record, out: Array) -> int:
    """Write the codes of the legal steps into `out` (int16) and return their number.

    Placements come first, in rising order, then STOP, then PASS. `out` needs room for at least
    n_steps + 2 codes.
    """
    raise NotImplementedError


@uncompiled.dispatched
def promising_steps(board: Record, state: Record, out: Array) -> int:
    """Write the codes of the steps that the search considers into `out`; return their number.

    They are some of the legal steps, in any order, but STOP and PASS come last. There is at least
    one unless the game is over. A game implements this function if most legal steps are hopeless;
    otherwise these are all legal steps.
    """
    return legal_steps(board, state, out)


@uncompiled.dispatched
def is_legal_step(board: Record, state: Record, step: int) -> bool:
    """Return whether a step is legal. `step` may be any integer."""
    raise NotImplementedError


@uncompiled.dispatched
def play_step(board: Record, state: Record, step: int) -> None:
    """Play a legal step. The turn ends automatically if no further step is legal in it."""
    raise NotImplementedError


@uncompiled.dispatched
def is_over(board: Record, state: Record) -> bool:
    """Return whether the game has ended."""
    raise NotImplementedError


@uncompiled.dispatched
def outcome(board: Record, state: Record) -> int:
    """Return the player who is ahead, 1 or 2, or 0 for a draw; the result if the game is over."""
    raise NotImplementedError


@uncompiled.dispatched
def playout(board: Record, state: Record, rng: Array) -> int:
    """Play uniformly random steps to the end of the game and return the outcome.

    The playout may start in the middle of a turn. It passes or stops after one stone only if no
    placement is possible. `rng` is a uint64 array of one nonzero number, the state of a xorshift
    generator, which the playout advances.
    """
    raise NotImplementedError


@uncompiled.dispatched
def guided_playout(board: Record, state: Record, rng: Array) -> int:
    """Play random steps guided by knowledge of the game; return player 1's expectation, 0 to `WIN`.

    The playout may stop before the end of the game and evaluate the position instead. The search
    uses this function, because its playouts are more informative. Measurements of the speed of the
    rules use `playout`.
    """
    raise NotImplementedError


@jitable
def result_of(outcome: int) -> int:
    """Return the value of an outcome for player 1: `WIN`, half of it or 0."""
    return WIN // 2 if outcome == 0 else WIN if outcome == 1 else 0


@uncompiled.dispatched
def priors(board: Record, state: Record, steps: Array, count: int, out: Array) -> None:
    """Write a prior for each of the first `count` of `steps` into `out` (int8).

    A prior is a number from -100 to 100; higher is more promising, and 0 means no knowledge. All
    the steps must be legal.
    """
    raise NotImplementedError


@uncompiled.dispatched
def revised_priors(board: Record, state: Record, steps: Array, count: int, out: Array) -> None:
    """Replace the priors in `out` by better ones, which may cost as much time as some playouts.

    The search calls this at nodes that it has visited a few times. `out` holds the result of
    `priors`; a game without better knowledge leaves it unchanged.
    """
    raise NotImplementedError


@uncompiled.dispatched
def prove(
    board: Record,  # noqa: ARG001
    state: Record,  # noqa: ARG001
    memory: Memory,  # noqa: ARG001
    nodes: int,  # noqa: ARG001
    halt: Array,  # noqa: ARG001
    steps: Array,  # noqa: ARG001
    count: int,
) -> tuple[int, int]:
    """Search for a proof of the result, over at most about `nodes` positions.

    It looks at `halt` every few hundred positions, and gives up once that has come
    (`engine.kernel.halt`). A proof of many positions would otherwise delay an answer.
    The first `count` of `steps` (int16) are the steps that the search considers here. `memory` is
    what `Mechanics.prover_memory` returns; a thread has its own. The state is as before when this
    returns. A game without a prover leaves this function out.

    Returns:
        What is proved, and a number of steps:

        - the player to move: that player wins, by the turn of one or two steps in `steps`
        - the other player: every turn loses
        - `UNPROVED`: `steps` has those that may still be good, at least one; the others lose
        - `NO_PROOF`: the same, and more nodes would not find more
    """
    return NO_PROOF, count


@uncompiled.dispatched
def owners(board: Record, state: Record, out: Array) -> None:
    """Write into `out` (int8) the player credited with each placement code: 1, 2, or 0 for none.

    All-moves-as-first (AMAF) statistics count a placement at any point of a playout. Each game
    chooses the more informative credit: the owner of such a stone at the end, or the player who
    made the placement first.
    """
    raise NotImplementedError


@uncompiled.dispatched
def features(board: Record, state: Record, codes: Array, numbers: Array) -> int:
    """Write the network's input, from the view of the player to move.

    The input is a code for each cell (uint8) and a few numbers (float32), as in the game's
    `Encoding`.

    Returns:
        The kind, 0 or 1, of the player's stones that the network treats as the first kind.
    """
    raise NotImplementedError


@uncompiled.dispatched
def copy_state(dst: Record, src: Record) -> None:
    """Copy the position of `src` into `dst`, a blank (all zero) record or one used before."""
    raise NotImplementedError


def implements(
    generic: Callable[..., Any], state_dtype: np.dtype[Any]
) -> Callable[[Kernel], Kernel]:
    """Return a decorator that registers a game's implementation of a generic function.

    Args:
        generic: The function of this module.
        state_dtype: The type of the game's state record.
    """

    def register(function: Kernel) -> Kernel:
        if MODE is Mode.COMPILED:
            _compiler().implement(generic, state_dtype, function)
            return function
        know_records(state_dtype, game=function.__module__.split(".")[-2])
        return uncompiled.register(generic, state_dtype, function)

    return register


if MODE is Mode.COMPILED:
    for _optional in (promising_steps, prove):
        _compiler().allow_default(_optional)
