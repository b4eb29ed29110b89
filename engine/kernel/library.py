"""Kernels from a shared library that was compiled ahead of time, for processes without Numba.

A folder has a library for each kind of processor, and `layout.json`, which says what each entry
takes. They belong to the sources with the key in that file; a library of other sources is not used.
A wheel has the folder beside this module, a checkout has not: `tools/ahead` makes it.

An entry takes one pointer, to a block of words of eight bytes. The words are its arguments, one
after the other: of an array its address and then its shape, of a record its address, of a tuple
those of its elements, of a number the number. The entry writes its result into the word after them.
"""

import ctypes
import json
import os
import struct
import sys
from collections.abc import Callable, Mapping
from functools import cache
from pathlib import Path
from typing import Any, Final, TypeAlias

import numpy as np

from engine.errors import KernelsMissing
from engine.kernel.processor import levels_here
from engine.kernel.sources import sources_key

ENVIRONMENT: Final = "BLUESTONE_KERNELS"
"""The environment variable with the folder of the libraries, or `compile` to use none."""
COMPILE: Final = "compile"
SHIPPED: Final = Path(__file__).parent / "libraries"
LAYOUT: Final = "layout.json"
ANY_GAME: Final = "any"
"""The name in the layout of an entry that takes no records of a game."""

Entries: TypeAlias = Mapping[str, Mapping[str, str]]
"""What each entry takes, as `described` says it, by the names of the entry and of the game."""


@cache
def folder() -> Path:
    """Return the folder of the libraries, which need not exist."""
    return Path(os.environ.get(ENVIRONMENT) or SHIPPED)


@cache
def library_file() -> Path | None:
    """Return the library that fits these sources and this processor, or None."""
    if layout().get("sources") != sources_key():
        return None
    files = (folder() / f"{level}.so" for level in levels_here())
    return next((file for file in files if file.is_file()), None)


