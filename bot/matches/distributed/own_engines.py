"""The engines of one machine: what a worker starts for the names that a tournament gives."""

import os
import re
import shutil
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, Final, Self

from bot.engines.spec import EngineSpec
from bot.matches.engine_names import engines_in
from bot.runtime.settings import validated
from engine.players.installed import known_engines

ENGINES_VARIABLE: Final = "BLUESTONE_ENGINES"
"""Names a TOML file with tables `[engines.NAME]`, as `bluestone match --engines` takes it."""
_PLAYER: Final = re.compile(r"([\w.\-]+)(:\S*)?( \(\d+\))?")
"""A player of a match is called after its engine, such as `mine:Level=3 (2)`."""


class OwnEngines:
    """What this machine's file says of an engine's program goes before what a game brings with it;
    of its options those of the game do.
    """

    def __init__(self, by_name: Mapping[str, EngineSpec]) -> None:
        self._by_name = dict(by_name)

    @classmethod
    def of_environment(cls, environment: Mapping[str, str] = os.environ) -> Self:
        """Raises ConfigurationError for a file that cannot be read, or is none of engines."""
        path = environment.get(ENGINES_VARIABLE)
        tables = engines_in(Path(path) if path else None)
        return cls({name: _spec(name, table, str(path)) for name, table in tables.items()})

    def of(self, wanted: EngineSpec) -> EngineSpec:
        """What to start for a player, which is called so too."""
        own = self._by_name.get(wanted.name)
        if own is None and (match := _PLAYER.fullmatch(wanted.name)):
            own = self._by_name.get(match[1])
        if own is None:
            return wanted
        options = {**own.options, **wanted.options}
        return own.model_copy(update={"name": wanted.name, "options": options})

    def lacking(self, wanted: Iterable[EngineSpec]) -> dict[str, str]:
        """Of which of these there is no program here, by name, and why; starts nothing."""
        reasons = ((each.name, _missing(self.of(each))) for each in wanted)
        return {name: why for name, why in reasons if why is not None}


def _spec(name: str, table: Mapping[str, Any], source: str) -> EngineSpec:
    fields = {key: value for key, value in table.items() if key != "processes"}
    place = f"{source}: engines.{name}"
    return validated(EngineSpec, {**fields, "name": name}, lambda _: place)


def _missing(spec: EngineSpec) -> str | None:
    if spec.command is None:
        known = spec.builtin in known_engines()
        return None if known else f"there is no built-in engine {spec.builtin!r}"
    if spec.directory is not None and not Path(spec.directory).is_dir():
        return f"there is no folder {str(spec.directory)!r}"
    program = spec.command[0]
    if "/" in program and spec.directory is not None:
        program = str(Path(spec.directory) / program)
    path = spec.environment().get("PATH")
    return None if shutil.which(program, path=path) else f"there is no program {program!r}"
