"""The kernels that Python calls, and with which types: they become the entries of a library.

Types are seen, not declared: this module plays and searches a game with kernels that run as plain
Python (`engine.kernel.mode`), and notes the arguments of each.
"""

import sys
from collections.abc import Callable
from dataclasses import dataclass
from functools import wraps
from random import Random
from typing import Any, Final, TypeAlias, TypeVar

import numba
from numba import types
from numba.np.numpy_support import as_dtype

from engine.kernel import generic
from engine.kernel.library import ANY_GAME
from engine.kernel.mode import MODE, Mode

Typing: TypeAlias = Any
"""A type or an object of Numba that it does not annotate."""
Kernel = TypeVar("Kernel", bound=Callable[..., Any])

KERNELS: Final = ("engine.kernel.calls", "engine.search.tree")
"""Modules that must not be imported before, because kernels would go unnoticed."""
PLAYOUTS: Final = 8
"""Plain Python takes a second for a few of them."""


@dataclass(frozen=True)
class EntryType:
    """A kernel, and the types that it is called with."""

    module: str
    function: str
    arguments: tuple[Typing, ...]

    @property
    def described(self) -> str:
        """What the layout says of the arguments."""
        return f"({' '.join(map(described_type, self.arguments))})"

    def owner(self, game: str) -> str:
        """Return whose entry this is in the layout: of the `game` that calls it, or of any."""
        takes_records = any(isinstance(kind, types.Record) for kind in self.arguments)
        return game if takes_records else ANY_GAME


_seen: Final[set[EntryType]] = set()


def noting(function: Kernel) -> Kernel:
    """Note the types of a kernel's arguments when it is called."""

    @wraps(function)
    def call(*arguments: object) -> object:
        found = tuple(numba.typeof(each) for each in arguments)
        _seen.add(EntryType(function.__module__, function.__name__, found))
        return function(*arguments)

    return call  # type: ignore[return-value]


def entries_of(name: str) -> tuple[EntryType, ...]:
    """Play and search a game, and return the entries that this called, by name.

    The process must not have imported a game, and must run kernels as Python.
    """
    assert MODE is Mode.PYTHON, "set NUMBA_DISABLE_JIT"
    assert not any(map(sys.modules.__contains__, KERNELS)), "kernels are imported already"
    generic.compiled = noting
    _use(name)
    return tuple(sorted(_seen, key=lambda entry: entry.function))


def _use(name: str) -> None:
    """Call every kernel that playing and searching a game may call."""
    import engine
    from engine.neural.shipped import shipped_network
    from engine.search.searcher import Searcher

    game = engine.game(name)
    first = game.start()
    second = first.play(first.random_turn(Random(1)))
    next(second.legal_turns())
    second.choices(())
    _ = second.final_scores
    second.likely_turn(Random(1))
    mechanics = game.mechanics
    mechanics.outcome(second.record())
    mechanics.steps(second.record())
    mechanics.promising_steps(second.record())
    mechanics.playouts(seed=1)(1)
    for network in (None, shipped_network(game)):
        Searcher(game, megabytes=1, threads=1, seed=1, network=network).warm_up(PLAYOUTS)


def described_type(kind: Typing) -> str:
    """Return what `engine.kernel.library.described` says of an argument of a type of Numba."""
    match kind:
        case types.Array():
            return f"{as_dtype(kind.dtype).char}{kind.ndim}"
        case types.Record():
            return f"record{kind.size}"
        case types.NamedTuple() | types.NamedUniTuple():
            return f"({' '.join(map(described_type, kind.types))})"
        case types.Float():
            return "float"
        case types.Integer() | types.Boolean():
            return "int"
        case _:
            raise TypeError(f"entries take no {kind}")