@cache
def layout() -> Mapping[str, Any]:
    """Return the content of `layout.json`, the key of the sources and the entries.

    It is empty if the file is missing or damaged.
    """
    try:
        found = json.loads((folder() / LAYOUT).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return found if isinstance(found, dict) else {}


@cache
def _library() -> ctypes.CDLL:
    """Load the library. Raises KernelsMissing if the system refuses to."""
    file = library_file()
    assert file is not None
    try:
        return ctypes.CDLL(str(file.absolute()))
    except OSError as error:
        raise KernelsMissing(f"the compiled engine cannot be loaded ({error})") from error


_games: Final[dict[np.dtype[Any], str]] = {}
"""The game of each type of state records."""


def know_records(state_dtype: np.dtype[Any], game: str) -> None:
    """Let entries take the state records of a game."""
    _games[state_dtype] = game


def described(value: object) -> str:
    """Return in short what an argument is, as the layout says it of an entry's arguments.

    Arguments that need other code have other descriptions: a record has the size of its type, an
    array the type of its elements and the number of its dimensions.
    """
    if isinstance(value, np.ndarray):
        return f"{value.dtype.char}{value.ndim}" if value.flags.c_contiguous else "strided"
    if isinstance(value, np.void):
        return f"record{value.dtype.itemsize}"
    if isinstance(value, tuple):
        return f"({' '.join(map(described, value))})"
    if isinstance(value, float):
        return "float"
    return "int"


class LibraryEntry:
    """A kernel of the library, which is called like the function from which it was compiled."""

    def __init__(self, function: Callable[..., Any]) -> None:
        self.name = function.__name__
        self.__doc__ = function.__doc__
        self._codes: dict[np.dtype[Any] | None, MachineCode] = {}

    def __call__(self, *arguments: Any) -> int:  # noqa: ANN401
        """Call the kernel.

        Raises:
            TypeError: The library has no code for such arguments.
        """
        kind = None
        for each in arguments[1:]:
            if type(each) is np.void:
                kind = each.dtype
                break
        return (self._codes.get(kind) or self._find(kind, arguments)).run(arguments)

    def _find(self, kind: np.dtype[Any] | None, arguments: tuple[object, ...]) -> "MachineCode":
        """Return the machine code for the records of one game."""
        entries: Entries = layout()["entries"]
        game = ANY_GAME if kind is None else _games.get(kind, "another game")
        wanted = entries.get(self.name, {}).get(game)
        if wanted != described(arguments):
            raise TypeError(f"no code of {self.name} for {game} with {described(arguments)}")
        function = _library()[f"{game}_{self.name}"]
        function.argtypes = [ctypes.c_void_p]
        function.restype = None
        self._codes[kind] = MachineCode(function, arguments)
        return self._codes[kind]


class MachineCode:
    """An entry for arguments of certain types, those of its first call.

    A call takes blocks from a pool: several threads may call the same code at once.
    """

    def __init__(self, function: Callable[[int], object], sample: tuple[object, ...]) -> None:
        self._function = function
        self._writers = tuple(map(writer_for, sample))
        self._struct = struct.Struct(f"{''.join(map(_format, sample))}q")
        self._blocks: list[tuple[ctypes.Array[ctypes.c_int64], int]] = []

    def run(self, arguments: tuple[Any, ...]) -> int:
        """Call the function and return its result. Raises TypeError for arguments of other types.

        Every call checks all of its arguments, since code that takes them for others would write
        anywhere in memory.
        """
        words: list[Any] = []
        if len(arguments) != len(self._writers):
            raise TypeError(f"{len(arguments)} arguments instead of {len(self._writers)}")
        for write, each in zip(self._writers, arguments, strict=True):
            write(each, words)
        try:
            block, address = self._blocks.pop()
        except IndexError:
            block = (ctypes.c_int64 * (self._struct.size // WORD))()
            address = ctypes.addressof(block)
        try:
            self._struct.pack_into(block, 0, *words, 0)
            self._function(address)
            return block[-1]
        except struct.error as error:
            raise TypeError(f"an argument is no integer of 64 bits: {error}") from error
        finally:
            self._blocks.append((block, address))


WORD: Final = 8
Writer: TypeAlias = Callable[[Any, list[Any]], None]
"""Checks an argument and appends its words. Raises TypeError if it has another type."""


def writer_for(sample: object) -> Writer:
    """Return what writes arguments of the type of `sample`."""
    if isinstance(sample, np.ndarray):
        return _array_writer(sample)
    if isinstance(sample, np.void):
        return _record_writer(sample)
    if isinstance(sample, tuple):
        return _tuple_writer(sample)
    return _write_float if isinstance(sample, float) else _write_number


def _format(sample: object) -> str:
    """Return the words of an argument in the notation of `struct`."""
    if isinstance(sample, np.ndarray):
        return "q" * (1 + sample.ndim)
    if isinstance(sample, tuple):
        return "".join(map(_format, sample))
    return "d" if isinstance(sample, float) else "q"


def _array_writer(sample: np.ndarray[Any, Any]) -> Writer:
    dtype, dimensions, expected = sample.dtype, sample.ndim, described(sample)
    address_of = _address_of_array

    def write(value: Any, words: list[Any]) -> None:  # noqa: ANN401
        if not (
            type(value) is np.ndarray
            and (value.dtype is dtype or value.dtype == dtype)
            and len(shape := value.shape) == dimensions
            and value.flags.c_contiguous
        ):
            raise TypeError(f"{described(value)} instead of {expected}")
        words.append(address_of(value))
        words.extend(shape)

    return write


def _record_writer(sample: np.void) -> Writer:
    dtype, address_of = sample.dtype, _address_of_record

    def write(value: Any, words: list[Any]) -> None:  # noqa: ANN401
        if type(value) is not np.void or (value.dtype is not dtype and value.dtype != dtype):
            raise TypeError(f"{described(value)} instead of a record of {dtype.itemsize} bytes")
        words.append(address_of(value))

    return write


def _tuple_writer(sample: tuple[object, ...]) -> Writer:
    # The sample itself is not kept: it may be a tree of hundreds of megabytes.
    writers, expected = tuple(map(writer_for, sample)), described(sample)

    def write(value: Any, words: list[Any]) -> None:  # noqa: ANN401
        if not isinstance(value, tuple) or len(value) != len(writers):
            raise TypeError(f"{described(value)} instead of {expected}")
        for write_element, each in zip(writers, value, strict=True):
            write_element(each, words)

    return write


def _write_float(value: Any, words: list[Any]) -> None:  # noqa: ANN401
    if not isinstance(value, float):
        raise TypeError(f"{described(value)} instead of float")
    words.append(value)


def _write_number(value: Any, words: list[Any]) -> None:  # noqa: ANN401
    words.append(value)  # `struct` refuses what is no integer


# `__array_interface__` is the documented way to an address. It describes every field of a record,
# which takes longer than most kernels. The headers of NumPy show where an array and a record keep
# the address: right after what every Python object has.


def _address_reader(sample: Any, offset: int) -> Callable[[Any], int | None]:  # noqa: ANN401
    def by_interface(value: Any) -> int | None:  # noqa: ANN401
        address: int = value.__array_interface__["data"][0]
        return address

    def by_offset(value: object) -> int | None:
        return read(id(value) + offset).value

    read = ctypes.c_void_p.from_address
    is_known = sys.implementation.name == "cpython" and by_offset(sample) == by_interface(sample)
    return by_offset if is_known else by_interface


_address_of_array: Final = _address_reader(np.zeros(1), object.__basicsize__)
_address_of_record: Final = _address_reader(
    np.zeros(2, np.dtype([("field", np.int64)]))[1], tuple.__basicsize__
)
