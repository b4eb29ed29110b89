"""What a program in C needs to know of a game's entries in a library, written from its layouts.

`GAME.h` has the records as structures, the boards as constants, and for each entry the block of
words that it takes (`engine/kernel/library.py`), which is a structure too.
"""

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from engine.kernel.library import ANY_GAME
from engine.kernel.splitmix import random_words
from tools.ahead.web_layout import RANDOM

Layout = Mapping[str, Any]
TYPES: Final = {"float32": "float", "float64": "double"}
NUMBERS: Final = {"int": "int64_t", "bool": "int64_t", "float": "double"}
SIGNED: Final = 2**63


def header(layout: Layout, boards: Mapping[str, Layout], owners: Mapping[str, str]) -> str:
    """Return the content of `GAME.h`.

    Args:
        layout: The layout of the game.
        boards: The layouts of its boards by their names.
        owners: For each entry, the game with which the name of its symbol begins.
    """
    return "\n".join(_Header(layout).lines(boards, owners)) + "\n"


class _Header:
    def __init__(self, layout: Layout) -> None:
        self.layout = layout
        self.game: str = layout["game"]

    def lines(self, boards: Mapping[str, Layout], owners: Mapping[str, str]) -> Iterator[str]:
        guard = f"BLUESTONE_ENGINE_{self.game.upper()}_H"
        yield "/* Written by python -m tools.ahead. It fits the library of the same build only. */"
        yield f"#ifndef {guard}"
        yield f"#define {guard}"
        yield "#include <stddef.h>"
        yield "#include <stdint.h>"
        yield '_Static_assert(sizeof(void *) == 8, "the library is for processors of 64 bits");'
        for name, value in self.layout["constants"].items():
            yield f"#define {self.game.upper()}_{name} ({value})"
        for name, record in self.layout["records"].items():
            yield from self.record(name, record)
        yield from self.arrays()
        for name, parts in self.layout["tuples"].items():
            yield from self.structure(name.lower(), parts)
        for name, owner in owners.items():
            yield from self.entry(name, owner)
        for name, values in self.layout["tunings"].items():
            yield from self.constant("tuning", f"tuning_{name}", values)
        for name, board in boards.items():
            yield from self.board(name.replace("-", "_"), board)
        yield "#endif"

    def record(self, name: str, record: Layout) -> Iterator[str]:
        """A structure, and a check that the compiler lays it out as Python does."""
        struct = f"struct {self.game}_{name}"
        yield f"{struct} {{"
        for field, about in record["fields"].items():
            shape = about["shape"]
            size = f"[{' * '.join(map(str, shape))}]" if shape else ""
            yield f"  {_type(about['type'])} {field}{size};"
        yield "};"
        for field, about in record["fields"].items():
            yield f'_Static_assert(offsetof({struct}, {field}) == {about["offset"]}, "{field}");'
        yield f'_Static_assert(sizeof({struct}) == {record["size"]}, "{name}");'

    def arrays(self) -> Iterator[str]:
        """A structure for each type of array among the arguments: its numbers and its shape."""
        takes = [part for each in self.layout["entries"].values() for part in each["takes"]]
        parts = [*takes, *(part for each in self.layout["tuples"].values() for part in each)]
        kinds = {
            (kind["array"], kind["dimensions"])
            for _, kind in parts
            if isinstance(kind, dict) and "array" in kind
        }
        for kind, dimensions in sorted(kinds):
            yield f"struct {self.game}_{kind}_{dimensions} {{"
            yield f"  {_type(kind)} *numbers;"
            yield f"  int64_t shape[{dimensions}];"
            yield "};"

    def structure(self, name: str, parts: Sequence[tuple[str, Any]]) -> Iterator[str]:
        yield f"struct {self.game}_{name} {{"
        for part, kind in parts:
            yield f"  {self.member(kind)}{part};"
        yield "};"

    def member(self, kind: Any) -> str:  # noqa: ANN401
        match kind:
            case {"record": name}:
                return f"{'const ' * (name == 'board')}struct {self.game}_{name} *"
            case {"array": name, "dimensions": dimensions}:
                return f"struct {self.game}_{name}_{dimensions} "
            case {"tuple": name}:
                return f"struct {self.game}_{name.lower()} "
            case _:
                return f"{NUMBERS[kind]} "

    def entry(self, name: str, owner: str) -> Iterator[str]:
        takes = self.layout["entries"][name]["takes"]
        yield from self.structure(f"{name}_call", [*takes, ("result", "int")])
        # All games share some entries, so that headers of two games declare them twice.
        argument = f"struct {self.game}_{name}_call" if owner != ANY_GAME else "void"
        yield f"void {owner}_{name}({argument} *call);"

    def board(self, name: str, board: Layout) -> Iterator[str]:
        yield from self.constant("board", name, board["record"])
        if board["steps"]:
            yield f"static const char *const {self.game}_{name}_steps[] = {{"
            yield ", ".join(f'"{each}"' for each in board["steps"].split(" "))
            yield "};"

    def constant(self, kind: str, name: str, values: Mapping[str, Any]) -> Iterator[str]:
        yield f"static const struct {self.game}_{kind} {self.game}_{name} = {{"
        for field, value in values.items():
            yield f"  .{field} = {self.initialiser(field, value)},"
        yield "};"

    def initialiser(self, field: str, value: Any) -> str:  # noqa: ANN401
        if value == RANDOM:
            shape = self.layout["records"]["board"]["fields"][field]["shape"]
            value = random_words(math.prod(shape)).tolist()
        if isinstance(value, list):
            return f"{{{', '.join(map(_number, value))}}}"
        return _number(value)


def _type(kind: str) -> str:
    return TYPES.get(kind, f"{kind}_t")


def _number(value: float | str) -> str:
    if isinstance(value, float):
        return repr(value)
    return f"{int(value)}u" if int(value) >= SIGNED else str(int(value))
