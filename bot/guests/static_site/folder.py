"""Writes the files of a site into a folder, also over an earlier version of it."""

import json
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Final

from bot.arena.web.page_bundle import OFFLINE
from bot.errors import ConfigurationError, HostError

LIST: Final = f"assets/{OFFLINE}"
"""The list of the files in a site. A folder with one has a site that may be overwritten.

Files of other names would not do: many sites have a `service_worker.js` and a folder `assets`.
"""
VERSIONED: Final = ("assets", "engine")
"""The folders whose files have other names in other versions."""


def write_site(folder: Path, files: Mapping[str, bytes]) -> None:
    """Write files by their paths in the folder; documents come last, because they name the others.

    Of the other files in the folder, those that its list names as parts of an earlier version are
    removed. Raises ConfigurationError if something else is in the folder, and HostError if a file
    cannot be written; no file is then written in part.
    """
    try:
        earlier = _listed(folder / LIST)
        is_other = folder.is_dir() and any(folder.iterdir()) and earlier is None
        if is_other or (folder.exists() and not folder.is_dir()):
            raise ConfigurationError(f"{folder}: there is something else; name a new folder")
        # The list comes first, so that a site that was not finished may be written again.
        for path in sorted(files, key=lambda path: (path.endswith(".html"), path != LIST, path)):
            target = folder / path
            target.parent.mkdir(parents=True, exist_ok=True)
            _write(target, files[path])
        for top in VERSIONED:
            for old in (folder / top).iterdir():
                path = f"{top}/{old.name}"
                if f"/{path}" in (earlier or ()) and path not in files:
                    old.unlink()
    except OSError as error:
        place = error.filename or folder
        raise HostError(f"{place}: cannot be written: {error.strerror}") from error


def _listed(file: Path) -> frozenset[str] | None:
    """Return the files that a site lists in this file; None if the file is no such list."""
    try:
        found = json.loads(file.read_bytes())
    except (FileNotFoundError, NotADirectoryError, IsADirectoryError, ValueError, RecursionError):
        return None
    if not isinstance(found, dict) or found.keys() != {"files", "texts"}:
        return None
    return frozenset(each for each in found["files"] if isinstance(each, str))


def _write(target: Path, content: bytes) -> None:
    """Write a file at once: somebody may serve the folder, and the disk may be full."""
    new = target.with_name(f"{target.name}.new")
    try:
        new.write_bytes(content)
        new.replace(target)
    except OSError:
        with suppress(OSError):
            new.unlink()
        raise
