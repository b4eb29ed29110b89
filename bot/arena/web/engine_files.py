"""The engine for browsers: WebAssembly modules, with layouts, boards and networks.

`python -m tools.ahead --page` writes them into `engine/`. A page without them asks the server.
"""

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Final

from engine.warming import kernels_version

ENGINE: Final = "engine"
CONTENT_TYPES: Final = {".wasm": "application/wasm", ".json": "application/json"}
OTHER_CONTENT: Final = "application/octet-stream"


def engine_files(folder: Path) -> dict[str, Path]:
    """The files of the page in this folder, by name.

    Files that were made from other sources, or are damaged, are left out: rules and values would be
    others than on the server.
    """
    return {file.name: file for file in sorted(_fitting(folder / ENGINE))}


def engine_stamp(folder: Path) -> int | None:
    """What changes when the files of the page in this folder are replaced; None without any."""
    try:
        return (folder / ENGINE).stat().st_mtime_ns
    except OSError:
        return None


def games_in(files: Mapping[str, Path]) -> tuple[str, ...]:
    """The games that a page can play with these files."""
    return tuple(file.stem for file in files.values() if file.suffix == ".wasm")


def content_type_of(file: Path) -> str:
    """The content type of one of the files."""
    return CONTENT_TYPES.get(file.suffix, OTHER_CONTENT)


def _fitting(folder: Path) -> Iterator[Path]:
    modules = [file for file in folder.glob("*.wasm") if file.with_suffix(".json").is_file()]
    sources = kernels_version() if modules else ""
    for module in modules:
        layout = module.with_suffix(".json")
        if _sources_of(layout) == sources:
            yield from (module, layout, *folder.glob(f"{module.stem}-*"))


def _sources_of(layout: Path) -> str | None:
    try:
        found = json.loads(layout.read_bytes())
    except (OSError, ValueError):
        return None
    return found.get("sources") if isinstance(found, dict) else None
