"""What every game gives the search: compiled functions over one board record and one state record.

The functions below are declared here once and implemented once a game, by `implements`, for that
game's state record (a NumPy structured dtype, seen by Numba as a record type). Code compiled by
Numba calls them by these names and works for every game; each game costs one compilation. What is
`jitable` is the rest of a kernel, what is `compiled` is where Python enters it.

Calling them
    A *board record* and a *state record* are scalars of structured arrays: `np.zeros(1, DTYPE)[0]`,
    a view that shares the array's memory, so that a kernel changes it in place. Compiled code
    passes them on as they are, or takes them out of an array (`states[i]`), which costs nothing.
    The functions of this module are for compiled code only; `engine.kernel.calls` has entries for
    Python. A state belongs to one thread at a time, even for questions (looking a chain up shortens
    its path).

Steps
    A turn is one to two *steps*, each a code: a placement in 0..n_steps-1 (Bluestone: the index of
    the cell), `PASS`, or `STOP`, which ends a turn after one stone where the rules let the player
    choose. Where both orders of two stones are legal, they lead to the same position: the search
    looks at them once. It tries a pass besides placements only as the answer to a pass.

Fields
    Every board record has `n_steps` and `n_cells`. Every state record has `player` (1 | 2, to
    move), `step` (0: first stone, 1: second), `first` (code of this turn's first stone, or -1),
    `turn` (from 1), `passes` (in a row), and `over` (0 | 1). Everything else in them belongs to the
    game.
"""

from collections.abc import Callable
from functools import wraps
from typing import Any, Final, TypeAlias, TypeVar, cast

from numba import njit, types
from numba.core.dispatcher import Dispatcher

from engine.kernel import cache as kernel_cache
from engine.kernel import uncompiled
from engine.kernel.compiled_files import save_checked
from engine.kernel.inner import inner, resolve

kernel_cache.use()

PASS: Final = -1
STOP: Final = -2
WIN: Final = 100
"""What a won game counts where results are added up; a draw counts half of it, a loss nothing."""

Record: TypeAlias = Any
"""A scalar of a structured array: NumPy knows its fields only at run time."""
Array: TypeAlias = Any
"""A one-dimensional array; each function says of what. Codes are int16."""
Kernel = TypeVar("Kernel", bound=Callable[..., Any])

_no_entry_for_c: Final[dict[str, Any]] = {"no_cfunc_wrapper": True}


def compiled(function: Kernel) -> "Dispatcher[Kernel]":
    """How kernels that Python calls are compiled: kept on disk, free of the interpreter's lock."""
    entry = njit(cache=True, nogil=True, error_model="numpy", **_no_entry_for_c)
    dispatcher: Dispatcher[Kernel] = entry(function)
    if not uncompiled.IS_ON:
        save_checked(dispatcher)
    return dispatcher


def jitable(function: Kernel) -> Kernel:
    """Let kernels call `function`, which makes no arrays; where Python calls it, it is `compiled`.

    Most functions are only called by kernels, and compile in a third of the time that `compiled`
    would take for them (`engine.kernel.inner`). Numbers that are passed to them should be int64:
    each type of the arguments is compiled for itself.
    """
    if uncompiled.IS_ON:
        return function
    dispatcher, entry = inner(function, allocates=False), compiled(function)

    @wraps(function)
    def call(*arguments: object) -> object:
        return entry(*arguments)

    resolve(call, lambda _: dispatcher)
    return cast("Kernel", call)


@uncompiled.dispatched
def start(board: Record, state: Record) -> None:
    """Set `state` to the initial position, whatever it held before."""
    raise NotImplementedError


@uncompiled.dispatched
def legal_steps(board: Record, state: Record, out: Array) -> int:
    """Write the codes that may be played now into `out` (int16) and return their number.

    Placements come first, in rising order, then STOP, then PASS. `out` holds at least n_steps + 2
    codes.
    """
    raise NotImplementedError


