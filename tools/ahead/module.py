"""The LLVM module of one game, for any processor: its kernels, and the entries that call them."""

from collections.abc import Sequence
from dataclasses import dataclass
from importlib import import_module
from itertools import count
from typing import Any, Final, TypeAlias

from llvmlite import binding
from numba import types

from engine.kernel.llvm.inner import inner
from engine.neural.llvm import product
from tools.ahead.entries import EntryType

Typing: TypeAlias = Any
ENTRY: Final = "entry."
"""What the names of entries begin with in a module."""
SLOTS: Final = {"none": "ptr", "bool": "i8", "int64": "i64"}
"""What a kernel writes its result into, by the type of Numba; entries return nothing else."""


@dataclass(frozen=True)
class Kernel:
    """A kernel as LLVM IR."""

    entry: EntryType
    symbol: str
    """The name of its function in the IR."""
    result: Typing
    text: str


def kernel_of(entry: EntryType) -> Kernel:
    """Let Numba translate a kernel, linked with all that it calls but not optimised."""
    function = getattr(import_module(entry.module), entry.function).py_func
    dispatcher = inner(function)
    dispatcher.compile(entry.arguments)
    compiled = dispatcher.overloads[entry.arguments]
    text = str(compiled.library._final_module)  # noqa: SLF001
    return Kernel(entry, compiled.fndesc.llvm_func_name, compiled.signature.return_type, text)


def game_module(entries: Sequence[EntryType]) -> str:
    """Return the IR of all entries of a game.

    It declares the convolution of the network, which each target defines.
    """
    product.DEFINES = False
    kernels = [kernel_of(entry) for entry in entries]
    whole = binding.parse_assembly(kernels[0].text)
    for kernel in kernels[1:]:
        whole.link_in(binding.parse_assembly(kernel.text))
    wrappers = (wrapper(kernel) for kernel in kernels)
    text = "\n".join([str(whole), *wrappers])
    _check_calls(binding.parse_assembly(text), kernels)
    return text


def _check_calls(module: Typing, kernels: Sequence[Kernel]) -> None:
    """Raise TypeError if an entry passes other types than its kernel takes: LLVM accepts that."""
    for kernel in kernels:
        takes = [str(each.type) for each in module.get_function(kernel.symbol).arguments]
        entry = module.get_function(f"{ENTRY}{kernel.entry.function}")
        calls = (line for block in entry.blocks for line in map(str, block.instructions))
        [call] = (line for line in calls if kernel.symbol in line)
        passed = [part.split()[0] for part in call.rpartition("(")[2].split(", ")]
        if takes != passed:
            raise TypeError(f"{kernel.entry.function} takes {takes}, not {passed}")


def wrapper(kernel: Kernel) -> str:
    """Return the IR of an entry: it reads the arguments of a kernel from the words of a block.

    `engine.kernel.library` says what the words are. The kernel follows Numba's calling convention:
    a place for the result, a place for an exception, and each part of each argument.
    """
    lines: list[str] = []
    names = (f"%w{number}" for number in count())
    word = count()

    def read(kind: str) -> str:
        place, name = next(names), next(names)
        lines.append(f"  {place} = getelementptr i64, ptr %block, i64 {next(word)}")
        lines.append(f"  {name} = load {kind}, ptr {place}")
        return name

    parts = [part for kind in kernel.entry.arguments for part in _parts(kind, read, names, lines)]
    given = ", ".join(["ptr %result", "ptr %exception", *parts])
    last = next(word)
    slot = SLOTS[str(kernel.result)]
    ending = _store(slot, last) if slot != "ptr" else f"  store i64 0, ptr %end{last}"
    return "\n".join(
        [
            f'define void @"{ENTRY}{kernel.entry.function}"(ptr %block) {{',
            f"  %result = alloca {slot}",
            "  %exception = alloca ptr",
            *lines,
            f'  %status = call i32 @"{kernel.symbol}"({given})',
            f"  %end{last} = getelementptr i64, ptr %block, i64 {last}",
            ending,
            "  ret void",
            "}",
        ]
    )


def _store(slot: str, last: int) -> str:
    widened = "" if slot == "i64" else "  %wide = zext i8 %value to i64\n"
    stored = "%value" if slot == "i64" else "%wide"
    return f"  %value = load {slot}, ptr %result\n{widened}  store i64 {stored}, ptr %end{last}"


def _parts(kind: Typing, read: Any, names: Any, lines: list[str]) -> list[str]:  # noqa: ANN401
    """Read an argument; return its parts as Numba passes them."""
    match kind:
        case types.Record():
            return [f"ptr {read('ptr')}"]
        case types.NamedTuple() | types.NamedUniTuple():
            return [part for each in kind.types for part in _parts(each, read, names, lines)]
        case types.Float():
            return [f"double {read('double')}"]
        case types.Boolean():
            wide, narrow = read("i64"), next(names)
            lines.append(f"  {narrow} = trunc i64 {wide} to i8")
            return [f"i8 {narrow}"]
        case types.Integer():
            return [f"i64 {read('i64')}"]
        case types.Array():
            return _array(kind, read, names, lines)
        case _:
            raise TypeError(f"entries take no {kind}")


def _array(kind: Typing, read: Any, names: Any, lines: list[str]) -> list[str]:  # noqa: ANN401
    """Read the address and the shape of a contiguous array; work out its size and its strides."""
    size = kind.dtype.bitwidth // 8
    data, shape = read("ptr"), [read("i64") for _ in range(kind.ndim)]
    strides = [str(size)]
    for extent in shape[:0:-1]:
        strides.insert(0, next(names))
        lines.append(f"  {strides[0]} = mul i64 {strides[1]}, {extent}")
    total = next(names)
    lines.append(f"  {total} = mul i64 {shape[0]}, 1")
    for extent in shape[1:]:
        before, total = total, next(names)
        lines.append(f"  {total} = mul i64 {before}, {extent}")
    numbers = [total, str(size)]
    return [
        "ptr null",
        "ptr null",
        *(f"i64 {number}" for number in numbers),
        f"ptr {data}",
        *(f"i64 {extent}" for extent in shape),
        *(f"i64 {stride}" for stride in strides),
    ]
