"""What has to be the same on a host and its workers, for a game to be the same game."""

import hashlib
import sys
from collections.abc import Iterator
from importlib.metadata import version
from pathlib import Path

import bot
import engine
from bot.tournaments.model import Part


class Versions(Part):
    """`sources` is a hash of all that is written in Python here; one that was changed is another.

    Dask wants the same `python`, without its last number, and the same `distributed` everywhere.
    """

    bluestone: str
    sources: str
    python: str
    distributed: str

    def differences(self, other: "Versions") -> str | None:
        """What the other one has otherwise, in words; None if it fits."""
        if self.bluestone != other.bluestone:
            return f"Bluestone {other.bluestone}, and here is {self.bluestone}"
        if self.sources != other.sources:
            return f"other sources of Bluestone {other.bluestone} than there are here"
        if self.python != other.python:
            return f"Python {other.python}, and here is {self.python}"
        if self.distributed != other.distributed:
            return f"distributed {other.distributed}, and here is {self.distributed}"
        return None


def own_versions() -> Versions:
    """Reads all sources, which takes some hundredths of a second."""
    return Versions(
        bluestone=bot.__version__,
        sources=_source_hash(Path(bot.__file__).parent, Path(engine.__file__).parent),
        python="{}.{}".format(*sys.version_info),
        distributed=version("distributed"),
    )


def _source_hash(*folders: Path) -> str:
    digest = hashlib.sha256()
    for folder in folders:
        for path in sorted(_sources(folder)):
            digest.update(f"{path.relative_to(folder.parent).as_posix()}\0".encode())
            digest.update(path.read_bytes())
    return digest.hexdigest()[:16]


def _sources(folder: Path) -> Iterator[Path]:
    return folder.rglob("*.py")
