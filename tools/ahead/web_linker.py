"""Links an object file of LLVM into a WebAssembly module, without a linker of LLVM.

The problem: browsers take modules, LLVM writes object files, and a fresh machine has no `wasm-ld`.
The idea: the object of a game is whole. It has one module, needs one function of its host, calls no
function by a pointer, and its indices are those of the result. What is missing is the memory with
its stack, the exports, and the addresses of data. The formats are those of
https://webassembly.github.io/spec/core/binary and of
https://github.com/WebAssembly/tool-conventions/blob/main/Linking.md.

The memory has the stack first: an overflow of the stack ends below address 0 and traps.
"""

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final

MAGIC: Final = b"\0asm\1\0\0\0"
CUSTOM, TYPE, IMPORT, FUNCTION = 0, 1, 2, 3
MEMORY, GLOBAL, EXPORT, CODE, DATA, DATA_COUNT = 5, 6, 7, 10, 11, 12
"""Numbers of sections."""
KNOWN: Final = frozenset({TYPE, IMPORT, FUNCTION, CODE, DATA, DATA_COUNT})
NONE: Final = b"\0"
"""A section without entries."""
OF_FUNCTION, OF_TABLE, OF_MEMORY, OF_GLOBAL = 0, 1, 2, 3
"""Kinds of imports and exports."""
SYMBOL_TABLE: Final = 8
LOCAL, UNDEFINED, NAMED = 0x02, 0x10, 0x40
"""Flags of symbols."""
FUNCTION_SYMBOL, DATA_SYMBOL, GLOBAL_SYMBOL = 0, 1, 2
INDICES: Final = frozenset({0, 6, 7})
"""Relocations that write the index of a function, a type or a global, which stays as it is."""
ADDRESS_LEB, ADDRESS_SLEB, ADDRESS_I32 = 3, 4, 5
"""Relocations that write an address."""
PADDED: Final = 5
"""Bytes of a number in code that a linker replaces."""
STACK_POINTER: Final = "__stack_pointer"
HEAP_BASE: Final = "__heap_base"
STACK: Final = 65_536
PAGE: Final = 65_536
ALIGNMENT: Final = 16
I32: Final = b"\x7f"
I32_CONST: Final = b"\x41"
END: Final = b"\x0b"


class LinkError(Exception):
    """The object file has something that this linker does not know."""


class _Reader:
    def __init__(self, data: bytes, place: int = 0) -> None:
        self.data, self.place = data, place

    def __bool__(self) -> bool:
        return self.place < len(self.data)

    def take(self, count: int) -> bytes:
        self.place += count
        return self.data[self.place - count : self.place]

    def unsigned(self) -> int:
        value = shift = 0
        while True:
            byte = self.data[self.place]
            self.place += 1
            value |= (byte & 0x7F) << shift
            shift += 7
            if byte < 0x80:
                return value

    def signed(self) -> int:
        before = self.place
        value, bits = self.unsigned(), 7 * (self.place - before)
        return value - (1 << bits) if value >> (bits - 1) else value

    def text(self) -> str:
        return self.take(self.unsigned()).decode()


@dataclass(frozen=True)
class _Symbol:
    kind: int
    flags: int
    name: str
    index: int
    """Of a function or a global, or of the segment of data."""
    offset: int = 0
    """Of data in their segment."""


@dataclass(frozen=True)
class _Relocation:
    kind: int
    place: int
    symbol: int
    addend: int


@dataclass(frozen=True)
class _Segment:
    """Data, which begin at an address from the beginning of all data."""

    address: int
    content: bytes


def link_module(code: bytes) -> bytes:
    """Return the module of an object file. It exports its memory and all global functions.

    Raises LinkError.
    """
    sections, custom = _sections(code)
    symbols = list(_symbols(custom["linking"]))
    segments = list(_segments(sections.get(DATA, NONE)))
    end = STACK + max([0, *(each.address + len(each.content) for each in segments)])
    heap = _up(end, ALIGNMENT) * ALIGNMENT

    def address(relocation: _Relocation) -> int:
        symbol = symbols[relocation.symbol]
        if symbol.kind != DATA_SYMBOL or symbol.flags & UNDEFINED:
            raise LinkError(f"{symbol.name} has no address")
        return STACK + segments[symbol.index].address + symbol.offset + relocation.addend

    data = bytearray(sections.get(DATA, NONE))
    for each in _relocations(custom.get("reloc.DATA")):
        if each.kind != ADDRESS_I32:
            raise LinkError(f"its data need relocations of kind {each.kind}")
        data[each.place : each.place + 4] = address(each).to_bytes(4, "little")
    exports = [_text("memory") + bytes([OF_MEMORY, 0]), _text(HEAP_BASE) + bytes([OF_GLOBAL, 1])]
    exports += [
        _text(each.name) + bytes([OF_FUNCTION]) + _leb(each.index) for each in _global(symbols)
    ]
    found = [
        b"\0" + _constant(STACK + each.address) + _sized(each.content)
        for each in _segments(bytes(data))
    ]
    result = {
        TYPE: sections[TYPE],
        IMPORT: _vector(_imported_functions(sections.get(IMPORT, NONE))),
        FUNCTION: sections[FUNCTION],
        MEMORY: _vector([b"\0" + _leb(_up(heap, PAGE))]),
        GLOBAL: _vector([I32 + b"\1" + _constant(STACK), I32 + b"\0" + _constant(heap)]),
        EXPORT: _vector(exports),
        DATA_COUNT: _leb(len(found)),
        CODE: _relocated(sections[CODE], list(_relocations(custom.get("reloc.CODE"))), address),
        DATA: _vector(found),
    }
    return MAGIC + b"".join(bytes([each]) + _sized(content) for each, content in result.items())


