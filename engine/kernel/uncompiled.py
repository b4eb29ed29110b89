"""Kernels as plain Python, a thousand times slower, where `NUMBA_DISABLE_JIT=1` is set.

Coverage and debuggers see nothing of compiled code. With that variable Numba's decorators leave
functions as they are; what else Numba does for kernels is done here: to choose a game's
implementation by its state record, to read fields as attributes, and two instructions of the
processor.
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
"""By the name of the generic function and the fields of the state record."""


def register(generic: Callable[..., Any], state_type: Any, function: Kernel) -> Kernel:  # noqa: ANN401
    """Let `generic` be `function` for records of that Numba type."""
    _implementations[generic.__name__, tuple(state_type.fields)] = function
    return function


def dispatched(generic: Kernel) -> Kernel:
    """`generic`, which finds its implementation by its second argument, always a state record."""
    if not IS_ON:
        return generic

    @wraps(generic)
    def call(first: Any, state: Any, *others: Any) -> Any:  # noqa: ANN401
        return _implementations[generic.__name__, state.dtype.names](first, state, *others)

    return cast("Kernel", call)


class _Record(np.record):  # type: ignore[misc]  # final for NumPy's annotations alone
    """A record whose fields are attributes, even `size`, which NumPy has for something else."""

    def __getattribute__(self, name: str) -> Any:  # noqa: ANN401
        dtype = super().__getattribute__("dtype")
        return self[name] if name in dtype.names else super().__getattribute__(name)


def record_dtype(fields: Sequence[tuple[Any, ...]]) -> np.dtype[Any]:
    """The type of a game's records, laid out as in C."""
    layout = np.dtype([*fields], align=True)
    return np.dtype((_Record, layout)) if IS_ON else layout


def count_ones(word: Any) -> int:  # noqa: ANN401
    return int(word).bit_count()


def lowest_one(word: Any) -> int:  # noqa: ANN401
    return (int(word) & -int(word)).bit_length() - 1
