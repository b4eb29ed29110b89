"""`bluestone warm`: compile the engine ahead of time."""

from bot.runtime.output import error_console


def warm() -> None:
    """Compile the engine now, so that no later command waits for it.

    The result is stored in your cache folder, or in BLUESTONE_CACHE_DIR if that is set.
    """
    from bot.terminal.play import ensure_kernels

    console = error_console()
    if not ensure_kernels(console):
        console.print("the engine is already compiled")
