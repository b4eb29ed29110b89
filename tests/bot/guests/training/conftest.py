"""The command line, for the tests of `bluestone train`."""

from tests.bot.cli.conftest import bluestone

__all__ = ["bluestone"]
