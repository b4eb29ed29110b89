"""The online programs: the bot daemon, the arena server, records and the command line."""

from importlib.metadata import PackageNotFoundError, version

try:
    __version__ = version("bluestone")
except PackageNotFoundError:  # a source tree that was never installed
    __version__ = "0+source"

__all__ = ["__version__"]
