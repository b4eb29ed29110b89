"""`bluestone warm`: compile the engine before it is needed."""

from bot.runtime.output import error_console


def warm() -> None:
    """Compile the engine now, so that no later command waits for it.

    The result is stored in your cache folder, or in BLUESTONE_CACHE_DIR if that is set. A wheel for
    this processor has the compiled engine, so there is nothing to do.
    """
    from bot.terminal.play import ensure_kernels
    from engine import warming

    console = error_console()
    if not warming.compiles_here():
        console.print(f"the engine is ready: {warming.kernels_in_words()}")
    elif not ensure_kernels(console):
        console.print("the engine is already compiled")
