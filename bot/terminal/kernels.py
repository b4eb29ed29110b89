"""Compiling the kernels once, with a line that says what is going on."""

import time

from rich.console import Console

from engine import warming


def ensure_kernels(console: Console, game: str | None = None) -> bool:
    """Compile whatever is not in the cache yet of this game, or of all; False if nothing had to be
    done.
    """
    wanted = warming.all_parts() if game is None else warming.parts_of(game)
    if not warming.missing(wanted):
        return False
    began = time.monotonic()
    with console.status("compiling the engine, once") as status:

        def progress(label: str) -> None:
            if console.is_terminal:
                status.update(f"compiling the engine, once: {label}")
            else:
                console.print(f"compiling the engine, once: {label}")

        warming.warm(progress, wanted)
    console.print(f"compiled the engine in {time.monotonic() - began:.1f} s")
    return True
