"""How the kernels of this process run.

- LIBRARY: as machine code of a library that was compiled ahead of time, which is part of the wheel
  (`engine.kernel.library`). Neither Numba nor LLVM is loaded, or needs to be installed.
- COMPILED: Numba compiles each kernel when it is first called, and caches it on disk. This is the
  mode of a checkout, and of processors without a library.
- PYTHON: as plain Python, a thousand times slower, if `NUMBA_DISABLE_JIT=1` is set. Coverage tools
  and debuggers cannot follow compiled code.

`BLUESTONE_KERNELS=compile` excludes the first; any other value is the folder of the libraries.
"""

import os
from collections.abc import Callable, Mapping
from enum import Enum
from importlib import import_module
from importlib.util import find_spec
from typing import Any, Final, TypeVar

from engine.errors import KernelsMissing
from engine.kernel.library import library_file

Function = TypeVar("Function", bound=Callable[..., Any])


class Mode(Enum):
    """How kernels run; see the module."""

    LIBRARY = "library"
    COMPILED = "compiled"
    PYTHON = "python"


def choose(environment: Mapping[str, str]) -> Mode:
    """Return how kernels run with these environment variables.

    Raises:
        KernelsMissing: There is no library for this processor, and Numba is not installed.
    """
    if environment.get("NUMBA_DISABLE_JIT", "0") not in ("", "0"):
        return Mode.PYTHON
    if library_file() is not None:
        return Mode.LIBRARY
    if find_spec("numba") is None:
        raise KernelsMissing
    return Mode.COMPILED


MODE: Final = choose(os.environ)


def generated_by(module: str) -> Callable[[Function], Function]:
    """Let compiled kernels use the function of the same name that `module` generates as LLVM IR.

    The decorated function is the same in Python, for the other modes.
    """

    def choose(function: Function) -> Function:
        if MODE is not Mode.COMPILED:
            return function
        generated: Function = getattr(import_module(module), function.__name__)
        return generated

    return choose
