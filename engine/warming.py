"""Compiles kernels before they are needed, so that no game waits for the compiler.

    python -m engine.warming [GAME ...]

compiles every missing part, the named games first, at low CPU priority. Nothing is missing if the
kernels come from a library, or run as plain Python (`engine.kernel.mode`).

A lock across processes lets only one process compile at a time, so no part is compiled twice. The
compiler keeps memory for each part that it has compiled: 560 MB in the end. So each part gets a
process of its own, and a process that waits for the lock has not loaded the compiler.
"""

import hashlib
import multiprocessing
import os
import sys
from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from random import Random
from typing import Any, Final, Literal

from engine.catalogue import game_info, games
from engine.game import Game, game, play_out
from engine.kernel import cache as kernel_cache
from engine.kernel import library, mode
from engine.kernel.mode import Mode
from engine.kernel.sources import sources_key

Kind = Literal["rules", "search", "playouts"]

GIVES_WAY: Final = 10
"""The increment of the process's nice value, so that programs that play games run first."""


@dataclass(frozen=True)
class CompiledPart:
    """A unit of compilation of one game: its rules, its search, or playouts alone."""

    game: str
    kind: Kind

    @property
    def label(self) -> str:
        return f"{game_info(self.game).title}: {self.kind}"


def kernels_version() -> str:
    """Return the version of all kernels, which files that were compiled ahead of time name."""
    return sources_key()


def parts_of(game: str) -> tuple[CompiledPart, ...]:
    """Return the parts that a program needs to play a game."""
    return CompiledPart(game, "rules"), CompiledPart(game, "search")


def all_parts(first: Collection[str] = ()) -> tuple[CompiledPart, ...]:
    """Return the parts of all games in the order of compilation.

    Rules and search of the games in `first` come first, then those of the other games by name. The
    playouts of all games come last, because only measurements use them.
    """
    names = sorted((known.name for known in games()), key=lambda name: name not in first)
    playing = (part for name in names for part in parts_of(name))
    return *playing, *(CompiledPart(name, "playouts") for name in names)


def compiles_here() -> bool:
    """Return whether this machine compiles the kernels, and caches them in a folder."""
    return mode.MODE is Mode.COMPILED


def kernels_in_words() -> str:
    """Say how the kernels of this process run, and for which kind of processor a library is."""
    match mode.MODE:
        case Mode.LIBRARY:
            return f"compiled ahead of time for {_used_library().stem}"
        case Mode.COMPILED:
            return "compiled on this machine"
        case Mode.PYTHON:
            return "plain Python, which is slow"


def library_folder() -> Path | None:
    """Return the folder of the library that this process uses; None if it uses none."""
    return _used_library().parent if mode.MODE is Mode.LIBRARY else None


def _used_library() -> Path:
    file = library.library_file()
    assert file is not None
    return file


def missing(wanted: Iterable[CompiledPart] | None = None) -> tuple[CompiledPart, ...]:
    """Return the parts that are not compiled for these sources on this kind of processor.

    Args:
        wanted: The parts to look at; None for all parts.
    """
    return missing_in(kernel_cache.directory(), wanted) if compiles_here() else ()


def cache_folder() -> Path:
    """Return the folder for compiled code, as the environment says it. Creates nothing.

    Only for processes that compile (`compiles_here`).
    """
    return kernel_cache.wanted_directory(os.environ)


def cache_danger(user: int | None = None) -> str:
    """Say why the code in `cache_folder` is not used; empty if it is.

    Args:
        user: Whose programs use it; None for this user.
    """
    return kernel_cache.why_not_private(cache_folder(), user)


def missing_in(
    folder: Path, wanted: Iterable[CompiledPart] | None = None
) -> tuple[CompiledPart, ...]:
    """Return the parts that a folder lacks for this kind of processor. Changes nothing.

    Args:
        folder: A folder of compiled code, which need not exist.
        wanted: The parts to look at; None for all parts.
    """
    parts = all_parts() if wanted is None else wanted
    return tuple(part for part in parts if not _is_in(folder, part))


def warm(
    progress: Callable[[str], object],
    wanted: Iterable[CompiledPart] | None = None,
    *,
    apart: bool = False,
) -> None:
    """Compile the parts that are `missing`.

    Args:
        progress: A function that receives the label of each part before its compilation starts.
        wanted: The parts to look at; None for all parts.
        apart: Whether to compile each part in a process of its own, which takes less memory.
    """
    for part in missing(wanted):
        progress(part.label)
        with kernel_cache.alone("compiling"):
            if not _is_there(part):  # another process may have compiled it during the wait
                if apart:
                    _make_apart(part)
                else:
                    _make(part)


def _make_apart(part: CompiledPart) -> None:
    process = multiprocessing.get_context("spawn").Process(target=_make, args=(part,))
    process.start()
    process.join()
    if process.exitcode != 0:
        _make(part)  # and raise what went wrong


def _make(part: CompiledPart) -> None:
    _compile(part)
    _marker(kernel_cache.directory(), part).write_text(processor(), encoding="utf-8")


def _compile(part: CompiledPart) -> None:
    chosen = game(part.game)
    match part.kind:
        case "rules":
            _play(chosen)
        case "search":
            from engine.search.searcher import Searcher

            Searcher(chosen, megabytes=1, threads=1, seed=1).warm_up()
        case "playouts":
            chosen.mechanics.playouts(seed=1)(1)


def _play(chosen: Game) -> None:
    last = play_out(chosen)
    second = chosen.start().play(last.turns[0])
    next(second.legal_turns())
    second.likely_turn(Random(1))
    chosen.mechanics.outcome(last.record())
    chosen.mechanics.final_scores(second.record())
    chosen.mechanics.promising_steps(second.record())


def used_cache_folder() -> Path:
    """Return the folder of compiled code that this process uses, created if necessary.

    Its parent is the value for `BLUESTONE_CACHE_DIR`. Only for processes that compile.
    """
    return kernel_cache.directory()


def _is_there(part: CompiledPart) -> bool:
    return _is_in(kernel_cache.directory(), part)


def _is_in(folder: Path, part: CompiledPart) -> bool:
    try:
        return _marker(folder, part).read_text(encoding="utf-8") == processor()
    except OSError:
        return False


def _marker(folder: Path, part: CompiledPart) -> Path:
    return folder / f"warm-{part.game}-{part.kind}"


@cache
def processor() -> str:
    """Return an identifier of the processor: its LLVM name and a hash of its features."""
    from llvmlite import binding

    llvm: Any = binding
    features = hashlib.sha256(llvm.get_host_cpu_features().flatten().encode()).hexdigest()
    return f"{llvm.get_host_cpu_name()} {features[:16]}"


if __name__ == "__main__":
    os.nice(GIVES_WAY)
    if compiles_here():
        with kernel_cache.alone("warming"):  # of several programs, one loads the compiler
            warm(lambda label: print(label, flush=True), all_parts(first=sys.argv[1:]), apart=True)
