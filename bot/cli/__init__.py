"""The `bluestone` command. Each command's module is imported only when it is called."""

from bot.cli.app import main

__all__ = ["main"]
