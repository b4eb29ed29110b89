"""Every parser of data from outside.

`test_targets.py` tries each target in `make test`, and `python -m lab fuzz` for as long as
you like. A target returns for any bytes, or raises one of its `refuses`. Any other exception is a
bug, and so is a failed assertion: targets assert that what was read is written and read the same.
A new target goes into the module of its subject, with a folder of examples in `tests/fuzz/corpora`.
"""

from typing import Final

from bot.errors import ConfigurationError
from tests.fuzz import of_abstract_play, of_engines, of_files, of_games, of_hexo, of_the_arena
from tests.fuzz.target import Target

TARGETS: Final = (
    *of_the_arena.TARGETS,
    *of_abstract_play.TARGETS,
    *of_games.TARGETS,
    *of_hexo.TARGETS,
    *of_files.TARGETS,
    *of_engines.TARGETS,
)
"""All targets, in the order in which they are tried."""


def target(name: str) -> Target:
    """The target of that name. Raises ConfigurationError."""
    found = {each.name: each for each in TARGETS}
    if name not in found:
        raise ConfigurationError(f"--target {name}: the targets are {', '.join(found)}")
    return found[name]
