"""Compiling every kernel ahead of time, so that no game has to wait for it."""

import hashlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from engine import kernel_cache
from engine.catalogue import games
from engine.game import Game, game, play_out


def is_warm() -> bool:
    """Whether `warm` has run to its end for these sources on this kind of processor."""
    try:
        return _marker().read_text(encoding="utf-8") == _processor()
    except OSError:
        return False


def warm(progress: Callable[[str], object]) -> None:
    """Compile every kernel that is not in the cache yet, telling `progress` a label before each."""
    for label, compile_one in jobs():
        progress(label)
        compile_one()
    _marker().write_text(_processor(), encoding="utf-8")


def jobs() -> Iterator[tuple[str, Callable[[], object]]]:
    """For each game, a label and a call that compiles one part of it."""
    from engine.search.player import SearchEngine  # loads Numba, which `is_warm` has no use for

    for info in games():
        chosen = game(info.name)
        yield f"{info.title}: rules", lambda chosen=chosen: _rules(chosen)  # type: ignore[misc]
        yield (
            f"{info.title}: playouts",
            lambda chosen=chosen: chosen.adapter.playout_runner(chosen.record, seed=1)(1),  # type: ignore[misc]
        )
        yield f"{info.title}: search", lambda chosen=chosen: SearchEngine().warm_up(chosen)  # type: ignore[misc]


def _rules(chosen: Game) -> None:
    last = play_out(chosen)
    next(chosen.start().play(last.turns[0]).legal_turns())


def _marker() -> Path:
    return kernel_cache.directory() / "warm"


def _processor() -> str:
    """The processor, as far as compiled code depends on it."""
    from llvmlite import binding

    llvm: Any = binding
    features = hashlib.sha256(llvm.get_host_cpu_features().flatten().encode()).hexdigest()
    return f"{llvm.get_host_cpu_name()} {features[:16]}"
