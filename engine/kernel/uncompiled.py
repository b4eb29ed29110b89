"""Kernels as plain Python, a thousand times slower, if `NUMBA_DISABLE_JIT=1` is set.

Coverage tools and debuggers cannot follow compiled code. With that variable Numba's decorators
return functions unchanged. This module replaces the rest of what Numba does for kernels:

- choose a game's implementation by its state record,
- read fields of records as attributes,
- two processor instructions, population count and count trailing zeros.
"""

from collections.abc import Callable, Sequence
from functools import wraps
from typing import Any, Final, TypeVar, cast

import numpy as np
from numba import config

Kernel = TypeVar("Kernel", bound=Callable[..., Any])

_numba: Final[Any] = config
IS_ON: Final = bool(_numba.DISABLE_JIT)

_implementations: Final[dict[tuple[str, tuple[str, ...]], Callable[..., Any]]] = {}
"""Implementations by the name of the generic function and the fields of the state record."""


def register(generic: Callable[..., Any], state_type: Any, function: Kernel) -> Kernel:  # noqa: ANN401
    """Register `function` as the implementation of `generic` for state records of a Numba type."""
    _implementations[generic.__name__, tuple(state_type.fields)] = function
    return function


def dispatched(generic: Kernel) -> Kernel:
    """Make `generic` call its implementation for the state record, its second argument.

    Without an implementation its own body is the default.
    """
    if not IS_ON:
        return generic

    @wraps(generic)
    def call(first: Any, state: Any, *others: Any) -> Any:  # noqa: ANN401
        chosen = _implementations.get((generic.__name__, state.dtype.names), generic)
        return chosen(first, state, *others)

    return cast("Kernel", call)


class _Record(np.record):  # type: ignore[misc]  # final for NumPy's annotations alone
    """A record whose fields are attributes, even `size`, which hides NumPy's attribute."""

    def __getattribute__(self, name: str) -> Any:  # noqa: ANN401
        dtype = super().__getattribute__("dtype")
        return self[name] if name in dtype.names else super().__getattribute__(name)


def record_dtype(fields: Sequence[tuple[Any, ...]]) -> np.dtype[Any]:
    """Return the dtype of a game's records, with the layout of a C structure."""
    layout = np.dtype([*fields], align=True)
    return np.dtype((_Record, layout)) if IS_ON else layout


def count_ones(word: Any) -> int:  # noqa: ANN401
    return int(word).bit_count()


def lowest_one(word: Any) -> int:  # noqa: ANN401
    return (int(word) & -int(word)).bit_length() - 1
