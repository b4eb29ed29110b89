"""Copies of frozen dataclasses with some fields replaced.

`dataclasses.replace` reads and writes each field by itself. A game has thirty, and three copies of
it are made for each turn, so that this takes a thirtieth of the turn. Here the dictionary of the
fields is copied at once, which takes a seventh of that time.
"""

from typing import TYPE_CHECKING, Any, TypeVar

__all__ = ["replaced"]

T = TypeVar("T")

if TYPE_CHECKING:
    from dataclasses import replace as replaced  # the type checker knows its fields
else:

    def replaced(original: T, /, **changes: Any) -> T:  # noqa: ANN401  (of each field)
        """As `dataclasses.replace`, for classes without slots, `__post_init__` and cached values.

        Example:
            >>> replaced(game, hints=3).hints
            3
        """
        copy = object.__new__(type(original))
        fields = copy.__dict__
        fields.update(original.__dict__)
        fields.update(changes)
        return copy
