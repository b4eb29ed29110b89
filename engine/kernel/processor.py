"""What kind of processor this is, as far as compiled kernels depend on it."""

import platform
import sys
from collections.abc import Set as AbstractSet
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Final

_V2: Final = frozenset({"cx16", "lahf_lm", "popcnt", "sse4_1", "sse4_2", "ssse3"})
_V3: Final = _V2 | {"abm", "avx", "avx2", "bmi1", "bmi2", "f16c", "fma", "movbe", "xsave"}
_V4: Final = _V3 | {"avx512f", "avx512bw", "avx512cd", "avx512dq", "avx512vl"}
LEVELS: Final = {"x86-64-v4": _V4, "x86-64-v3": _V3, "x86-64-v2": _V2}
"""The levels of x86 (psABI), the highest first, and the features of each as Linux names them."""
ARM: Final = "aarch64"


@cache
def features() -> frozenset[str]:
    """Return the features of this x86 processor as Linux names them; empty on other systems."""
    with suppress(OSError):
        for line in Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines():
            if line.startswith("flags"):
                return frozenset(line.partition(":")[2].split())
    return frozenset()


def levels(found: AbstractSet[str], machine: str, system: str) -> tuple[str, ...]:
    """Return the names of the libraries that a processor can run, the fastest first.

    Args:
        found: The features of an x86 processor.
        machine: As `platform.machine` names the processor.
        system: As `sys.platform` names the operating system.
    """
    if system != "linux":
        return ()
    if machine == ARM:
        return (ARM,)
    if machine != "x86_64":
        return ()
    return tuple(level for level, needed in LEVELS.items() if needed <= found)


def levels_here() -> tuple[str, ...]:
    """Return the names of the libraries that this machine can run, the fastest first."""
    return levels(features(), platform.machine(), sys.platform)
