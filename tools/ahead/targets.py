"""The targets: how LLVM compiles a module for each, and how the result is linked."""

import re
import shutil
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Final

from llvmlite import binding, ir

from engine.kernel.processor import ARM, LEVELS
from engine.neural.llvm import product
from tools.ahead.module import ENTRY
from tools.ahead.web_product import dot_products

_llvm: Final[Any] = binding

LINKER: Final = "ld.lld"
"""The program that links libraries; `tools.ahead.web_linker` links modules for browsers."""


class NoLinkerError(Exception):
    """No linker of LLVM was found; the message says where to get one."""

    def __init__(self) -> None:
        super().__init__(
            f"there is no {LINKER}: install Debian's lld, or the package ziglang into this Python"
        )


@dataclass(frozen=True)
class Target:
    """A kind of processor, and how code for it is made."""

    name: str
    triple: str
    cpu: str
    features: str
    block: int
    """How many cells' sums the network's innermost loop keeps in registers."""
    sums_of_pairs: product.SumsOfPairs = product.sums_of_pairs

    @property
    def is_web(self) -> bool:
        return self.triple.startswith("wasm32")

    @property
    def relocation(self) -> str:
        return "static" if self.is_web else "pic"


def _x86(level: str) -> Target:
    block = 8 if level == "x86-64-v4" else 4
    return Target(level, "x86_64-unknown-linux-gnu", level, "", block)


# Its 16 registers do not hold the sums of four cells, but a weight that is loaded serves all four:
# a convolution takes 6.2 us in V8, with two cells 7.0.
WEB: Final = Target(
    "wasm32",
    "wasm32-unknown-unknown",
    "generic",
    "+bulk-memory,+simd128,+sign-ext,+nontrapping-fptoint",
    4,
    dot_products,
)
TARGETS: Final = {
    target.name: target
    for target in (
        *map(_x86, LEVELS),
        Target(ARM, "aarch64-unknown-linux-gnu", "generic", "", 4),
        WEB,
    )
}


def object_code(module: str, target: Target, symbols: Mapping[str, str]) -> bytes:
    """Compile the IR of a game.

    Args:
        module: The IR, in which entries have names that begin with ENTRY.
        target: What to compile it for.
        symbols: The names of the entries in the result; it leaves the others out.
    """
    _llvm.initialize_all_targets()
    _llvm.initialize_all_asmprinters()
    machine = _llvm.Target.from_triple(target.triple).create_target_machine(
        cpu=target.cpu, features=target.features, opt=3, reloc=target.relocation
    )
    parsed = _llvm.parse_assembly(retargeted(module, target, str(machine.target_data)))
    parsed.link_in(_llvm.parse_assembly(convolution(target, str(machine.target_data))))
    for function in parsed.functions:
        symbol = symbols.get(function.name.removeprefix(ENTRY))
        if function.name.startswith(ENTRY) and symbol:
            function.name = symbol
        elif not function.is_declaration:
            function.linkage = "internal"
    parsed.verify()
    tuning = _llvm.create_pipeline_tuning_options(speed_level=3)
    builder = _llvm.create_pass_builder(machine, tuning)
    builder.getModulePassManager().run(parsed, builder)
    return bytes(machine.emit_object(parsed))


def retargeted(module: str, target: Target, layout: str) -> str:
    """Return the IR with the triple and the data layout of a target."""
    text = re.sub(r'target datalayout = ".*"', f'target datalayout = "{layout}"', module)
    text = re.sub(r'target triple = ".*"', f'target triple = "{target.triple}"', text)
    text = re.sub(r'"target-cpu"="[^"]*"|"target-features"="[^"]*"', "", text)
    # Numba's environments, which only Python code would read; WebAssembly has no common symbols.
    return re.sub(r"= common (local_unnamed_addr )?global", "= internal global", text)


def convolution(target: Target, layout: str) -> str:
    """Return the IR of the convolution of the network for a target."""
    module = ir.Module("convolution")
    module.triple, module.data_layout = target.triple, layout
    function = ir.Function(module, product.TYPE, product.FUNCTION)
    product.define(function, target.block, target.sums_of_pairs)
    return str(module)


def linker() -> Sequence[str]:
    """Return the command of the linker of LLVM for libraries.

    The package comes first: constraints.txt says its version, and other versions link other bytes.

    Raises:
        NoLinkerError: This machine has no such linker.
    """
    if find_spec("ziglang"):
        return [sys.executable, "-m", "ziglang", LINKER]
    if found := shutil.which(LINKER):
        return [found]
    raise NoLinkerError


def link(objects: Sequence[Path], library: Path) -> None:
    """Link object files into a library. Raises NoLinkerError."""
    command = [
        *linker(),
        *("-shared", "--gc-sections", "-z", "now", "--hash-style=gnu", "--strip-all"),
        *map(str, objects),
        "-o",
        str(library),
    ]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        raise RuntimeError(f"{' '.join(command)}\n{done.stderr}")
