"""The wheels: one for each kind of Linux machine, with the engine compiled, and one for all others.

A wheel of a kind of machine has the libraries of `tools.ahead` in `engine/kernel/libraries`, where
`engine.kernel.library` finds them. Otherwise all wheels have the same files and the same metadata,
because resolvers read the metadata of one wheel of a version for all of them. So a marker in
pyproject.toml says on which machines Numba is needed, not the wheel.

A library must load with every C library that the tag of its wheel permits. So it names no library
that it needs, and takes from the C library of Python's own process what `FROM_C` lists, without
versions of symbols. `clock_gettime` is in glibc itself since 2.17: that is the tag's version.
"""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

from elftools.elf.dynamic import DynamicSection
from elftools.elf.elffile import ELFFile
from elftools.elf.sections import SymbolTableSection
from hatchling.builders.wheel import WheelBuilder

from engine.kernel.library import LAYOUT
from engine.kernel.processor import ARM, LEVELS
from engine.kernel.sources import sources_key

LIBRARIES: Final = {"x86_64": tuple(LEVELS), ARM: (ARM,)}
"""The libraries in the wheel of each kind of machine, as `platform.machine` names it."""
TAG: Final = "py3-none-manylinux_2_17_{}"
INSIDE: Final = "engine/kernel/libraries"
FROM_C: Final = frozenset({"clock_gettime", "memcpy", "memmove", "memset"})


class LibraryError(Exception):
    """A library is missing, does not fit the sources, or would not load everywhere."""


class _PlatformWheel(WheelBuilder):
    """The builder of a wheel for one kind of machine."""

    machine: str
    libraries: Path

    def get_default_build_data(self) -> dict[str, Any]:
        names = [LAYOUT, *(f"{name}.so" for name in LIBRARIES[self.machine])]
        return {
            **super().get_default_build_data(),
            "tag": TAG.format(self.machine),
            "pure_python": False,
            "force_include": {str(self.libraries / name): f"{INSIDE}/{name}" for name in names},
        }


def build_wheel(source: Path, folder: Path) -> Path:
    """Build the wheel without libraries into `folder`."""
    return Path(next(WheelBuilder(str(source)).build(directory=str(folder))))


def build_platform_wheel(source: Path, libraries: Path, machine: str, folder: Path) -> Path:
    """Build the wheel for a kind of machine, with its libraries. Raises LibraryError."""
    check_libraries(libraries, machine)
    builder = _PlatformWheel(str(source))
    builder.machine, builder.libraries = machine, libraries.absolute()
    return Path(next(builder.build(directory=str(folder))))


def check_libraries(folder: Path, machine: str) -> None:
    """Raise LibraryError unless a folder has the libraries of these sources for a machine."""
    try:
        layout = json.loads((folder / LAYOUT).read_text(encoding="utf-8"))
    except FileNotFoundError as error:
        raise LibraryError(f"{folder} has no {LAYOUT}: run python -m tools.ahead") from error
    if layout["sources"] != sources_key():
        raise LibraryError(f"{folder} has libraries of other sources of the engine")
    for name in LIBRARIES[machine]:
        file = folder / f"{name}.so"
        if not file.is_file():
            raise LibraryError(f"{file} is missing")
        if others := sorted(set(needs(file)) - FROM_C):
            raise LibraryError(f"{file} needs {', '.join(others)}, which another machine may lack")


def needs(library: Path) -> Iterator[str]:
    """Yield what the dynamic linker must find for a library: other libraries, and symbols."""
    with library.open("rb") as file:
        elf = ELFFile(file)
        dynamic, symbols = (elf.get_section_by_name(name) for name in (".dynamic", ".dynsym"))
        assert isinstance(dynamic, DynamicSection)
        assert isinstance(symbols, SymbolTableSection)
        for tag in dynamic.iter_tags("DT_NEEDED"):
            yield tag.needed  # type: ignore[attr-defined]  # its class adds it
        undefined = (each for each in symbols.iter_symbols() if each["st_shndx"] == "SHN_UNDEF")
        yield from (each.name for each in undefined if each.name)
        if elf.get_section_by_name(".gnu.version_r") is not None:
            yield "versions of symbols"