@uncompiled.dispatched
def is_legal_step(board: Record, state: Record, step: int) -> bool:
    """Whether `step`, any number, may be played now."""
    raise NotImplementedError


@uncompiled.dispatched
def play_step(board: Record, state: Record, step: int) -> None:
    """Play a legal step; the turn ends by itself when the rules leave nothing to choose in it."""
    raise NotImplementedError


@uncompiled.dispatched
def is_over(board: Record, state: Record) -> bool:
    """Whether the game has ended."""
    raise NotImplementedError


@uncompiled.dispatched
def outcome(board: Record, state: Record) -> int:
    """Who is ahead as the position stands, 1, 2, or 0 for a draw; the result if it is over."""
    raise NotImplementedError


@uncompiled.dispatched
def playout(board: Record, state: Record, rng: Array) -> int:
    """Play uniformly random steps to the end, from any point of a turn, and return the outcome.

    No pass and no single stone is chosen while a placement is possible. `rng` is a uint64 array of
    one nonzero number, the state of a xorshift generator, which is advanced.
    """
    raise NotImplementedError


@uncompiled.dispatched
def guided_playout(board: Record, state: Record, rng: Array) -> int:
    """Like `playout`, but by what is known of good play, and return what the first player may
    expect, 0 to `WIN`.

    It may end before the game does, where the position tells as much. Who searches wants playouts
    that tell more; who measures the speed of the rules wants `playout`.
    """
    raise NotImplementedError


@jitable
def result_of(outcome: int) -> int:
    """What an outcome counts for the first player: `WIN`, half of it or nothing."""
    return WIN // 2 if outcome == 0 else WIN if outcome == 1 else 0


@uncompiled.dispatched
def priors(board: Record, state: Record, steps: Array, count: int, out: Array) -> None:
    """Write into `out` (int8) how promising each of the first `count` of `steps` looks.

    From -100 to 100; 0 where nothing is known. The steps are legal here.
    """
    raise NotImplementedError


@uncompiled.dispatched
def revised_priors(board: Record, state: Record, steps: Array, count: int, out: Array) -> None:
    """Like `priors`, after a closer look, which may cost some playouts; `out` holds the first ones.

    Asked for where the search has come back a few times. Who has no more to say leaves them.
    """
    raise NotImplementedError


@uncompiled.dispatched
def owners(board: Record, state: Record, out: Array) -> None:
    """Write for each placement code (int8) who is to be credited with it: 1, 2, or 0 for nobody.

    All-moves-as-first values count a placement wherever in a game it was made; each game knows for
    itself what tells more, who has such a stone at the end or who made the placement first.
    """
    raise NotImplementedError


@uncompiled.dispatched
def features(board: Record, state: Record, codes: Array, numbers: Array) -> int:
    """Write what a network sees, from the view of the player to move: each cell's code (uint8) and
    a few numbers (float32), as the game's `Encoding` explains them.

    Returns the kind, 0 or 1, of the player's stones that a network is to take for the first.
    """
    raise NotImplementedError


@uncompiled.dispatched
def copy_state(dst: Record, src: Record) -> None:
    """Make `dst` the same position as `src`; `dst` is a blank (all zero) record, or was in use."""
    raise NotImplementedError


def implements(
    generic: Callable[..., Any], state_type: types.Type, *, allocates: bool = False
) -> Callable[[Kernel], Kernel]:
    """Give `generic` its implementation for one game's state record.

    `allocates` says that the function makes arrays, whose references have to be counted.
    """

    def register(function: Kernel) -> Kernel:
        if uncompiled.IS_ON:
            return uncompiled.register(generic, state_type, function)
        if generic not in _implementations:
            known = _implementations[generic] = {}
            resolve(generic, lambda given: next((known[t] for t in given if t in known), None))
        _implementations[generic][state_type] = inner(function, allocates=allocates)
        return function

    return register


_implementations: Final[dict[Callable[..., Any], dict[types.Type, Any]]] = {}
"""By function and type of the state record."""
