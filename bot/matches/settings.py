"""The settings of a tournament of engines: its players with their engines, and concurrency."""

import shutil
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Annotated, Any, Self

from pydantic import Field, model_validator

from bot.engines.spec import EngineSpec, fields_of
from bot.errors import ConfigurationError
from bot.runtime.names import PlayerName
from bot.runtime.settings import Problem, did_you_mean, read_toml, validated
from bot.time_controls import Untimed
from bot.tournaments.formats.choice import format_of, format_warnings
from bot.tournaments.model import Entrant, Limit, StatedRating
from bot.tournaments.openings import opening_plies
from bot.tournaments.settings import ClockText, EventSettings, cross_checks, limit_of
from engine.players.installed import known_engines


class EnginePlayer(EngineSpec):
    """A player with its engine. The player has the name of its table, not that of the engine."""

    name: PlayerName
    rating: StatedRating | None = None
    clock: ClockText | None = Field(None, description="its own, instead of the setup's limit")
    nodes: Annotated[int, Field(ge=1, le=10**12)] | None = None

    @model_validator(mode="after")
    def _one_limit(self) -> Self:
        if self.clock is not None and self.nodes is not None:
            raise ValueError("`clock` and `nodes` are both given; a turn has one limit")
        return self

    @property
    def entrant(self) -> Entrant:
        return Entrant(name=self.name, rating=self.rating)

    @property
    def spec(self) -> EngineSpec:
        fields = self.model_dump(exclude={"rating", "clock", "nodes"}, exclude_unset=True)
        return EngineSpec.model_validate(fields)

    @property
    def own_limit(self) -> Limit | None:
        """The player's own limit, for a handicap; None if the limit of the setup applies."""
        if self.clock is None and self.nodes is None:
            return None
        clock = Untimed() if self.clock is None else limit_of(self.clock)
        return Limit(clock=clock, nodes=self.nodes)


class LocalSettings(EventSettings):
    """A tournament of engines, with `concurrency` games at once."""

    players: tuple[EnginePlayer, ...]
    concurrency: Annotated[int, Field(ge=1, le=1000)] = 1


def load_settings(path: Path, *, programs_here: bool = True) -> LocalSettings:
    """The settings of a file. Engines must be installed here, unless `programs_here` is false.

    Raises ConfigurationError with every error.
    """
    raw = read_toml(path)
    return settings_of(raw, str(path), programs_here=programs_here)


def settings_of(
    raw: Mapping[str, Any], source: str, *, programs_here: bool = True
) -> LocalSettings:
    """The settings in tables. Raises ConfigurationError with every error as `source: key: what`."""
    engines = [*_check_commands(raw), *_check_builtin(raw)] if programs_here else []
    more = [*cross_checks(raw), *engines, *_check_openings(raw)]
    return validated(LocalSettings, raw, lambda _: source, more)


def check_settings(path: Path) -> list[str]:
    """Every error of the file. Starts nothing."""
    try:
        load_settings(path)
    except ConfigurationError as error:
        return error.problems
    return []


def settings_warnings(settings: LocalSettings) -> list[str]:
    """Why a tournament with these valid settings may end early, a sentence each."""
    form = format_of(settings.format.kind, **settings.format.options)
    return format_warnings(form, len(settings.players))


def _check_commands(raw: Mapping[str, Any]) -> Iterator[Problem]:
    players = raw.get("players", [])
    for index, table in enumerate(players if isinstance(players, list) else ()):
        command = table.get("command") if isinstance(table, dict) else None
        if not isinstance(command, str | list) or "directory" in table:
            continue
        try:
            words = fields_of(command).get("command") if isinstance(command, str) else command
        except ValueError:
            continue  # the model reports it
        if words and isinstance(words[0], str) and shutil.which(words[0]) is None:
            yield ("players", index, "command"), f"there is no program {words[0]!r} to run"


def _check_builtin(raw: Mapping[str, Any]) -> Iterator[Problem]:
    players, known = raw.get("players", []), known_engines()
    for index, table in enumerate(players if isinstance(players, list) else ()):
        name = table.get("builtin") if isinstance(table, dict) else None
        if isinstance(name, str) and name not in known:
            near = did_you_mean(name, known) or f"; known: {', '.join(known)}"
            yield ("players", index, "builtin"), f"there is no built-in engine {name!r}{near}"


def _check_openings(raw: Mapping[str, Any]) -> Iterator[Problem]:
    setups = raw.get("setups", [])
    tables = [(("setups", i), t) for i, t in enumerate(setups if isinstance(setups, list) else ())]
    for place, table in [((), raw), *tables]:
        source = table.get("openings") if isinstance(table, Mapping) else None
        if not isinstance(source, str):
            continue
        try:
            if opening_plies(source) is None and not Path(source).is_file():
                yield (*place, "openings"), f"there is no file {source!r}"
        except ConfigurationError as error:
            yield (*place, "openings"), str(error)
