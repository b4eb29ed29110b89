"""The programs of a tournament's engines: whether they are still the ones with which it began."""

import hashlib
import shutil
from collections.abc import Iterable, Iterator
from pathlib import Path

from bot.matches.settings import EnginePlayer


def program_hashes(players: Iterable[EnginePlayer]) -> dict[str, str]:
    """Return a hash of each engine's program by the player's name.

    It covers the contents of all files that the command names: the program, or an interpreter with
    its script, and files such as weights. Engines without such a file here are left out: built-in
    ones, servers, and programs of other machines.
    """
    found = {player.name: _hash_of(_files_of(player)) for player in players if player.command}
    return {name: digest for name, digest in found.items() if digest is not None}


def _files_of(player: EnginePlayer) -> Iterator[Path]:
    program, *words = player.argv
    folder = Path(player.directory or ".")
    found = str(folder / program) if "/" in program else shutil.which(program)
    paths = [] if found is None else [Path(found)]
    paths += [folder / word for word in words]
    yield from (path for path in paths if path.is_file())


def _hash_of(files: Iterable[Path]) -> str | None:
    digest, is_empty = hashlib.sha256(), True
    for path in files:
        try:
            with path.open("rb") as file:
                digest.update(hashlib.file_digest(file, "sha256").digest())
        except OSError:
            continue
        is_empty = False
    return None if is_empty else digest.hexdigest()[:32]
