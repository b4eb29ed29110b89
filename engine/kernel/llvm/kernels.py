"""Kernels that Numba compiles: entries for Python, helpers, and the games' generic functions."""

from collections.abc import Callable
from functools import wraps
from typing import Any, Final, TypeVar, cast

import numpy as np
from numba import from_dtype, njit, types

from engine.kernel import cache as kernel_cache
from engine.kernel.llvm.compiled_files import save_checked
from engine.kernel.llvm.inner import inner, resolve

kernel_cache.use()

Kernel = TypeVar("Kernel", bound=Callable[..., Any])

_no_entry_for_c: Final[dict[str, Any]] = {"no_cfunc_wrapper": True}


def entry(function: Kernel) -> Kernel:
    """Compile a kernel that Python calls: cached on disk, and it releases the GIL while it runs."""
    dispatcher = njit(cache=True, nogil=True, error_model="numpy", **_no_entry_for_c)(function)
    save_checked(dispatcher)
    return cast("Kernel", dispatcher)


def helper(function: Kernel) -> Kernel:
    """Compile a function that kernels call; Python calls an entry of its own."""
    dispatcher, called = inner(function), entry(function)

    @wraps(function)
    def call(*arguments: object) -> object:
        return called(*arguments)

    resolve(call, lambda _: dispatcher)
    return cast("Kernel", call)


_implementations: Final[dict[Callable[..., Any], dict[types.Type, Any]]] = {}
"""Dispatchers by generic function and type of the state record."""


def implement(
    generic: Callable[..., Any], state_dtype: np.dtype[Any], function: Callable[..., Any]
) -> None:
    """Let kernels that call a generic function call `function` for state records of a type."""
    _known(generic)[from_dtype(state_dtype)] = inner(function)


def allow_default(generic: Callable[..., Any]) -> None:
    """Let kernels call the generic function itself for games that do not implement it."""
    _known(generic, default=inner(generic))


def _known(generic: Callable[..., Any], default: object = None) -> dict[types.Type, Any]:
    """Return the implementations of a generic function; games without one use the default."""
    if generic not in _implementations:
        known = _implementations[generic] = {}
        resolve(generic, lambda given: next((known[t] for t in given if t in known), default))
    return _implementations[generic]
