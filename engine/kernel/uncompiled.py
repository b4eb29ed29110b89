"""What kernels need as plain Python (`engine.kernel.mode`), where Numba does nothing for them.

- Choose a game's implementation by its state record.
- Read fields of records as attributes.
"""

from collections.abc import Callable, Sequence
from functools import wraps
from typing import Any, Final, TypeVar, cast

import numpy as np

from engine.kernel.mode import MODE, Mode

Kernel = TypeVar("Kernel", bound=Callable[..., Any])

IS_ON: Final = MODE is Mode.PYTHON

_implementations: Final[dict[tuple[str, tuple[str, ...]], Callable[..., Any]]] = {}
"""Implementations by the name of the generic function and the fields of the state record."""


def register(generic: Callable[..., Any], state_dtype: np.dtype[Any], function: Kernel) -> Kernel:
    """Register `function` as the implementation of `generic` for state records of a type."""
    _implementations[generic.__name__, state_dtype.names or ()] = function
    return function


def dispatched(generic: Kernel) -> Kernel:
    """Make `generic` call its implementation for the state record, its second argument.

    Without an implementation its own body is the default.
    """
    if MODE is Mode.COMPILED:
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
