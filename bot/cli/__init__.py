"""The `bluestone` command. Each command's module is imported only when it is called."""

import sys
from collections.abc import Sequence

__all__ = ["main"]


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; returns its exit code. Handles Ctrl-C while modules are being imported."""
    try:
        from bot.cli.app import main as run
    except KeyboardInterrupt:
        print("bluestone: interrupted before anything was done", file=sys.stderr)
        return 130
    return run(arguments)