def _sections(code: bytes) -> tuple[dict[int, bytes], dict[str, bytes]]:
    """Return the contents of the sections by their numbers, and of custom ones by their names."""
    reader = _Reader(code)
    if reader.take(len(MAGIC)) != MAGIC:
        raise LinkError("it is no object file")
    sections, custom = dict[int, bytes](), dict[str, bytes]()
    while reader:
        [number] = reader.take(1)
        section = _Reader(reader.take(reader.unsigned()))
        if number == CUSTOM:
            name = section.text()
            custom[name] = section.data[section.place :]
        else:
            sections[number] = section.data
    if others := sections.keys() - KNOWN:
        raise LinkError(f"it has sections {sorted(others)}")
    return sections, custom


def _symbols(linking: bytes) -> Iterator[_Symbol]:
    reader = _Reader(linking)
    reader.unsigned()  # the version
    while reader:
        [kind] = reader.take(1)
        part = _Reader(reader.take(reader.unsigned()))
        if kind == SYMBOL_TABLE:
            yield from (_symbol(part) for _ in range(part.unsigned()))


def _symbol(reader: _Reader) -> _Symbol:
    [kind] = reader.take(1)
    flags = reader.unsigned()
    is_here = not flags & UNDEFINED
    if kind == DATA_SYMBOL:
        name = reader.text()
        place = [reader.unsigned() for _ in range(3)] if is_here else [0, 0, 0]
        return _Symbol(kind, flags, name, place[0], place[1])
    if kind not in (FUNCTION_SYMBOL, GLOBAL_SYMBOL):
        raise LinkError(f"it has symbols of kind {kind}")
    index = reader.unsigned()
    return _Symbol(kind, flags, reader.text() if is_here or flags & NAMED else "", index)


def _global(symbols: Iterable[_Symbol]) -> Iterator[_Symbol]:
    """Yield the functions that the object offers."""
    for each in symbols:
        if each.kind == FUNCTION_SYMBOL and not each.flags & (LOCAL | UNDEFINED):
            yield each


def _segments(data: bytes) -> Iterator[_Segment]:
    reader = _Reader(data)
    for _ in range(reader.unsigned()):
        if reader.take(2) != b"\0" + I32_CONST:
            raise LinkError("it has data without an address")
        address = reader.signed()
        reader.take(len(END))
        yield _Segment(address, reader.take(reader.unsigned()))


def _imported_functions(imports: bytes) -> Iterator[bytes]:
    """Yield the imports that stay: the module makes its memory and its stack pointer itself."""
    reader = _Reader(imports)
    for _ in range(reader.unsigned()):
        start = reader.place
        reader.text()
        name = reader.text()
        [kind] = reader.take(1)
        if kind == OF_FUNCTION:
            reader.unsigned()
            yield imports[start : reader.place]
        elif kind == OF_MEMORY:
            has_limit = reader.unsigned()
            reader.unsigned()
            has_limit and reader.unsigned()
        elif (kind, name) == (OF_GLOBAL, STACK_POINTER):
            reader.take(2)
        else:
            raise LinkError(f"it imports {name}")


def _relocations(section: bytes | None) -> Iterator[_Relocation]:
    if section is None:
        return
    reader = _Reader(section)
    reader.unsigned()  # the number of the section
    for _ in range(reader.unsigned()):
        [kind] = reader.take(1)
        place, symbol = reader.unsigned(), reader.unsigned()
        has_addend = kind in (ADDRESS_LEB, ADDRESS_SLEB, ADDRESS_I32)
        yield _Relocation(kind, place, symbol, reader.signed() if has_addend else 0)


def _relocated(
    code: bytes, changes: Sequence[_Relocation], address: Callable[[_Relocation], int]
) -> bytes:
    """Return the code with all addresses, and numbers in as few bytes as they need."""
    reader, waiting = _Reader(code), deque(changes)
    bodies = list[bytes]()
    for _ in range(reader.unsigned()):
        size = reader.unsigned()
        start, end = reader.place, reader.place + size
        parts = list[bytes]()
        while waiting and waiting[0].place < end:
            change = waiting.popleft()
            parts += [code[start : change.place], _number(code, change, address)]
            start = change.place + PADDED
        bodies.append(_sized(b"".join([*parts, code[start:end]])))
        reader.place = end
    return _vector(bodies)


def _number(code: bytes, change: _Relocation, address: Callable[[_Relocation], int]) -> bytes:
    if change.kind in INDICES:
        return _leb(_Reader(code, change.place).unsigned())
    if change.kind == ADDRESS_SLEB:
        return _signed_leb(address(change))
    if change.kind == ADDRESS_LEB:
        return _leb(address(change))
    raise LinkError(f"its code needs relocations of kind {change.kind}")


def _leb(value: int) -> bytes:
    found = bytearray()
    while value > 0x7F:
        found.append(value & 0x7F | 0x80)
        value >>= 7
    return bytes([*found, value])


def _signed_leb(value: int) -> bytes:
    found = bytearray()
    while not -0x40 <= value < 0x40:
        found.append(value & 0x7F | 0x80)
        value >>= 7
    return bytes([*found, value & 0x7F])


def _constant(value: int) -> bytes:
    return I32_CONST + _signed_leb(value) + END


def _sized(content: bytes) -> bytes:
    return _leb(len(content)) + content


def _text(text: str) -> bytes:
    return _sized(text.encode())


def _vector(parts: Iterable[bytes]) -> bytes:
    found = [*parts]
    return _leb(len(found)) + b"".join(found)


def _up(size: int, unit: int) -> int:
    """Return in how many units a size fits."""
    return -(-size // unit)
