"""`bluestone warm`: compile the kernels ahead of time."""

from bot.cli.output import error_console


def warm() -> None:
    """Compile the kernels now, so that nothing waits for it later.

    They are kept in your cache folder, or in BLUESTONE_CACHE_DIR if that is set.
    """
    from bot.terminal.play import ensure_kernels

    console = error_console()
    if not ensure_kernels(console):
        console.print("the engine is compiled already")
