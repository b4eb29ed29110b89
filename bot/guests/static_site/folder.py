"""Writes the files of a site into a folder, also over an earlier version of it."""

from collections.abc import Mapping
from pathlib import Path
from typing import Final

from bot.errors import ConfigurationError, HostError

MARK: Final = "service_worker.js"
"""A folder with this file and a document has a site that may be overwritten."""
VERSIONED: Final = ("assets", "engine")
"""The folders whose files have other names in other versions."""


def write_site(folder: Path, files: Mapping[str, bytes]) -> None:
    """Write files by their paths in the folder; documents come last, because they name the others.

    Raises ConfigurationError if something else is in the folder, and HostError if a file cannot be
    written.
    """
    try:
        is_other = folder.is_dir() and any(folder.iterdir()) and not (folder / MARK).is_file()
        if is_other or (folder.exists() and not folder.is_dir()):
            raise ConfigurationError(f"{folder}: there is something else; name a new folder")
        for path in sorted(files, key=lambda path: (path.endswith(".html"), path)):
            target = folder / path
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(files[path])
        for top in VERSIONED:
            for old in (folder / top).iterdir():
                if f"{top}/{old.name}" not in files:
                    old.unlink()
    except OSError as error:
        raise HostError(f"{error.filename}: cannot be written: {error.strerror}") from error
