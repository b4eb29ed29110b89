"""Compiling kernels ahead of time, so that no game has to wait for it.

    python -m engine.warming [GAME ...]

compiles whatever is missing, these games first, and gives way to other programs.

One part is compiled at a time, whoever asks: nothing is compiled twice.
"""

import hashlib
import os
import sys
from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, Final, Literal

from engine.catalogue import game_info, games
from engine.game import Game, game, play_out
from engine.kernel import cache as kernel_cache

Kind = Literal["rules", "search", "playouts"]

GIVES_WAY: Final = 10
"""How nice the program is to others on its processor: those who play come first."""


@dataclass(frozen=True)
class Part:
    """What of a game is compiled at a time: its rules, its search, or playouts on their own."""

    game: str
    kind: Kind

    @property
    def label(self) -> str:
        return f"{game_info(self.game).title}: {self.kind}"


def parts_of(game: str) -> tuple[Part, ...]:
    """What is needed to play a game."""
    return Part(game, "rules"), Part(game, "search")


def all_parts(first: Collection[str] = ()) -> tuple[Part, ...]:
    """In the order in which they are wanted: some games first, then the best known; playouts alone
    are for measurements.
    """
    names = sorted((known.name for known in games()), key=lambda name: name not in first)
    playing = (part for name in names for part in parts_of(name))
    return *playing, *(Part(name, "playouts") for name in names)


def missing(wanted: Iterable[Part] | None = None) -> tuple[Part, ...]:
    """Those that have not been compiled for these sources on this kind of processor; of all, unless
    told which.
    """
    parts = all_parts() if wanted is None else wanted
    return tuple(part for part in parts if not _is_there(part))


def warm(progress: Callable[[str], object], wanted: Iterable[Part] | None = None) -> None:
    """Compile what is `missing`, telling `progress` a label before each part."""
    for part in missing(wanted):
        progress(part.label)
        with kernel_cache.alone("compiling"):
            if not _is_there(part):  # somebody else may have done it meanwhile
                _compile(part)
                _marker(part).write_text(_processor(), encoding="utf-8")


def _compile(part: Part) -> None:
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
    next(chosen.start().play(last.turns[0]).legal_turns())
    chosen.mechanics.outcome(last.record())


def _is_there(part: Part) -> bool:
    try:
        return _marker(part).read_text(encoding="utf-8") == _processor()
    except OSError:
        return False


def _marker(part: Part) -> Path:
    return kernel_cache.directory() / f"warm-{part.game}-{part.kind}"


@cache
def _processor() -> str:
    """The processor, as far as compiled code depends on it."""
    from llvmlite import binding

    llvm: Any = binding
    features = hashlib.sha256(llvm.get_host_cpu_features().flatten().encode()).hexdigest()
    return f"{llvm.get_host_cpu_name()} {features[:16]}"


if __name__ == "__main__":
    os.nice(GIVES_WAY)
    warm(lambda label: print(label, flush=True), all_parts(first=sys.argv[1:]))
