"""How many bytes a value takes in memory."""

import gc
import sys
from collections.abc import Iterable
from types import FunctionType, ModuleType
from typing import Final

SHARED: Final = (type, ModuleType, FunctionType)
"""What all values of a kind have in common."""
RECORD_BYTES: Final = 200
"""The objects of a NumPy record, apart from its fields."""


def size_of(value: object, shared: Iterable[object] = ()) -> int:
    """Return the bytes that a value takes, with everything to which it refers.

    It visits every object, which takes about 0.3 µs for each.

    Args:
        value: The value.
        shared: Objects that others keep in memory anyway. They count nothing.
    """
    seen, waiting, total = {id(each) for each in shared}, [value], 0
    while waiting:
        one = waiting.pop()
        if id(one) in seen or isinstance(one, SHARED):
            continue
        seen.add(id(one))
        fields: int | None = getattr(one, "nbytes", None)  # a record may be a view of others' bytes
        total += sys.getsizeof(one) if fields is None else RECORD_BYTES + fields
        waiting += gc.get_referents(one)
    return total
