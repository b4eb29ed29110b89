"""The version of the engine's sources, for code that was compiled from them."""

import hashlib
from pathlib import Path
from typing import Final

FOLDER: Final = Path(__file__).parents[1]


def sources_key(folder: Path = FOLDER) -> str:
    """Return a hash of all modules of an engine: compiled code with the same one fits them."""
    digest = hashlib.sha256()
    for path in sorted(folder.rglob("*.py")):
        digest.update(f"{path.relative_to(folder).as_posix()}\0".encode())
        digest.update(path.read_bytes())
    return digest.hexdigest()
